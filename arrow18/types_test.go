package arrow18_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	arrow17 "github.com/apache/arrow/go/v17/arrow"
	array17 "github.com/apache/arrow/go/v17/arrow/array"
	memory17 "github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/dfaparse/dfaparse/arrow18"
)

// made are values of every type of v17, as JSON that its builders read.
var made = []struct {
	t      arrow17.DataType
	values string
}{
	{arrow17.Null, `[null, null, null, null]`},
	{arrow17.FixedWidthTypes.Boolean, `[true, null, false, true]`},
	{arrow17.PrimitiveTypes.Uint8, `[0, null, 255, 1]`},
	{arrow17.PrimitiveTypes.Int8, `[-128, null, 127, 1]`},
	{arrow17.PrimitiveTypes.Uint16, `[0, null, 65535, 1]`},
	{arrow17.PrimitiveTypes.Int16, `[-32768, null, 32767, 1]`},
	{arrow17.PrimitiveTypes.Uint32, `[0, null, 4294967295, 1]`},
	{arrow17.PrimitiveTypes.Int32, `[-2147483648, null, 2147483647, 1]`},
	{arrow17.PrimitiveTypes.Uint64, `[0, null, 18446744073709551615, 1]`},
	{arrow17.PrimitiveTypes.Int64, `[-9223372036854775808, null, 9223372036854775807, 1]`},
	{arrow17.FixedWidthTypes.Float16, `[0.5, null, -2, 1]`},
	{arrow17.PrimitiveTypes.Float32, `[0.5, null, -2e10, 1]`},
	{arrow17.PrimitiveTypes.Float64, `[0.5, null, -2e300, 1]`},
	{arrow17.BinaryTypes.String, `["a", null, "", "ü and more"]`},
	{arrow17.BinaryTypes.Binary, `["AA==", null, "", "/wD/"]`},
	{&arrow17.FixedSizeBinaryType{ByteWidth: 3}, `["AAEC", null, "////", "AAAA"]`},
	{arrow17.FixedWidthTypes.Date32, `["2026-01-02", null, "1969-12-31", "1970-01-01"]`},
	{arrow17.FixedWidthTypes.Date64, `["2026-01-02", null, "1969-12-31", "1970-01-01"]`},
	{&arrow17.TimestampType{Unit: arrow17.Nanosecond, TimeZone: "Europe/Berlin"}, `["2026-01-02 03:04:05.123456789", null, "1969-12-31", "1970-01-01"]`},
	{&arrow17.TimestampType{Unit: arrow17.Second}, `["2026-01-02 03:04:05", null, "1969-12-31", "1970-01-01"]`},
	{arrow17.FixedWidthTypes.Time32ms, `["03:04:05.123", null, "00:00:00", "23:59:59"]`},
	{arrow17.FixedWidthTypes.Time64ns, `["03:04:05.123456789", null, "00:00:00", "23:59:59"]`},
	{arrow17.FixedWidthTypes.MonthInterval, `[{"months": 1}, null, {"months": -3}, {"months": 0}]`},
	{arrow17.FixedWidthTypes.DayTimeInterval, `[{"days": 1, "milliseconds": 2}, null, {"days": -1, "milliseconds": 0}, {"days": 0, "milliseconds": 0}]`},
	{arrow17.FixedWidthTypes.MonthDayNanoInterval, `[{"months": 1, "days": 2, "nanoseconds": 3}, null, {"months": 0, "days": 0, "nanoseconds": -3}, {"months": 0, "days": 0, "nanoseconds": 0}]`},
	{&arrow17.Decimal128Type{Precision: 10, Scale: 2}, `["1.25", null, "-12345678.90", "0.00"]`},
	{&arrow17.Decimal256Type{Precision: 40, Scale: 3}, `["1.250", null, "-12345678.900", "0.000"]`},
	{arrow17.ListOf(arrow17.PrimitiveTypes.Int16), `[[1, null, 3], null, [], [4]]`},
	{arrow17.ListOfField(arrow17.Field{Name: "element", Type: arrow17.BinaryTypes.String, Metadata: arrow17.NewMetadata([]string{"k"}, []string{"v"})}), `[["a", "b"], null, [], ["c"]]`},
	{arrow17.StructOf(arrow17.Field{Name: "a", Type: arrow17.PrimitiveTypes.Int8, Nullable: true}, arrow17.Field{Name: "b", Type: arrow17.BinaryTypes.String}), `[{"a": 1, "b": "x"}, null, {"a": null, "b": "y"}, {"a": 3, "b": ""}]`},
	{arrow17.SparseUnionOf([]arrow17.Field{{Name: "a", Type: arrow17.PrimitiveTypes.Int8, Nullable: true}, {Name: "b", Type: arrow17.BinaryTypes.String, Nullable: true}}, []arrow17.UnionTypeCode{5, 9}), `[[5, 1], [9, "x"], [5, null], [9, "y"]]`},
	{arrow17.DenseUnionOf([]arrow17.Field{{Name: "a", Type: arrow17.PrimitiveTypes.Int8, Nullable: true}, {Name: "b", Type: arrow17.BinaryTypes.String, Nullable: true}}, []arrow17.UnionTypeCode{5, 9}), `[[5, 1], [9, "x"], [5, null], [9, "y"]]`},
	{&arrow17.DictionaryType{IndexType: arrow17.PrimitiveTypes.Int32, ValueType: arrow17.BinaryTypes.String}, `["a", null, "b", "a"]`},
	{&arrow17.DictionaryType{IndexType: arrow17.PrimitiveTypes.Uint8, ValueType: arrow17.PrimitiveTypes.Int64, Ordered: true}, `[1, null, 2, 1]`},
	{arrow17.MapOf(arrow17.BinaryTypes.String, arrow17.PrimitiveTypes.Int32), `[[{"key": "a", "value": 1}, {"key": "b", "value": null}], null, [], [{"key": "c", "value": 3}]]`},
	{sorted(), `[[{"key": 1, "value": ["x"]}], null, [], [{"key": 2, "value": []}]]`},
	{newAngle(), `[0.5, null, -2, 1]`},
	{arrow17.FixedSizeListOf(2, arrow17.PrimitiveTypes.Float32), `[[1, 2], null, [3, null], [5, 6]]`},
	{arrow17.FixedWidthTypes.Duration_us, `["1us", null, "-5us", "0us"]`},
	{arrow17.BinaryTypes.LargeString, `["a", null, "", "ü and more"]`},
	{arrow17.BinaryTypes.LargeBinary, `["AA==", null, "", "/wD/"]`},
	{arrow17.LargeListOf(arrow17.PrimitiveTypes.Int16), `[[1, null, 3], null, [], [4]]`},
	{arrow17.RunEndEncodedOf(arrow17.PrimitiveTypes.Int32, arrow17.BinaryTypes.String), `["a", "a", null, "b"]`},
	{arrow17.BinaryTypes.StringView, `["a", null, "", "longer than the twelve bytes of a view"]`},
	{arrow17.BinaryTypes.BinaryView, `["AA==", null, "", "bG9uZ2VyIHRoYW4gdGhlIHR3ZWx2ZSBieXRlcyBvZiBhIHZpZXc="]`},
	{arrow17.ListViewOf(arrow17.PrimitiveTypes.Int16), `[[1, null, 3], null, [], [4]]`},
	{arrow17.LargeListViewOf(arrow17.PrimitiveTypes.Int16), `[[1, null, 3], null, [], [4]]`},
}

