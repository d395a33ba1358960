package parquetfile

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/decimal128"
	"github.com/apache/arrow/go/v17/arrow/memory"
	"github.com/apache/arrow/go/v17/parquet/compress"
	"github.com/apache/arrow/go/v17/parquet/file"
	"github.com/apache/arrow/go/v17/parquet/pqarrow"
)

var mixed = arrow.NewSchema([]arrow.Field{
	{Name: "id", Type: arrow.PrimitiveTypes.Int64},
	{Name: "small", Type: arrow.PrimitiveTypes.Int8, Nullable: true},
	{Name: "wide", Type: arrow.PrimitiveTypes.Uint64, Nullable: true},
	{Name: "flag", Type: arrow.FixedWidthTypes.Boolean, Nullable: true},
	{Name: "few", Type: arrow.PrimitiveTypes.Float64, Nullable: true},
	{Name: "many", Type: arrow.PrimitiveTypes.Float64},
	{Name: "late", Type: arrow.PrimitiveTypes.Int32}, // few at first, then many
	{Name: "word", Type: arrow.BinaryTypes.String, Nullable: true},
	{Name: "text", Type: arrow.BinaryTypes.String},
	{Name: "cents", Type: &arrow.Decimal128Type{Precision: 12, Scale: 2}, Nullable: true},
	{Name: "huge", Type: &arrow.Decimal128Type{Precision: 30, Scale: 2}, Nullable: true},
	{Name: "raw", Type: &arrow.FixedSizeBinaryType{ByteWidth: 16}, Nullable: true},
	{Name: "none", Type: arrow.PrimitiveTypes.Int32, Nullable: true},
	{Name: "list", Type: arrow.ListOf(arrow.BinaryTypes.String), Nullable: true},
	{Name: "map", Type: arrow.MapOf(arrow.BinaryTypes.String, arrow.ListOf(arrow.PrimitiveTypes.Int32)), Nullable: true},
}, nil)

// mixedRecord has n rows that follow so many others.
func mixedRecord(n, before int) arrow.Record {
	r := rand.New(rand.NewPCG(uint64(before), 1))
	b := array.NewRecordBuilder(memory.DefaultAllocator, mixed)
	defer b.Release()
	for i := range n {
		row := before + i
		for k, f := range b.Fields() {
			if f.Type().ID() != arrow.MAP && mixed.Field(k).Nullable && r.IntN(7) == 0 || mixed.Field(k).Name == "none" {
				f.AppendNull()
				continue
			}
			switch f := f.(type) {
			case *array.Int64Builder:
				f.Append(int64(row))
			case *array.Int8Builder:
				f.Append(int8(r.IntN(256) - 128))
			case *array.Uint64Builder:
				f.Append(r.Uint64() | 1<<63)
			case *array.BooleanBuilder:
				f.Append(r.IntN(2) == 0)
			case *array.Float64Builder:
				if mixed.Field(k).Name == "few" {
					f.Append(float64(r.IntN(300)-150) / 4)
				} else {
					f.Append(r.NormFloat64())
				}
			case *array.Int32Builder:
				f.Append(int32(r.IntN(10 + row/80000*1e9)))
			case *array.StringBuilder:
				if mixed.Field(k).Name == "word" {
					f.Append([]string{"", "a", "alpha", "a longer word than the others"}[r.IntN(4)])
				} else {
					f.Append(fmt.Sprintf("%0*d", r.IntN(60), r.Uint64()))
				}
			case *array.Decimal128Builder:
				f.Append(decimal128.FromI64(r.Int64N(2000) - 1000))
			case *array.FixedSizeBinaryBuilder:
				f.Append(fmt.Appendf(nil, "%016d", row))
			case *array.ListBuilder:
				f.Append(true)
				for range r.IntN(3) {
					if r.IntN(5) == 0 {
						f.ValueBuilder().AppendNull()
					} else {
						f.ValueBuilder().(*array.StringBuilder).Append(fmt.Sprint(r.IntN(20)))
					}
				}
			case *array.MapBuilder:
				f.Append(true)
				for j := range r.IntN(3) {
					f.KeyBuilder().(*array.StringBuilder).Append(fmt.Sprint("k", j))
					items := f.ItemBuilder().(*array.ListBuilder)
					if r.IntN(3) == 0 {
						items.AppendNull()
						continue
					}
					items.Append(true)
					for range r.IntN(4) {
						items.ValueBuilder().(*array.Int32Builder).Append(int32(r.IntN(9)))
					}
				}
			}
		}
	}
	return b.NewRecord()
}

func written(t testing.TB, workers int, c compress.Compression, recs ...arrow.Record) []byte {
	t.Helper()
	return writtenBy(t, Options{Compression: c, Workers: workers, Metadata: map[string]string{"key": "value"}}, recs...)
}

