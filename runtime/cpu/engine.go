package cpu

import (
	"context"
	goruntime "runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/runtime"
)

// Engine is the engine "cpu".
type Engine struct{}

func init() { runtime.Register(Engine{}) }

// Name implements runtime.Engine.
func (Engine) Name() string { return "cpu" }

// Open implements runtime.Engine.
func (Engine) Open(plan *runtime.Plan, cfg runtime.Config) (runtime.Parser, error) {
	return open(plan, cfg)
}

func open(plan *runtime.Plan, cfg runtime.Config) (*parser, error) {
	p := &parser{plan: plan, chunk: cfg.Chunk, machine: newMachine(plan.Program)}
	for range cfg.Threads {
		w, err := newWorker(plan, p.machine)
		if err != nil {
			return nil, err
		}
		p.workers = append(p.workers, w)
	}
	return p, nil
}

type parser struct {
	plan    *runtime.Plan
	machine *machine
	chunk   int
	workers []*worker

	// Memory of Parse, kept from call to call.
	states  []dfa.StateID
	vectors [][]dfa.StateID
	pieces  []*piece // one a chunk
	result  runtime.Result

	clock *clock // nil unless it measures
}

// Close implements runtime.Parser.
func (p *parser) Close() error { return nil }

// Parse implements runtime.Parser.
func (p *parser) Parse(ctx context.Context, part *runtime.Partition) (*runtime.Result, error) {
	n := max(1, (len(part.Data)+p.chunk-1)/p.chunk)
	if len(p.workers) == 1 {
		n = 1
	}
	p.clock.begin()
	states, err := p.contexts(ctx, part.Data, n, part.State)
	if err != nil {
		return nil, err
	}
	p.clock.lap(contextStage)
	for len(p.pieces) < n {
		p.pieces = append(p.pieces, newPiece(p.plan))
	}
	res := &p.result
	*res = runtime.Result{State: part.State, Binding: part.Binding, Rows: res.Rows[:0]}
	for direct := p.mayDirect(part.Data); ; direct = true {
		for i, pc := range p.pieces[:n] {
			pc.reset(part, i*p.chunk, min((i+1)*p.chunk, len(part.Data)), states[i])
			if n == 1 {
				pc.end = len(part.Data)
			}
		}
		if direct {
			if res.Err, err = p.directives(ctx, part, p.pieces[:n]); err != nil {
				return nil, err
			}
			p.clock.lap(directiveStage)
		}
		if err := p.parallel(ctx, n, func(w, i int) error { return p.workers[w].read(p.pieces[i]) }); err != nil {
			return nil, err
		}
		p.clock.lap(readStage)
		if direct || !slices.ContainsFunc(p.pieces[:n], func(pc *piece) bool { return pc.missed }) {
			break
		}
	}
	for _, pc := range p.pieces[:n] {
		if pc.next > res.Consumed {
			res.Consumed, res.State = pc.next, pc.resume
		}
		if pc.binding != nil {
			res.Binding = pc.binding
		}
		if pc.rows.N > 0 {
			res.Rows = append(res.Rows, pc.rows)
		}
	}
	return res, nil
}

// parallel calls f(worker, i) for i from 0 to n-1, on all workers, until one
// fails or ctx is done.
func (p *parser) parallel(ctx context.Context, n int, f func(worker, i int) error) error {
	if len(p.workers) == 1 || n == 1 {
		for i := range n {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := f(0, i); err != nil {
				return err
			}
		}
		return nil
	}
	var next atomic.Int64
	var wg sync.WaitGroup
	errs := make([]error, min(len(p.workers), n))
	for w := range errs {
		wg.Add(1)
		go func() {
			defer wg.Done()
			if p.clock != nil {
				goruntime.LockOSThread() // whose time is measured
				defer goruntime.UnlockOSThread()
			}
			for {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				if errs[w] = ctx.Err(); errs[w] == nil {
					errs[w] = f(w, i)
				}
				if errs[w] != nil {
					next.Store(int64(n))
					return
				}
			}
		}()
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
