package bench

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/gen"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/cpu"
)

func program(t *testing.T, name string) *dfa.Program {
	t.Helper()
	p, err := gen.Program(name)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// text is an input in memory that counts how often it is opened.
func text(data string, opened *int) *Input {
	return &Input{Name: "text", Open: func() (io.ReadCloser, error) {
		*opened++
		return io.NopCloser(strings.NewReader(data)), nil
	}}
}

// small partitions are made in no time.
var small = []runtime.Option{runtime.WithThreads(1), runtime.WithPartitionSize(1 << 12)}

func rows(n int) string {
	var b strings.Builder
	b.WriteString("id,text\n")
	for i := range n {
		fmt.Fprintf(&b, "%d,\"a\nb\"\n", i)
	}
	return b.String()
}

func TestRunMeasuresTheWhole(t *testing.T) {
	data, opened := rows(5000), 0
	r, err := Run(text(data, &opened), &Settings{Program: program(t, "csv"), Engine: cpu.Engine, Repeat: 3, Threads: 1, Options: []runtime.Option{runtime.WithThreads(1)}})
	if err != nil {
		t.Fatal(err)
	}
	if opened != 2+1+3 { // to see the memory, to load it, and the runs
		t.Errorf("opened %d times", opened)
	}
	if r.Engine != "cpu" || r.Columns != 2 || r.Cut || r.Format != "csv" || len(r.Samples) != 1 {
		t.Errorf("%+v", r)
	}
	s := r.Samples[0]
	if s.Bytes != int64(len(data)) || s.Rows != 5000 {
		t.Errorf("%d bytes, %d rows", s.Bytes, s.Rows)
	}
	share := 0.0
	for _, x := range s.Stages {
		share += x.Share
	}
	if math.Abs(share-1) > 1e-9 {
		t.Errorf("shares add up to %v", share)
	}
	for _, x := range s.Wholes {
		if want := float64(s.Bytes) / x.Time.Seconds() / 1e9; math.Abs(x.Rate-want) > 1e-6*want {
			t.Errorf("%s: %v GB/s, want %v", x.Name, x.Rate, want)
		}
	}
}

// TestRunCutsAtRecords takes heads of every length: what is measured is the
// records that are complete in it.
func TestRunCutsAtRecords(t *testing.T) {
	data, opened := rows(4), 0
	begin := []int{}
	for i := range 4 {
		begin = append(begin, strings.Index(data, fmt.Sprintf("%d,", i)))
	}
	begin = append(begin, len(data))
	var sizes []int64
	for n := begin[1]; n <= len(data)+1; n++ {
		sizes = append(sizes, int64(n))
	}
	for _, n := range sizes {
		r, err := Run(text(data, &opened), &Settings{Program: program(t, "csv"), Engine: cpu.Engine, Repeat: 1, Options: small, Sizes: []int64{n}})
		if err != nil {
			t.Fatal(err)
		}
		want := 0
		for want+1 < len(begin) && int64(begin[want+1]) <= n {
			want++
		}
		s := r.Samples[0]
		if s.Rows != int64(want) || s.Bytes != int64(begin[want]) || r.Cut != (n < int64(len(data))) {
			t.Errorf("of %d bytes: %d rows in %d bytes, cut %v; want %d in %d", n, s.Rows, s.Bytes, r.Cut, want, begin[want])
		}
	}
	r, err := Run(text(data, &opened), &Settings{Program: program(t, "csv"), Engine: cpu.Engine, Repeat: 1, Options: small, Sizes: sizes})
	if err != nil || len(r.Samples) != int(sizes[len(sizes)-2]-sizes[0])+1 {
		t.Errorf("%d samples of %d sizes, %v", len(r.Samples), len(sizes), err)
	}
	if _, err := Run(text(data, &opened), &Settings{Program: program(t, "csv"), Engine: cpu.Engine, Repeat: 1, Options: small, Sizes: []int64{9}}); !errors.Is(err, errNoRecord) {
		t.Errorf("of 9 bytes: %v", err)
	}
	if _, err := Run(text(data, &opened), &Settings{Program: program(t, "csv"), Engine: cpu.Engine, Repeat: 1, Options: small, Sizes: []int64{3, 99}}); !errors.Is(err, errNoRecord) {
		t.Errorf("of 3 bytes: %v", err)
	}
}

func TestRunOfAnInputThatIsReadOnce(t *testing.T) {
	data, opened := rows(10), 0
	in := text(data, &opened)
	in.Once = true
	r, err := Run(in, &Settings{Program: program(t, "csv"), Engine: cpu.Engine, Repeat: 1, Options: small, Sizes: []int64{int64(len(data)) - 1}})
	if err != nil {
		t.Fatal(err)
	}
	if opened != 1 || !r.Cut || r.Samples[0].Rows != 9 || r.Peak != 0 {
		t.Errorf("opened %d times: %+v", opened, r)
	}
	for _, w := range r.Samples[0].Wholes {
		if w.Name == fromFile {
			t.Error("there is no file, but it was read")
		}
	}
}

func TestRunFails(t *testing.T) {
	bad := errors.New("bad")
	set := &Settings{Program: program(t, "csv"), Engine: cpu.Engine, Repeat: 1}
	for _, in := range []*Input{
		{Open: func() (io.ReadCloser, error) { return nil, bad }},
		{Open: func() (io.ReadCloser, error) { return io.NopCloser(iotest.ErrReader(bad)), nil }},
		{Once: true, Open: func() (io.ReadCloser, error) { return io.NopCloser(iotest.ErrReader(bad)), nil }},
	} {
		if _, err := Run(in, set); !errors.Is(err, bad) {
			t.Errorf("error %v, want %v", err, bad)
		}
	}
	opened := 0
	var parse *runtime.ParseError
	if _, err := Run(text("a,b\n1\n", &opened), set); !errors.As(err, &parse) {
		t.Errorf("error %v, want a ParseError", err)
	}
}

// silent is an engine that reads nothing and does not say where its time goes.
type silent struct{}

func (silent) Name() string                                               { return "silent" }
func (silent) Open(*runtime.Plan, runtime.Config) (runtime.Parser, error) { return silent{}, nil }
func (silent) Close() error                                               { return nil }
func (silent) Parse(context.Context, *runtime.Partition) (*runtime.Result, error) {
	return &runtime.Result{}, nil
}

func TestRunOfAnEngineThatCannotBeMeasured(t *testing.T) {
	opened := 0
	r, err := Run(text("a,b\n", &opened), &Settings{Program: program(t, "csv"), Repeat: 1, Engine: silent{}})
	if err != nil {
		t.Fatal(err)
	}
	if s := r.Samples[0]; r.Engine != "silent" || len(s.Stages) != 0 || len(s.Wholes) != 2 || len(s.Notes) != 1 {
		t.Errorf("%+v", r)
	}
}

func TestHeadEndsWhereItIsCut(t *testing.T) {
	const data = "abcdef"
	for n := range int64(8) {
		for _, end := range []error{errCut, io.EOF} {
			h := &head{r: strings.NewReader(data), nbytes: n, end: end}
			var got bytes.Buffer
			_, err := got.ReadFrom(h)
			want := data[:min(int(n), len(data))]
			if got.String() != want || end == errCut && errors.Is(err, errCut) != (n < int64(len(data))) || end == io.EOF && err != nil {
				t.Errorf("%d bytes, %v: %q, %v", n, end, got.String(), err)
			}
			if at, err := h.Seek(0, io.SeekStart); at != 0 || err != nil {
				t.Errorf("back to %d: %v", at, err)
			}
			again := make([]byte, len(want))
			if _, err := io.ReadFull(h, again); err != nil || string(again) != want {
				t.Errorf("again %q, %v", again, err)
			}
			if at, err := h.Seek(0, io.SeekCurrent); at != int64(len(want)) || err != nil {
				t.Errorf("at %d, want %d: %v", at, len(want), err)
			}
		}
	}
	if _, err := (&head{r: iotest.ErrReader(io.EOF)}).Seek(0, io.SeekCurrent); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("a pipe can be sought: %v", err)
	}
}

