package runtime_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/dfaparse/dfaparse/compile"
	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/formats"
	"github.com/dfaparse/dfaparse/internal/enginetest"
	"github.com/dfaparse/dfaparse/internal/gen"
	"github.com/dfaparse/dfaparse/internal/render"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/cpu"
	"github.com/dfaparse/dfaparse/runtime/reference"
)

// spec compiles the spec of a test; a name alone is that of a built-in format.
func spec(t testing.TB, src string) *dfa.Program {
	t.Helper()
	if !strings.Contains(src, "{") {
		p, err := gen.Program(src)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	if !strings.Contains(src, "format ") {
		src = "format test { " + src + " }"
	}
	s, err := compile.Compile("test.dfp", []byte(src), compile.WithResolver(formats.Resolve))
	if err != nil {
		t.Fatal(err)
	}
	return s.Program
}

// outcome is what reading an input gives.
type outcome struct {
	schema  *arrow.Schema
	rows    []string // in JSON, cells separated by spaces
	batches []int64
	rejects []*runtime.Reject
	stats   runtime.Stats
	opened  bool
	err     error
}

// String is all of it in lines, but for the batches.
func (o outcome) String() string {
	var b strings.Builder
	for _, row := range o.rows {
		fmt.Fprintf(&b, "  row %s\n", row)
	}
	for _, r := range o.rejects {
		what := "reject"
		if r.FieldOnly {
			what = "nulled"
		}
		fmt.Fprintf(&b, "  %s %v\n    of the record at %d: %q\n", what, &r.ParseError, r.Start, r.Raw)
	}
	if o.err != nil {
		fmt.Fprintf(&b, "  error %v\n", o.err)
	}
	if o.opened {
		s := o.stats
		fmt.Fprintf(&b, "  %d records, %d rows, %d rejected, %d nulled, %d replaced\n", s.Records, s.Rows, s.Rejected, s.Nulled, s.Replaced)
	}
	return b.String()
}

var baseTime = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// read reads in to its end. The memory of the records is checked for leaks.
func read(t testing.TB, p *dfa.Program, in io.Reader, opts ...runtime.Option) (o outcome) {
	t.Helper()
	b, bare := in.(inMemory)
	if bare {
		opts = append([]runtime.Option{runtime.WithReuse()}, opts...)
	} else {
		mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
		defer mem.AssertSize(t, 0)
		opts = append([]runtime.Option{runtime.WithAllocator(mem)}, opts...)
	}
	opts = append([]runtime.Option{
		runtime.WithBaseTime(baseTime),
		runtime.WithRejectHandler(func(r *runtime.Reject) error {
			o.rejects = append(o.rejects, r)
			return nil
		}),
	}, opts...)
	var r *runtime.Reader
	var err error
	if bare {
		r, err = runtime.ReadBytes(b, p, byCPU(opts...)...)
	} else {
		r, err = runtime.NewReader(in, p, byCPU(opts...)...)
	}
	if err != nil {
		o.err = err
		return o
	}
	defer r.Release()
	o.opened, o.schema = true, r.Schema()
	for r.Next() {
		rec := r.Record()
		o.batches = append(o.batches, rec.NumRows())
		for i := range int(rec.NumRows()) {
			o.rows = append(o.rows, jsonRow(rec, i))
		}
	}
	o.err, o.stats = r.Err(), r.Stats()
	accounted(t, p, nil, o, opts)
	return o
}

// jsonRow is row i in JSON, cells separated by spaces.
func jsonRow(rec arrow.Record, i int) string {
	var row []byte
	for c, col := range rec.Columns() {
		if c > 0 {
			row = append(row, ' ')
		}
		row = render.AppendJSON(row, rec.Schema().Field(c), col, i)
	}
	return string(row)
}

// accounted holds the counts of an outcome against the input, as far as that is
// known.
func accounted(t testing.TB, p *dfa.Program, in []byte, o outcome, opts []runtime.Option) {
	t.Helper()
	if !o.opened {
		return
	}
	x := enginetest.Reading{Program: p, In: in, Stats: o.stats, Rejects: o.rejects, Err: o.err}
	x.Skip, x.Limit, x.SkipLines = runtime.SkipAndLimit(p, byCPU(opts...))
	if diff := x.Unaccounted(); diff != "" {
		t.Fatalf("input %q: %s\n%s", in, diff, o)
	}
}

// counted is all of the counts that may not differ, as text.
func counted(s runtime.Stats) string {
	places := fmt.Sprint(s.FirstReplaced, s.FirstSurplus)
	s.FirstReplaced, s.FirstSurplus, s.Batches, s.Partitions = nil, nil, 0, 0
	return fmt.Sprintf("%+v, first %s", s, places)
}

// inMemory is an input for ReadBytes.
type inMemory []byte

func (inMemory) Read([]byte) (int, error) { panic("an input in memory is not read") }

// way is one way to run a Program; none may make a difference.
type way struct {
	engine                    string
	threads, chunk, partition int
	bare                      bool // where inputs can be in memory they are for ReadBytes, and records' memory is used again
}

// engines are those that the tests compare, by name.
var engines = map[string]runtime.Engine{"cpu": cpu.Engine, "reference": reference.Engine, "lending": newLending(reference.Engine, 6), "ahead": newAhead()}

const whole = 1 << 20

// ways are what everyWay goes through; the first is what the others are held
// against.
var ways = []way{
	{"reference", 1, whole, whole, false},
	{"reference", 2, 1, 1, false},
	{"reference", 1, 5, 13, true},
	{"cpu", 1, whole, whole, false},
	{"cpu", 1, whole, 1, false},
	{"cpu", 1, whole, 3, false},
	{"cpu", 1, whole, 17, false},
	{"cpu", 1, whole, whole, true},
	{"cpu", 1, whole, 5, true},
	{"cpu", 1, whole, 19, true},
	{"cpu", 3, 1, whole, false},
	{"cpu", 2, 2, 7, false},
	{"cpu", 2, 3, 23, true},
	{"cpu", 8, 3, 64, true},
	{"lending", 1, whole, whole, true},
	{"lending", 2, 5, 31, true},
	{"ahead", 2, 5, 31, false},
	{"ahead", 3, whole, 64, true},
}

func (w way) options() []runtime.Option {
	return []runtime.Option{
		runtime.WithEngine(engines[w.engine]), runtime.WithThreads(w.threads),
		runtime.WithChunkSize(w.chunk), runtime.WithPartitionSize(w.partition),
	}
}

// concurrent reports whether engines work beside each other in it: a short run, which looks for
// races and not for answers, has no others. The reference engine's own tests look for its races.
func (w way) concurrent() bool { return w.threads > 1 && w.engine != "reference" }

// input is in as the way has it.
func (w way) input(t testing.TB, p *dfa.Program, in io.Reader) io.Reader {
	if hidden, ok := in.(unseekable); ok && !p.Dynamic() {
		in = hidden.Reader
	}
	text, ok := in.(*strings.Reader)
	if !w.bare || !ok {
		return in
	}
	b, err := io.ReadAll(text)
	if err != nil {
		t.Fatal(err)
	}
	return inMemory(b)
}

// everyWay reads what open gives in every way and fails if two ways differ.
func everyWay(t testing.TB, p *dfa.Program, open func() io.Reader, opts ...runtime.Option) outcome {
	t.Helper()
	var want outcome
	for i, w := range ways {
		if i > 0 && testing.Short() && !w.concurrent() {
			continue
		}
		got := read(t, p, w.input(t, p, open()), append(w.options(), opts...)...)
		if i == 0 {
			want = got
			continue
		}
		if d := difference(got, want); d != "" {
			t.Fatalf("%+v, and by %+v: %s", w, ways[0], d)
		}
	}
	return want
}

// difference says what differs, "" if nothing does.
func difference(got, want outcome) string {
	if got.String() != want.String() {
		return fmt.Sprintf("it gives\n%swant\n%s", got, want)
	}
	if got, want := counted(got.stats), counted(want.stats); got != want {
		return fmt.Sprintf("it counts\n%s, want\n%s", got, want)
	}
	if fmt.Sprint(got.batches) != fmt.Sprint(want.batches) {
		return fmt.Sprintf("it gives records of %d rows, want %d", got.batches, want.batches)
	}
	for _, kind := range sentinels {
		if errors.Is(got.err, kind) != errors.Is(want.err, kind) {
			return fmt.Sprintf("errors.Is(%v, %v) differs", got.err, kind)
		}
	}
	return ""
}

// text reads a text in every way.
func text(t testing.TB, p *dfa.Program, in string, opts ...runtime.Option) outcome {
	t.Helper()
	o := everyWay(t, p, func() io.Reader { return unseekable{strings.NewReader(in)} }, opts...)
	accounted(t, p, []byte(in), o, opts)
	return o
}

// unseekable hides that an input can be rewound.
type unseekable struct{ io.Reader }

var sentinels = []error{
	runtime.ErrSyntax, runtime.ErrTooLong, runtime.ErrTooFewFields, runtime.ErrTooManyFields, runtime.ErrEnclosure,
	runtime.ErrValue, runtime.ErrSplit, runtime.ErrHeader, runtime.ErrDirective, runtime.ErrTooManyRejects,
}

var modes = []struct {
	name string
	mode dfa.ErrorMode
}{{"fail", dfa.Fail}, {"null", dfa.Null}, {"reject", dfa.Reject}}

// everyMode writes what an input gives in each error mode to b.
func everyMode(t testing.TB, b *bytes.Buffer, p *dfa.Program, in string, opts ...runtime.Option) {
	t.Helper()
	last := ""
	for _, m := range modes {
		got := text(t, p, in, append([]runtime.Option{runtime.WithErrorMode(m.mode)}, opts...)...).String()
		if got == last {
			fmt.Fprintf(b, " on_error %s: the same\n", m.name)
		} else {
			fmt.Fprintf(b, " on_error %s:\n%s", m.name, got)
		}
		last = got
	}
}

// byCPU is opts with the engine that reads, unless they name another.
func byCPU(opts ...runtime.Option) []runtime.Option {
	return append([]runtime.Option{runtime.WithEngine(cpu.Engine)}, opts...)
}
