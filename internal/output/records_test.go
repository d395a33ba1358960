package output

import (
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/decimal128"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/convert"
	"github.com/dfaparse/dfaparse/internal/render"
)

var (
	wordType    = &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: arrow.BinaryTypes.String}
	bytes16     = &arrow.FixedSizeBinaryType{ByteWidth: 16}
	berlin      = &arrow.TimestampType{Unit: arrow.Millisecond, TimeZone: "Europe/Berlin"}
	uuidMeaning = convert.ArrowField(&dfa.Column{Type: dfa.Type{Kind: dfa.UUID}}).Metadata
	ipMeaning   = arrow.NewMetadata([]string{convert.TypeKey}, []string{"ip"})
)

// manyTypes has a column of every type that Programs have.
var manyTypes = arrow.NewSchema([]arrow.Field{
	{Name: "id", Type: arrow.PrimitiveTypes.Int64},
	{Name: "bool", Type: arrow.FixedWidthTypes.Boolean, Nullable: true},
	{Name: "int8", Type: arrow.PrimitiveTypes.Int8, Nullable: true},
	{Name: "int16", Type: arrow.PrimitiveTypes.Int16, Nullable: true},
	{Name: "int32", Type: arrow.PrimitiveTypes.Int32, Nullable: true},
	{Name: "uint8", Type: arrow.PrimitiveTypes.Uint8, Nullable: true},
	{Name: "uint16", Type: arrow.PrimitiveTypes.Uint16, Nullable: true},
	{Name: "uint32", Type: arrow.PrimitiveTypes.Uint32, Nullable: true},
	{Name: "uint64", Type: arrow.PrimitiveTypes.Uint64, Nullable: true},
	{Name: "float32", Type: arrow.PrimitiveTypes.Float32, Nullable: true},
	{Name: "float64", Type: arrow.PrimitiveTypes.Float64, Nullable: true},
	{Name: "decimal", Type: &arrow.Decimal128Type{Precision: 12, Scale: 2}, Nullable: true},
	{Name: "date", Type: arrow.FixedWidthTypes.Date32, Nullable: true},
	{Name: "time_ms", Type: arrow.FixedWidthTypes.Time32ms, Nullable: true},
	{Name: "time_us", Type: arrow.FixedWidthTypes.Time64us, Nullable: true},
	{Name: "at", Type: &arrow.TimestampType{Unit: arrow.Microsecond}, Nullable: true},
	{Name: "at_utc", Type: &arrow.TimestampType{Unit: arrow.Nanosecond, TimeZone: "UTC"}, Nullable: true},
	{Name: "at_berlin", Type: berlin, Nullable: true},
	{Name: "took", Type: arrow.FixedWidthTypes.Duration_ms, Nullable: true},
	{Name: "text", Type: arrow.BinaryTypes.String, Nullable: true},
	{Name: "bytes", Type: arrow.BinaryTypes.Binary, Nullable: true},
	{Name: "word", Type: wordType, Nullable: true},
	{Name: "ip", Type: bytes16, Nullable: true, Metadata: ipMeaning},
	{Name: "uuid", Type: bytes16, Nullable: true, Metadata: uuidMeaning},
	{Name: "list", Type: arrow.ListOf(arrow.PrimitiveTypes.Int32), Nullable: true},
	{Name: "words", Type: arrow.ListOf(wordType), Nullable: true},
	{Name: "map", Type: arrow.MapOf(arrow.BinaryTypes.String, arrow.BinaryTypes.String), Nullable: true},
	{Name: "deep", Type: arrow.MapOf(arrow.BinaryTypes.String, arrow.MapOf(arrow.BinaryTypes.String, arrow.BinaryTypes.String)), Nullable: true},
}, nil)

var words = []string{"alpha", "beta", "", "gamma,\"δ\"", "epsilon\n"}

// manyRecords gives three records of five rows. Every fifth row is null where
// it can be; the dictionaries of record i begin with all of record i-1.
func manyRecords(t testing.TB, mem memory.Allocator) []arrow.Record {
	t.Helper()
	var recs []arrow.Record
	for n := range 3 {
		recs = append(recs, manyRecord(mem, int64(n*5), words[:2*n+1]))
	}
	t.Cleanup(func() {
		for _, r := range recs {
			r.Release()
		}
	})
	return recs
}