// sorted is a map with all that a map's type can say.
func sorted() *arrow17.MapType {
	m := arrow17.MapOfWithMetadata(arrow17.PrimitiveTypes.Int8, arrow17.NewMetadata([]string{"k"}, []string{"key"}),
		arrow17.ListOfNonNullable(arrow17.BinaryTypes.String), arrow17.NewMetadata([]string{"k"}, []string{"item"}))
	m.KeysSorted = true
	m.SetItemNullable(false)
	return m
}

// angle is an extension type of v17 that v18 does not know.
type angle struct{ arrow17.ExtensionBase }

func newAngle() *angle { return &angle{arrow17.ExtensionBase{Storage: arrow17.PrimitiveTypes.Float64}} }

func (*angle) ArrayType() reflect.Type { return reflect.TypeOf(angles{}) }
func (*angle) ExtensionName() string   { return "test.angle" }
func (*angle) Serialize() string       { return "degrees" }
func (*angle) ExtensionEquals(other arrow17.ExtensionType) bool {
	return other.ExtensionName() == "test.angle"
}
func (*angle) Deserialize(arrow17.DataType, string) (arrow17.ExtensionType, error) {
	return newAngle(), nil
}

type angles struct{ array17.ExtensionArrayBase }

// record is a record of one column.
func record(t *testing.T, mem memory17.Allocator, dt arrow17.DataType, values string) arrow17.Record {
	t.Helper()
	column, _, err := array17.FromJSON(mem, dt, strings.NewReader(values))
	if err != nil {
		t.Fatalf("%v: %v", dt, err)
	}
	defer column.Release()
	md := arrow17.NewMetadata([]string{"z", "a"}, []string{"of the schema", ""})
	fmd := arrow17.NewMetadata([]string{"of"}, []string{"the field"})
	schema := arrow17.NewSchema([]arrow17.Field{{Name: "c", Type: dt, Nullable: true, Metadata: fmd}}, &md)
	return array17.NewRecord(schema, []arrow17.Array{column}, int64(column.Len()))
}

