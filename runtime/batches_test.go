package runtime_test

import (
	"context"
	"fmt"
	"io"
	"strings"
	"testing"
	"unsafe"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/render"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/cpu"
)

// observed is the engine "cpu", and where it has put values.
type observed struct{ values map[*byte]bool }

func (*observed) Name() string { return "observed" }

func (o *observed) Open(plan *runtime.Plan, cfg runtime.Config) (runtime.Parser, error) {
	p, err := cpu.Engine.Open(plan, cfg)
	return &observedParser{p, o}, err
}

type observedParser struct {
	runtime.Parser
	engine *observed
}

func (p *observedParser) Parse(ctx context.Context, part *runtime.Partition) (*runtime.Result, error) {
	result, err := p.Parser.Parse(ctx, part)
	for i := range result.Rows {
		for _, c := range result.Rows[i].Columns {
			for _, b := range [][]byte{c.Fixed, c.Data} {
				if len(b) > 0 {
					p.engine.values[unsafe.SliceData(b)] = true
				}
			}
		}
	}
	return result, err
}

var observer = &observed{}

// TestRecordsAreNotCopied: one worker puts values where records have them,
// however the input is cut, and whether or not a row is left out.
func TestRecordsAreNotCopied(t *testing.T) {
	p := spec(t, `delimited { sep ',' } fields { a i64  b str  c f64? }`)
	row := func(i int) string { return fmt.Sprintf("%d,text %d,%d.5\n", i, i, i%3) }
	for _, size := range []int{100, 5000, whole} {
		for _, left := range []int{-1, 250} {
			var in strings.Builder
			for i := range 1000 {
				if i == left {
					in.WriteString("x,,\n")
				}
				in.WriteString(row(i))
			}
			observer.values = map[*byte]bool{}
			r, err := runtime.ReadBytes([]byte(in.String()), p, runtime.WithEngine(observer), runtime.WithThreads(1),
				runtime.WithPartitionSize(size), runtime.WithBatchSize(200), runtime.WithErrorMode(dfa.Reject))
			if err != nil {
				t.Fatal(err)
			}
			copied := 0
			for r.Next() {
				for c, col := range r.Record().Columns() {
					b := col.Data().Buffers()
					if values := b[len(b)-1].Bytes(); !observer.values[unsafe.SliceData(values)] {
						copied++
						t.Logf("partitions of %d, row %d left out: column %d of record %d is copied", size, left, c, r.Stats().Batches)
					}
				}
			}
			if err := r.Err(); err != nil || r.Stats().Rows != 1000 {
				t.Fatalf("%d rows, %v", r.Stats().Rows, err)
			}
			if copied > 0 {
				t.Errorf("partitions of %d, row %d left out: %d columns are copied", size, left, copied)
			}
			r.Release()
		}
	}
}

// everyType has a column of each way of keeping values.
const everyType = `delimited { sep ',' }
	fields { a i64!  b str  c bool?  d dict  e enum(x y z)  f list(str, sep ';')  g map(i32)  h binary  i f64 default "1.5"  j str null "-" }`

// TestBatchesOfAnySize: where records end, and what is in them, does not depend
// on how the input is cut, whichever rows are left out.
func TestBatchesOfAnySize(t *testing.T) {
	p := spec(t, everyType)
	var in strings.Builder
	for i := range 60 {
		a := fmt.Sprint(i)
		if i%11 == 7 || i > 40 && i < 44 {
			a = "bad"
		}
		g := []string{"k=1", "k=3", ""}[i%3]
		if i == 30 {
			g = "k=x"
		}
		fmt.Fprintf(&in, "%s,%s,%s,d%d,%c,%s,%s,%s,%s,%s\n", a, strings.Repeat("é", i%5), []string{"true", "false", "", "f"}[i%4], i%7, "xyz"[i%3],
			[]string{"p;q", "", "r"}[i%3], g, "bytes", []string{"2.5", ""}[i%2], []string{"-", "text"}[i/3%2])
	}
	for _, batch := range []int{1, 7, 20, 1000} {
		for _, mode := range []dfa.ErrorMode{dfa.Reject, dfa.Null, dfa.Fail} {
			for _, c := range [][2]int64{{0, -1}, {5, -1}, {9, 30}} {
				o := everyWay(t, p, func() io.Reader { return strings.NewReader(in.String()) },
					runtime.WithBatchSize(batch), runtime.WithErrorMode(mode), runtime.WithSkip(c[0]), runtime.WithLimit(c[1]))
				if mode == dfa.Reject && c[0] == 0 && c[1] < 0 && (o.stats.Rows != 51 || o.stats.Rejected != 9) {
					t.Fatalf("%s", o)
				}
			}
		}
	}
}

