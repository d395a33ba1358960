// Command splits measures what exact splits cost where many machines read one file: it cuts
// files into as many ranges as there are workers, reads each as a worker does that knows
// nothing of the others, composes what they give, and compares with a reading of the
// whole. From the rates it says what a file of 1 TB takes.
//
//	go run ./bench/splits
package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"os"
	"slices"
	"sort"
	"time"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/bench"
	"github.com/dfaparse/dfaparse/internal/gen"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/cpu"
)

func main() {
	nbytes := flag.Int64("size", 128<<20, "bytes of each file")
	flag.Parse()
	log.SetFlags(0)
	fmt.Println("| file | path | reading it as a whole | by 10 ranges | by 100 ranges | by 1,000 ranges | lanes | a range, bytes | composing 1,000 | line ends that begin no record |")
	fmt.Println("|---|---|---|---|---|---|---|---|---|---|")
	for _, f := range []struct{ kind, format string }{
		{"taxi", "csv"}, {"yelp", "csv"}, {"torture", "csv"}, {"combined", "apache_combined"}, {"java_multiline", "java_multiline"},
	} {
		if err := measure(f.kind, f.format, *nbytes); err != nil {
			log.Println(f.kind, err)
			os.Exit(1)
		}
	}
}

// busy is the processor time of f, the median of three runs.
func busy(f func() error) (time.Duration, error) {
	var times []time.Duration
	for range 3 {
		before := bench.ProcessorTime()
		if err := f(); err != nil {
			return 0, err
		}
		times = append(times, bench.ProcessorTime()-before)
	}
	slices.Sort(times)
	return times[1], nil
}

func measure(kind, format string, nbytes int64) error {
	var b bytes.Buffer
	if err := gen.Write(&b, kind, nbytes, 1); err != nil {
		return err
	}
	in := b.Bytes()
	p, err := gen.Program(format)
	if err != nil {
		return err
	}
	opts := []runtime.Option{runtime.WithEngine(cpu.Engine), runtime.WithThreads(1)}
	open := func(opts ...runtime.Option) (*runtime.Reader, error) { return runtime.ReadBytes(in, p, opts...) }
	var whole *runtime.Survey
	serial, err := busy(func() (err error) {
		whole, err = runtime.TakeSurvey(1<<20, open, opts...)
		return err
	})
	if err != nil {
		return err
	}
	rate := func(t time.Duration) string { return fmt.Sprintf("%.2f GB/s", float64(len(in))/t.Seconds()/1e9) }
	cells := []string{kind, p.Analysis().Path().String(), rate(serial)}
	var last *simulation
	for _, workers := range []int{10, 100, 1000} {
		s := &simulation{in: in, p: p, workers: workers}
		t, err := busy(func() error { return s.run(opts) })
		if err != nil {
			return err
		}
		if got, want := s.survey.End(), whole.End(); got.Records != want.Records || got.Lines != want.Lines || got.Offset != want.Offset {
			return fmt.Errorf("composed %+v, read as a whole %+v", *got, *want)
		}
		cells = append(cells, rate(t))
		last = s
	}
	lanes, text := 0, 0
	for _, x := range last.ranges {
		lanes = max(lanes, len(x.Lanes))
		line, err := json.Marshal(x)
		if err != nil {
			return err
		}
		text += len(line)
	}
	composing, err := busy(func() error {
		for range 100 {
			if err := last.compose(); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	wrong, cuts, err := last.guessed(opts)
	if err != nil {
		return err
	}
	cells = append(cells, fmt.Sprint(lanes), fmt.Sprint(text/len(last.ranges)), fmt.Sprintf("%.2f ms", composing.Seconds()*10), fmt.Sprintf("%d of %d", wrong, cuts))
	for _, c := range cells {
		fmt.Print("| ", c, " ")
	}
	fmt.Println("|")
	return nil
}

// simulation is many workers that read one input.
type simulation struct {
	in      []byte
	p       *dfa.Program
	workers int

	start  runtime.Checkpoint
	ranges []*runtime.Range
	survey *runtime.Survey
}

// run reads all ranges, one after the other, and composes them.
func (s *simulation) run(opts []runtime.Option) error {
	r, err := s.head(opts)
	if err != nil {
		return err
	}
	defer r.Release()
	s.ranges = s.ranges[:0]
	from := int(s.start.Offset)
	for k := range s.workers {
		to := max(from, len(s.in)*(k+1)/s.workers)
		x, err := r.Range(s.in[from:to], int64(from))
		if err != nil {
			return err
		}
		s.ranges, from = append(s.ranges, x), to
	}
	return s.compose()
}

// head reads what comes before the first record: the coordinator does, and tells.
func (s *simulation) head(opts []runtime.Option) (*runtime.Reader, error) {
	opts = append(opts[:len(opts):len(opts)], runtime.WithColumns([]string{}...))
	first, err := runtime.ReadBytes(s.in[:min(len(s.in), 1<<20)], s.p, opts...)
	if err != nil {
		return nil, err
	}
	defer first.Release()
	if err := first.Places(func(c *runtime.Checkpoint) bool { s.start = *c; return false }); err != nil {
		return nil, err
	}
	return runtime.ReadBytes(s.in, s.p, opts...)
}

func (s *simulation) compose() (err error) {
	s.survey, err = runtime.ComposeRanges(s.p, 0, s.start, s.ranges)
	return err
}

// guessed counts at how many of the cuts a reader errs that begins behind the next line end.
func (s *simulation) guessed(opts []runtime.Option) (wrong, cuts int, err error) {
	r, err := runtime.ReadBytes(s.in, s.p, append(opts[:len(opts):len(opts)], runtime.WithColumns([]string{}...))...)
	if err != nil {
		return 0, 0, err
	}
	defer r.Release()
	var begins []int64
	if err := r.Places(func(c *runtime.Checkpoint) bool { begins = append(begins, c.Offset); return true }); err != nil {
		return 0, 0, err
	}
	for k := 1; k < s.workers; k++ {
		at := len(s.in) * k / s.workers
		next := bytes.IndexByte(s.in[at:], '\n')
		if next < 0 {
			continue
		}
		cuts++
		guess := int64(at + next + 1)
		i := sort.Search(len(begins), func(i int) bool { return begins[i] >= guess })
		if i == len(begins) || begins[i] != guess {
			wrong++
		}
	}
	return wrong, cuts, nil
}
