package convert

import (
	"net/netip"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/columns"
)

// FieldError says that the field of a row was not converted; the row is null.
type FieldError struct {
	Row  int // of the Column
	Code Code
}

// stringType is the type of map keys and dictionary tokens.
var stringType = &dfa.Type{Kind: dfa.String}

// NewColumn is an empty Column for values of type t.
func NewColumn(t *dfa.Type) *columns.Column { return columns.New(FormOf(t)) }

// FormOf is how values of type t lie in a Column.
func FormOf(t *dfa.Type) *columns.Form {
	f := &columns.Form{Width: ByteWidth(t), Arrow: ArrowType(t)}
	switch t.Kind {
	case dfa.String, dfa.Binary:
		f.Buffers = columns.Texts
	case dfa.Bool:
		f.Buffers = columns.Bits
	case dfa.List:
		f.Buffers, f.Children = columns.Lists, []*columns.Form{FormOf(t.Elem)}
	case dfa.Map:
		f.Buffers, f.Children = columns.Maps, []*columns.Form{columns.Text, FormOf(t.Elem)}
	case dfa.Dictionary:
		f.Buffers, f.Children = columns.Tokens, []*columns.Form{columns.Text}
	case dfa.Enum:
		f.Tokens = t.Tokens
	case dfa.IP:
		if !t.Bytes {
			f.Texts, f.LongestText = addresses, longestAddress
		}
	}
	return f
}

// addresses is a columns.Form's Texts.
func addresses(c *columns.Column, ends []int32, text []byte) []byte {
	for i, ip := range columns.ValuesOf[[16]byte](c.Fixed) {
		if c.IsValid(i) {
			text = netip.AddrFrom16(ip).Unmap().AppendTo(text)
		}
		ends[i] = int32(len(text))
	}
	return text
}