func manyRecord(mem memory.Allocator, first int64, words []string) arrow.Record {
	b := array.NewRecordBuilder(mem, manyTypes)
	defer b.Release()
	for k := range b.Fields() {
		if d, ok := b.Field(k).(*array.BinaryDictionaryBuilder); ok {
			insert(mem, d, words)
		}
		if l, ok := b.Field(k).(*array.ListBuilder); ok {
			if d, ok := l.ValueBuilder().(*array.BinaryDictionaryBuilder); ok {
				insert(mem, d, words)
			}
		}
	}
	for i := first; i < first+5; i++ {
		b.Field(0).(*array.Int64Builder).Append(i)
		for k := 1; k < len(b.Fields()); k++ {
			if i%5 == 4 {
				b.Field(k).AppendNull()
			} else {
				appendValue(b.Field(k), i, words)
			}
		}
	}
	return b.NewRecord()
}

func insert(mem memory.Allocator, d *array.BinaryDictionaryBuilder, words []string) {
	b := array.NewStringBuilder(mem)
	defer b.Release()
	b.AppendValues(words, nil)
	a := b.NewStringArray()
	defer a.Release()
	if err := d.InsertStringDictValues(a); err != nil {
		panic(err)
	}
}

func appendValue(b array.Builder, i int64, words []string) {
	word := words[int(i)%len(words)]
	switch b := b.(type) {
	case *array.BooleanBuilder:
		b.Append(i%2 == 0)
	case *array.Int8Builder:
		b.Append(int8(i - 7))
	case *array.Int16Builder:
		b.Append(int16(i - 7))
	case *array.Int32Builder:
		b.Append(int32(i - 7))
	case *array.Uint8Builder:
		b.Append(uint8(i + 240))
	case *array.Uint16Builder:
		b.Append(uint16(i + 65000))
	case *array.Uint32Builder:
		b.Append(uint32(i + 4e9))
	case *array.Uint64Builder:
		b.Append(uint64(i) + 1<<63)
	case *array.Float32Builder:
		b.Append(float32(i) + 0.1)
	case *array.Float64Builder:
		b.Append(float64(i) / 3)
	case *array.Decimal128Builder:
		b.Append(decimal128.FromI64(i*12345 - 20000))
	case *array.Date32Builder:
		b.Append(arrow.Date32(17532 + i))
	case *array.Time32Builder:
		b.Append(arrow.Time32(i%24*3600000 + 1))
	case *array.Time64Builder:
		b.Append(arrow.Time64(i%24*3600000000 + 1))
	case *array.TimestampBuilder:
		b.Append(arrow.Timestamp(1514764800123 + i*86400000))
	case *array.DurationBuilder:
		b.Append(arrow.Duration(i * 1500))
	case *array.StringBuilder:
		b.Append(word + " text")
	case *array.BinaryBuilder:
		b.Append([]byte{0, 255, byte(i)})
	case *array.BinaryDictionaryBuilder:
		if err := b.AppendString(word); err != nil {
			panic(err)
		}
	case *array.FixedSizeBinaryBuilder:
		b.Append([]byte("\x20\x01\x0d\xb8\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00" + string(rune(i+1))))
	case *array.ListBuilder:
		b.Append(true)
		for j := range i % 3 {
			appendValue(b.ValueBuilder(), i+j, words)
		}
	case *array.MapBuilder:
		b.Append(true)
		for j := range i % 3 {
			b.KeyBuilder().(*array.StringBuilder).Append("k" + string(rune('0'+j)))
			appendValue(b.ItemBuilder(), i+j, words)
		}
	default:
		panic(b.Type().String())
	}
}

// jsonLines is the records as newJSONL writes them.
func jsonLines(t testing.TB, recs []arrow.Record) string {
	t.Helper()
	var out []byte
	for _, r := range recs {
		for i := range int(r.NumRows()) {
			for k, c := range r.Columns() {
				out = append(out, "{,"[min(k, 1)])
				out = append(render.AppendQuoted(out, r.ColumnName(k)), ':')
				out = render.AppendJSON(out, r.Schema().Field(k), c, i)
			}
			out = append(out, '}', '\n')
		}
	}
	return string(out)
}
