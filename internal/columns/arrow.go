package columns

import (
	"unsafe"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"
)

// Array is the rows of c as an Arrow array of the type that its Form says, and empties c
// as Continue does. If mem is Go's heap, the array takes c's buffers over, and
// its release gives them to c's Pool; otherwise it is a copy in memory from mem.
func (c *Column) Array(mem memory.Allocator) arrow.Array {
	h := handover{mem: mem}
	if _, h.own = mem.(*memory.GoAllocator); h.own {
		h.mem = c.pool
	}
	data := h.data(c, c.Form.Arrow)
	defer data.Release()
	c.Continue()
	return array.MakeFromData(data)
}

// handover makes Arrow buffers of those of a Column.
type handover struct {
	mem memory.Allocator
	own bool // the Arrow buffer is the Column's, and mem its Pool
}

func (h handover) data(c *Column, dt arrow.DataType) *array.Data {
	buffers := make([]*memory.Buffer, 1, 3)
	text := c.Form.Texts != nil
	if text {
		buffers = append(buffers, h.texts(c)...) // reads the bitmap, which is handed over next
	}
	if c.Nulls > 0 {
		buffers[0] = h.bytes(&c.Valid, &c.last.valid, nil)
	}
	defer func() {
		for _, b := range buffers {
			if b != nil {
				b.Release()
			}
		}
	}()
	switch c.Form.Buffers {
	case Texts:
		buffers = append(buffers, h.offsets(c)) // one by one: an allocator may fail
		buffers = append(buffers, h.bytes(&c.Data, &c.last.data, &c.whole.data))
		return array.NewData(dt, c.Len, buffers, nil, c.Nulls, 0)
	case Lists:
		buffers = append(buffers, h.offsets(c))
		items := h.data(c.Children[0], dt.(*arrow.ListType).Elem())
		defer items.Release()
		return array.NewData(dt, c.Len, buffers, []arrow.ArrayData{items}, c.Nulls, 0)
	case Maps:
		buffers = append(buffers, h.offsets(c))
		pairs := h.pairs(c, dt.(*arrow.MapType))
		defer pairs.Release()
		return array.NewData(dt, c.Len, buffers, []arrow.ArrayData{pairs}, c.Nulls, 0)
	}
	if tokens := c.tokens(); tokens != nil {
		buffers = append(buffers, h.bytes(&c.Fixed, &c.last.fixed, &c.whole.fixed))
		tokens := handover{h.mem, false}.data(tokens, arrow.BinaryTypes.String)
		defer tokens.Release()
		return array.NewDataWithDictionary(dt, c.Len, buffers, c.Nulls, 0, tokens)
	}
	if text {
		return array.NewData(dt, c.Len, buffers, nil, c.Nulls, 0)
	}
	buffers = append(buffers, h.bytes(&c.Fixed, &c.last.fixed, &c.whole.fixed))
	return array.NewData(dt, c.Len, buffers, nil, c.Nulls, 0)
}

// texts are the offsets and the data of c's values as texts.
func (h handover) texts(c *Column) []*memory.Buffer {
	offsets, data := memory.NewResizableBuffer(h.mem), memory.NewResizableBuffer(h.mem)
	offsets.Resize(4 * (c.Len + 1))
	data.Resize(c.Form.LongestText * c.Len)
	ends := ValuesOf[int32](offsets.Bytes())
	ends[0] = 0
	data.Resize(len(c.Form.Texts(c, ends[1:], data.Bytes()[:0])))
	return []*memory.Buffer{offsets, data}
}

// pairs are the entries of Maps: a struct of keys and values, none null.
func (h handover) pairs(c *Column, dt *arrow.MapType) *array.Data {
	n := c.Children[0].Len
	keys := h.data(c.Children[0], dt.KeyType())
	defer keys.Release()
	items := h.data(c.Children[1], dt.ItemType())
	defer items.Release()
	return array.NewData(dt.Elem(), n, []*memory.Buffer{nil}, []arrow.ArrayData{keys, items}, 0, 0)
}

// bytes is the Arrow buffer of one of a Column's, whose size it notes; whole is
// the memory that it is in, if it begins further back.
func (h handover) bytes(b *[]byte, size *int, whole *[]byte) *memory.Buffer {
	if !h.own {
		return bufferOf(h.mem, *b)
	}
	mem := h.mem
	if whole != nil && *whole != nil {
		mem = behind{mem, *whole}
		*whole = nil
	}
	buf := memory.NewBufferWithAllocator(*b, mem)
	*size = len(*b)
	*b = nil
	return buf
}

// offsets is the Arrow buffer of a Column's offsets.
func (h handover) offsets(c *Column) *memory.Buffer {
	b := bytesOf(c.Offsets)
	if h.own {
		c.Offsets = make([]int32, 1)
	}
	return h.bytes(&b, &c.last.offsets, nil)
}

// tokens are what c's values stand for; nil if they stand for themselves.
func (c *Column) tokens() *Column {
	if c.Form.Buffers == Tokens {
		if c.adopted != nil {
			return c.adopted.Children[0]
		}
		return c.Children[0]
	}
	if c.Form.Tokens == nil {
		return nil
	}
	tokens := New(Text)
	for _, t := range c.Form.Tokens {
		tokens.Data = append(tokens.Data, t...)
		tokens.Offsets = append(tokens.Offsets, int32(len(tokens.Data)))
		tokens.AppendValid(1)
	}
	return tokens
}

func bufferOf(mem memory.Allocator, b []byte) *memory.Buffer {
	buf := memory.NewResizableBuffer(mem)
	buf.Resize(len(b))
	copy(buf.Bytes(), b)
	return buf
}

func bytesOf(offsets []int32) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(offsets))), 4*cap(offsets))[:4*len(offsets)]
}

// Continue empties c as Reset does, but keeps tokens that it has met, so that
// what comes next extends them.
func (c *Column) Continue() {
	if c.Form.Buffers == Tokens {
		c.undrop()
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

// TextBetween is the number of bytes and children that the rows from up to to
// take in all the buffers whose offsets are 32 bits wide.
func (c *Column) TextBetween(from, to int) int {
	if len(c.Offsets) == 0 {
		return 0
	}
	a, b := int(c.Offsets[from]), int(c.Offsets[to])
	n := b - a
	for _, child := range c.Children {
		n += child.TextBetween(a, b)
	}
	return n
}