func writtenBy(t testing.TB, opts Options, recs ...arrow.Record) []byte {
	t.Helper()
	var out bytes.Buffer
	w, err := New(&out, recs[0].Schema(), opts)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range recs {
		if err := w.Write(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func readBack(t testing.TB, b []byte) (arrow.Table, *file.Reader) {
	t.Helper()
	f, err := file.NewParquetReader(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	r, err := pqarrow.NewFileReader(f, pqarrow.ArrowReadProperties{}, memory.DefaultAllocator)
	if err != nil {
		t.Fatal(err)
	}
	table, err := r.ReadTable(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return table, f
}

// texted is the values of a column as texts.
func texted(chunks []arrow.Array) (all []string) {
	for _, c := range chunks {
		for i := range c.Len() {
			if c.IsNull(i) {
				all = append(all, "null")
			} else {
				all = append(all, c.ValueStr(i))
			}
		}
	}
	return all
}

func TestReadBack(t *testing.T) {
	var recs []arrow.Record
	sizes := []int{1, 20000, 7, 2048, 66000, 0, 3}
	if testing.Short() {
		sizes = []int{1, 7, 2048, 5000, 0, 3}
	}
	for _, n := range sizes {
		before := 0
		for _, r := range recs {
			before += int(r.NumRows())
		}
		recs = append(recs, mixedRecord(n, before))
	}
	recs = append(recs, recs[3].NewSlice(5, 1999), recs[3].NewSlice(2001, 2001))
	for _, c := range []compress.Compression{compress.Codecs.Zstd, compress.Codecs.Snappy, compress.Codecs.Gzip, compress.Codecs.Uncompressed} {
		first := written(t, 1, c, recs...)
		table, f := readBack(t, first)
		for k, field := range mixed.Fields() {
			var chunks []arrow.Array
			for _, r := range recs {
				chunks = append(chunks, r.Column(k))
			}
			want, got := texted(chunks), texted(table.Column(k).Data().Chunks())
			if len(want) != len(got) {
				t.Fatalf("%s, %s: %d rows, want %d", c, field.Name, len(got), len(want))
			}
			for i := range want {
				if want[i] != got[i] {
					t.Fatalf("%s, %s: row %d is %s, want %s", c, field.Name, i, got[i], want[i])
				}
			}
		}
		if v := f.MetaData().KeyValueMetadata().FindValue("key"); v == nil || *v != "value" {
			t.Errorf("metadata %v", f.MetaData().KeyValueMetadata())
		}
		for workers := 2; workers < 4; workers++ {
			if !bytes.Equal(first, written(t, workers, c, recs...)) {
				t.Errorf("%s: the file depends on the workers", c)
			}
		}
	}
}

// TestDictionaries says which columns have a dictionary, and for how long.
func TestDictionaries(t *testing.T) {
	if testing.Short() {
		t.Skip("many rows")
	}
	_, f := readBack(t, written(t, 2, compress.Codecs.Zstd, mixedRecord(100000, 0), mixedRecord(100000, 100000)))
	want := map[string]string{
		"id": "PLAIN", "small": "RLE_DICTIONARY", "wide": "PLAIN", "flag": "PLAIN", "few": "RLE_DICTIONARY", "many": "PLAIN",
		"late": "both", "word": "RLE_DICTIONARY", "text": "PLAIN", "cents": "RLE_DICTIONARY", "huge": "PLAIN", "raw": "PLAIN",
	}
	for k := range f.RowGroup(0).NumColumns() {
		c, err := f.RowGroup(0).MetaData().ColumnChunk(k)
		if err != nil {
			t.Fatal(err)
		}
		got := c.Encodings()[0].String()
		if n := len(c.Encodings()); n == 4 {
			got = "both"
		}
		if w := want[c.PathInSchema()[0]]; w != "" && w != got {
			t.Errorf("%s: %s of %v, want %s", c.PathInSchema(), got, c.Encodings(), w)
		}
	}
}

func TestStatistics(t *testing.T) {
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "i", Type: arrow.PrimitiveTypes.Int32, Nullable: true}, {Name: "u", Type: arrow.PrimitiveTypes.Uint32, Nullable: true},
		{Name: "f", Type: arrow.PrimitiveTypes.Float64, Nullable: true}, {Name: "s", Type: arrow.BinaryTypes.String, Nullable: true},
		{Name: "nan", Type: arrow.PrimitiveTypes.Float64, Nullable: true}, {Name: "nan32", Type: arrow.PrimitiveTypes.Float32, Nullable: true},
	}, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	b.Field(0).(*array.Int32Builder).AppendValues([]int32{3, -5, 0}, []bool{true, true, false})
	b.Field(1).(*array.Uint32Builder).AppendValues([]uint32{3, 1 << 31, 0}, []bool{true, true, false})
	b.Field(2).(*array.Float64Builder).AppendValues([]float64{math.Copysign(0, -1), -1, 0}, nil)
	b.Field(3).(*array.StringBuilder).AppendValues([]string{"b", "", "ab"}, nil)
	b.Field(4).(*array.Float64Builder).AppendValues([]float64{math.NaN(), -1, 0}, nil)
	b.Field(5).(*array.Float32Builder).AppendValues([]float32{1, float32(math.NaN()), 0}, nil)
	_, f := readBack(t, written(t, 1, compress.Codecs.Snappy, b.NewRecord()))
	want := []string{"fbffffff 03000000 1", "03000000 00000080 1", "000000000000f0bf 0000000000000000 0", " 62 0", "  0", "  0"} // of NaN: not
	for k, w := range want {
		c, err := f.RowGroup(0).MetaData().ColumnChunk(k)
		if err != nil {
			t.Fatal(err)
		}
		s, err := c.Statistics()
		if err != nil || s == nil {
			t.Fatalf("column %d: %v, %v", k, s, err)
		}
		if got := fmt.Sprintf("%x %x %d", s.EncodeMin(), s.EncodeMax(), s.NullCount()); got != w {
			t.Errorf("column %d: %s, want %s", k, got, w)
		}
	}
}

// TestRowGroups holds the end of row groups to the rows, across which the
// choice of encodings is kept.
func TestRowGroups(t *testing.T) {
	schema := arrow.NewSchema([]arrow.Field{{Name: "x", Type: arrow.PrimitiveTypes.Int64}}, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	var recs []arrow.Record
	for n := range 5 {
		for i := range rowGroupRows / 2 {
			b.Field(0).(*array.Int64Builder).Append(int64(n*rowGroupRows + i))
		}
		recs = append(recs, b.NewRecord())
	}
	table, f := readBack(t, written(t, 2, compress.Codecs.Snappy, recs...))
	if f.NumRowGroups() != 3 || f.RowGroup(0).NumRows() != rowGroupRows || f.RowGroup(2).NumRows() != rowGroupRows/2 {
		t.Errorf("%d row groups", f.NumRowGroups())
	}
	row := 0
	for _, c := range table.Column(0).Data().Chunks() {
		for _, v := range c.(*array.Int64).Int64Values() {
			if want := int64(row/(rowGroupRows/2)*rowGroupRows + row%(rowGroupRows/2)); v != want {
				t.Fatalf("row %d is %d, want %d", row, v, want)
			}
			row++
		}
	}
}

// TestLanes: row groups that are encoded at once learn from the first which columns have no
// dictionary, whatever their number of goroutines and however short they are.
func TestLanes(t *testing.T) {
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "key", Type: arrow.BinaryTypes.String}, {Name: "number", Type: arrow.PrimitiveTypes.Int64},
		{Name: "few", Type: arrow.BinaryTypes.String}, {Name: "none", Type: arrow.BinaryTypes.String, Nullable: true},
	}, nil)
	const rows = 3 << 15
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	var recs []arrow.Record
	for i := range rows {
		n := i
		if i >= 1<<15 { // repeated from here on
			n %= 100
		}
		b.Field(0).(*array.StringBuilder).Append(fmt.Sprint("key ", n))
		b.Field(1).(*array.Int64Builder).Append(int64(n))
		b.Field(2).(*array.StringBuilder).Append(fmt.Sprint(i % 10))
		b.Field(3).AppendNull()
		if i%(1<<13) == 1<<13-1 {
			recs = append(recs, b.NewRecord())
		}
	}
	for full, want := range map[int]string{1 << 15: "PLAIN PLAIN RLE_DICTIONARY", 1 << 12: "RLE_DICTIONARY RLE_DICTIONARY RLE_DICTIONARY"} {
		var first []byte
		for _, workers := range []int{1, 3} {
			out := writtenBy(t, Options{Compression: compress.Codecs.Snappy, Workers: workers, RowGroupRows: full}, recs...)
			if first == nil {
				first = out
			}
			if !bytes.Equal(first, out) {
				t.Fatalf("row groups of %d rows depend on the workers", full)
			}
		}
		table, f := readBack(t, first)
		for k := range schema.NumFields() {
			var chunks []arrow.Array
			for _, r := range recs {
				chunks = append(chunks, r.Column(k))
			}
			if got := texted(table.Column(k).Data().Chunks()); !slices.Equal(got, texted(chunks)) {
				t.Errorf("row groups of %d rows: %s is read back otherwise", full, schema.Field(k).Name)
			}
		}
		var got []string
		for k := range 3 {
			c, err := f.RowGroup(f.NumRowGroups() - 1).MetaData().ColumnChunk(k)
			if err != nil {
				t.Fatal(err)
			}
			encoding := "PLAIN"
			if c.HasDictionaryPage() {
				encoding = "RLE_DICTIONARY"
			}
			got = append(got, encoding)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("row groups of %d rows: %s, want %s", full, got, want)
		}
	}
}

// fullAfter fails after so many bytes.
type fullAfter int

var errFull = errors.New("full")

func (f *fullAfter) Write(b []byte) (int, error) {
	if *f -= fullAfter(len(b)); *f < 0 {
		return 0, errFull
	}
	return len(b), nil
}

func TestFailure(t *testing.T) {
	rec := mixedRecord(1000, 0)
	for _, n := range []fullAfter{0, 4, 100, 20000} {
		left := n
		w, err := New(&left, mixed, Options{Compression: compress.Codecs.Zstd})
		if err == nil {
			for range 30 {
				if err = w.Write(rec); err != nil {
					break
				}
			}
			if cerr := w.Close(); err == nil {
				err = cerr
			}
		}
		if !errors.Is(err, errFull) {
			t.Errorf("room for %d bytes: %v", n, err)
		}
	}
	w, err := New(&bytes.Buffer{}, mixed, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Write(rec); err != nil {
		t.Fatal(err)
	}
	w.Abort()
	if _, err := New(&bytes.Buffer{}, arrow.NewSchema([]arrow.Field{{Name: "d", Type: arrow.FixedWidthTypes.Duration_s}}, nil), Options{}); err == nil {
		t.Error("a duration is written")
	}
}

func TestEmpty(t *testing.T) {
	table, f := readBack(t, written(t, 1, compress.Codecs.Zstd, mixedRecord(0, 0)))
	if table.NumRows() != 0 || f.NumRowGroups() != 0 || int(table.NumCols()) != mixed.NumFields() {
		t.Errorf("%d rows in %d row groups", table.NumRows(), f.NumRowGroups())
	}

}

// TestLongTexts: texts that are longer than pages, among short ones, alone, and in
// lists, compressible or not, are read back as they were, in each codec.
func TestLongTexts(t *testing.T) {
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "text", Type: arrow.BinaryTypes.String, Nullable: true},
		{Name: "list", Type: arrow.ListOf(arrow.BinaryTypes.String), Nullable: true},
	}, nil)
	r := rand.New(rand.NewPCG(3, 4))
	long := func(n int, dense bool) string {
		b := bytes.Repeat([]byte("abcdefgh"), n/8)
		for i := range b {
			if dense {
				b[i] = byte(32 + r.IntN(95))
			}
		}
		return string(b)
	}
	var recs []arrow.Record
	for k := range 4 {
		b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
		text, list := b.Field(0).(*array.StringBuilder), b.Field(1).(*array.ListBuilder)
		for row := range 3000 {
			switch {
			case k == 1 && row == 2500:
				text.Append(long(longPage+1000, true))
			case k == 2 && row%1000 == 7:
				text.Append(long(longPage*2, false))
			case k == 3 && row == 2999:
				text.Append(long(maxDictBytes+8, true))
			case row%7 == 0:
				text.AppendNull()
			default:
				text.Append(fmt.Sprint("short ", row%20))
			}
			list.Append(true)
			list.ValueBuilder().(*array.StringBuilder).Append("x")
			if k > 0 && row == 100 {
				list.ValueBuilder().(*array.StringBuilder).Append(long(longPage+8, k == 2))
			}
		}
		recs = append(recs, b.NewRecord())
		b.Release()
	}
	for _, c := range []compress.Compression{compress.Codecs.Uncompressed, compress.Codecs.Snappy, compress.Codecs.Zstd} {
		for _, workers := range []int{1, 3} {
			table, _ := readBack(t, written(t, workers, c, recs...))
			for i := range schema.NumFields() {
				var want []arrow.Array
				for _, rec := range recs {
					want = append(want, rec.Column(i))
				}
				got, wanted := texted(table.Column(i).Data().Chunks()), texted(want)
				if len(got) != len(wanted) {
					t.Fatalf("%s, %d workers: %d values of %s, want %d", c, workers, len(got), schema.Field(i).Name, len(wanted))
				}
				for k := range got {
					if got[k] != wanted[k] {
						t.Fatalf("%s, %d workers: value %d of %s is of %d bytes, want %d", c, workers, k, schema.Field(i).Name, len(got[k]), len(wanted[k]))
					}
				}
			}
			table.Release()
		}
	}
	for _, rec := range recs {
		rec.Release()
	}
}
