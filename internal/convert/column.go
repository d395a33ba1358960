package convert

import (
	"math/bits"
	"unsafe"

	"github.com/dfaparse/dfaparse/dfa"
)

// Column is plain buffers: the converted values of one column, in the layouts
// of the Arrow columnar format, before they become Arrow arrays.
type Column struct {
	Type  *dfa.Type
	Len   int    // rows
	Nulls int    // of them null
	Valid []byte // bitmap, bit i&7 of byte i>>3 set: row i is not null; bits from Len on are 0

	// Values of fixed width, Len*ByteWidth(Type) bytes, zero where null; for
	// Bool a bitmap like Valid; for Enum and Dictionary int32 indices.
	Fixed []byte
	// Offsets (Len+1) into Data for strings and binaries, into the rows of
	// Children for lists and maps.
	Offsets []int32
	Data    []byte
	// Children: [elements] of a List, [keys, values] of a Map, [tokens] of a
	// Dictionary (distinct, in order of first appearance in this Column).
	Children []*Column

	pool  *Pool                        // where the buffers of its arrays come from and go to; nil: Go's heap
	last  sizes                        // of the last array that took its buffers over
	whole struct{ fixed, data []byte } // the memory in which Fixed and Data begin further back, after Drop; else nil

	dict  tokenTable // Dictionary: where its tokens are
	remap remapping  // Dictionary: of the Column last gathered from
	epoch uint32     // how often this Column was Reset
}

// FieldError says that the field of a row was not converted; the row is null.
type FieldError struct {
	Row  int // of the Column
	Code Code
}

// stringType is the type of map keys and dictionary tokens.
var stringType = &dfa.Type{Kind: dfa.String}

// NewColumn is an empty Column of type t, which it keeps.
func NewColumn(t *dfa.Type) *Column { return (*Pool)(nil).NewColumn(t) }

// NewColumn is an empty Column of type t, whose Arrays give their memory back to p.
func (p *Pool) NewColumn(t *dfa.Type) *Column {
	c := &Column{Type: t, pool: p}
	switch t.Kind {
	case dfa.String, dfa.Binary:
		c.Offsets = []int32{0}
	case dfa.List:
		c.Offsets = []int32{0}
		c.Children = []*Column{p.NewColumn(t.Elem)}
	case dfa.Map:
		c.Offsets = []int32{0}
		c.Children = []*Column{p.NewColumn(stringType), p.NewColumn(t.Elem)}
	case dfa.Dictionary:
		c.Children = []*Column{p.NewColumn(stringType)}
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
	if c.Type.Kind == dfa.Dictionary {
		c.dict.reset(c.Children[0].Len)
	}
	for _, child := range c.Children {
		child.Reset()
	}
	c.remap.of = nil
	c.epoch++
}

// IsValid reports whether row i is not null.
func (c *Column) IsValid(i int) bool { return c.Valid[i>>3]>>(i&7)&1 == 1 }

// appendValid adds n rows to the bitmap and to Len, none of them null.
func (c *Column) appendValid(n int) {
	c.Valid = appendBits(c.Valid, c.Len, n, true)
	c.Len += n
}

// setNull makes row i, which is valid, null.
func (c *Column) setNull(i int) {
	c.Valid[i>>3] &^= 1 << (i & 7)
	c.Nulls++
}

// setNulls makes rows from first on, which are valid, null.
func (c *Column) setNulls(first int, rows rowSet) {
	for k, w := range rows {
		c.Nulls += bits.OnesCount64(w)
		for i := first + 64*k; w != 0; i, w = i+32, w>>32 {
			clearBits(c.Valid, i, w&(1<<32-1))
		}
	}
}

// truncate takes back the rows from n on. For columns of strings and binaries
// only: the others never have to.
func (c *Column) truncate(n, nulls int) {
	c.Len, c.Nulls = n, nulls
	c.Valid = c.Valid[:(n+7)>>3]
	if n&7 != 0 {
		c.Valid[n>>3] &= 1<<(n&7) - 1
	}
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

// grow makes b, which is one of c's buffers, longer by n bytes, whose values are
// not defined.
func (c *Column) grow(b []byte, n int) []byte {
	if len(b)+n <= cap(b) {
		return b[:len(b)+n]
	}
	g := c.pool.Allocate(max(2*cap(b), len(b)+n))[:len(b)+n]
	copy(g, b)
	c.pool.Free(b)
	return g
}

// growOffsets appends n offsets, whose values are not defined, and gives them.
func (c *Column) growOffsets(n int) []int32 {
	had := len(c.Offsets)
	if had+n <= cap(c.Offsets) {
		c.Offsets = c.Offsets[:had+n]
	} else {
		b := c.grow(bytesOf(c.Offsets), 4*n)
		c.Offsets = values[int32](b[:cap(b)])[:had+n]
	}
	return c.Offsets[had:]
}

// appendOffset ends a row of strings or binaries where Data ends.
func (c *Column) appendOffset() { c.growOffsets(1)[0] = int32(len(c.Data)) }

// values is the view of a Fixed buffer as values of type T. Arrow's layout is
// that of Go for these types; grow keeps the buffer aligned.
func values[T any](b []byte) []T {
	var v T
	if len(b) == 0 {
		return nil
	}
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/int(unsafe.Sizeof(v)))
}

// appendValues makes room for n values of type T at the end of c.Fixed.
func appendValues[T any](c *Column, n int) []T {
	var v T
	had := len(c.Fixed)
	c.Fixed = c.grow(c.Fixed, n*int(unsafe.Sizeof(v)))
	return values[T](c.Fixed[had:])
}
