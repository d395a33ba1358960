package sort

import (
	"fmt"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/bitutil"
	"github.com/apache/arrow/go/v17/arrow/memory"
)

// slab is some rows in memory, in columns of their own. Until it has been copied nothing but its
// number of rows is known.
type slab struct {
	rec     arrow.Record // with codes in place of dictionaries
	rows    int
	nbytes  int64
	average int  // bytes of a row
	uneven  bool // a row may have far more
}

// newSlab is the slab of a record, which it keeps.
func newSlab(rec arrow.Record) *slab {
	c := &slab{rec: rec, rows: int(rec.NumRows())}
	longest := 0
	for _, column := range rec.Columns() {
		d := column.Data()
		c.nbytes += bytesIn(d)
		switch d.DataType().(type) {
		case *arrow.StringType, *arrow.BinaryType:
			longest += longestText(d)
		case *arrow.ListType, *arrow.MapType:
			most := 0
			for i := range c.rows {
				most = max(most, rowBytes(d, i, i+1))
			}
			longest += most
		}
	}
	c.average = int(c.nbytes)/max(c.rows, 1) + 1
	c.uneven = longest > 8*c.average+4096
	return c
}

// copy makes c of the rows of records, which it lets go.
func (c *slab) copy(schema *arrow.Schema, recs []arrow.Record) error {
	columns := make([]arrow.Array, schema.NumFields())
	defer func() {
		for _, rec := range recs {
			rec.Release()
		}
		for _, column := range columns {
			if column != nil {
				column.Release()
			}
		}
	}()
	for i := range columns {
		parts := make([]arrow.Array, len(recs))
		for k, rec := range recs {
			parts[k] = rec.Column(i)
		}
		var err error
		if columns[i], err = array.Concatenate(parts, memory.DefaultAllocator); err != nil {
			return err
		}
	}
	*c = *newSlab(array.NewRecord(schema, columns, int64(c.rows)))
	return nil
}

func longestText(d arrow.ArrayData) (longest int) {
	offsets := offsetsOf([]arrow.ArrayData{d})[0]
	for i := range d.Len() {
		longest = max(longest, int(offsets[i+1]-offsets[i]))
	}
	return longest
}

// bytesIn is what an array has of memory.
func bytesIn(d arrow.ArrayData) (n int64) {
	for _, b := range d.Buffers() {
		if b != nil {
			n += int64(b.Cap())
		}
	}
	for _, child := range d.Children() {
		n += bytesIn(child)
	}
	return n
}

// bytesOf is about how many bytes a row has.
func (c *slab) bytesOf(row int) int {
	if !c.uneven {
		return c.average
	}
	n := 0
	for _, column := range c.rec.Columns() {
		n += rowBytes(column.Data(), row, row+1)
	}
	return n
}

// rowBytes is how many bytes some rows of an array have, without bitmaps.
func rowBytes(d arrow.ArrayData, from, to int) int {
	switch t := d.DataType().(type) {
	case *arrow.StringType, *arrow.BinaryType:
		from, to = offset(d, from), offset(d, to)
		return 4 + to - from
	case *arrow.ListType, *arrow.MapType:
		child := d.Children()[0]
		return 4 + rowBytes(child, offset(d, from), offset(d, to))
	case *arrow.StructType:
		n := 0
		for _, child := range d.Children() {
			n += rowBytes(child, d.Offset()+from, d.Offset()+to)
		}
		return n
	case arrow.FixedWidthDataType:
		return (to - from) * (t.BitWidth() + 7) / 8
	}
	return 0
}

func offset(d arrow.ArrayData, i int) int {
	return int(arrow.Int32Traits.CastFromBytes(d.Buffers()[1].Bytes())[d.Offset()+i])
}

