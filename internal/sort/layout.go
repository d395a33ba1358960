package sort

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/bits"
)

// extent is what is known of a column of the key, over some rows.
type extent struct {
	nulls     bool
	there     bool   // is a value that is not null
	low, high number // of the values, if they are no texts
	prefix    []byte // that all texts begin with
	longest   int    // text
}

// see takes a value into account.
func (e *extent) see(v *values, i int) {
	if v.isNull(i) {
		e.nulls = true
		return
	}
	if v.kind == text {
		e.seeText(v.text(i))
		return
	}
	n := number{0, 0}
	if v.kind == wide {
		n = v.wide(i)
	} else {
		n.low = v.whole(i)
	}
	if !e.there {
		e.there, e.low, e.high = true, n, n
		return
	}
	if n.compare(e.low) < 0 {
		e.low = n
	}
	if n.compare(e.high) > 0 {
		e.high = n
	}
}

func (e *extent) seeText(t []byte) {
	if !e.there {
		e.there, e.prefix, e.longest = true, t, len(t)
		return
	}
	e.longest = max(e.longest, len(t))
	if !bytes.HasPrefix(t, e.prefix) {
		e.prefix = e.prefix[:common(e.prefix, t)]
	}
}

// common is how many bytes two texts begin with that are the same.
func common(a, b []byte) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

// seeAll takes the first n rows into account.
func (e *extent) seeAll(v *values, n int) {
	if v.kind == text || v.kind == wide || v.valid != nil {
		for i := range n {
			e.see(v, i)
		}
		return
	}
	low, high := uint64(math.MaxUint64), uint64(0)
	for i := range n {
		w := v.whole(i)
		low, high = min(low, w), max(high, w)
	}
	if n > 0 {
		e.merge(&extent{there: true, low: number{0, low}, high: number{0, high}})
	}
}

// merge takes what is known of other rows into account.
func (e *extent) merge(o *extent) {
	e.nulls = e.nulls || o.nulls
	switch {
	case !o.there:
	case !e.there:
		nulls := e.nulls
		*e = *o
		e.nulls = nulls
	default:
		if o.low.compare(e.low) < 0 {
			e.low = o.low
		}
		if o.high.compare(e.high) > 0 {
			e.high = o.high
		}
		e.prefix = e.prefix[:common(e.prefix, o.prefix)]
		e.longest = max(e.longest, o.longest)
	}
}

// maxPrefix bounds what is kept of texts between runs.
const maxPrefix = 256

// keep makes an extent that refers to no slab.
func (e *extent) keep() { e.prefix = bytes.Clone(e.prefix[:min(len(e.prefix), maxPrefix)]) }

// field is the part of items' numbers that a column is in.
type field struct {
	*column
	at     int    // number of the column
	bits   int    // of the number
	drop   int    // of the value's lowest bits that there was no room for
	most   uint64 // the largest value, before bits are dropped
	low    number // is subtracted from values
	wider  int    // bits of a wide value that are dropped even before
	prefix int    // bytes of texts that are not looked at
	short  int    // bytes of texts behind, if there are no more than some few
	null   uint64 // what null is
	add    uint64 // to what is not null
}

// layout is what the numbers of items are made of.
type layout struct {
	fields []field
	bits   int
	rest   int // the first column that is not wholly in the number; as many as there are: none
}

// layOut packs columns, from the first on, into 64 bits.
func layOut(columns []*column, extents []extent, first int) *layout {
	l := &layout{rest: len(columns)}
	for at := first; at < len(columns); at++ {
		f, isWhole := newField(columns[at], &extents[at], at, 64-l.bits)
		if f.bits > 0 {
			l.fields = append(l.fields, f)
			l.bits += f.bits
		}
		if !isWhole {
			l.rest = at
			break
		}
	}
	return l
}

// longText is more bytes of a text than fit into a number with their count.
const longText = 8

// newField is the field of a column, of at most so many bits, and whether the whole value is in
// it.
func newField(c *column, e *extent, at, room int) (f field, isWhole bool) {
	f = field{column: c, at: at, low: e.low}
	isWhole = true
	switch {
	case !e.there:
	case c.kind == text:
		f.prefix = len(e.prefix)
		if f.short = e.longest - f.prefix; f.short < longText {
			if f.short > 0 {
				f.most = 1<<(8*f.short+bits.Len(uint(f.short))) - 1
			}
		} else {
			f.short, f.most, isWhole = longText, math.MaxUint64, false
		}
	default:
		span := e.high.minus(e.low)
		if f.wider = bits.Len64(span.high); f.wider > 0 {
			isWhole = false
		}
		f.most = span.shifted(f.wider)
	}
	nulls := uint64(0)
	if e.nulls && e.there {
		nulls = 1
	}
	for f.most>>f.drop > math.MaxUint64-nulls || bits.Len64(f.most>>f.drop+nulls) > room {
		f.drop++
		isWhole = false
		if f.drop == 64 {
			return f, false // there is no room for anything
		}
	}
	f.bits = bits.Len64(f.most>>f.drop + nulls)
	switch {
	case nulls == 0:
	case c.nullsFirst:
		f.add = 1
	default:
		f.null = f.most>>f.drop + 1
	}
	return f, isWhole
}

// of is the field of a value.
func (f *field) of(v *values, i int) uint64 {
	if v.isNull(i) {
		return f.null
	}
	var x uint64
	switch f.kind {
	case text:
		t := v.text(i)[f.prefix:]
		if f.short < longText {
			x = front(t)>>(64-8*f.short)<<bits.Len(uint(f.short)) | uint64(len(t))
		} else {
			x = front(t)
		}
	case wide:
		x = v.wide(i).minus(f.low).shifted(f.wider)
	default:
		x = v.whole(i) - f.low.low
	}
	if f.desc {
		x = f.most - x
	}
	return x>>f.drop + f.add
}

// front is the first 8 bytes of a text, zeros behind.
func front(t []byte) uint64 {
	if len(t) >= 8 {
		return binary.BigEndian.Uint64(t)
	}
	var b [8]byte
	copy(b[:], t)
	return binary.BigEndian.Uint64(b[:])
}

// number makes the items' numbers of the rows of a slab, whose values are by column.
func (l *layout) number(items []item, slab []values) {
	for k := range l.fields {
		f := &l.fields[k]
		v := &slab[f.at]
		if f.kind != text && f.kind != wide && v.valid == nil && !f.desc {
			low, drop, add, shift := f.low.low, f.drop, f.add, f.bits
			for i := range items {
				it := &items[i]
				it.key = it.key<<shift | ((v.whole(int(it.row))-low)>>drop + add)
			}
			continue
		}
		for i := range items {
			it := &items[i]
			it.key = it.key<<f.bits | f.of(v, int(it.row))
		}
	}
}
