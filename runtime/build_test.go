package runtime_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/cpu"
	"github.com/dfaparse/dfaparse/runtime/reference"
)

// wideLending is an engine whose forks are wide and lend the memory of their rows, as those
// for devices do: what is lent is overwritten when it has come back, and a Result when it
// has been released.
type wideLending struct {
	*ahead
	lending lending
}

func newWideLending(rows int) wideLending {
	a := newAhead()
	return wideLending{a, newLending(cpu.Engine, rows)}
}

func (e wideLending) Open(plan *runtime.Plan, cfg runtime.Config) (runtime.Parser, error) {
	whole := *plan
	whole.Drops = nil
	p, err := e.ahead.Open(&whole, cfg)
	if err != nil {
		return nil, err
	}
	return &wideLender{p.(*aheadParser), e, plan}, nil
}

type wideLender struct {
	*aheadParser
	e    wideLending
	plan *runtime.Plan
}

func (p *wideLender) Fork(n int) (runtime.Parser, error) {
	fork, err := p.aheadParser.Fork(n)
	if err != nil {
		return nil, err
	}
	return &wideLendingFork{fork, &lender{parser: fork, e: p.e.lending, plan: p.plan}, &sync.Mutex{}, map[*runtime.Result]*lender{}}, nil
}

type wideLendingFork struct {
	runtime.Parser
	*lender
	mu   *sync.Mutex
	lent map[*runtime.Result]*lender
}

func (f *wideLendingFork) Parse(ctx context.Context, part *runtime.Partition) (*runtime.Result, error) {
	of := &lender{parser: f.Parser, e: f.lender.e, plan: f.lender.plan}
	r, err := of.Parse(ctx, part)
	if err == nil {
		f.mu.Lock()
		f.lent[r] = of
		f.mu.Unlock()
	}
	return r, err
}

func (f *wideLendingFork) Release(r *runtime.Result) {
	f.mu.Lock()
	of := f.lent[r]
	delete(f.lent, r)
	f.mu.Unlock()
	of.end()
	for i := range r.Rows {
		r.Rows[i] = runtime.Rows{}
	}
}

func (f *wideLendingFork) Close() error {
	for _, of := range f.lent {
		of.end()
	}
	return f.Parser.Close()
}

// TestBuildBeside: records that are made beside the Reader, of rows that are lent, are those
// of the reference engine, and come in their order, whatever ends the reading; what is lent
// comes back.
func TestBuildBeside(t *testing.T) {
	batches := []int{7, 300, 5000}
	if testing.Short() {
		batches = batches[1:2]
	}
	for _, text := range []string{driftSpec, driftDictionarySpec} {
		p := spec(t, text)
		for _, bad := range []bool{false, true} {
			in := drift(3000, bad)
			for _, mode := range []dfa.ErrorMode{dfa.Reject, dfa.Fail} {
				for _, limit := range []int64{-1, 1200} {
					for _, batch := range batches {
						opts := []runtime.Option{runtime.WithBatchSize(batch), runtime.WithErrorMode(mode), runtime.WithLimit(limit)}
						want := read(t, p, inMemory(in), append(opts, runtime.WithEngine(reference.Engine), runtime.WithThreads(1))...)
						for _, wrong := range []bool{false, true} {
							for _, rows := range []int{20, 50, 100000} {
								e := newWideLending(rows)
								e.wrong = wrong
								what := fmt.Sprintf("%s, bad rows %v, mode %v, limit %d, batches of %d, guesses wrong %v, %d rows lent together", text, bad, mode, limit, batch, wrong, rows)
								got := read(t, p, inMemory(in), append(opts, runtime.WithEngine(e), runtime.WithReuse(), runtime.WithThreads(3), runtime.WithPartitionSize(8000))...)
								if got.String() != want.String() || fmt.Sprint(got.batches) != fmt.Sprint(want.batches) {
									t.Fatalf("%s: got records of %d\n%.3000s\nwant %d\n%.3000s", what, got.batches, got, want.batches, want)
								}
								if n := e.lending.open.Load(); n != 0 || e.open.Load() != 0 {
									t.Fatalf("%s: %d leases are held by nobody, %d forks are open", what, n, e.open.Load())
								}
								if e.lending.all.Load() == 0 && !(bad && mode == dfa.Fail) {
									t.Fatalf("%s: nothing was lent", what)
								}
							}
						}
					}
				}
			}
		}
	}
}

// driftDictionarySpec has a dictionary, which goes on from record to record.
const driftDictionarySpec = `delimited { sep ','  quote '"' doubled } fields { a i64  b f64!  c dict  d enum(x y z) }`

// narrowLending is such an engine whose forks are not wide, so that it is not ruled out under
// a budget of memory.
type narrowLending struct{ wideLending }

func (e narrowLending) Open(plan *runtime.Plan, cfg runtime.Config) (runtime.Parser, error) {
	p, err := e.wideLending.Open(plan, cfg)
	if err != nil {
		return nil, err
	}
	return struct{ runtime.Forker }{p.(runtime.Forker)}, nil
}

// TestBuildBesideMemory: records that are made beside the Reader, and take more memory than
// there may be, make it fail, and nothing else.
func TestBuildBesideMemory(t *testing.T) {
	var in strings.Builder
	for i := range 100_000 {
		fmt.Fprintf(&in, "%d,1.5,%0150d,x\n", i, i)
	}
	for _, rows := range []int{20, 100000} {
		e := narrowLending{newWideLending(rows)}
		r, err := runtime.ReadBytes([]byte(in.String()), spec(t, driftSpec), runtime.WithEngine(e), runtime.WithReuse(), runtime.WithThreads(3),
			runtime.WithBatchSize(1_000_000), runtime.WithPartitionSize(200_000), runtime.WithMemory(24<<20))
		if err != nil {
			t.Fatal(err)
		}
		for r.Next() {
		}
		var memory *runtime.MemoryError
		if !errors.As(r.Err(), &memory) {
			t.Errorf("%d rows lent together: %v, want a *MemoryError", rows, r.Err())
		}
		r.Release()
		if n := e.lending.open.Load(); n != 0 || e.open.Load() != 0 {
			t.Errorf("%d rows lent together: %d leases are held by nobody, %d forks are open", rows, n, e.open.Load())
		}
	}
}

// TestBuildBesideReleased: a Reader that is given up in the middle lets go of what is being
// made beside it.
func TestBuildBesideReleased(t *testing.T) {
	p, in := spec(t, driftSpec), drift(3000, false)
	for n := range 8 {
		e := newWideLending(20 + 36*n)
		r, err := runtime.ReadBytes([]byte(in), p, runtime.WithEngine(e), runtime.WithReuse(), runtime.WithBatchSize(70), runtime.WithThreads(3), runtime.WithPartitionSize(8000))
		if err != nil {
			t.Fatal(err)
		}
		for range 5 * n {
			if !r.Next() {
				t.Fatal(r.Err())
			}
		}
		r.Release()
		if open := e.lending.open.Load(); open != 0 || e.open.Load() != 0 {
			t.Errorf("after %d records %d leases are held, %d forks are open", 5*n, open, e.open.Load())
		}
	}
}
