//go:build cuda

package gpu

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/dfaparse/dfaparse/internal/device"
	"github.com/dfaparse/dfaparse/internal/gen"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/cpu"
)

// failing is set in the process that TestFallback starts, in which calls of the
// driver fail.
const failing = "DFAPARSE_TEST_FAILING"

// TestFallback lets calls of the driver fail, from a first one on or only once:
// the rows are those of the CPU's engine, and the failure is told once. Without
// a fallback it is an error that says what was attempted.
func TestFallback(t *testing.T) {
	if os.Getenv(failing) != "" {
		readFailing(t)
		return
	}
	if b := newBench(t); b.d.Info().Capability != 0 {
		t.Skip("a device that does not fail when asked to")
	}
	for kind, codes := range map[string][]int{
		"alloc": {2}, "hostalloc": {2}, "launch": {1, 701, 719}, "copy": {719}, "sync": {700, 999},
	} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			delivered := 0
			for i, n := 0, 1; n < 100_000; i, n = i+1, n+(n+1)/2 {
				fail := fmt.Sprintf("%s:%d%s=%d", kind, n, []string{"", "+"}[i%2], codes[i%len(codes)])
				child := exec.Command(os.Args[0], "-test.run=^TestFallback$", "-test.v")
				child.Env = append(os.Environ(), "DFAPARSE_HOST_FAIL="+fail, failing+"=1")
				out, err := child.CombinedOutput()
				if err != nil {
					t.Fatalf("%s: %v\n%s", fail, err, out)
				}
				if strings.Contains(string(out), "nothing has failed") {
					if n == 1 {
						t.Errorf("%s: nothing has failed", fail)
					}
					break
				}
				if !strings.Contains(string(out), "partitions by the device: 0") {
					delivered++
				}
			}
			if delivered == 0 && kind != "hostalloc" {
				t.Error("no failure came after the first partition")
			}
		})
	}
}

// readFailing reads by the engine with a fallback, then by one without, and by
// the CPU's engine.
func readFailing(t *testing.T) {
	spec, err := gen.Spec("taxi")
	if err != nil {
		t.Fatal(err)
	}
	header, row, _ := strings.Cut(spec.Examples[0].Input, "\n")
	in := header + "\n" + strings.Repeat(row, 100)
	read := func(e runtime.Engine) (string, error) {
		rows, _, err := readRows(e, spec.Program, in, runtime.WithPartitionSize(2000))
		return rows, err
	}
	var told []error
	e := New(WithFlight(700), WithFallback(func(err error) { told = append(told, err) }))
	counted := &partitions{Engine: e}
	got, err := read(counted)
	if err != nil {
		t.Fatalf("with a fallback: %v", err)
	}
	want, err := read(cpu.Engine)
	if err != nil {
		t.Fatal(err)
	}
	if got != want {
		t.Errorf("rows\n%s\nwant\n%s", got, want)
	}
	if again, err := read(e); again != want || err != nil {
		t.Errorf("the next input: rows\n%s\nwant\n%s\nerror %v", again, want, err)
	}
	switch len(told) {
	case 0:
		t.Log("nothing has failed")
		return
	case 1:
		var failure *device.Error
		if !errors.As(told[0], &failure) || !strings.Contains(told[0].Error(), "cannot ") {
			t.Errorf("told %v", told[0])
		}
	default:
		t.Errorf("told %d times: %v", len(told), told)
	}
	t.Logf("partitions by the device: %d; %v", counted.n, told)
	if !strings.Contains(os.Getenv("DFAPARSE_HOST_FAIL"), "+") {
		return // that was the only failure
	}
	var failure *device.Error
	if _, err := read(New(WithFlight(700))); !errors.As(err, &failure) {
		t.Errorf("without a fallback: error %v", err)
	}
}

// partitions counts those that the device has parsed.
type partitions struct {
	*Engine
	n int
}

func (e *partitions) Open(plan *runtime.Plan, cfg runtime.Config) (runtime.Parser, error) {
	p, err := e.Engine.Open(plan, cfg)
	if err != nil {
		return nil, err
	}
	return &countingParser{p.(*fallbackParser), e}, nil
}

type countingParser struct {
	*fallbackParser
	engine *partitions
}

func (p *countingParser) Parse(ctx context.Context, part *runtime.Partition) (*runtime.Result, error) {
	result, err := p.fallbackParser.Parse(ctx, part)
	if err == nil && p.device != nil {
		p.engine.n++
	}
	return result, err
}