// TestEveryType compares values of every type of v17, whole and in slices.
func TestEveryType(t *testing.T) {
	seen := map[arrow17.Type]bool{}
	for _, m := range made {
		seen[m.t.ID()] = true
		t.Run(fmt.Sprint(m.t), func(t *testing.T) {
			mem := memory17.NewCheckedAllocator(memory17.NewGoAllocator())
			defer mem.AssertSize(t, 0)
			rec := record(t, mem, m.t, m.values)
			defer rec.Release()
			arrived := travelled(t, rec)
			defer arrived.Release()
			for from := range rec.NumRows() + 1 {
				for to := from; to <= rec.NumRows(); to++ {
					t.Run(fmt.Sprint(from, to), func(t *testing.T) {
						slice := rec.NewSlice(from, to)
						defer slice.Release()
						got := arrow18.Record(slice)
						defer got.Release()
						if m.t.ID() == arrow17.EXTENSION {
							sameStorage(t, slice, got)
							return
						}
						same(t, slice, got)
						want := arrived.NewSlice(from, to)
						defer want.Release()
						if !array.RecordEqual(want, got) {
							t.Errorf("%v\nwant, by a stream,\n%v", got, want)
						}
					})
				}
			}
		})
	}
	for id := arrow17.NULL; id <= arrow17.LARGE_LIST_VIEW; id++ {
		if !seen[id] {
			t.Errorf("no values of %v", id)
		}
	}
}

// sameStorage compares a column of an extension type that v18 does not know.
func sameStorage(t *testing.T, want arrow17.Record, got arrow.RecordBatch) {
	t.Helper()
	f := got.Schema().Field(0)
	if md := fmt.Sprint(f.Metadata); f.Type.ID() != arrow.FLOAT64 || md != `["of": "the field", "ARROW:extension:name": "test.angle", "ARROW:extension:metadata": "degrees"]` {
		t.Errorf("%v with %s", f.Type, md)
	}
	sameBuffers(t, "c", want.Column(0).Data(), got.Column(0).Data())
	storage := want.Column(0).(array17.ExtensionArray).Storage()
	for row := range storage.Len() {
		if w, g := storage.ValueStr(row), got.Column(0).ValueStr(row); w != g {
			t.Errorf("row %d: %s, want %s", row, g, w)
		}
	}
}

// bearing is a type of v18 by the name that angle has in v17.
type bearing struct {
	arrow.ExtensionBase
	unit string
}

func (*bearing) ArrayType() reflect.Type { return reflect.TypeOf(bearings{}) }
func (*bearing) ExtensionName() string   { return "test.angle" }
func (b *bearing) Serialize() string     { return b.unit }
func (*bearing) ExtensionEquals(other arrow.ExtensionType) bool {
	return other.ExtensionName() == "test.angle"
}
func (*bearing) Deserialize(storage arrow.DataType, unit string) (arrow.ExtensionType, error) {
	if storage.ID() != arrow.FLOAT64 {
		return nil, fmt.Errorf("%v is no angle", storage)
	}
	return &bearing{arrow.ExtensionBase{Storage: storage}, unit}, nil
}

type bearings struct{ array.ExtensionArrayBase }

// TestExtensionKnown: what v17 has as an extension is one in v18, where the name
// is registered there and means the same storage.
func TestExtensionKnown(t *testing.T) {
	if err := arrow.RegisterExtensionType(&bearing{}); err != nil {
		t.Fatal(err)
	}
	defer arrow.UnregisterExtensionType("test.angle")
	rec := record(t, memory17.DefaultAllocator, newAngle(), `[0.5, null, -2]`)
	defer rec.Release()
	got := arrow18.Record(rec)
	defer got.Release()
	if b, ok := got.Schema().Field(0).Type.(*bearing); !ok || b.unit != "degrees" {
		t.Fatalf("type %v", got.Schema().Field(0).Type)
	}
	if md := fmt.Sprint(got.Schema().Field(0).Metadata); md != `["of": "the field"]` {
		t.Errorf("metadata %s", md)
	}
	column, ok := got.Column(0).(*bearings)
	if !ok {
		t.Fatalf("column %T", got.Column(0))
	}
	if s := fmt.Sprint(column.Storage()); s != "[0.5 (null) -2]" {
		t.Error(s)
	}
	sameBuffers(t, "c", rec.Column(0).Data(), got.Column(0).Data())

	refused := &angle{arrow17.ExtensionBase{Storage: arrow17.PrimitiveTypes.Float32}}
	schema := arrow18.Schema(arrow17.NewSchema([]arrow17.Field{{Name: "c", Type: refused}}, nil))
	if id := schema.Field(0).Type.ID(); id != arrow.FLOAT32 {
		t.Errorf("an extension that v18 refuses becomes %v", id)
	}
}
