package output

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/ipc"
	"github.com/apache/arrow/go/v17/arrow/memory"
	"github.com/apache/arrow/go/v17/parquet/file"
	"github.com/apache/arrow/go/v17/parquet/pqarrow"
)

func write(t testing.TB, kind string, recs []arrow.Record) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := Open(kind, &b, recs[0].Schema(), Options{SpoolDir: t.TempDir()})
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
	return b.Bytes()
}

func TestJSONL(t *testing.T) {
	recs := manyRecords(t, memory.DefaultAllocator)
	if got, want := string(write(t, "jsonl", recs)), jsonLines(t, recs); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}

func TestArrowFile(t *testing.T) {
	mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
	recs := manyRecords(t, mem)
	b := write(t, "arrow", recs)
	r, err := ipc.NewFileReader(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if !r.Schema().Equal(manyTypes) {
		t.Errorf("schema %s", r.Schema())
	}
	var got []arrow.Record
	for i := range r.NumRecords() {
		rec, err := r.RecordAt(i)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, rec)
	}
	if g, want := jsonLines(t, got), jsonLines(t, recs); g != want {
		t.Errorf("got %s\nwant %s", g, want)
	}
}

func TestArrowStream(t *testing.T) {
	recs := manyRecords(t, memory.DefaultAllocator)
	r, err := ipc.NewReader(bytes.NewReader(write(t, "arrows", recs)))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Release()
	for i := 0; r.Next(); i++ {
		if got, want := jsonLines(t, []arrow.Record{r.Record()}), jsonLines(t, recs[i:i+1]); got != want {
			t.Errorf("record %d: got %s\nwant %s", i, got, want)
		}
	}
	if r.Err() != nil {
		t.Error(r.Err())
	}
}

