package convert

import (
	"net/netip"
	"unsafe"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/dfaparse/dfaparse/dfa"
)

// Array is the rows of c as an Arrow array of ArrowType(c.Type), and empties c
// as Continue does. If mem is Go's heap, the array takes c's buffers over, and
// its release gives them to c's Pool; otherwise it is a copy in memory from mem.
func (c *Column) Array(mem memory.Allocator) arrow.Array {
	h := handover{mem: mem}
	if _, h.own = mem.(*memory.GoAllocator); h.own {
		h.mem = c.pool
	}
	data := h.data(c, ArrowType(c.Type))
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
	text := c.Type.Kind == dfa.IP && !c.Type.Bytes
	if text {
		buffers = append(buffers, h.addresses(c)...) // reads the bitmap, which is handed over next
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
	switch c.Type.Kind {
	case dfa.String, dfa.Binary:
		buffers = append(buffers, h.offsets(c)) // one by one: an allocator may fail
		buffers = append(buffers, h.bytes(&c.Data, &c.last.data, &c.whole.data))
		return array.NewData(dt, c.Len, buffers, nil, c.Nulls, 0)
	case dfa.List:
		buffers = append(buffers, h.offsets(c))
		items := h.data(c.Children[0], dt.(*arrow.ListType).Elem())
		defer items.Release()
		return array.NewData(dt, c.Len, buffers, []arrow.ArrayData{items}, c.Nulls, 0)
	case dfa.Map:
		buffers = append(buffers, h.offsets(c))
		pairs := h.pairs(c, dt.(*arrow.MapType))
		defer pairs.Release()
		return array.NewData(dt, c.Len, buffers, []arrow.ArrayData{pairs}, c.Nulls, 0)
	case dfa.Enum, dfa.Dictionary:
		buffers = append(buffers, h.bytes(&c.Fixed, &c.last.fixed, &c.whole.fixed))
		tokens := handover{h.mem, false}.data(c.tokens(), arrow.BinaryTypes.String)
		defer tokens.Release()
		return array.NewDataWithDictionary(dt, c.Len, buffers, c.Nulls, 0, tokens)
	}
	if text {
		return array.NewData(dt, c.Len, buffers, nil, c.Nulls, 0)
	}
	buffers = append(buffers, h.bytes(&c.Fixed, &c.last.fixed, &c.whole.fixed))
	return array.NewData(dt, c.Len, buffers, nil, c.Nulls, 0)
}

// addresses are the offsets and the data of c's addresses as text.
func (h handover) addresses(c *Column) []*memory.Buffer {
	offsets, data := memory.NewResizableBuffer(h.mem), memory.NewResizableBuffer(h.mem)
	offsets.Resize(4 * (c.Len + 1))
	data.Resize(longestAddress * c.Len)
	ends, text := values[int32](offsets.Bytes()), data.Bytes()[:0]
	ends[0] = 0
	for i, ip := range values[[16]byte](c.Fixed) {
		if c.IsValid(i) {
			text = netip.AddrFrom16(ip).Unmap().AppendTo(text)
		}
		ends[i+1] = int32(len(text))
	}
	data.Resize(len(text))
	return []*memory.Buffer{offsets, data}
}

// pairs are the entries of a Map: a struct of keys and values, none null.
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

// tokens are the dictionary of an Enum or Dictionary.
func (c *Column) tokens() *Column {
	if c.Type.Kind == dfa.Dictionary {
		return c.Children[0]
	}
	tokens := NewColumn(stringType)
	for _, t := range c.Type.Tokens {
		tokens.Data = append(tokens.Data, t...)
		tokens.Offsets = append(tokens.Offsets, int32(len(tokens.Data)))
		tokens.appendValid(1)
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

// Continue empties c as Reset does, but a Dictionary keeps its tokens, so that
// what comes next extends them.
func (c *Column) Continue() {
	if c.Type.Kind == dfa.Dictionary {
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
