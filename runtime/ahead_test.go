package runtime_test

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/cpu"
	"github.com/dfaparse/dfaparse/runtime/reference"
)

// ahead is the engine "cpu" with forks that are wide, as those for a device are.
type ahead struct {
	runtime.Engine
	wrong bool // guesses are wrong, sometimes

	alone, forks *atomic.Int64 // partitions that the Parser has read itself, and its forks
	open         *atomic.Int64 // forks
	most         *atomic.Int64 // bytes of a partition
}

func newAhead() *ahead {
	return &ahead{cpu.Engine, false, new(atomic.Int64), new(atomic.Int64), new(atomic.Int64), new(atomic.Int64)}
}

func (e *ahead) Open(plan *runtime.Plan, cfg runtime.Config) (runtime.Parser, error) {
	p, err := e.Engine.Open(plan, cfg)
	if err != nil {
		return nil, err
	}
	return &aheadParser{p.(runtime.Forker), e}, nil
}

type aheadParser struct {
	runtime.Forker
	e *ahead
}

func (*aheadParser) Ahead() int { return 2 }

func (p *aheadParser) Guess(data []byte, b *runtime.Binding) (int, int, dfa.StateID, bool) {
	at, ahead, state, ok := p.Forker.Guess(data, b)
	if ok && p.e.wrong && len(data)%3 == 0 {
		at -= at / 3
	}
	return at, ahead, state, ok
}

func (p *aheadParser) Parse(ctx context.Context, part *runtime.Partition) (*runtime.Result, error) {
	p.e.alone.Add(1)
	return p.Forker.Parse(ctx, part)
}

func (p *aheadParser) Fork(n int) (runtime.Parser, error) {
	fork, err := p.Forker.Fork(n)
	if err != nil {
		return nil, err
	}
	p.e.open.Add(1)
	return &aheadFork{fork, p.e}, nil
}

type aheadFork struct {
	runtime.Parser
	e *ahead
}

func (p *aheadFork) Parse(ctx context.Context, part *runtime.Partition) (*runtime.Result, error) {
	p.e.forks.Add(1)
	p.e.most.Store(max(p.e.most.Load(), int64(len(part.Data))))
	return p.Parser.Parse(ctx, part)
}

func (p *aheadFork) Close() error {
	p.e.open.Add(-1)
	return p.Parser.Close()
}

// TestWide: partitions that an engine reads ahead are of the size that was asked
// for, to the end of the input, and what comes of them does not depend on what was
// guessed; forks are closed.
func TestWide(t *testing.T) {
	p := spec(t, driftSpec)
	for _, bad := range []bool{false, true} {
		in := drift(3000, bad)
		for _, mode := range []dfa.ErrorMode{dfa.Reject, dfa.Fail} {
			for _, limit := range []int64{-1, 1200} {
				opts := []runtime.Option{runtime.WithBatchSize(300), runtime.WithErrorMode(mode), runtime.WithLimit(limit)}
				want := read(t, p, strings.NewReader(in), append(opts, runtime.WithEngine(reference.Engine), runtime.WithThreads(1))...)
				for _, wrong := range []bool{false, true} {
					for _, partition := range []int{1000, 20000} {
						for _, memory := range []bool{false, true} {
							e := newAhead()
							e.wrong = wrong
							what := fmt.Sprintf("bad rows %v, mode %v, limit %d, guesses wrong %v, partitions of %d, in memory %v", bad, mode, limit, wrong, partition, memory)
							var r io.Reader = strings.NewReader(in)
							if memory {
								r = inMemory(in)
							}
							got := read(t, p, r, append(opts, runtime.WithEngine(e), runtime.WithThreads(3), runtime.WithPartitionSize(partition))...)
							if got.String() != want.String() || fmt.Sprint(got.batches) != fmt.Sprint(want.batches) {
								t.Fatalf("%s: got records of %d\n%.3000s\nwant %d\n%.3000s", what, got.batches, got, want.batches, want)
							}
							if e.open.Load() != 0 {
								t.Fatalf("%s: %d forks are open", what, e.open.Load())
							}
							if bad || wrong || partition == 1000 || limit > 0 {
								continue
							}
							if alone, forks := e.alone.Load(), e.forks.Load(); alone != 1 || forks < int64(len(in)/partition-1) {
								t.Errorf("%s: %d partitions are read one after the other, %d ahead, of %d bytes", what, alone, forks, len(in))
							}
							if most := int(e.most.Load()); most > partition || most < partition/2 {
								t.Errorf("%s: partitions of up to %d bytes", what, most)
							}
						}
					}
				}
			}
		}
	}
}

// TestWideAndBounded: with a budget of memory partitions are read one after the
// other.
func TestWideAndBounded(t *testing.T) {
	in, e := drift(3000, false), newAhead()
	got := read(t, spec(t, driftSpec), strings.NewReader(in), runtime.WithEngine(e), runtime.WithThreads(3), runtime.WithPartitionSize(20000), runtime.WithMemory(64<<20))
	if got.err != nil || e.forks.Load() != 0 {
		t.Errorf("%d partitions are read ahead, %v", e.forks.Load(), got.err)
	}
}

// TestWideWithoutRows: behind partitions that have no rows, which are read one after the other, others
// are read ahead again, where nothing is guessed of what has been read.
func TestWideWithoutRows(t *testing.T) {
	p := spec(t, "delimited { sep ',' } fields { a u32 } on_error reject")
	var in strings.Builder
	for i := range 8 {
		in.WriteString(strings.Repeat("12345\n", 40+i))
		in.WriteString(strings.Repeat("none\n", 150+7*i))
	}
	for _, partition := range []int{40, 64, 200} {
		how := []runtime.Option{runtime.WithThreads(3), runtime.WithPartitionSize(partition)}
		want := read(t, p, inMemory(in.String()), append(how, runtime.WithEngine(reference.Engine))...)
		got := read(t, p, inMemory(in.String()), append(how, runtime.WithEngine(newAhead()))...)
		if got.String() != want.String() {
			t.Fatalf("partitions of %d: got\n%.3000s\nwant\n%.3000s", partition, got, want)
		}
	}
}