// TestRecordsOfMuchText: nor does that of records that end by their text, which begin anywhere in the
// memory of a batch, and of the first, whose length nobody knows.
func TestRecordsOfMuchText(t *testing.T) {
	p := spec(t, `delimited { sep ',' } fields { a i64?  b str  c bool?  f list(str, sep ';')  g map(i32)  i f64? }`)
	for _, longer := range []int{0, 1, -1} { // towards the end
		var in strings.Builder
		for i := range 9000 {
			n := 300 + longer*(i-4500)/16
			row := fmt.Sprintf("%d,%s,%s,p;%s,k%d=1,\n", i, strings.Repeat("x", n+i%7), []string{"true", "false", ""}[i%3], strings.Repeat("q", i%40), i)
			if i%13 == 0 {
				row = strings.TrimLeft(row, "0123456789")
			}
			in.WriteString(row)
		}
		var want []arrow.Record
		for _, size := range []int{whole, 1 << 20, 100 << 10} {
			for _, threads := range []int{1, 3} {
				r, err := runtime.ReadBytes([]byte(in.String()), p, runtime.WithEngine(cpu.Engine), runtime.WithThreads(threads), runtime.WithPartitionSize(size), runtime.WithReuse())
				if err != nil {
					t.Fatal(err)
				}
				var got []arrow.Record
				for r.Next() {
					r.Record().Retain()
					got = append(got, r.Record())
				}
				if err := r.Err(); err != nil {
					t.Fatal(err)
				}
				r.Release()
				if want == nil {
					want = got
				}
				if len(got) != len(want) || len(got) < 2 {
					t.Fatalf("partitions of %d, %d threads: %d records, want %d", size, threads, len(got), len(want))
				}
				for i := range got {
					if !array.RecordEqual(got[i], want[i]) {
						t.Errorf("partitions of %d, %d threads: record %d differs", size, threads, i)
					}
				}
				if threads > 1 || size != whole {
					for _, rec := range got {
						rec.Release()
					}
				}
			}
		}
		for _, rec := range want {
			rec.Release()
		}
	}
}

// TestReleasedMemoryIsReused: records that are kept stay as they are while
// the memory of others is used again.
func TestReleasedMemoryIsReused(t *testing.T) {
	p := spec(t, everyType)
	var in strings.Builder
	for i := range 40000 {
		fmt.Fprintf(&in, "%d,%s,%t,d%d,%c,p;%d,k=%d,b%d,%d.5,-\n", i, strings.Repeat("x", i%9), i%2 == 0, i%70, "xyz"[i%3], i, i, i, i)
	}
	render := func(rec arrow.Record) string {
		var b []byte
		for i := range int(rec.NumRows()) {
			for c, col := range rec.Columns() {
				b = render.AppendJSON(append(b, ' '), rec.Schema().Field(c), col, i)
			}
		}
		return string(b)
	}
	for _, threads := range []int{1, 3} {
		r, err := runtime.ReadBytes([]byte(in.String()), p, runtime.WithEngine(cpu.Engine), runtime.WithThreads(threads), runtime.WithChunkSize(10000),
			runtime.WithPartitionSize(70000), runtime.WithBatchSize(2000), runtime.WithReuse())
		if err != nil {
			t.Fatal(err)
		}
		var kept []arrow.Record
		var want []string
		seen := map[*byte]bool{}
		blocks, reused := 0, 0
		for r.Next() {
			rec := r.Record()
			for _, col := range rec.Columns() {
				for _, b := range col.Data().Buffers() {
					if b != nil && b.Len() >= 4<<10 {
						at := unsafe.SliceData(b.Bytes())
						if blocks++; seen[at] {
							reused++
						}
						seen[at] = true
					}
				}
			}
			if r.Stats().Batches%3 == 0 {
				rec.Retain()
				kept, want = append(kept, rec), append(want, render(rec))
			}
		}
		if r.Err() != nil || r.Stats().Rows != 40000 {
			t.Fatalf("%+v, %v", r.Stats(), r.Err())
		}
		r.Release()
		for i, rec := range kept {
			if render(rec) != want[i] {
				t.Errorf("%d threads: record %d has changed", threads, i)
			}
			rec.Release()
		}
		if reused < blocks/4 { // a busy machine keeps more of them at a time
			t.Errorf("%d threads: %d of %d buffers were there before", threads, reused, blocks)
		}
	}
}

// TestStringsLast: with Go's allocator strings may outlive their records.
func TestStringsLast(t *testing.T) {
	p := spec(t, `delimited { sep ',' } fields { a str }`)
	var in strings.Builder
	for i := range 20000 {
		fmt.Fprintf(&in, "text %d\n", i)
	}
	r, err := runtime.ReadBytes([]byte(in.String()), p, runtime.WithEngine(cpu.Engine), runtime.WithAllocator(memory.NewGoAllocator()), runtime.WithBatchSize(1000))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Release()
	var kept []string
	for r.Next() {
		column := r.Record().Column(0).(*array.String)
		for i := range column.Len() {
			kept = append(kept, column.Value(i))
		}
	}
	for i, s := range kept {
		if s != fmt.Sprintf("text %d", i) {
			t.Fatalf("row %d is %q", i, s)
		}
	}
	if len(kept) != 20000 || r.Err() != nil {
		t.Errorf("%d rows, %v", len(kept), r.Err())
	}
}

// TestStringsOutliveRecords: what has been taken out of a record lasts, unless
// WithReuse says otherwise.
func TestStringsOutliveRecords(t *testing.T) {
	p := spec(t, `format words { delimited { sep ',' } fields { word str } }`)
	var in strings.Builder
	for i := range 50000 {
		fmt.Fprintf(&in, "word %d\n", i)
	}
	r, err := runtime.ReadBytes([]byte(in.String()), p, runtime.WithEngine(cpu.Engine), runtime.WithBatchSize(1000), runtime.WithChunkSize(10000))
	if err != nil {
		t.Fatal(err)
	}
	var words []string
	for r.Next() {
		column := r.Record().Column(0).(*array.String)
		for i := range column.Len() {
			words = append(words, column.Value(i))
		}
	}
	r.Release()
	for i, word := range words {
		if want := fmt.Sprint("word ", i); word != want {
			t.Fatalf("word %d is %q, want %q", i, word, want)
		}
	}
	if len(words) != 50000 {
		t.Errorf("%d words", len(words))
	}
}
