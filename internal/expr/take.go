package expr

import (
	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/bitutil"
	"github.com/apache/arrow/go/v17/arrow/memory"
)

// validity is the bitmap of a, from its first row on; nil if none is null.
func validity(a arrow.Array) *memory.Buffer {
	if a.NullN() == 0 {
		return nil
	}
	bitmap := memory.NewBufferBytes(make([]byte, bitutil.BytesForBits(int64(a.Len()))))
	bitutil.CopyBitmap(a.NullBitmapBytes(), a.Data().Offset(), a.Len(), bitmap.Bytes(), 0)
	return bitmap
}

// Take gives the rows of rec that are named, in their order, as a record of the
// columns named. The memory is Go's.
func Take(rec arrow.Record, schema *arrow.Schema, columns []int, rows []int32) arrow.Record {
	taken := make([]arrow.Array, len(columns))
	for i, c := range columns {
		data := take(rec.Column(c).Data(), rows)
		taken[i] = array.MakeFromData(data)
		data.Release()
		defer taken[i].Release()
	}
	return array.NewRecord(schema, taken, int64(len(rows)))
}

// take gives some rows of an array.
func take(d arrow.ArrayData, rows []int32) *array.Data {
	from, buffers := d.Offset(), d.Buffers()
	valid, nulls := takeBits(buffers[0], d.NullN() != 0, from, rows) // of a slice it may be unknown
	if nulls == 0 {
		valid = nil
	}
	build := func(values []*memory.Buffer, children ...arrow.ArrayData) *array.Data {
		return array.NewData(d.DataType(), len(rows), append([]*memory.Buffer{valid}, values...), children, nulls, 0)
	}
	switch t := d.DataType().(type) {
	case *arrow.NullType:
		return array.NewData(t, len(rows), []*memory.Buffer{nil}, nil, len(rows), 0)
	case *arrow.BooleanType:
		bits, _ := takeBits(buffers[1], true, from, rows)
		return build([]*memory.Buffer{bits})
	case *arrow.DictionaryType:
		return array.NewDataWithDictionary(t, len(rows), []*memory.Buffer{valid, takeFixed(buffers[1], 4, from, rows)}, nulls, 0, d.Dictionary().(*array.Data))
	case *arrow.StringType, *arrow.BinaryType:
		return build(takeTexts(buffers, from, rows))
	case *arrow.ListType, *arrow.MapType:
		offsets, items := spans(buffers[1], from, rows)
		child := takeChild(d.Children()[0], items)
		defer child.Release()
		return build([]*memory.Buffer{offsets}, child)
	case arrow.FixedWidthDataType:
		return build([]*memory.Buffer{takeFixed(buffers[1], t.Bytes(), from, rows)})
	}
	panic("expr: rows of " + d.DataType().Name())
}

// takeChild is take of what lists hold, or of the entries of maps.
func takeChild(d arrow.ArrayData, rows []int32) *array.Data {
	if d.DataType().ID() != arrow.STRUCT {
		return take(d, rows)
	}
	moved := rows
	if from := int32(d.Offset()); from != 0 {
		moved = make([]int32, len(rows))
		for i, r := range rows {
			moved[i] = r + from
		}
	}
	var fields []arrow.ArrayData
	for _, f := range d.Children() {
		t := take(f, moved)
		defer t.Release()
		fields = append(fields, t)
	}
	return array.NewData(d.DataType(), len(rows), []*memory.Buffer{nil}, fields, 0, 0)
}

// takeBits gives bits, and how many of them are not set.
func takeBits(b *memory.Buffer, there bool, from int, rows []int32) (*memory.Buffer, int) {
	if b == nil || !there {
		return nil, 0
	}
	src, dst, unset := b.Bytes(), make([]byte, bitutil.BytesForBits(int64(len(rows)))), 0
	for i, r := range rows {
		if k := from + int(r); src[k>>3]>>(k&7)&1 == 1 {
			dst[i>>3] |= 1 << (i & 7)
		} else {
			unset++
		}
	}
	return memory.NewBufferBytes(dst), unset
}

func takeFixed(b *memory.Buffer, width, from int, rows []int32) *memory.Buffer {
	dst := make([]byte, len(rows)*width)
	src := b.Bytes()
	switch width {
	case 1:
		for i, r := range rows {
			dst[i] = src[from+int(r)]
		}
	case 2:
		gather(arrow.Uint16Traits.CastFromBytes(dst), arrow.Uint16Traits.CastFromBytes(src)[from:], rows)
	case 4:
		gather(arrow.Uint32Traits.CastFromBytes(dst), arrow.Uint32Traits.CastFromBytes(src)[from:], rows)
	case 8:
		gather(arrow.Uint64Traits.CastFromBytes(dst), arrow.Uint64Traits.CastFromBytes(src)[from:], rows)
	default:
		for i, r := range rows {
			copy(dst[i*width:], src[(from+int(r))*width:][:width])
		}
	}
	return memory.NewBufferBytes(dst)
}

func gather[T any](dst, src []T, rows []int32) {
	for i, r := range rows {
		dst[i] = src[r]
	}
}

func takeTexts(buffers []*memory.Buffer, from int, rows []int32) []*memory.Buffer {
	offsets := arrow.Int32Traits.CastFromBytes(buffers[1].Bytes())
	var data []byte
	if buffers[2] != nil {
		data = buffers[2].Bytes()
	}
	n := 0
	for _, r := range rows {
		n += int(offsets[from+int(r)+1] - offsets[from+int(r)])
	}
	ends, texts := make([]int32, len(rows)+1), make([]byte, 0, n)
	for i, r := range rows {
		texts = append(texts, data[offsets[from+int(r)]:offsets[from+int(r)+1]]...)
		ends[i+1] = int32(len(texts))
	}
	return []*memory.Buffer{memory.NewBufferBytes(arrow.Int32Traits.CastToBytes(ends)), memory.NewBufferBytes(texts)}
}

// spans are the offsets of some lists, and the rows of what they hold.
func spans(b *memory.Buffer, from int, rows []int32) (*memory.Buffer, []int32) {
	offsets := arrow.Int32Traits.CastFromBytes(b.Bytes())
	ends, items := make([]int32, len(rows)+1), []int32{}
	for i, r := range rows {
		for k := offsets[from+int(r)]; k < offsets[from+int(r)+1]; k++ {
			items = append(items, k)
		}
		ends[i+1] = int32(len(items))
	}
	return memory.NewBufferBytes(arrow.Int32Traits.CastToBytes(ends)), items
}
