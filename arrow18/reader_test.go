package arrow18_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	arrow17 "github.com/apache/arrow/go/v17/arrow"
	array17 "github.com/apache/arrow/go/v17/arrow/array"
	ipc17 "github.com/apache/arrow/go/v17/arrow/ipc"
	memory17 "github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/dfaparse/dfaparse/arrow18"
	"github.com/dfaparse/dfaparse/compile"
	"github.com/dfaparse/dfaparse/dfa"
	dfaruntime "github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/cpu"
)

// every has a column of every type that dfaparse delivers.
const every = `
format every {
  delimited { sep ';'  quote '"' doubled }
  header none
  fields {
    number    u64!
    text      str
    yes       bool
    a         i8   b i16  c i32  d i64
    e         u8   f u16  g u32
    h         f32  i f64
    price     dec(10, 2)
    day       date
    second    time(unit s)
    micro     time
    at        ts
    berlin    ts(tz "Europe/Berlin", unit ns)
    local     ts("%F %T", unit s)
    took      dur(ms)
    bytes     binary(hex)
    status    enum(new paid)
    word      dict
    address   ip
    sixteen   ip(binary)
    id        uuid
    parts     list(i32, sep ',')
    words     list(dict, sep ',')
    pairs     map(str, pairs '&', kv '=')
  }
}`

// written are rows of it: all of one value, nulls, and new words in every row.
func written(nrows int) string {
	var b strings.Builder
	for i := range nrows {
		if i%3 == 2 {
			fmt.Fprintf(&b, "%d%s\n", i, strings.Repeat(";", 28))
			continue
		}
		fmt.Fprintf(&b, `%d;"text; %[1]d";true;-1;-2;-3;-4;1;2;3;1.5;-2.5e10;%[1]d.25;2026-01-02;03:04:05;03:04:05.123456;2026-01-02T03:04:05.5Z;2026-07-02T03:04:05;2026-01-02 03:04:05;1500;00ff;paid;word%[1]d;192.0.2.1;2001:db8::1;123e4567-e89b-12d3-a456-426614174000;1,2,%[1]d;x,word%[1]d;k=v&l=%[1]d`+"\n", i)
	}
	return b.String()
}

