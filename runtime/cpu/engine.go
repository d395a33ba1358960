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
var Engine runtime.Engine = engine{}

type engine struct{}

// Name implements runtime.Engine.
func (engine) Name() string { return "cpu" }

// Open implements runtime.Engine.
func (engine) Open(plan *runtime.Plan, cfg runtime.Config) (runtime.Parser, error) {
	return open(plan, cfg)
}

func open(plan *runtime.Plan, cfg runtime.Config) (*parser, error) {
	p := &parser{plan: plan, chunkSize: cfg.Chunk, machine: machineOf(plan.Program), results: make([]results, 1), threads: cfg.Threads}
	return p, p.hire(1)
}

// hire makes sure that there are n workers, as far as there are threads for them: who reads
// one chunk needs one.
func (p *parser) hire(n int) error {
	for len(p.workers) < min(n, p.threads) {
		w, err := newWorker(p.plan, p.machine)
		if err != nil {
			return err
		}
		p.workers = append(p.workers, w)
	}
	return nil
}

// Fork implements runtime.Forker.
func (p *parser) Fork(n int) (runtime.Parser, error) {
	w, err := newWorker(p.plan, p.machine)
	if err != nil {
		return nil, err
	}
	return &parser{plan: p.plan, chunkSize: p.chunkSize, machine: p.machine, threads: 1, workers: []*worker{w}, results: make([]results, n)}, nil
}

type parser struct {
	plan      *runtime.Plan
	machine   *machine
	chunkSize int
	threads   int       // at most so many workers
	workers   []*worker // at least one

	// Memory of Parse, kept from call to call.
	states  []dfa.StateID
	vectors [][]dfa.StateID
	odd     []uint8   // see quoteParity
	misled  bool      // parity was wrong: nobody asks for it again
	results []results // that are valid, by turns
	turn    int
	batches runtime.Batches // of the partition, until they are used
	data    []byte          // of the partition
	guessed atomic.Uint64   // how the last guess was found: the state, the symbol before it, and guessKnown

	clock *clock // nil unless it measures
}

// results is what one call of Parse gives.
type results struct {
	chunks []*chunk // one a chunk
	result runtime.Result
}

// Close implements runtime.Parser.
func (p *parser) Close() error {
	for _, w := range p.workers {
		w.close()
	}
	p.workers = nil
	return nil
}

// Parse implements runtime.Parser.
func (p *parser) Parse(ctx context.Context, part *runtime.Partition) (*runtime.Result, error) {
	if p.threads > 1 && part.Again != nil { // several workers do not end before the same directive
		all := *part
		all.Again = nil
		part = &all
	}
	n := max(1, (len(part.Data)+p.chunkSize-1)/p.chunkSize)
	if p.threads == 1 {
		n = 1
	}
	if err := p.hire(n); err != nil {
		return nil, err
	}
	p.turn = (p.turn + 1) % len(p.results)
	own := &p.results[p.turn]
	for len(own.chunks) < n {
		own.chunks = append(own.chunks, newChunk(p.plan))
	}
	chunks := own.chunks[:n]
	res := &own.result
	*res = runtime.Result{State: part.State, Binding: part.Binding, Rows: res.Rows[:0]}
	p.batches, p.data = nil, part.Data
	if p.threads == 1 {
		p.batches = part.Batches
	}
	p.clock.begin()
	states, byParity, err := p.contextsByParity(ctx, part.Data, n, part.State)
	if err != nil {
		return nil, err
	}
	if byParity {
		p.clock.lap(contextStage)
		p.reset(part, chunks, states)
		if err := p.read(ctx, chunks); err != nil {
			return nil, err
		}
		p.misled = !join(chunks)
	}
	if !byParity || p.misled {
		if err := p.readExactly(ctx, part, chunks); err != nil {
			return nil, err
		}
	}
	for _, ck := range chunks {
		if ck.next > res.Consumed {
			res.Consumed, res.State = ck.next, ck.resume
		}
		if ck.binding != nil {
			res.Binding = ck.binding
		}
		res.Rows = ck.deliver(res.Rows)
		res.Directed = res.Directed || part.Again != nil && ck.missed
		res.Extents.Add(&ck.extents)
	}
	p.letGo(chunks)
	return res, nil
}

// letGo forgets the partition that was read: a record that is longer than its window is
// read again in a larger one, and the memory of the first may be needed.
func (p *parser) letGo(chunks []*chunk) {
	p.data = nil
	for _, ck := range chunks {
		ck.part = nil
	}
	for _, w := range p.workers {
		w.letGo()
	}
}

// reset prepares the chunks of part to be read from contexts.
func (p *parser) reset(part *runtime.Partition, chunks []*chunk, states []dfa.StateID) {
	for i, ck := range chunks {
		ck.reset(part, i*p.chunkSize, min((i+1)*p.chunkSize, len(part.Data)), states[i])
	}
	if len(chunks) == 1 {
		chunks[0].end = len(part.Data)
	}
	chunks[0].batches, p.batches = p.batches, nil // rows read again do not go there again
}

// read reads the chunks.
func (p *parser) read(ctx context.Context, chunks []*chunk) error {
	err := p.parallel(ctx, len(chunks), func(w, i int) error { return p.workers[w].read(chunks[i]) })
	p.clock.lap(readStage)
	return err
}

// readExactly finds the contexts of the chunks, and the bindings that
// directives set, and reads them.
func (p *parser) readExactly(ctx context.Context, part *runtime.Partition, chunks []*chunk) error {
	states, err := p.contexts(ctx, part.Data, len(chunks), part.State)
	if err != nil {
		return err
	}
	p.clock.lap(contextStage)
	direct := part.Again == nil && p.plan.Program.MayDirect(part.Data) // it saves reading twice as a rule
	for ; ; direct = true {
		p.reset(part, chunks, states)
		if direct {
			if p.results[p.turn].result.Err, err = p.directives(ctx, part, chunks); err != nil {
				return err
			}
			p.clock.lap(directiveStage)
		}
		if err := p.read(ctx, chunks); err != nil {
			return err
		}
		if direct || part.Again != nil || !slices.ContainsFunc(chunks, func(ck *chunk) bool { return ck.missed }) {
			return nil
		}
	}
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
					errs[w] = runtime.Guard(p.data, func() error { return f(w, i) })
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
