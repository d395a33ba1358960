//go:build cuda

package gpu

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"

	"github.com/dfaparse/dfaparse/internal/device"
	"github.com/dfaparse/dfaparse/internal/gen"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/cpu"
)

// TestAheadOf: of several devices each has fewer partitions of what the cores copy, as many as one
// of what is pinned.
func TestAheadOf(t *testing.T) {
	for _, c := range []struct {
		devices []int
		pinned  bool
		threads int
		want    int
	}{
		{[]int{0}, false, 32, 6}, {[]int{0}, false, 16, 4}, {[]int{0}, true, 16, 6}, {[]int{0}, false, 2, 3},
		{[]int{0, 1}, false, 32, 3}, {[]int{0, 1}, true, 32, 6}, {[]int{0, 1}, true, 2, 3},
	} {
		p := &parser{engine: New(Devices(c.devices...)), cfg: runtime.Config{Threads: c.threads}, inputPinned: c.pinned}
		if got := p.aheadOf(); got != c.want {
			t.Errorf("devices %v, %d threads, pinned %t: %d partitions, want %d", c.devices, c.threads, c.pinned, got, c.want)
		}
	}
}

// several is set in the processes that TestSeveralDevices starts, to what is to be
// lost there.
const several = "DFAPARSE_TEST_SEVERAL"

// TestSeveralDevices reads one input by three devices, of which none, one, two or all
// are lost, sooner or later: the records are those of the CPU's engine to the last
// byte, each loss is told once, and who is not lost has read some of it.
func TestSeveralDevices(t *testing.T) {
	if os.Getenv(several) != "" {
		readSeveral(t)
		return
	}
	if b := newBench(t); b.d.Info().Capability != 0 {
		t.Skip("a device that does not fail when asked to")
	}
	for _, of := range []struct{ lost, calls []int }{
		{nil, []int{1}}, {[]int{0}, []int{1, 160}}, {[]int{1}, []int{90}}, {[]int{0, 2}, []int{120}}, {[]int{0, 1, 2}, []int{1, 140}},
	} {
		lost := of.lost
		for _, n := range of.calls {
			t.Run(fmt.Sprintf("%d/%d", lost, n), func(t *testing.T) {
				t.Parallel()
				var fail []string
				for i, ordinal := range lost {
					fail = append(fail, fmt.Sprintf("any@%d:%d+=%d", ordinal, n+30*i, []int{719, 700, 46}[i]))
				}
				child := exec.Command(os.Args[0], "-test.run=^TestSeveralDevices$", "-test.v")
				child.Env = append(os.Environ(), "DFAPARSE_HOST_DEVICES=3", "DFAPARSE_HOST_FAIL="+strings.Join(fail, ","), several+"="+fmt.Sprint(lost))
				if out, err := child.CombinedOutput(); err != nil {
					t.Fatalf("%v\n%s", err, out)
				}
			})
		}
	}
}

func readSeveral(t *testing.T) {
	for _, kind := range []string{"taxi", "yelp", "ticks"} {
		var in bytes.Buffer
		size := int64(110 << 10)
		if kind == "ticks" { // of which a device has read a partition before another one has its forks
			size *= 8
		}
		if err := gen.Write(&in, kind, size, 1); err != nil {
			t.Fatal(err)
		}
		p, err := gen.Program(kind)
		if err != nil {
			t.Fatal(err)
		}
		read := func(engine runtime.Engine) []arrow.Record {
			r, err := runtime.ReadBytes(in.Bytes(), p, runtime.WithEngine(engine), runtime.WithReuse(), runtime.WithBatchSize(40),
				runtime.WithPartitionSize(12<<10), runtime.WithThreads(3))
			if err != nil {
				t.Fatal(err)
			}
			return retained(t, r)
		}
		var mu sync.Mutex
		var told []error
		if os.Getenv(several) == "[]" {
			m, err := runtime.Measure(in.Bytes(), p, 1, runtime.WithEngine(New(Devices(), WithFlight(8<<10))))
			if err != nil {
				t.Fatal(err)
			}
			if !slices.ContainsFunc(m.Figures, func(f runtime.Figure) bool { return f.Name == "end to end, 3 devices" && f.Time > 0 }) {
				t.Errorf("%s is not measured by three devices: %v", kind, m.Figures)
			}
		}
		e := &byDevice{Engine: New(Devices(), WithFlight(8<<10), WithFallback(func(err error) {
			mu.Lock()
			defer mu.Unlock()
			told = append(told, err)
		})), partitions: map[int]int{}}
		got, want := read(e), read(cpu.Engine)
		if len(got) != len(want) {
			t.Fatalf("%s: %d records, want %d", kind, len(got), len(want))
		}
		for i := range got {
			if !slices.EqualFunc(contents(got[i]), contents(want[i]), bytes.Equal) {
				t.Fatalf("%s: record %d is not that of the CPU", kind, i)
			}
			got[i].Release()
			want[i].Release()
		}
		t.Logf("%s: partitions by device %v; %v", kind, e.partitions, told)
		lost := os.Getenv(several)
		failed := 0
		for ordinal := range 3 {
			fails := strings.Contains(lost, fmt.Sprint(ordinal))
			if e.partitions[ordinal] == 0 && !fails {
				t.Errorf("%s: device %d has read nothing", kind, ordinal)
			}
			if err := e.fallback.failure(ordinal); err != nil {
				failed++
				if !fails || !errors.Is(err, device.ErrLost) {
					t.Errorf("device %d: %v", ordinal, err)
				}
				if lines := strings.Join(e.Start(), "\n"); !strings.Contains(lines, fmt.Sprintf("device %d: it has failed: ", ordinal)) {
					t.Errorf("device %d in\n%s", ordinal, lines)
				}
			}
		}
		if len(told) != failed {
			t.Errorf("%d devices have failed, told %v", failed, told)
		}
	}
}

// byDevice counts what the devices of an engine have read.
type byDevice struct {
	*Engine
	mu         sync.Mutex
	partitions map[int]int // by ordinal; -1: the CPU
}

func (e *byDevice) Open(plan *runtime.Plan, cfg runtime.Config) (runtime.Parser, error) {
	p, err := e.Engine.Open(plan, cfg)
	if err != nil {
		return nil, err
	}
	return &byDeviceParser{p.(*fallbackParser), e}, nil
}

type byDeviceParser struct {
	*fallbackParser
	e *byDevice
}

func (p *byDeviceParser) Fork(n int) (runtime.Parser, error) {
	fork, err := p.fallbackParser.Fork(n)
	if err != nil {
		return nil, err
	}
	return &byDeviceParser{fork.(*fallbackParser), p.e}, nil
}

func (p *byDeviceParser) Parse(ctx context.Context, part *runtime.Partition) (*runtime.Result, error) {
	result, err := p.fallbackParser.Parse(ctx, part)
	p.e.mu.Lock()
	defer p.e.mu.Unlock()
	if p.device != nil {
		p.e.partitions[p.ordinal]++
	} else {
		p.e.partitions[-1]++
	}
	return result, err
}