// TestCounterRunsWithTheClock compares two readings of the counter's rate, each
// as exact as its instants are.
func TestCounterRunsWithTheClock(t *testing.T) {
	if !steadyTicks() {
		t.Skip("no counter of a fixed rate")
	}
	var low, high [2]float64
	for i := range 2 {
		c := startCounter()
		time.Sleep(30 * time.Millisecond)
		end := now()
		n, took, slack := float64(end.ticks-c.start.ticks), end.at.Sub(c.start.at), c.start.slack+end.slack
		low[i], high[i] = n/(took+slack).Seconds(), n/(took-slack).Seconds()
		if rate := c.hertz(); rate < 1e8 || rate > 1e10 {
			t.Errorf("%.0f ticks a second", rate)
		}
	}
	const skewed = 1.01 // as the system corrects its clock
	if low[0] > high[1]*skewed || low[1] > high[0]*skewed {
		t.Errorf("%.0f to %.0f ticks a second, then %.0f to %.0f", low[0], high[0], low[1], high[1])
	}
}

func TestWorkIsCounted(t *testing.T) {
	took, work, err := timed(func() error {
		for start := time.Now(); time.Since(start) < 50*time.Millisecond; {
		}
		return nil
	})
	if err != nil || took < 50*time.Millisecond || work <= 0 || work > 100*time.Duration(1e9) {
		t.Errorf("took %v, work %v, %v", took, work, err)
	}
}