// gather makes a record of rows of slabs.
func gather(schema *arrow.Schema, slabs []*slab, rows []item) arrow.Record {
	columns := make([]arrow.Array, schema.NumFields())
	of := make([]arrow.ArrayData, len(slabs))
	stretches := stretchesOf(rows)
	for i := range columns {
		if stretches != nil {
			columns[i] = gatherStretches(slabs, i, stretches)
		} else {
			for k, c := range slabs {
				of[k] = c.rec.Column(i).Data()
			}
			d := gatherData(schema.Field(i).Type, of, rows)
			columns[i] = array.MakeFromData(d)
			d.Release()
		}
		defer columns[i].Release()
	}
	return array.NewRecord(schema, columns, int64(len(rows)))
}

// stretch is rows that lie one after the other.
type stretch struct {
	slab     uint32
	from, to int64
}

// leastStretch is how many rows have to lie so on average for it to be of use.
var leastStretch = 8 // less in a test

// stretchesOf are those of rows; nil if they are too many.
func stretchesOf(rows []item) (all []stretch) {
	for _, r := range rows {
		if n := len(all); n > 0 && all[n-1].slab == r.slab && all[n-1].to == int64(r.row) {
			all[n-1].to++
			continue
		}
		if len(all) == len(rows)/leastStretch {
			return nil
		}
		all = append(all, stretch{r.slab, int64(r.row), int64(r.row) + 1})
	}
	return all
}

func gatherStretches(slabs []*slab, column int, stretches []stretch) arrow.Array {
	parts := make([]arrow.Array, len(stretches))
	for k, x := range stretches {
		parts[k] = array.NewSlice(slabs[x.slab].rec.Column(column), x.from, x.to)
		defer parts[k].Release()
	}
	a, err := array.Concatenate(parts, memory.DefaultAllocator)
	if err != nil {
		panic("sort: rows of a record: " + err.Error()) // which has not 2 GiB of text
	}
	return a
}

// gatherData makes an array of rows of arrays of one type.
func gatherData(t arrow.DataType, of []arrow.ArrayData, rows []item) *array.Data {
	valid, nulls := gatherBits(of, rows, 0)
	build := func(values []*memory.Buffer, children ...arrow.ArrayData) *array.Data {
		return array.NewData(t, len(rows), append([]*memory.Buffer{valid}, values...), children, nulls, 0)
	}
	switch t := t.(type) {
	case *arrow.NullType:
		return array.NewData(t, len(rows), []*memory.Buffer{nil}, nil, len(rows), 0)
	case *arrow.BooleanType:
		bits, _ := gatherBits(of, rows, 1)
		return build([]*memory.Buffer{bits})
	case *arrow.StringType, *arrow.BinaryType:
		return build(gatherTexts(of, rows))
	case *arrow.ListType, *arrow.MapType:
		children := make([]arrow.ArrayData, len(of))
		for k, d := range of {
			children[k] = d.Children()[0]
		}
		ends, items := gatherLists(of, rows)
		child := gatherData(children[0].DataType(), children, items)
		defer child.Release()
		return build([]*memory.Buffer{ends}, child)
	case *arrow.StructType: // the entries of a map
		moved := make([]item, len(rows))
		for i, r := range rows {
			moved[i] = item{0, r.slab, r.row + uint32(of[r.slab].Offset())}
		}
		fields := make([]arrow.ArrayData, t.NumFields())
		children := make([]arrow.ArrayData, len(of))
		for i := range fields {
			for k, d := range of {
				children[k] = d.Children()[i]
			}
			fields[i] = gatherData(t.Field(i).Type, children, moved)
			defer fields[i].Release()
		}
		return build(nil, fields...)
	case arrow.FixedWidthDataType:
		return build([]*memory.Buffer{gatherFixed(of, rows, t.Bytes())})
	}
	panic(fmt.Sprintf("sort: rows of %s", t))
}

