package columns

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"pgregory.net/rapid"
)

var indices = &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: arrow.BinaryTypes.String}

func values(width int) *Form {
	return &Form{Width: width, Arrow: &arrow.FixedSizeBinaryType{ByteWidth: width}}
}

var (
	bitmap = &Form{Buffers: Bits, Arrow: arrow.FixedWidthTypes.Boolean}
	tokens = &Form{Buffers: Tokens, Width: 4, Arrow: indices, Children: []*Form{Text}}
	short  = &Form{ // a number as text
		Width: 1, Arrow: arrow.BinaryTypes.String, LongestText: 3,
		Texts: func(c *Column, ends []int32, text []byte) []byte {
			for i, v := range c.Fixed {
				if c.IsValid(i) {
					text = fmt.Append(text, v)
				}
				ends[i] = int32(len(text))
			}
			return text
		},
	}
)

func listOf(f *Form) *Form {
	return &Form{Buffers: Lists, Arrow: arrow.ListOf(f.Arrow), Children: []*Form{f}}
}

func mapOf(f *Form) *Form {
	return &Form{Buffers: Maps, Arrow: arrow.MapOf(arrow.BinaryTypes.String, f.Arrow), Children: []*Form{Text, f}}
}

// forms are of all layouts of buffers.
var forms = []*Form{
	Text, bitmap, values(1), values(4), values(6), values(16), tokens, short,
	{Width: 4, Arrow: indices, Tokens: []string{"", "a", "b"}},
	listOf(values(2)), listOf(bitmap), listOf(Text), listOf(tokens), mapOf(values(8)), mapOf(mapOf(tokens)), listOf(listOf(bitmap)),
}

// row is one drawn for a Form: nil is null.
func row(t *rapid.T, f *Form) any {
	if rapid.IntRange(0, 3).Draw(t, "null") == 0 {
		return nil
	}
	return valid(t, f)
}

func valid(t *rapid.T, f *Form) any {
	switch f.Buffers {
	case Bits:
		return rapid.Bool().Draw(t, "bit")
	case Texts, Tokens:
		return rapid.SampledFrom([]string{"", "a", "bc", "a longer text"}).Draw(t, "text")
	case Lists, Maps:
		n := rapid.IntRange(0, 4).Draw(t, "elements")
		all := make([]any, 0, 2*n)
		for range n {
			if f.Buffers == Maps {
				all = append(all, valid(t, Text))
			}
			all = append(all, row(t, f.Children[len(f.Children)-1]))
		}
		return all
	}
	if f.Tokens != nil {
		return binary.NativeEndian.AppendUint32(nil, rapid.Uint32Range(0, uint32(len(f.Tokens)-1)).Draw(t, "index"))
	}
	return rapid.SliceOfN(rapid.Byte(), f.Width, f.Width).Draw(t, "value")
}

func rowsOf(t *rapid.T, f *Form, least, most int) []any {
	all := make([]any, rapid.IntRange(least, most).Draw(t, "rows"))
	for i := range all {
		all[i] = row(t, f)
	}
	return all
}

// add appends a row to c.
func add(c *Column, v any) {
	switch c.Form.Buffers {
	case Texts:
		if v == nil {
			c.AppendNull()
		} else {
			c.AppendText([]byte(v.(string)))
		}
		return
	case Bits:
		c.Fixed = GrowBits(c.Fixed, c.Len, 1)
		if v == true {
			c.Fixed[c.Len>>3] |= 1 << (c.Len & 7)
		}
	case Tokens:
		i := int32(0)
		if v != nil {
			i, _ = c.Intern([]byte(v.(string)))
		}
		AppendValues[int32](c, 1)[0] = i
	case Lists, Maps:
		if v != nil {
			for i, e := range v.([]any) {
				add(c.Children[i%len(c.Children)], e)
			}
		}
		c.GrowOffsets(1)[0] = int32(c.Children[0].Len)
	default:
		to := AppendValues[byte](c, c.Form.Width)
		clear(to)
		if v != nil {
			copy(to, v.([]byte))
		}
	}
	c.AppendValid(1)
	if v == nil {
		c.SetNull(c.Len - 1)
	}
}

func addAll(c *Column, rows []any) {
	for _, v := range rows {
		add(c, v)
	}
}

func columnOf(f *Form, rows []any) *Column {
	c := New(f)
	addAll(c, rows)
	return c
}

// check fails if c's buffers are not what their invariants say.
func check(t testing.TB, c *Column) {
	t.Helper()
	if len(c.Valid) != (c.Len+7)/8 {
		t.Fatalf("bitmap of %d bytes for %d rows", len(c.Valid), c.Len)
	}
	nulls := 0
	for i := range c.Len {
		if !c.IsValid(i) {
			nulls++
		}
	}
	if n := c.Len & 7; nulls != c.Nulls || n != 0 && c.Valid[c.Len>>3]>>n != 0 {
		t.Fatalf("%d nulls, counted as %d, in %b", nulls, c.Nulls, c.Valid)
	}
	if w := c.Form.Width; w > 0 && len(c.Fixed) != w*c.Len {
		t.Fatalf("%d bytes for %d rows", len(c.Fixed), c.Len)
	}
	if c.Offsets != nil {
		end := len(c.Data)
		if len(c.Children) > 0 {
			end = c.Children[0].Len
		}
		if len(c.Offsets) != c.Len+1 || c.Offsets[0] != 0 || int(c.Offsets[c.Len]) != end || !slices.IsSorted(c.Offsets) {
			t.Fatalf("offsets %d of %d rows, to %d", c.Offsets, c.Len, end)
		}
	}
	for _, child := range c.Children {
		check(t, child)
	}
}

// same compares buffers, not just values.
func same(a, b *Column) bool {
	return a.Len == b.Len && a.Nulls == b.Nulls && bytes.Equal(a.Valid, b.Valid) && bytes.Equal(a.Fixed, b.Fixed) &&
		slices.Equal(a.Offsets, b.Offsets) && bytes.Equal(a.Data, b.Data) && slices.EqualFunc(a.Children, b.Children, same)
}