func TestParquet(t *testing.T) {
	recs := manyRecords(t, memory.DefaultAllocator)
	f, err := file.NewParquetReader(bytes.NewReader(write(t, "parquet", recs)))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if f.NumRows() != 15 || f.NumRowGroups() != 1 {
		t.Errorf("%d rows in %d row groups", f.NumRows(), f.NumRowGroups())
	}
	codec, err := f.RowGroup(0).MetaData().ColumnChunk(0)
	if err != nil || codec.Compression().String() != "ZSTD" {
		t.Errorf("compression %v, %v", codec.Compression(), err)
	}
	r, err := pqarrow.NewFileReader(f, pqarrow.ArrowReadProperties{}, memory.DefaultAllocator)
	if err != nil {
		t.Fatal(err)
	}
	table, err := r.ReadTable(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if table.NumRows() != 15 || table.NumCols() != int64(manyTypes.NumFields()) {
		t.Errorf("%d rows of %d columns", table.NumRows(), table.NumCols())
	}
}

func TestCSV(t *testing.T) {
	recs := manyRecords(t, memory.DefaultAllocator)
	rows, err := csv.NewReader(bytes.NewReader(write(t, "csv", recs))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != 16 || len(rows[0]) != manyTypes.NumFields() || rows[0][4] != "int32" || rows[1][19] != "alpha text" {
		t.Errorf("%d rows, %q", len(rows), rows[:2])
	}
}

// strings2 is a record of two string columns; "\x00" is null.
func strings2(t testing.TB, cells ...[2]string) arrow.Record {
	t.Helper()
	b := array.NewRecordBuilder(memory.DefaultAllocator, arrow.NewSchema([]arrow.Field{
		{Name: "a", Type: arrow.BinaryTypes.String, Nullable: true},
		{Name: `b "x"`, Type: arrow.BinaryTypes.String, Nullable: true},
	}, nil))
	defer b.Release()
	for _, row := range cells {
		for k, s := range row {
			if s == "\x00" {
				b.Field(k).AppendNull()
			} else {
				b.Field(k).(*array.StringBuilder).Append(s)
			}
		}
	}
	return b.NewRecord()
}

func TestTextQuoting(t *testing.T) {
	rec := strings2(t, [2]string{"x", "\x00"}, [2]string{"", "a,b"}, [2]string{"say \"hi\"\n", "tab\there"}, [2]string{" lead", `back\slash`})
	wantCSV := "a,\"b \"\"x\"\"\"\nx,\n\"\",\"a,b\"\n\"say \"\"hi\"\"\n\",tab\there\n\" lead\",back\\slash\n"
	if got := string(write(t, "csv", []arrow.Record{rec})); got != wantCSV {
		t.Errorf("csv %q, want %q", got, wantCSV)
	}
	wantTSV := "a\tb \"x\"\nx\t\\N\n\ta,b\nsay \"hi\"\\n\ttab\\there\n lead\tback\\\\slash\n"
	if got := string(write(t, "tsv", []arrow.Record{rec})); got != wantTSV {
		t.Errorf("tsv %q, want %q", got, wantTSV)
	}
}

func TestCSVOneNullColumn(t *testing.T) {
	one := strings2(t, [2]string{"\x00", ""}, [2]string{"x", ""})
	schema := arrow.NewSchema(one.Schema().Fields()[:1], nil)
	rec := array.NewRecord(schema, one.Columns()[:1], 2)
	if got := string(write(t, "csv", []arrow.Record{rec})); got != "a\n\"\"\nx\n" {
		t.Errorf("%q", got)
	}
}

func TestUnifier(t *testing.T) {
	first := manyRecords(t, memory.DefaultAllocator)
	var u Unifier
	defer u.Release()
	var got, want []arrow.Record
	add := func(recs ...arrow.Record) {
		u.NextInput()
		for _, r := range recs {
			out, err := u.Record(r)
			if err != nil {
				t.Fatal(err)
			}
			got, want = append(got, out), append(want, r)
		}
	}
	add(first...)
	add(manyRecord(memory.DefaultAllocator, 100, []string{"zeta", "beta"}), manyRecord(memory.DefaultAllocator, 110, []string{"zeta", "beta", "eta"}))
	add(manyRecord(memory.DefaultAllocator, 120, []string{"alpha"}))
	if g, w := jsonLines(t, got), jsonLines(t, want); g != w {
		t.Fatalf("got %s\nwant %s", g, w)
	}
	var before []string
	for i, r := range got {
		k := r.Schema().FieldIndices("word")[0]
		dict := r.Column(k).(*array.Dictionary).Dictionary().(*array.String)
		var now []string
		for j := range dict.Len() {
			now = append(now, dict.Value(j))
		}
		if len(now) < len(before) || strings.Join(now[:len(before)], "|") != strings.Join(before, "|") {
			t.Errorf("record %d: dictionary %q after %q", i, now, before)
		}
		before = now
	}
	if len(before) != 7 {
		t.Errorf("dictionary %q", before)
	}
	b := write(t, "arrow", got)
	if r, err := ipc.NewFileReader(bytes.NewReader(b)); err != nil || r.NumRecords() != 6 {
		t.Errorf("arrow file: %v", err)
	}
}

// forgetful is memory in which nothing is left once it is released.
type forgetful struct{ memory.Allocator }

func (f forgetful) Free(b []byte) {
	clear(b[:cap(b)])
	f.Allocator.Free(b)
}

// TestUnifierKeepsTexts: what the dictionaries of records before said is kept, whatever becomes of these.
func TestUnifierKeepsTexts(t *testing.T) {
	var u Unifier
	defer u.Release()
	mem := forgetful{memory.NewGoAllocator()}
	for i, words := range [][]string{{"zeta", "beta"}, {"alpha", "zeta"}, {"eta"}, {"beta", "alpha"}, {"new"}, {"eta", "zeta", "alpha"}} {
		u.NextInput()
		rec := manyRecord(mem, int64(10*i), words)
		want := jsonLines(t, []arrow.Record{rec})
		out, err := u.Record(rec)
		if err != nil {
			t.Fatal(err)
		}
		if got := jsonLines(t, []arrow.Record{out}); got != want {
			t.Errorf("input %d: %s, want %s", i, got, want)
		}
		out.Release()
		rec.Release()
	}
	if got := array.NewStringData(u.dicts[0].last).String(); got != `["zeta" "beta" "alpha" "eta" "new"]` {
		t.Error(got)
	}
}

// failing is a Writer that fails at its second record.
type failing struct{ n int }

var errFull = errors.New("full")

func (f *failing) Write(arrow.Record) error {
	if f.n++; f.n == 2 {
		return errFull
	}
	return nil
}

func (f *failing) Close() error { return nil }

func TestPipelined(t *testing.T) {
	recs := manyRecords(t, memory.DefaultAllocator)
	var b bytes.Buffer
	w, err := Open("jsonl", &b, manyTypes, Options{})
	if err != nil {
		t.Fatal(err)
	}
	p := Pipelined(w)
	for _, r := range recs {
		if err := p.Write(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := p.Close(); err != nil || b.String() != jsonLines(t, recs) {
		t.Errorf("%v: %s", err, b.String())
	}

	p = Pipelined(&failing{})
	for range 100 {
		if err = p.Write(recs[0]); err != nil {
			break
		}
	}
	if cerr := p.Close(); err != errFull || cerr != errFull {
		t.Errorf("write: %v, close: %v", err, cerr)
	}
}

func TestKindOf(t *testing.T) {
	for path, want := range map[string]string{"x.arrow": "arrow", "a.b/X.PARQUET": "parquet", "x.ndjson": "jsonl", "x.arrows": "arrows", "x.tsv": "tsv"} {
		if got, err := KindOf(path); got != want || err != nil {
			t.Errorf("%s: %s, %v", path, got, err)
		}
	}
	if _, err := KindOf("x.xlsx"); err == nil || !strings.Contains(err.Error(), ".parquet") {
		t.Errorf("error %v", err)
	}
	if _, err := Open("xml", nil, nil, Options{}); err == nil || !strings.Contains(err.Error(), "jsonl") {
		t.Errorf("error %v", err)
	}
}

func names(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return strings.Join(all, " ")
}

func TestFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "x.csv")
	f, err := Create(OS{}, path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(f, "half"); err != nil {
		t.Fatal(err)
	}
	f.Abort()
	if got := names(t, dir); got != "" {
		t.Errorf("an aborted file left %s", got)
	}
	if err := os.WriteFile(path, []byte("old"), 0o640); err != nil {
		t.Fatal(err)
	}
	if f, err = Create(OS{}, path); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(f, "new"); err != nil {
		t.Fatal(err)
	}
	if b, _ := os.ReadFile(path); string(b) != "old" {
		t.Errorf("before the end: %q", b)
	}
	if err := f.Commit(); err != nil {
		t.Fatal(err)
	}
	if b, _ := os.ReadFile(path); string(b) != "new" || names(t, dir) != "x.csv" {
		t.Errorf("%q in %s", b, names(t, dir))
	}
	if _, err := Create(OS{}, filepath.Join(dir, "none", "x.csv")); err == nil || strings.Contains(err.Error(), ".tmp") {
		t.Errorf("error %v", err)
	}
	if _, err := Create(OS{}, dir); err == nil {
		t.Error("created a folder")
	}
}

func TestAbortedSpoolLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	w, err := Open("arrow", &bytes.Buffer{}, manyTypes, Options{SpoolDir: dir})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Write(manyRecords(t, memory.DefaultAllocator)[0]); err != nil {
		t.Fatal(err)
	}
	Abort(w)
	if got := names(t, dir); got != "" {
		t.Errorf("left %s", got)
	}
}
