package columns

import (
	"encoding/binary"
	"sync/atomic"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"
)

// Lease is memory that is lent: while somebody holds it, what is in it stays what
// it is; then whoever has lent it uses it again. Any number of goroutines may hold
// it.
type Lease struct {
	refs atomic.Int64
	end  func()
}

// NewLease is a Lease that is held once. The last who lets go of it calls end, on
// whatever goroutine that is.
func NewLease(end func()) *Lease {
	l := &Lease{end: end}
	l.refs.Store(1)
	return l
}

// Retain holds l once more.
func (l *Lease) Retain() { l.refs.Add(1) }

// Release lets go of l.
func (l *Lease) Release() {
	if l.refs.Add(-1) == 0 {
		l.end()
	}
}

// lent is the Allocator of a buffer that is part of a Lease's memory.
type lent struct {
	memory.GoAllocator
	lease *Lease
}

// Free implements memory.Allocator.
func (x *lent) Free([]byte) { x.lease.Release() }

// Lends reports whether parts of a Column of this Form can be arrays as they lie:
// dictionaries go on from array to array, and what is kept in another form than
// Arrow's has to be made.
func (f *Form) Lends() bool {
	if f.Buffers == Tokens || f.Texts != nil {
		return false
	}
	for _, child := range f.Children {
		if !child.Lends() {
			return false
		}
	}
	return true
}

// Lend is the rows from up to to as an Arrow array. Values and the bytes of texts
// are those of c, whose memory is l's, and the array holds l as long as it has some
// of them. Bitmaps, and offsets where they do not begin with 0, are made anew, in
// memory of p: so the array looks like one that was made of these rows alone. c
// stays as it is.
func (c *Column) Lend(l *Lease, from, to int, p *Pool) arrow.Array {
	x := lending{&lent{lease: l}, p}
	data := x.data(c, c.Form.Arrow, from, to)
	defer data.Release()
	return array.MakeFromData(data)
}

// LendTokens is Lend of rows of src with the tokens of c, which both have by the same indices;
// nil if they have not: src has others, or has not begun with a Lexicon of c.
func (c *Column) LendTokens(src *Column, l *Lease, from, to int, p *Pool) arrow.Array {
	if src.lexicon == nil || src.lexicon.of != c || src.Children[0].Len > 0 {
		return nil
	}
	view := *src
	view.adopted = c
	return view.Lend(l, from, to, p)
}

// lending makes Arrow buffers of parts of those of a Column.
type lending struct {
	*lent
	pool *Pool
}

func (x lending) data(c *Column, dt arrow.DataType, from, to int) *array.Data {
	n := to - from
	buffers, nulls := make([]*memory.Buffer, 1, 3), 0
	if c.Nulls > 0 {
		if buffers[0], nulls = x.bits(c.Valid, from, to); nulls == 0 {
			buffers[0].Release()
			buffers[0] = nil
		}
	}
	defer func() {
		for _, b := range buffers {
			if b != nil {
				b.Release()
			}
		}
	}()
	switch c.Form.Buffers {
	case Bits:
		values, _ := x.bits(c.Fixed, from, to)
		buffers = append(buffers, values)
	case Texts:
		buffers = append(buffers, x.offsets(c.Offsets[from:to+1]), x.part(c.Data[c.Offsets[from]:c.Offsets[to]]))
	case Lists:
		buffers = append(buffers, x.offsets(c.Offsets[from:to+1]))
		items := x.data(c.Children[0], dt.(*arrow.ListType).Elem(), int(c.Offsets[from]), int(c.Offsets[to]))
		defer items.Release()
		return array.NewData(dt, n, buffers, []arrow.ArrayData{items}, nulls, 0)
	case Maps:
		buffers = append(buffers, x.offsets(c.Offsets[from:to+1]))
		pairs := x.pairs(c, dt.(*arrow.MapType), int(c.Offsets[from]), int(c.Offsets[to]))
		defer pairs.Release()
		return array.NewData(dt, n, buffers, []arrow.ArrayData{pairs}, nulls, 0)
	default:
		w := c.Form.Width
		buffers = append(buffers, x.part(c.Fixed[from*w:to*w]))
	}
	if tokens := c.tokens(); tokens != nil {
		tokens := handover{x.pool, false}.data(tokens, arrow.BinaryTypes.String)
		defer tokens.Release()
		return array.NewDataWithDictionary(dt, n, buffers, nulls, 0, tokens)
	}
	return array.NewData(dt, n, buffers, nil, nulls, 0)
}

// pairs are the entries of Maps: a struct of keys and values, none null.
func (x lending) pairs(c *Column, dt *arrow.MapType, from, to int) *array.Data {
	keys := x.data(c.Children[0], dt.KeyType(), from, to)
	defer keys.Release()
	items := x.data(c.Children[1], dt.ItemType(), from, to)
	defer items.Release()
	return array.NewData(dt.Elem(), to-from, []*memory.Buffer{nil}, []arrow.ArrayData{keys, items}, 0, 0)
}

// part is a buffer of b, which is lent.
func (x lending) part(b []byte) *memory.Buffer {
	x.lease.Retain()
	return memory.NewBufferWithAllocator(b[:len(b):len(b)], x.lent)
}

// bits is a buffer of the bits from up to to of b, and how many of them are 0.
func (x lending) bits(b []byte, from, to int) (*memory.Buffer, int) {
	own, zeros := appendBitRange(x.pool.Allocate((to - from + 7) >> 3)[:0], 0, b, from, to)
	return memory.NewBufferWithAllocator(own, x.pool), zeros
}

// offsets is a buffer of offsets as they are if the first one is 0. One that is not
// would be right in an array, but writers of Arrow's library do not expect it.
func (x lending) offsets(of []int32) *memory.Buffer {
	if of[0] == 0 {
		return x.part(bytesOf(of))
	}
	own := x.pool.Allocate(4 * len(of))
	rebase(own, bytesOf(of), of[0])
	return memory.NewBufferWithAllocator(own, x.pool)
}

// rebase puts offsets less the first of them into to; none is smaller, so that two
// at a time do not disturb each other.
func rebase(to, from []byte, first int32) {
	two := uint64(first)<<32 | uint64(first)
	ne := binary.NativeEndian
	for len(from) >= 32 {
		f, t := from[:32:32], to[:32:32]
		a, b, c, d := ne.Uint64(f), ne.Uint64(f[8:]), ne.Uint64(f[16:]), ne.Uint64(f[24:])
		ne.PutUint64(t, a-two)
		ne.PutUint64(t[8:], b-two)
		ne.PutUint64(t[16:], c-two)
		ne.PutUint64(t[24:], d-two)
		from, to = from[32:], to[32:]
	}
	for ; len(from) > 0; from, to = from[4:], to[4:] {
		ne.PutUint32(to, ne.Uint32(from)-uint32(first))
	}
}
