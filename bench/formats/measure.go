package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	goruntime "runtime"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/bench"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/cpu"
)

// figure is what reading an input took, the median of some runs.
type figure struct {
	NBytes, Rows, Rejected int64
	Took                   time.Duration // by the clock
	Work                   time.Duration // of all cores
	Cores                  float64       // at work on average
}

// perCore is GB/s of the time that cores worked; other programs have no part in it.
func (f *figure) perCore() float64 { return float64(f.NBytes) / float64(f.Work) }

// byClock is GB/s of the time that went by.
func (f *figure) byClock() float64 { return float64(f.NBytes) / float64(f.Took) }

// nanoseconds of cores a byte.
func (f *figure) nanoseconds() float64 { return float64(f.Work) / float64(f.NBytes) }

// enough time is spent on an input, if it was read once and once more.
const enough = 4 * time.Second

// measure reads data to Arrow some times, from memory, on so many threads, and puts so many rejects
// into words.
func measure(p *dfa.Program, data []byte, threads, runs, details int) (f figure, err error) {
	goruntime.GOMAXPROCS(threads)
	var took, work []time.Duration
	for run, began := -1, time.Now(); run < runs && (run < 1 || time.Since(began) < enough); run++ {
		goruntime.GC() // what others left is not its to clear away
		before, start := bench.ProcessorTime(), time.Now()
		stats, err := readAll(p, data, runtime.WithThreads(threads), runtime.WithReuse(), runtime.WithErrorMode(dfa.Reject), runtime.WithRejectDetails(details))
		if err != nil {
			return f, err
		}
		if run >= 0 { // the first has memory to get
			took, work = append(took, time.Since(start)), append(work, bench.ProcessorTime()-before)
		}
		f.NBytes, f.Rows, f.Rejected = int64(len(data)), stats.Rows, stats.Rejected
	}
	f.Took, f.Work = median(took), median(work)
	if f.Work == 0 { // the system does not say
		f.Work = f.Took
	}
	f.Cores = float64(f.Work) / float64(f.Took)
	return f, nil
}

func median(times []time.Duration) time.Duration {
	times = slices.Sorted(slices.Values(times))
	return times[len(times)/2]
}

// level is vector code that this processor may be kept from using.
type level struct{ name, debug string }

// levels are those below what the processor has.
func levels() (below []level) {
	if goruntime.GOARCH != "amd64" {
		return nil
	}
	if strings.HasPrefix(cpu.Vectors(), "AVX-512") {
		below = append(below, level{"AVX2", "cpu.avx512f=off"})
	}
	if cpu.Vectors() != "none" {
		below = append(below, level{"none", "cpu.avx512f=off,cpu.avx2=off"})
	}
	return below
}

// atLevel measures samples on one core, in a process of its own, without some vector code:
// what the processor has is asked for when a program starts. The figures are in the order of
// the samples.
func atLevel(l level) (figures []figure, err error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(self, append([]string{"-figures"}, os.Args[1:]...)...)
	cmd.Env = append(os.Environ(), "GODEBUG="+l.debug)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", l.name, err)
	}
	return figures, json.Unmarshal(out, &figures)
}

// printFigures is what that process does.
func printFigures(c *config) error {
	figures := []figure{}
	for _, s := range c.chosen(generatedSamples()) {
		f, err := s.measure(c.nbytes, 1, c.runs)
		if err != nil {
			return fmt.Errorf("%s: %w", s.format, err)
		}
		figures = append(figures, f)
	}
	return json.NewEncoder(os.Stdout).Encode(figures)
}

// measure measures the sample as it is.
func (s *sample) measure(nbytes, threads, runs int) (f figure, err error) {
	p, data, err := s.load(nbytes)
	if err != nil {
		return f, err
	}
	if f, err = measure(p, data, threads, runs, 1); err == nil && (f.Rejected > 0 || f.Rows == 0) {
		err = fmt.Errorf("%d rows, %d rejected", f.Rows, f.Rejected)
	}
	return f, err
}

// load is the sample's Program and input.
func (s *sample) load(nbytes int) (p *dfa.Program, data []byte, err error) {
	spec, err := spec(s.format)
	if err != nil {
		return nil, nil, err
	}
	data, err = s.make(nbytes)
	return spec.Program, data, err
}

// several is an input of n times the records of data, under its head.
func several(p *dfa.Program, data []byte, n int) ([]byte, error) {
	stats, err := readAll(p, data, runtime.WithErrorMode(dfa.Reject))
	if err != nil {
		return nil, err
	}
	head := int(stats.Account.Mark + stats.Account.Header.Bytes)
	return append(data[:head:head], bytes.Repeat(data[head:], n)...), nil
}

// spoilt is data of which about so many of a hundred lines are bad: cut short, something else
// altogether, or with a letter for the first digit.
func spoilt(data []byte, percent int) []byte {
	out := make([]byte, 0, len(data))
	every, i := 100/percent, 0
	for line := range bytes.Lines(data) {
		i++
		if i%every != every/2 {
			out = append(out, line...)
			continue
		}
		switch i / every % 3 {
		case 0:
			out = append(append(out, line[:min(20, len(line)-1)]...), '\n')
		case 1:
			out = append(out, "-- and this is something else altogether: a line that somebody else has written\n"...)
		default:
			digit := max(bytes.IndexFunc(line, unicode.IsDigit), 0)
			out = append(append(append(out, line[:digit]...), 'x'), line[digit+1:]...)
		}
	}
	return out
}
