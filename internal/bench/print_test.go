package bench

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dfaparse/dfaparse/internal/golden"
	"github.com/dfaparse/dfaparse/internal/render"
)

// onGPU is a report such as an engine on a device gives, of a head of an input.
func onGPU() *Report {
	const ms = time.Millisecond
	r := &Report{
		File: "taxi.csv", Format: "taxi", Columns: 17, Engine: "gpu", Threads: 16, Device: "a device, 1.98 GHz",
		CPU: "a processor", Cores: 16, System: "linux/amd64", Repeat: 9, Ticks: 2e9, Peak: 300 << 20, Cut: true,
		Samples: []Sample{{Bytes: 1e9, Rows: 11415525, Rejected: 1, Left: 1024}},
	}
	s := &r.Samples[0]
	s.Notes = []string{"Strings are copied."}
	s.Stages = []Timing{{Name: "context", Time: 565 * time.Microsecond}, {Name: "index", Time: ms}, {Name: "nothing"}, {Name: "convert", Time: 1435 * time.Microsecond}}
	s.Wholes = []Timing{{Name: "kernels", Time: 3 * ms}, {Name: "end to end", Time: 50 * ms, Work: 100 * ms}, {Name: fromMemory, Time: 1250 * ms, Work: 5000 * ms}}
	r.complete()
	return r
}

func TestPrint(t *testing.T) {
	var b strings.Builder
	if err := Print(&b, onGPU(), Style{}); err != nil {
		t.Fatal(err)
	}
	b.WriteString("=== in color, no counter, no memory, several sizes\n")
	r := onGPU()
	r.Ticks, r.Peak, r.Cut = 0, 0, false
	if err := Print(&b, r, Style{Color: true}); err != nil {
		t.Fatal(err)
	}
	r.Samples = append(onGPU().Samples, r.Samples...)
	small := &r.Samples[0]
	small.Bytes, small.Rows, small.Stages = 999_000, 11400, append(small.Stages[:1], Timing{Name: "only here", Time: time.Microsecond}, small.Stages[3])
	r.complete()
	if err := Print(&b, r, Style{Sizes: true}); err != nil {
		t.Fatal(err)
	}
	golden.File(t, filepath.Join("testdata", "print.txt"), b.String())
}

func TestCompleteSaysThatTheMachineIsBusy(t *testing.T) {
	for _, c := range []struct {
		took, work time.Duration
		device     string
		want       int
	}{
		{time.Second, 740 * time.Millisecond, "", 1},
		{time.Second, 760 * time.Millisecond, "", 0},
		{time.Second, 100 * time.Millisecond, "a device", 0},
		{time.Second, 0, "", 0}, // not counted
		{40 * time.Millisecond, 10 * time.Millisecond, "", 0},
	} {
		r := &Report{Device: c.device, Samples: []Sample{{Bytes: 1, Wholes: []Timing{{Name: fromMemory, Time: c.took, Work: c.work}}}}}
		r.complete()
		if got := len(r.Samples[0].Notes); got != c.want {
			t.Errorf("%v of work in %v: %d notes, want %d", c.work, c.took, got, c.want)
		}
	}
}

func TestNumbers(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{three(0), ""}, {three(0.0004), "< 0.001"}, {three(0.0123), "0.012"}, {three(0.9996), "1.00"}, {three(9.996), "10.0"}, {three(99.96), "100"}, {three(12345.6), "12346"},
		{duration(0), "0"}, {duration(999), "999 ns"}, {duration(1500), "1.50 µs"}, {duration(12345678), "12.3 ms"}, {duration(123 * time.Second), "123 s"},
		{nbytes(0), "0 B"}, {nbytes(999), "999 B"}, {nbytes(1000), "1.00 kB"}, {nbytes(999_999), "1.00 MB"}, {nbytes(1 << 30), "1.07 GB"}, {nbytes(5e15), "5000 TB"},
		{render.Grouped(0), "0"}, {render.Grouped(999), "999"}, {render.Grouped(1000), "1,000"}, {render.Grouped(1234567), "1,234,567"},
		{count(1, "row"), "1 row"}, {count(1000, "row"), "1,000 rows"},
		{bar(0), ""}, {bar(0.003), ""}, {bar(0.5), "██████████"}, {bar(0.56), "███████████▎"}, {bar(1), "████████████████████"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}
