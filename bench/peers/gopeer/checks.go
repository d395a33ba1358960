package main

import (
	"encoding/binary"
	"math"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
)

// sums are what bench/peers/checks.py calculates, of all records together: for
// each column its nulls, the wrapping sum of its values' bits or of its texts'
// bytes, and the length of its texts.
func sums(records []arrow.Record) map[string]any {
	all := map[string]any{}
	if len(records) == 0 {
		return all
	}
	for i, f := range records[0].Schema().Fields() {
		var nulls, total, length int64
		for _, rec := range records {
			c := rec.Column(i)
			nulls += int64(c.NullN())
			for row := range c.Len() {
				if c.IsNull(row) {
					continue
				}
				if s, ok := c.(*array.String); ok {
					text := s.Value(row)
					length += int64(len(text))
					for k := range len(text) {
						total += int64(text[k])
					}
					continue
				}
				total += bits(c, row)
			}
		}
		all[f.Name] = [3]int64{nulls, total, length}
	}
	return all
}

// bits is a value as an integer: of a float its representation, of a decimal
// the lower half.
func bits(c arrow.Array, row int) int64 {
	switch c := c.(type) {
	case *array.Float64:
		return int64(math.Float64bits(c.Value(row)))
	case *array.Decimal128:
		return int64(c.Value(row).LowBits())
	}
	width := c.DataType().(arrow.FixedWidthDataType).Bytes()
	var word [8]byte
	copy(word[:], c.Data().Buffers()[1].Bytes()[(c.Data().Offset()+row)*width:][:width])
	n := int64(binary.LittleEndian.Uint64(word[:]))
	switch c.(type) {
	case *array.Int8, *array.Int16, *array.Int32, *array.Date32:
		unused := 64 - 8*width
		return n << unused >> unused
	}
	return n
}
