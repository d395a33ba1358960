package columns

import (
	"math/bits"
	"unsafe"
)

// Column is plain buffers: the values of one column, in the layouts of the Arrow
// columnar format, before they become Arrow arrays. Which of the buffers it has,
// its Form says.
type Column struct {
	Form  *Form
	Len   int    // rows
	Nulls int    // of them null
	Valid []byte // bitmap, bit i&7 of byte i>>3 set: row i is not null; bits from Len on are 0

	// Len values of Form.Width bytes, zero where null; of Bits a bitmap like Valid.
	Fixed []byte
	// Offsets (Len+1) into Data, or into the rows of Children.
	Offsets []int32
	Data    []byte
	// Children: [elements] of Lists, [keys, values] of Maps, [tokens] of Tokens.
	Children []*Column

	pool  *Pool                        // where the buffers of its arrays come from and go to; nil: Go's heap
	last  sizes                        // of the last array that took its buffers over
	whole struct{ fixed, data []byte } // the memory in which Fixed and Data begin further back, after Drop; else nil

	// Tokens:
	dict    tokenTable // where they are
	lexicon *Lexicon   // what c began with, whose tokens are not among its own; nil: nothing
	remap   remapping  // of the Column last gathered from
	adopted *Column    // whose tokens c's rows have, rather than its own; nil: its own

	epoch uint32 // how often this Column was Reset
}

// New is an empty Column of a Form.
func New(f *Form) *Column { return (*Pool)(nil).New(f) }

// New is an empty Column of a Form, whose Arrays give their memory back to p.
func (p *Pool) New(f *Form) *Column {
	c := &Column{Form: f, pool: p}
	switch f.Buffers {
	case Texts, Lists, Maps:
		c.Offsets = []int32{0}
	}
	for _, child := range f.Children {
		c.Children = append(c.Children, p.New(child))
	}
	return c
}

// Reset empties c and keeps its memory.
func (c *Column) Reset() {
	c.undrop()
	c.Len, c.Nulls = 0, 0
	c.Valid, c.Fixed, c.Data = c.Valid[:0], c.Fixed[:0], c.Data[:0]
	if c.Offsets != nil {
		c.Offsets = append(c.Offsets[:0], 0)
	}
	if c.Form.Buffers == Tokens {
		c.dict.reset()
		c.lexicon, c.adopted = nil, nil
	}
	for _, child := range c.Children {
		child.Reset()
	}
	c.remap.of = nil
	c.epoch++
}

// IsValid reports whether row i is not null.
func (c *Column) IsValid(i int) bool { return c.Valid[i>>3]>>(i&7)&1 == 1 }

// AppendValid adds n rows to the bitmap and to Len, none of them null.
func (c *Column) AppendValid(n int) {
	c.Valid = appendBits(c.Valid, c.Len, n, true)
	c.Len += n
}

// Free is the last that is done to c: its memory goes to its Pool.
func (c *Column) Free() {
	c.undrop()
	for _, b := range [][]byte{c.Valid, c.Fixed, bytesOf(c.Offsets), c.Data} {
		c.pool.Free(b)
	}
	c.Valid, c.Fixed, c.Offsets, c.Data = nil, nil, nil, nil
	for _, child := range c.Children {
		child.Free()
	}
}

// SetNull makes row i, which is valid, null.
func (c *Column) SetNull(i int) {
	c.Valid[i>>3] &^= 1 << (i & 7)
	c.Nulls++
}

// SetNulls makes rows null that are valid: row first+i if bit i&63 of rows[i>>6] is
// set.
func (c *Column) SetNulls(first int, rows []uint64) {
	for k, w := range rows {
		c.Nulls += bits.OnesCount64(w)
		for i := first + 64*k; w != 0; i, w = i+32, w>>32 {
			clearBits(c.Valid, i, w&(1<<32-1))
		}
	}
}

// Truncate takes back the rows from n on, and of the nulls all but so many. Only
// Texts have to.
func (c *Column) Truncate(n, nulls int) {
	c.Len, c.Nulls = n, nulls
	c.Valid = cutBits(c.Valid, n)
	c.Offsets = c.Offsets[:n+1]
	c.Data = c.Data[:c.Offsets[n]]
}

// align is what capacities are rounded up to, in bytes: enough for any value
// to be aligned in a buffer of its kind.
const align = 64

// grow makes b longer by n bytes, whose values are not defined.
func grow(b []byte, n int) []byte {
	if len(b)+n <= cap(b) {
		return b[:len(b)+n]
	}
	c := max(2*cap(b), len(b)+n)
	g := make([]byte, len(b)+n, (c+align-1)&^(align-1))
	copy(g, b)
	return g
}

// Grow makes b, which is one of c's buffers, longer by n bytes, whose values are
// not defined.
func (c *Column) Grow(b []byte, n int) []byte {
	if len(b)+n <= cap(b) {
		return b[:len(b)+n]
	}
	g := c.pool.Allocate(max(2*cap(b), len(b)+n))[:len(b)+n]
	copy(g, b)
	c.pool.Free(c.memoryOf(b))
	return g
}

// GrowOffsets appends n offsets, whose values are not defined, and gives them.
func (c *Column) GrowOffsets(n int) []int32 {
	had := len(c.Offsets)
	if had+n <= cap(c.Offsets) {
		c.Offsets = c.Offsets[:had+n]
	} else {
		b := c.Grow(bytesOf(c.Offsets), 4*n)
		c.Offsets = ValuesOf[int32](b[:cap(b)])[:had+n]
	}
	return c.Offsets[had:]
}

// ValuesOf is the view of a Fixed buffer as values of type T. Arrow's layout is
// that of Go for these types; grow keeps the buffer aligned.
func ValuesOf[T any](b []byte) []T {
	var v T
	if len(b) == 0 {
		return nil
	}
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/int(unsafe.Sizeof(v)))
}

// AppendValues makes room for n values of type T at the end of c.Fixed.
func AppendValues[T any](c *Column, n int) []T {
	var v T
	had := len(c.Fixed)
	c.Fixed = c.Grow(c.Fixed, n*int(unsafe.Sizeof(v)))
	return ValuesOf[T](c.Fixed[had:])
}