// open is a reader of in, in records of a few rows, with memory from mem; without,
// with its own.
func open(t *testing.T, in string, mem memory17.Allocator, opts ...dfaruntime.Option) *dfaruntime.Reader {
	t.Helper()
	spec, err := compile.Compile("every.dfp", []byte(every))
	if err != nil {
		t.Fatal(err)
	}
	opts = append(opts, dfaruntime.WithEngine(cpu.Engine), dfaruntime.WithBatchSize(7))
	if mem != nil {
		opts = append(opts, dfaruntime.WithAllocator(mem))
	}
	r, err := dfaruntime.NewReader(strings.NewReader(in), spec.Program, opts...)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestEveryTypeOfASpec compares what dfaparse delivers, in columns of every
// type, record by record.
func TestEveryTypeOfASpec(t *testing.T) {
	spec, err := compile.Compile("every.dfp", []byte(every))
	if err != nil {
		t.Fatal(err)
	}
	seen := map[dfa.TypeKind]bool{}
	for _, c := range spec.Program.Columns {
		seen[c.Type.Kind] = true
	}
	if len(seen) != int(dfa.NTypeKinds) {
		t.Errorf("the format has %d kinds of %d", len(seen), dfa.NTypeKinds)
	}
	mem := memory17.NewCheckedAllocator(memory17.NewGoAllocator())
	defer mem.AssertSize(t, 0)
	r := open(t, written(30), mem)
	defer r.Release()
	w := arrow18.Wrap(r)
	defer w.Release()
	sameSchema(t, r.Schema(), w.Schema())
	nrecords := 0
	for w.Next() {
		nrecords++
		same(t, r.Record(), w.RecordBatch())
		arrived := travelled(t, r.Record())
		if !array.RecordEqual(arrived, w.RecordBatch()) {
			t.Errorf("%v\nwant, by a stream,\n%v", w.Record(), arrived)
		}
		arrived.Release()
	}
	if w.Err() != nil || nrecords != 5 || w.Record() != nil || r.Stats().Rows != 30 {
		t.Errorf("%d records, %d rows, then %v", nrecords, r.Stats().Rows, w.Err())
	}
}

// text is what a record holds, for comparing it with what it held before.
func text(rec arrow.RecordBatch) string {
	s, err := rec.MarshalJSON()
	if err != nil {
		return err.Error()
	}
	return string(s)
}

// TestKept: records outlive both readers, whoever is released first, and give
// their memory back once, in whatever order they go, also from several
// goroutines.
func TestKept(t *testing.T) {
	for _, readerFirst := range []bool{true, false} {
		mem := memory17.NewCheckedAllocator(memory17.NewGoAllocator())
		r := open(t, written(100), mem)
		w := arrow18.Wrap(r)
		if readerFirst {
			r.Release() // w has its own reference
		}
		var kept []arrow.RecordBatch
		var texts []string
		for rec, err := range w.Records() {
			if err != nil {
				t.Fatal(err)
			}
			texts = append(texts, text(rec))
			if len(kept)%2 == 0 {
				rec.Retain()
			} else {
				rec = rec.NewSlice(0, rec.NumRows())
			}
			kept = append(kept, rec)
		}
		w.Retain()
		w.Release()
		w.Release()
		if !readerFirst {
			r.Release()
		}
		if len(kept) != 15 || mem.CurrentAlloc() == 0 {
			t.Fatalf("%d records, in %d bytes", len(kept), mem.CurrentAlloc())
		}
		rand.Shuffle(len(kept), func(i, j int) {
			kept[i], kept[j], texts[i], texts[j] = kept[j], kept[i], texts[j], texts[i]
		})
		var wg sync.WaitGroup
		for i, rec := range kept {
			rec.Retain()
			for range 2 {
				wg.Go(func() {
					if s := text(rec); s != texts[i] {
						t.Errorf("a record became\n%s\nwas\n%s", s, texts[i])
					}
					column := rec.Column(i % int(rec.NumCols()))
					column.Retain()
					rec.Release()
					column.Release()
				})
			}
		}
		wg.Wait()
		mem.AssertSize(t, 0)
	}
}

// TestMemoryIsUsedAgain: with WithReuse, memory of a record that v18 keeps is not
// used for the next.
func TestMemoryIsUsedAgain(t *testing.T) {
	r := open(t, written(200), nil, dfaruntime.WithReuse())
	defer r.Release()
	w := arrow18.Wrap(r)
	defer w.Release()
	var kept []arrow.RecordBatch
	var texts []string
	for rec := range w.Records() {
		if rec.Column(0).(*array.Uint64).Value(0)%2 == 0 {
			rec.Retain()
			kept, texts = append(kept, rec), append(texts, text(rec))
		}
	}
	for i, rec := range kept {
		if text(rec) != texts[i] {
			t.Errorf("record %d of those that were kept has changed", i)
		}
		rec.Release()
	}
}

// TestErr: records up to the error are given, and then the error as it is.
func TestErr(t *testing.T) {
	mem := memory17.NewCheckedAllocator(memory17.NewGoAllocator())
	defer mem.AssertSize(t, 0)
	for range 2 {
		r := open(t, written(20)+"x\n", mem)
		w := arrow18.Wrap(r)
		r.Release()
		var rows int64
		var failed error
		for rec, err := range w.Records() {
			switch {
			case failed != nil:
				t.Error("more after the error")
			case err != nil:
				failed = err
				if rec != nil {
					t.Errorf("%v with the error", rec)
				}
			default:
				rows += rec.NumRows()
			}
		}
		var parse *dfaruntime.ParseError
		if rows != 14 && rows != 20 || !errors.As(failed, &parse) || parse.Line != 21 || w.Err() != failed || w.Next() {
			t.Errorf("%d rows, then %v", rows, failed)
		}
		w.Release()
	}
	r := open(t, written(20)+"x\n", mem) // not read to the end
	w := arrow18.Wrap(r)
	for range w.Records() {
		break
	}
	w.Release()
	r.Release()
}

// TestSharedBytes: columns that share buffers, buffers that are parts of others,
// records without rows or without columns.
func TestSharedBytes(t *testing.T) {
	mem := memory17.NewCheckedAllocator(memory17.NewGoAllocator())
	defer mem.AssertSize(t, 0)
	b := array17.NewInt32Builder(mem)
	b.AppendValues([]int32{1, 2, 3, 4, 5, 6, 7, 8}, nil)
	whole := b.NewArray()
	b.Release()
	values := whole.Data().Buffers()[1]
	part := memory17.SliceBuffer(values, 8, 16)
	data := array17.NewData(arrow17.PrimitiveTypes.Int32, 4, []*memory17.Buffer{nil, part}, nil, 0, 0)
	part.Release()
	some := array17.MakeFromData(data)
	data.Release()
	four := array17.NewSlice(whole, 4, 8)
	foreign := array17.NewData(arrow17.PrimitiveTypes.Int32, 4, []*memory17.Buffer{nil, memory17.NewBufferBytes(make([]byte, 16))}, nil, 0, 0)
	zero := array17.MakeFromData(foreign) // memory that nobody counts
	schema := arrow17.NewSchema([]arrow17.Field{{Name: "a", Type: arrow17.PrimitiveTypes.Int32}, {Name: "b", Type: arrow17.PrimitiveTypes.Int32}, {Name: "c", Type: arrow17.PrimitiveTypes.Int32}, {Name: "d", Type: arrow17.PrimitiveTypes.Int32}}, nil)
	rec := array17.NewRecord(schema, []arrow17.Array{some, four, four, zero}, 4)
	for _, a := range []arrow17.Array{whole, some, four, zero} {
		a.Release()
	}
	got := arrow18.Record(rec)
	same(t, rec, got)
	rec.Release()
	if s := fmt.Sprint(got.Columns()); s != "[[3 4 5 6] [5 6 7 8] [5 6 7 8] [0 0 0 0]]" {
		t.Error(s)
	}
	got.Release()

	none := array17.NewRecord(arrow17.NewSchema(nil, nil), nil, 5)
	defer none.Release()
	empty := arrow18.Record(none)
	defer empty.Release()
	if empty.NumRows() != 5 || empty.NumCols() != 0 {
		t.Error(empty)
	}
}

// TestBufferGrows: who resizes a buffer of a record gets bytes of his own, and those
// of v17 stay and are given back.
func TestBufferGrows(t *testing.T) {
	mem := memory17.NewCheckedAllocator(memory17.NewGoAllocator())
	defer mem.AssertSize(t, 0)
	rec := record(t, mem, arrow17.PrimitiveTypes.Int8, `[1, 2, 3]`)
	defer rec.Release()
	got := arrow18.Record(rec)
	buffer := got.Column(0).Data().Buffers()[1]
	buffer.Resize(1000)
	buffer.Bytes()[0] = 9
	if buffer.Bytes()[1] != 2 {
		t.Errorf("%v", buffer.Bytes()[:3])
	}
	got.Release()
	if s := fmt.Sprint(rec.Column(0).Data().Buffers()[1].Bytes()); s != "[1 2 3]" {
		t.Errorf("the bytes of v17 are %s", s)
	}
}

// TestDictionaries: a stream whose dictionary grows by deltas, or is replaced,
// gives every record the dictionary that it has in v17.
func TestDictionaries(t *testing.T) {
	for _, deltas := range []bool{true, false} {
		mem := memory17.NewCheckedAllocator(memory17.NewGoAllocator())
		dt := &arrow17.DictionaryType{IndexType: arrow17.PrimitiveTypes.Int32, ValueType: arrow17.BinaryTypes.String}
		schema := arrow17.NewSchema([]arrow17.Field{{Name: "w", Type: dt, Nullable: true}}, nil)
		var out bytes.Buffer
		w := ipc17.NewWriter(&out, ipc17.WithSchema(schema), ipc17.WithDictionaryDeltas(deltas))
		for _, rows := range []struct{ indices, words string }{{"[0, 1]", `["a", "b"]`}, {"[1, null, 2]", `["a", "b", "c"]`}, {"[2, 3]", `["a", "b", "c", "d"]`}} {
			indices, _, err := array17.FromJSON(mem, arrow17.PrimitiveTypes.Int32, strings.NewReader(rows.indices))
			if err != nil {
				t.Fatal(err)
			}
			words, _, err := array17.FromJSON(mem, arrow17.BinaryTypes.String, strings.NewReader(rows.words))
			if err != nil {
				t.Fatal(err)
			}
			column := array17.NewDictionaryArray(dt, indices, words)
			rec := array17.NewRecord(schema, []arrow17.Array{column}, -1)
			if err := w.Write(rec); err != nil {
				t.Fatal(err)
			}
			for _, a := range []interface{ Release() }{indices, words, column, rec} {
				a.Release()
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		in, err := ipc17.NewReader(&out, ipc17.WithAllocator(mem))
		if err != nil {
			t.Fatal(err)
		}
		r := arrow18.Wrap(in)
		var kept []arrow.RecordBatch
		for r.Next() {
			same(t, in.Record(), r.RecordBatch())
			r.RecordBatch().Retain()
			kept = append(kept, r.RecordBatch())
		}
		if r.Err() != nil {
			t.Fatal(r.Err())
		}
		r.Release()
		in.Release()
		var got []string
		for _, rec := range kept {
			got = append(got, text(rec))
			rec.Release()
		}
		if s := strings.ReplaceAll(strings.Join(got, " "), "\n", ""); s != `[{"w":"a"},{"w":"b"}] [{"w":"b"},{"w":null},{"w":"c"}] [{"w":"c"},{"w":"d"}]` {
			t.Errorf("deltas %v: %s", deltas, s)
		}
		mem.AssertSize(t, 0)
	}
}

// TestSchemaOfRecords: a reader whose records say more than its schema, as that of v17
// may, gives records with their own.
func TestSchemaOfRecords(t *testing.T) {
	rec := record(t, memory17.DefaultAllocator, arrow17.PrimitiveTypes.Int8, `[1]`)
	defer rec.Release()
	bare := arrow17.NewSchema([]arrow17.Field{{Name: "c", Type: arrow17.PrimitiveTypes.Int8, Nullable: true}}, nil)
	w := arrow18.Wrap(&single{schema: bare, rec: rec})
	defer w.Release()
	if !w.Next() {
		t.Fatal(w.Err())
	}
	if w.Schema().HasMetadata() {
		t.Errorf("schema %v", w.Schema())
	}
	sameSchema(t, rec.Schema(), w.RecordBatch().Schema())
}

// single reads one record.
type single struct {
	schema *arrow17.Schema
	rec    arrow17.Record
	read   bool
}

func (*single) Retain()                   {}
func (*single) Release()                  {}
func (s *single) Schema() *arrow17.Schema { return s.schema }
func (s *single) Record() arrow17.Record  { return s.rec }
func (*single) Err() error                { return nil }
func (s *single) Next() bool {
	was := s.read
	s.read = true
	return !was
}
