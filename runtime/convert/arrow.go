package convert

import (
	"unsafe"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/dfaparse/dfaparse/dfa"
)

// Array is the rows of c as an Arrow array of ArrowType(c.Type), in memory of
// its own from mem.
func (c *Column) Array(mem memory.Allocator) arrow.Array {
	data := c.arrayData(mem, ArrowType(c.Type))
	defer data.Release()
	return array.MakeFromData(data)
}

func (c *Column) arrayData(mem memory.Allocator, dt arrow.DataType) *array.Data {
	buffers := make([]*memory.Buffer, 1, 3)
	if c.Nulls > 0 {
		buffers[0] = bufferOf(mem, c.Valid)
	}
	defer func() {
		for _, b := range buffers {
			if b != nil {
				b.Release()
			}
		}
	}()
	switch c.Type.Kind {
	case dfa.String, dfa.Binary:
		buffers = append(buffers, bufferOf(mem, bytesOf(c.Offsets)), bufferOf(mem, c.Data))
		return array.NewData(dt, c.Len, buffers, nil, c.Nulls, 0)
	case dfa.List:
		buffers = append(buffers, bufferOf(mem, bytesOf(c.Offsets)))
		items := c.Children[0].arrayData(mem, dt.(*arrow.ListType).Elem())
		defer items.Release()
		return array.NewData(dt, c.Len, buffers, []arrow.ArrayData{items}, c.Nulls, 0)
	case dfa.Map:
		buffers = append(buffers, bufferOf(mem, bytesOf(c.Offsets)))
		pairs := c.pairs(mem, dt.(*arrow.MapType))
		defer pairs.Release()
		return array.NewData(dt, c.Len, buffers, []arrow.ArrayData{pairs}, c.Nulls, 0)
	case dfa.Enum, dfa.Dictionary:
		buffers = append(buffers, bufferOf(mem, c.Fixed))
		tokens := c.tokens(mem)
		defer tokens.Release()
		return array.NewDataWithDictionary(dt, c.Len, buffers, c.Nulls, 0, tokens)
	}
	buffers = append(buffers, bufferOf(mem, c.Fixed))
	return array.NewData(dt, c.Len, buffers, nil, c.Nulls, 0)
}

// pairs are the entries of a Map: a struct of keys and values, none null.
func (c *Column) pairs(mem memory.Allocator, dt *arrow.MapType) *array.Data {
	keys := c.Children[0].arrayData(mem, dt.KeyType())
	defer keys.Release()
	items := c.Children[1].arrayData(mem, dt.ItemType())
	defer items.Release()
	return array.NewData(dt.Elem(), c.Children[0].Len, []*memory.Buffer{nil}, []arrow.ArrayData{keys, items}, 0, 0)
}

// tokens are the dictionary of an Enum or Dictionary.
func (c *Column) tokens(mem memory.Allocator) *array.Data {
	if c.Type.Kind == dfa.Dictionary {
		return c.Children[0].arrayData(mem, arrow.BinaryTypes.String)
	}
	tokens := NewColumn(stringType)
	for _, t := range c.Type.Tokens {
		tokens.Data = append(tokens.Data, t...)
		tokens.Offsets = append(tokens.Offsets, int32(len(tokens.Data)))
		tokens.appendValid(1)
	}
	return tokens.arrayData(mem, arrow.BinaryTypes.String)
}

func bufferOf(mem memory.Allocator, b []byte) *memory.Buffer {
	buf := memory.NewResizableBuffer(mem)
	buf.Resize(len(b))
	copy(buf.Bytes(), b)
	return buf
}

func bytesOf(offsets []int32) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(offsets))), 4*len(offsets))
}

// Continue empties c as Reset does, but a Dictionary keeps its tokens, so that
// what comes next extends them.
func (c *Column) Continue() {
	if c.Type.Kind == dfa.Dictionary {
		c.Len, c.Nulls = 0, 0
		c.Valid, c.Fixed = c.Valid[:0], c.Fixed[:0]
		return
	}
	children := c.Children
	c.Children = nil
	c.Reset()
	c.Children = children
	for _, child := range children {
		child.Continue()
	}
}

// TextBetween is the largest number of bytes or children that the rows from up
// to to take in any buffer whose offsets are 32 bits wide.
func (c *Column) TextBetween(from, to int) int {
	if len(c.Offsets) == 0 {
		return 0
	}
	a, b := int(c.Offsets[from]), int(c.Offsets[to])
	n := b - a
	for _, child := range c.Children {
		n = max(n, child.TextBetween(a, b))
	}
	return n
}
