package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/decimal128"
	"github.com/apache/arrow/go/v17/arrow/memory"
)

// builder makes records of fields that the standard library converts.
type builder struct {
	rows       *array.RecordBuilder
	converters []func(string) error // one a column
	pending    int                  // rows
	res        result
}

func newBuilder(columns [][2]string) (*builder, error) {
	schema, err := schemaOf(columns)
	if err != nil {
		return nil, err
	}
	b := &builder{rows: array.NewRecordBuilder(memory.DefaultAllocator, schema)}
	for i, f := range schema.Fields() {
		b.converters = append(b.converters, converter(b.rows.Field(i), f.Type))
	}
	return b, nil
}

func (b *builder) endRow() {
	if b.pending++; b.pending == batchRows {
		b.flush()
	}
}

func (b *builder) flush() {
	b.res.records = append(b.res.records, b.rows.NewRecord())
	b.res.rows += int64(b.pending)
	b.pending = 0
}

func (b *builder) result() *result {
	b.flush()
	return &b.res
}

// schemaOf is the Arrow schema of columns whose types are in the words of
// "dfaparse schema --json".
func schemaOf(columns [][2]string) (*arrow.Schema, error) {
	types := map[string]arrow.DataType{
		"int32": arrow.PrimitiveTypes.Int32, "int64": arrow.PrimitiveTypes.Int64, "uint16": arrow.PrimitiveTypes.Uint16,
		"uint64": arrow.PrimitiveTypes.Uint64, "float64": arrow.PrimitiveTypes.Float64, "utf8": arrow.BinaryTypes.String,
		"date32": arrow.FixedWidthTypes.Date32, "timestamp[us]": &arrow.TimestampType{Unit: arrow.Microsecond},
		"timestamp[us, tz=UTC]": arrow.FixedWidthTypes.Timestamp_us,
		"decimal(12, 2)":        &arrow.Decimal128Type{Precision: 12, Scale: 2},
	}
	var fields []arrow.Field
	for _, c := range columns {
		t := types[c[1]]
		if t == nil {
			return nil, fmt.Errorf("%s: no type %s", c[0], c[1])
		}
		fields = append(fields, arrow.Field{Name: c[0], Type: t, Nullable: true})
	}
	return arrow.NewSchema(fields, nil), nil
}

// converter converts a field and appends it to b.
func converter(b array.Builder, t arrow.DataType) func(string) error {
	switch b := b.(type) {
	case *array.StringBuilder:
		return func(s string) error { b.Append(s); return nil }
	case *array.Float64Builder:
		return func(s string) error { v, err := strconv.ParseFloat(s, 64); b.Append(v); return err }
	case *array.Int32Builder:
		return func(s string) error { v, err := strconv.ParseInt(s, 10, 32); b.Append(int32(v)); return err }
	case *array.Int64Builder:
		return func(s string) error { v, err := strconv.ParseInt(s, 10, 64); b.Append(v); return err }
	case *array.Uint16Builder:
		return func(s string) error { v, err := strconv.ParseUint(s, 10, 16); b.Append(uint16(v)); return err }
	case *array.Uint64Builder:
		return func(s string) error { v, err := strconv.ParseUint(s, 10, 64); b.Append(v); return err }
	case *array.Date32Builder:
		return func(s string) error {
			v, err := time.Parse(time.DateOnly, s)
			b.Append(arrow.Date32FromTime(v))
			return err
		}
	case *array.TimestampBuilder:
		layout := time.DateTime
		if t.(*arrow.TimestampType).TimeZone != "" {
			layout = "02/Jan/2006:15:04:05 -0700"
		}
		return func(s string) error {
			v, err := time.Parse(layout, s)
			b.Append(arrow.Timestamp(v.UnixMicro()))
			return err
		}
	case *array.Decimal128Builder:
		return func(s string) error { v, err := cents(s); b.Append(decimal128.FromI64(v)); return err }
	}
	panic(fmt.Sprintf("no converter to %s", t))
}

// cents is a number with at most two digits after the point, in hundredths.
func cents(s string) (int64, error) {
	whole, fraction, _ := strings.Cut(s, ".")
	if len(fraction) > 2 {
		return 0, fmt.Errorf("%q has more than two digits after the point", s)
	}
	return strconv.ParseInt(whole+fraction+"00"[len(fraction):], 10, 64)
}
