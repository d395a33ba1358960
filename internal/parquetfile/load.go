package parquetfile

import (
	"encoding/binary"
	"fmt"
	"unsafe"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/parquet"
	"github.com/apache/arrow/go/v17/parquet/schema"
)

// newValues is what encodes an Arrow type as the type of a Parquet column.
func newValues(t arrow.DataType, desc *schema.Column, p *press) (values, error) {
	physical := desc.PhysicalType()
	unknown := fmt.Errorf("parquet: column %s: %s cannot be written as %s", desc.Path(), t, physical)
	switch t := t.(type) {
	case *arrow.BooleanType:
		return &booleans{plain: plain{press: p}}, nil
	case *arrow.StringType, *arrow.BinaryType:
		return newTexts(p), nil
	case *arrow.DictionaryType:
		if t.IndexType.ID() != arrow.INT32 || t.ValueType.ID() != arrow.STRING {
			return nil, unknown
		}
		return newTexts(p), nil
	case *arrow.FixedSizeBinaryType:
		return newFixed(p, t.ByteWidth, desc.TypeLength(), false), nil
	case arrow.DecimalType:
		switch physical {
		case parquet.Types.FixedLenByteArray:
			return newFixed(p, 16, desc.TypeLength(), true), nil
		case parquet.Types.Int32:
			return newWords(p, func(out []uint32, d arrow.ArrayData, s span) []uint32 { return narrow(out, d, s, 16, low[uint32]) }, signed), nil
		case parquet.Types.Int64:
			return newWords(p, func(out []uint64, d arrow.ArrayData, s span) []uint64 { return narrow(out, d, s, 16, low[uint64]) }, signed), nil
		}
		return nil, unknown
	}
	fixed, ok := t.(arrow.FixedWidthDataType)
	if !ok {
		return nil, unknown
	}
	o := signed
	switch {
	case arrow.IsUnsignedInteger(t.ID()):
		o = unsigned
	case arrow.IsFloating(t.ID()):
		o = float
	}
	factor := uint32(1)
	if unit, ok := t.(arrow.TemporalWithUnit); ok && unit.TimeUnit() == arrow.Second && t.ID() != arrow.DURATION {
		factor = 1000 // Parquet has no seconds: milliseconds stand for them
	}
	switch {
	case fixed.Bytes() == 4 && physical != parquet.Types.Int64 && factor == 1:
		return newWords(p, same[uint32], o), nil
	case fixed.Bytes() == 4 && physical != parquet.Types.Int64:
		return newWords(p, func(out []uint32, d arrow.ArrayData, s span) []uint32 { return scaled(same(out, d, s), factor) }, o), nil
	case fixed.Bytes() == 8 && factor == 1:
		return newWords(p, same[uint64], o), nil
	case fixed.Bytes() == 8:
		return newWords(p, func(out []uint64, d arrow.ArrayData, s span) []uint64 { return scaled(same(out, d, s), uint64(factor)) }, o), nil
	case fixed.Bytes() == 1 && o == signed:
		return newWords(p, func(out []uint32, d arrow.ArrayData, s span) []uint32 {
			return narrow(out, d, s, 1, func(b []byte) uint32 { return uint32(int32(int8(b[0]))) })
		}, o), nil
	case fixed.Bytes() == 1:
		return newWords(p, func(out []uint32, d arrow.ArrayData, s span) []uint32 {
			return narrow(out, d, s, 1, func(b []byte) uint32 { return uint32(b[0]) })
		}, o), nil
	case fixed.Bytes() == 2 && o == signed:
		return newWords(p, func(out []uint32, d arrow.ArrayData, s span) []uint32 {
			return narrow(out, d, s, 2, func(b []byte) uint32 { return uint32(int32(int16(binary.LittleEndian.Uint16(b)))) })
		}, o), nil
	case fixed.Bytes() == 2:
		return newWords(p, func(out []uint32, d arrow.ArrayData, s span) []uint32 {
			return narrow(out, d, s, 2, func(b []byte) uint32 { return uint32(binary.LittleEndian.Uint16(b)) })
		}, o), nil
	}
	return nil, unknown
}

// same loads values that are as wide in Arrow: where none is null, they are
// Arrow's own memory.
func same[T word](out []T, d arrow.ArrayData, s span) []T {
	var v T
	size := int(unsafe.Sizeof(v))
	all := d.Buffers()[1].Bytes()[d.Offset()*size:]
	if s.rows == nil {
		return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(all[s.from*size:]))), s.to-s.from)
	}
	in := unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(all))), len(all)/size)
	for _, row := range s.rows {
		out = append(out, in[row])
	}
	return out
}

// narrow loads values of size bytes, each by get.
func narrow[T word](out []T, d arrow.ArrayData, s span, size int, get func([]byte) T) []T {
	all := d.Buffers()[1].Bytes()[d.Offset()*size:]
	for k := range s.len() {
		out = append(out, get(all[s.row(k)*size:]))
	}
	return out
}

// low is the lower part of a decimal of 128 bits, which holds all of one of at
// most 18 digits.
func low[T word](b []byte) T { return T(binary.LittleEndian.Uint64(b)) }

// scaled is values times a factor, in memory of their own.
func scaled[T word](in []T, factor T) []T {
	out := make([]T, len(in))
	for i, v := range in {
		out[i] = v * factor
	}
	return out
}
