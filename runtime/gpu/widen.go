//go:build cuda

package gpu

import (
	"encoding/binary"
	"math/bits"
	"unsafe"

	"github.com/dfaparse/dfaparse/internal/columns"
	"github.com/dfaparse/dfaparse/internal/spread"
)

// wide is a column that came narrow.
type wide struct {
	narrowed
	column *columns.Column
	values []byte // its memory
	n      []byte // of each row
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

// widening is some rows of a column that one goroutine makes.
type widening struct {
	*wide
	from, to int
}

// widen makes the values of columns of so many rows, in memory that they have.
func widen(columns []wide, rows, threads int) {
	var all []widening
	for i := range columns {
		if w := &columns[i]; w.column.Offsets != nil { // each begins where the one before ends; they take longest
			all = append(all, widening{w, 0, rows})
		}
	}
	for from := 0; from < rows; from += widenRows {
		for i := range columns {
			if w := &columns[i]; w.column.Offsets == nil {
				all = append(all, widening{w, from, min(from+widenRows, rows)})
			}
		}
	}
	spread.Over(min(threads, mostWiden, (len(all)+leastWiden-1)/leastWiden), len(all), func(i int) {
		all[i].widen(all[i].from, all[i].to)
	})
}

// widen makes the values of rows from up to to; those that are null are 0.
func (w *wide) widen(from, to int) {
	c := w.column
	if c.Offsets != nil {
		w.widenOffsets()
		return
	}
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

// widenOffsets makes offsets of lengths.
func (w *wide) widenOffsets() {
	from, at := w.sumVectors()
	w.sum(from, len(w.column.Offsets)-1, at)
}

// sum makes offsets of the lengths of rows from up to to, of which the first begins at at.
func (w *wide) sum(from, to int, at int32) {
	offsets, base := w.column.Offsets[from:to+1], int32(w.base)
	switch offsets[0] = at; w.width {
	case 0:
		for i := range offsets {
			offsets[i] = at + int32(i)*base
		}
	case 1:
		sumTo(offsets, w.n[from:to], base)
	default:
		sumTo(offsets, arrayOf[uint16](w.n)[from:to], base)
	}
}

func sumTo[N uint8 | uint16](offsets []int32, n []N, base int32) {
	at := offsets[0]
	offsets = offsets[1:][:len(n)]
	for i, n := range n {
		at += base + int32(n)
		offsets[i] = at
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
