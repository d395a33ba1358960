//go:build cuda

package gpu

import (
	"encoding/binary"
	"math/bits"
	"sync"
	"unsafe"

	"github.com/dfaparse/dfaparse/internal/columns"
	"github.com/dfaparse/dfaparse/internal/spread"
)

// wide is a column that came narrow.
type wide struct {
	narrowed
	column *columns.Column
	values []byte  // its memory
	n      []byte  // of each row
	sums   []int32 // of texts: the lengths of widenRows rows each, together
}

// widenRows is how many rows of a column one goroutine takes at once; a multiple
// of 64.
const widenRows = 1 << 15

// A goroutine is worth leastWiden of them, and more than mostWiden are not: other flights
// are made wide at the same time.
const (
	leastWiden = 4
	mostWiden  = 8
)

// widen makes the values of columns of so many rows, in memory that they have.
func widen(columns []wide, rows, threads int) { spreadWiden(threads, widenings(columns, rows)) }

// spreadWiden does such pieces of work.
func spreadWiden(threads int, all []func()) {
	spread.Over(min(threads, mostWiden, ceil(len(all), leastWiden)), len(all), func(i int) { all[i]() })
}

// widenings are pieces of work that together are widen. Where texts of some rows begin is known
// when the lengths of those before have been added up: that comes first, and what waits for it
// last, so that whoever does them in order does not wait for what nobody has begun.
func widenings(columns []wide, rows int) (all []func()) {
	sums := new(sync.WaitGroup)
	for i := range columns {
		if w := &columns[i]; w.column.Offsets != nil {
			w.sums = make([]int32, ceil(rows, widenRows))
			for part := range len(w.sums) - 1 {
				sums.Add(1)
				all = append(all, func() {
					w.sums[part] = w.length(part*widenRows, (part+1)*widenRows)
					sums.Done()
				})
			}
		}
	}
	overRows(rows, func(_, from, to int) {
		for i := range columns {
			if w := &columns[i]; w.column.Offsets == nil {
				all = append(all, func() { w.widen(from, to) })
			}
		}
	})
	overRows(rows, func(part, from, to int) {
		for i := range columns {
			if w := &columns[i]; w.column.Offsets != nil {
				all = append(all, func() {
					sums.Wait()
					at := int32(0)
					for _, n := range w.sums[:part] {
						at += n
					}
					w.widenOffsets(from, to, at)
				})
			}
		}
	})
	return all
}

// overRows calls f for the parts of so many rows that goroutines take.
func overRows(rows int, f func(part, from, to int)) {
	for from := 0; from < rows; from += widenRows {
		f(from/widenRows, from, min(from+widenRows, rows))
	}
}

// widen makes the values of rows from up to to; those that are null are 0.
func (w *wide) widen(from, to int) {
	w.widenGeneric(w.widenVectors(from, to), to)
}

// widenGeneric is widen without vectors.
func (w *wide) widenGeneric(from, to int) {
	if from == to {
		return
	}
	c := w.column
	switch width := c.Form.Width; width {
	case 4:
		values := arrayOf[uint32](c.Fixed)[from:to]
		switch w.width {
		case 0:
			fill(values, uint32(w.base))
		case 1:
			widenTo(values, w.n[from:to], uint32(w.base), uint32(w.unit))
		default:
			widenTo(values, arrayOf[uint16](w.n)[from:to], uint32(w.base), uint32(w.unit))
		}
		clearNulls(values, c, from)
	case 8:
		values := arrayOf[uint64](c.Fixed)[from:to]
		switch w.width {
		case 0:
			fill(values, w.base)
		case 1:
			widenTo(values, w.n[from:to], w.base, w.unit)
		case 2:
			widenTo(values, arrayOf[uint16](w.n)[from:to], w.base, w.unit)
		default:
			widenTo(values, arrayOf[uint32](w.n)[from:to], w.base, w.unit)
		}
		clearNulls(values, c, from)
	default:
		values := arrayOf[[2]uint64](c.Fixed)[from:to]
		switch w.width {
		case 0:
			fill(values, [2]uint64{w.base, uint64(int64(w.base) >> 63)})
		case 1:
			widenTo16(values, w.n[from:to], w.base)
		case 2:
			widenTo16(values, arrayOf[uint16](w.n)[from:to], w.base)
		case 4:
			widenTo16(values, arrayOf[uint32](w.n)[from:to], w.base)
		default:
			widenTo16(values, arrayOf[uint64](w.n)[from:to], w.base)
		}
		clearNulls(values, c, from)
	}
}