// gatherBits gathers bits of the buffer number n, and counts those that are not set. Where
// it is not there, all are.
func gatherBits(of []arrow.ArrayData, rows []item, n int) (*memory.Buffer, int) {
	from := make([][]byte, len(of))
	there := false
	for k, d := range of {
		if b := d.Buffers(); len(b) > n && b[n] != nil && (n > 0 || d.NullN() != 0) {
			from[k] = b[n].Bytes()
			there = true
		}
	}
	if !there {
		return nil, 0
	}
	dst, unset := make([]byte, bitutil.BytesForBits(int64(len(rows)))), 0
	for i, r := range rows {
		b := from[r.slab]
		if k := of[r.slab].Offset() + int(r.row); b == nil || b[k>>3]>>(k&7)&1 == 1 {
			dst[i>>3] |= 1 << (i & 7)
		} else {
			unset++
		}
	}
	if unset == 0 && n == 0 {
		return nil, 0
	}
	return memory.NewBufferBytes(dst), unset
}

func gatherFixed(of []arrow.ArrayData, rows []item, width int) *memory.Buffer {
	dst := make([]byte, len(rows)*width)
	from := make([][]byte, len(of))
	for k, d := range of {
		if b := bytesOf(d, 1); b != nil { // of no rows there may be none
			from[k] = b[d.Offset()*width:]
		}
	}
	switch width {
	case 1:
		gatherValues(dst, from, rows)
	case 2:
		gatherAs(arrow.Uint16Traits.CastFromBytes, dst, from, rows)
	case 4:
		gatherAs(arrow.Uint32Traits.CastFromBytes, dst, from, rows)
	case 8:
		gatherAs(arrow.Uint64Traits.CastFromBytes, dst, from, rows)
	default:
		for i, r := range rows {
			copy(dst[i*width:], from[r.slab][int(r.row)*width:][:width])
		}
	}
	return memory.NewBufferBytes(dst)
}

func gatherAs[T any](cast func([]byte) []T, dst []byte, from [][]byte, rows []item) {
	as := make([][]T, len(from))
	for k, b := range from {
		as[k] = cast(b)
	}
	gatherValues(cast(dst), as, rows)
}

func gatherValues[T any](dst []T, from [][]T, rows []item) {
	for i, r := range rows {
		dst[i] = from[r.slab][r.row]
	}
}

// offsetsOf are the offsets of texts or lists, from the first row on.
func offsetsOf(of []arrow.ArrayData) [][]int32 {
	offsets := make([][]int32, len(of))
	for k, d := range of {
		if b := d.Buffers()[1]; b != nil && b.Len() > 0 { // of no rows there may be none
			offsets[k] = arrow.Int32Traits.CastFromBytes(b.Bytes())[d.Offset():]
		}
	}
	return offsets
}

func gatherTexts(of []arrow.ArrayData, rows []item) []*memory.Buffer {
	offsets, n := offsetsOf(of), 0
	ends := make([]int32, len(rows)+1)
	for i, r := range rows {
		o := offsets[r.slab][r.row:]
		n += int(o[1] - o[0])
		ends[i+1] = int32(n)
	}
	texts := make([]byte, n)
	from := make([][]byte, len(of))
	for k, d := range of {
		from[k] = bytesOf(d, 2)
	}
	for i, r := range rows {
		o := offsets[r.slab][r.row:]
		copy(texts[ends[i]:ends[i+1]], from[r.slab][o[0]:])
	}
	return []*memory.Buffer{memory.NewBufferBytes(arrow.Int32Traits.CastToBytes(ends)), memory.NewBufferBytes(texts)}
}

// gatherLists gives the offsets of lists, and the rows of what they hold.
func gatherLists(of []arrow.ArrayData, rows []item) (*memory.Buffer, []item) {
	offsets := offsetsOf(of)
	ends, items := make([]int32, len(rows)+1), []item{}
	for i, r := range rows {
		for k := offsets[r.slab][r.row]; k < offsets[r.slab][r.row+1]; k++ {
			items = append(items, item{0, r.slab, uint32(k)})
		}
		ends[i+1] = int32(len(items))
	}
	return memory.NewBufferBytes(arrow.Int32Traits.CastToBytes(ends)), items
}
