package convert

import (
	"github.com/apache/arrow/go/v17/arrow"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/columns"
)

// stringType is the type of map keys and dictionary tokens.
var stringType = &dfa.Type{Kind: dfa.String}

// NewColumn is an empty Column for values of type t.
func NewColumn(t *dfa.Type) *columns.Column { return columns.New(FormOf(t)) }

// FormOf is how values of type t lie in a Column: as its Arrow type says.
func FormOf(t *dfa.Type) *columns.Form {
	f := &columns.Form{Width: ByteWidth(t), Arrow: ArrowType(t)}
	switch f.Arrow.ID() {
	case arrow.BOOL:
		f.Buffers = columns.Bits
	case arrow.LIST:
		f.Buffers, f.Children = columns.Lists, []*columns.Form{FormOf(t.Elem)}
	case arrow.MAP:
		f.Buffers, f.Children = columns.Maps, []*columns.Form{columns.Text, FormOf(t.Elem)}
	case arrow.DICTIONARY:
		if t.Kind == dfa.Enum {
			f.Tokens = t.Tokens
			break
		}
		f.Buffers, f.Children = columns.Tokens, []*columns.Form{columns.Text}
	case arrow.STRING, arrow.BINARY:
		if f.Width == 0 {
			f.Buffers = columns.Texts
			break
		}
		text := table[t.Kind].Text // Arrow's values are the texts of ours
		f.Texts, f.LongestText = text.Column, text.Longest
	}
	return f
}
