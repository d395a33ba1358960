package sort

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"math"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"

	"github.com/dfaparse/dfaparse/internal/expr"
)

// values are one column of the key, of one slab.
type values struct {
	*column
	array   arrow.Array
	valid   []byte // nil: no value is null
	from    int    // of the first row, in valid and in bits
	raw     []byte // of what has a width, from the first row on; bits; or texts
	offsets []int32
	ranks   []uint32 // of words by their codes
}

// valuesOf are those of a slab. ranks are by number of the dictionary. The caller
// releases them.
func (c *column) valuesOf(rec arrow.Record, ranks []ranking) values {
	a := c.value.Array(rec)
	v := values{column: c, array: a, from: a.Data().Offset()}
	if a.NullN() > 0 {
		v.valid = a.NullBitmapBytes()
	}
	buffers := a.Data().Buffers()
	switch a := a.(type) {
	case *array.String:
		v.offsets, v.raw = a.ValueOffsets(), bytesOf(a.Data(), 2)
	case *array.Binary:
		v.offsets, v.raw = a.ValueOffsets(), bytesOf(a.Data(), 2)
	case *array.Boolean:
		v.raw = buffers[1].Bytes()
	default:
		v.raw = buffers[1].Bytes()[c.width*v.from:]
	}
	if c.kind == word {
		v.ranks = ranks[c.leaf].ranks
	}
	return v
}

func bytesOf(d arrow.ArrayData, i int) []byte {
	if b := d.Buffers()[i]; b != nil {
		return b.Bytes()
	}
	return nil
}

func (v *values) isNull(i int) bool {
	i += v.from
	return v.valid != nil && v.valid[i>>3]>>(i&7)&1 == 0
}

// whole is a number whose order is that of the value, which is no text and not wide.
func (v *values) whole(i int) uint64 {
	if v.kind == boolean {
		i += v.from
		return uint64(v.raw[i>>3] >> (i & 7) & 1)
	}
	var w uint64
	switch v.width {
	case 8:
		w = binary.LittleEndian.Uint64(v.raw[8*i:])
		switch v.kind {
		case signed:
			return w ^ 1<<63
		case float:
			return expr.OrderOf64(math.Float64frombits(w) + 0) // -0 + 0 is 0
		}
		return w
	case 4:
		w := binary.LittleEndian.Uint32(v.raw[4*i:])
		switch v.kind {
		case signed:
			return uint64(int64(int32(w))) ^ 1<<63
		case float:
			return uint64(expr.OrderOf32(math.Float32frombits(w) + 0))
		case word:
			return uint64(v.ranks[w])
		}
		return uint64(w)
	case 2:
		w = uint64(binary.LittleEndian.Uint16(v.raw[2*i:]))
		if v.kind == signed {
			return uint64(int64(int16(w))) ^ 1<<63
		}
	case 1:
		w = uint64(v.raw[i])
		if v.kind == signed {
			return uint64(int64(int8(w))) ^ 1<<63
		}
	}
	return w
}

// wide is whole of a value of 128 bits.
func (v *values) wide(i int) number {
	return number{binary.LittleEndian.Uint64(v.raw[16*i+8:]) ^ 1<<63, binary.LittleEndian.Uint64(v.raw[16*i:])}
}

func (v *values) text(i int) []byte {
	if v.width > 0 {
		return v.raw[v.width*i:][:v.width]
	}
	return v.raw[v.offsets[i]:v.offsets[i+1]]
}

// compare compares a value with one of the same column in perhaps another slab.
func (v *values) compare(i int, w *values, j int) int {
	a, b := v.isNull(i), w.isNull(j)
	if a || b {
		switch {
		case a && b:
			return 0
		case a == v.nullsFirst:
			return -1
		}
		return 1
	}
	var c int
	switch v.kind {
	case text:
		c = bytes.Compare(v.text(i), w.text(j))
	case wide:
		c = v.wide(i).compare(w.wide(j))
	default:
		c = cmp.Compare(v.whole(i), w.whole(j))
	}
	if v.desc {
		return -c
	}
	return c
}