// arrayOf is b as an array.
func arrayOf[T any](b []byte) []T {
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/sizeOf[T]())
}

func fill[T any](values []T, v T) {
	for i := range values {
		values[i] = v
	}
}

func widenTo[V uint32 | uint64, N uint8 | uint16 | uint32](values []V, n []N, base, unit V) {
	values = values[:len(n)]
	for i, n := range n {
		values[i] = base + unit*V(n)
	}
}

// widenTo16 is the same of values of 128 bits, whose unit is 1.
func widenTo16[N uint8 | uint16 | uint32 | uint64](values [][2]uint64, n []N, base uint64) {
	values = values[:len(n)]
	for i, n := range n {
		v := base + uint64(n)
		values[i] = [2]uint64{v, uint64(int64(v) >> 63)}
	}
}

// length is that of the texts of rows from up to to together.
func (w *wide) length(from, to int) int32 {
	total := int32(w.base) * int32(to-from)
	switch w.width {
	case 0:
	case 1:
		total += sumBytes(w.n[from:to])
	default:
		for _, n := range arrayOf[uint16](w.n)[from:to] {
			total += int32(n)
		}
	}
	return total
}

// sumBytes is the sum of bytes, eight at a time.
func sumBytes(b []byte) (sum int32) {
	const even = 0x00ff00ff00ff00ff
	for len(b) >= 8 {
		words := b[:min(len(b)&^7, 8*128)] // which add up to less than 1<<16 in each of four places
		b = b[len(words):]
		four := uint64(0)
		for ; len(words) >= 8; words = words[8:] {
			word := binary.LittleEndian.Uint64(words)
			four += word&even + word>>8&even
		}
		for ; four != 0; four >>= 16 {
			sum += int32(four & 0xffff)
		}
	}
	for _, n := range b {
		sum += int32(n)
	}
	return sum
}

// widenOffsets makes the ends of texts of their lengths, those of rows from up to to, of which the
// first begins at at.
func (w *wide) widenOffsets(from, to int, at int32) {
	if from == 0 {
		w.column.Offsets[0] = at
	}
	from, at = w.sumVectors(from, to, at)
	w.sum(from, to, at)
}

// sum is widenOffsets without vectors.
func (w *wide) sum(from, to int, at int32) {
	ends, base := w.column.Offsets[1:][from:to], int32(w.base)
	switch w.width {
	case 0:
		for i := range ends {
			ends[i] = at + int32(i+1)*base
		}
	case 1:
		sumTo(ends, w.n[from:to], base, at)
	default:
		sumTo(ends, arrayOf[uint16](w.n)[from:to], base, at)
	}
}

func sumTo[N uint8 | uint16](ends []int32, n []N, base, at int32) {
	ends = ends[:len(n)]
	for i, n := range n {
		at += base + int32(n)
		ends[i] = at
	}
}

// clearNulls puts zeros where rows of c are null: values are those from row from
// on, a multiple of 64.
func clearNulls[T any](values []T, c *columns.Column, from int) {
	if c.Nulls == 0 {
		return
	}
	var zero T
	valid := c.Valid[from/8:]
	for i := 0; i < len(values); i += 64 {
		word := ^uint64(0)
		if len(valid) >= 8 {
			word, valid = binary.LittleEndian.Uint64(valid), valid[8:]
		} else {
			for k, b := range valid {
				word &^= uint64(^b) << (8 * k)
			}
		}
		for null := ^word; null != 0; null &= null - 1 {
			if k := i + bits.TrailingZeros64(null); k < len(values) {
				values[k] = zero
			}
		}
	}
}
