package parquetfile

import (
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/parquet"
	"github.com/apache/arrow/go/v17/parquet/pqarrow"
)

func TestSchema(t *testing.T) {
	types := []arrow.DataType{
		arrow.PrimitiveTypes.Int8, arrow.PrimitiveTypes.Int16, arrow.PrimitiveTypes.Int32, arrow.PrimitiveTypes.Int64,
		arrow.PrimitiveTypes.Uint8, arrow.PrimitiveTypes.Uint16, arrow.PrimitiveTypes.Uint32, arrow.PrimitiveTypes.Uint64,
		arrow.PrimitiveTypes.Float32, arrow.PrimitiveTypes.Float64, arrow.FixedWidthTypes.Boolean,
		arrow.FixedWidthTypes.Date32,
		arrow.FixedWidthTypes.Timestamp_s, arrow.FixedWidthTypes.Timestamp_ms, arrow.FixedWidthTypes.Timestamp_us, arrow.FixedWidthTypes.Timestamp_ns,
		&arrow.TimestampType{Unit: arrow.Microsecond}, &arrow.TimestampType{Unit: arrow.Second, TimeZone: "Europe/Berlin"},
		arrow.BinaryTypes.String, arrow.BinaryTypes.Binary, &arrow.FixedSizeBinaryType{ByteWidth: 16},
		&arrow.Decimal128Type{Precision: 9, Scale: 1}, &arrow.Decimal128Type{Precision: 18, Scale: 0},
		&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: arrow.BinaryTypes.String},
		arrow.ListOf(arrow.ListOf(arrow.PrimitiveTypes.Int32)), arrow.MapOf(arrow.BinaryTypes.String, arrow.ListOf(arrow.BinaryTypes.String)),
	}
	props := parquet.NewWriterProperties(parquet.WithVersion(parquet.V2_6), parquet.WithStoreDecimalAsInteger(true))
	for _, typ := range types {
		for _, nullable := range []bool{false, true} {
			s := arrow.NewSchema([]arrow.Field{{Name: "x", Type: typ, Nullable: nullable}}, nil)
			want, err := pqarrow.ToParquet(s, props, pqarrow.NewArrowWriterProperties())
			if err != nil {
				t.Fatal(err)
			}
			got, err := schemaOf(s, props)
			if err != nil {
				t.Errorf("%s: %v", typ, err)
			} else if !got.Equals(want) {
				t.Errorf("%s: %s, want %s", typ, got, want)
			}
		}
	}
	uuid := arrow.NewMetadata([]string{"ARROW:extension:name"}, []string{"arrow.uuid"})
	for _, c := range []struct {
		field arrow.Field
		want  string
	}{
		{arrow.Field{Type: arrow.FixedWidthTypes.Time32s}, "optional int32 field_id=-1 x (Time(isAdjustedToUTC=false, timeUnit=milliseconds));"},
		{arrow.Field{Type: arrow.FixedWidthTypes.Time32ms}, "optional int32 field_id=-1 x (Time(isAdjustedToUTC=false, timeUnit=milliseconds));"},
		{arrow.Field{Type: arrow.FixedWidthTypes.Time64us}, "optional int64 field_id=-1 x (Time(isAdjustedToUTC=false, timeUnit=microseconds));"},
		{arrow.Field{Type: arrow.FixedWidthTypes.Time64ns}, "optional int64 field_id=-1 x (Time(isAdjustedToUTC=false, timeUnit=nanoseconds));"},
		{arrow.Field{Type: &arrow.FixedSizeBinaryType{ByteWidth: 16}, Metadata: uuid}, "optional fixed_len_byte_array field_id=-1 x (UUID);"},
		{arrow.Field{Type: arrow.ListOfField(arrow.Field{Name: "item", Type: &arrow.FixedSizeBinaryType{ByteWidth: 16}, Metadata: uuid})}, "optional fixed_len_byte_array field_id=-1 element (UUID);"},
		{arrow.Field{Type: &arrow.FixedSizeBinaryType{ByteWidth: 16}}, "optional fixed_len_byte_array field_id=-1 x;"},
	} {
		c.field.Name, c.field.Nullable = "x", true
		got, err := schemaOf(arrow.NewSchema([]arrow.Field{c.field}, nil), props)
		if err != nil || !strings.Contains(got.String(), c.want) {
			t.Errorf("%s: %v (%v), want %s", c.field, got, err, c.want)
		}
	}
	if _, err := schemaOf(arrow.NewSchema([]arrow.Field{{Name: "x", Type: arrow.FixedWidthTypes.Duration_s}}, nil), props); err == nil {
		t.Error("a duration has a type")
	}
}
