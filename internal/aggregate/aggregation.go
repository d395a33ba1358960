package aggregate

import (
	"context"
	"errors"
	"os"
	"sync"
	"sync/atomic"

	"github.com/apache/arrow/go/v17/arrow"

	"github.com/dfaparse/dfaparse/internal/expr"
)

// Options say how an Aggregation runs, which does not change what it gives.
type Options struct {
	Threads int    // workers; less than 2: records are taken in by whoever adds them
	Memory  int64  // about how much groups may take until they go to files; 0: DefaultMemory
	Dir     string // where the files are; "": the system's folder for temporary ones
}

// DefaultMemory is what groups take of memory if nobody says.
const DefaultMemory = 1 << 30

// Aggregation takes records in. One goroutine calls it.
type Aggregation struct {
	plan *Plan
	opts Options
	seed seed

	workers []*worker
	queue   chan arrow.Record // nil: there is one worker, which has no goroutine
	wait    sync.WaitGroup
	failure atomic.Pointer[error]
	spills  []spillSet // by grouping
	ended   bool
}

// spillSet is the spill of a grouping, once there is one.
type spillSet struct {
	mu    sync.Mutex
	spill *spill
}

// worker has tables of its own, one a grouping.
type worker struct {
	a       *Aggregation
	where   *expr.Filter
	tables  []*table
	encoder encoder
	columns []int
}

// New begins an aggregation. It is ended by Finish or by Close.
func New(p *Plan, o Options) *Aggregation {
	o.Threads = max(o.Threads, 1)
	if o.Memory <= 0 {
		o.Memory = DefaultMemory
	}
	if o.Dir == "" {
		o.Dir = os.TempDir()
	}
	a := &Aggregation{plan: p, opts: o, seed: newSeed(), spills: make([]spillSet, 1+len(p.distincts))}
	for range o.Threads {
		w := &worker{a: a, where: p.where.Clone()}
		for _, g := range p.groupings() {
			w.tables = append(w.tables, newTable(g, a.seed))
		}
		a.workers = append(a.workers, w)
	}
	if o.Threads > 1 {
		a.queue = make(chan arrow.Record, o.Threads)
		for _, w := range a.workers {
			a.wait.Go(func() {
				for rec := range a.queue {
					if a.failure.Load() == nil {
						a.fail(w.add(rec))
					}
					rec.Release()
				}
			})
		}
	}
	return a
}

func (p *Plan) groupings() []*grouping { return append([]*grouping{p.main}, p.distincts...) }

func (a *Aggregation) fail(err error) {
	if err != nil {
		a.failure.CompareAndSwap(nil, &err)
	}
}

func (a *Aggregation) err() error {
	if err := a.failure.Load(); err != nil {
		return *err
	}
	return nil
}

// Add takes a record in, whose columns are those of the schema that the plan is bound to.
// It may be kept, retained, for a while.
func (a *Aggregation) Add(rec arrow.Record) error {
	if err := a.err(); err != nil {
		return err
	}
	if a.queue == nil {
		a.fail(a.workers[0].add(rec))
		return a.err()
	}
	rec.Retain()
	a.queue <- rec
	return nil
}

// AddPartial takes groups in that somebody else has made of the plan's main grouping.
// It is not called while records are being added.
func (a *Aggregation) AddPartial(p *Partial) error {
	if len(a.plan.distincts) > 0 {
		return errors.New("aggregate: distinct values are not counted by parts")
	}
	t := a.workers[0].tables[0]
	for g := range len(p.Ends) - 1 {
		key := p.Keys[p.Ends[g]:p.Ends[g+1]]
		hashed := key
		if t.raw {
			hashed = key[1:]
		}
		low, high := head(hashed)
		t.absorb(a.seed.hash(low, high, hashed), key, p.States[g*t.words:][:t.words], p.Bytes)
	}
	return a.workers[0].bound()
}

func (w *worker) add(rec arrow.Record) error {
	if w.where != nil {
		rows, all := w.where.Rows(rec)
		if len(rows) == 0 {
			return nil
		}
		if !all {
			if w.columns == nil {
				for i := range int(rec.NumCols()) {
					w.columns = append(w.columns, i)
				}
			}
			taken := expr.Take(rec, rec.Schema(), w.columns, rows)
			defer taken.Release()
			rec = taken
		}
	}
	rows := int(rec.NumRows())
	if rows == 0 {
		return nil
	}
	values := arrays(w.a.plan.values, rec)
	defer func() {
		for _, v := range values {
			v.Release()
		}
	}()
	for i, t := range w.tables {
		if t.len() > maxGroups-rows {
			if err := w.a.spillOf(i).put(t); err != nil {
				return err
			}
		}
		groups := w.encoder.find(t, values, rows)
		if words := t.words; t.counted {
			for _, g := range groups {
				t.states[int(g)*words]++
			}
		}
		for k, x := range t.tallies {
			x.add(t, t.at[k], values[t.of[k]], groups)
		}
	}
	return w.bound()
}

// bound moves groups to files if there are too many.
func (w *worker) bound() error {
	// Half is for the time when tables are put together, and for what grows.
	if w.memory() <= w.a.opts.Memory/2/int64(len(w.a.workers)) {
		return nil
	}
	for i, t := range w.tables {
		if err := w.a.spillOf(i).put(t); err != nil {
			return err
		}
	}
	return nil
}

func (w *worker) memory() (n int64) {
	for _, t := range w.tables {
		n += t.memory()
	}
	return n
}

func (a *Aggregation) spillOf(i int) *spill {
	s := &a.spills[i]
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.spill == nil {
		s.spill = &spill{grouping: a.plan.groupings()[i], dir: a.opts.Dir}
	}
	return s.spill
}

// stop waits for the workers.
func (a *Aggregation) stop() {
	if a.ended {
		return
	}
	a.ended = true
	if a.queue != nil {
		close(a.queue)
		a.wait.Wait()
	}
}

// Close gives the aggregation up, or does nothing after Finish.
func (a *Aggregation) Close() {
	a.fail(context.Canceled)
	a.stop()
	for i := range a.spills {
		a.spills[i].spill.close()
	}
	a.workers = nil
}

// Finish hands the results over, record by record, in the order of the keys or, with
// Top, of the first aggregate. A record is valid until the next one.
func (a *Aggregation) Finish(ctx context.Context, yield func(arrow.Record) error) error {
	a.stop()
	defer a.Close()
	if err := a.err(); err != nil {
		return err
	}
	if len(a.plan.main.keys) == 0 { // there is one group, also of no rows
		a.workers[0].tables[0].find(nil)
	}
	whole, err := a.merged(ctx, 0)
	if err != nil {
		return err
	}
	if whole != nil && len(a.plan.distincts) == 0 && a.plan.top == 0 {
		return whole.results(ctx, a, yield)
	}
	var streams []stream
	defer func() {
		for _, s := range streams {
			s.close()
		}
	}()
	for i := range a.plan.groupings() {
		var s stream
		if whole == nil || i > 0 {
			whole, err = a.merged(ctx, i)
		}
		if whole != nil && err == nil {
			s, whole = &partsStream{parts: whole}, nil
		} else if err == nil {
			s, err = a.stream(ctx, i)
		}
		if err != nil {
			return err
		}
		if i > 0 {
			s = &peeking{stream: s}
		}
		streams = append(streams, s)
	}
	w := newResults(a.plan, yield)
	defer w.release()
	var top *top
	if a.plan.top > 0 {
		top = newTop(a.plan, a.opts.Memory/2)
	}
	for n := 0; ; n++ {
		if n%(1<<12) == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		e, err := streams[0].next()
		if err != nil {
			return err
		}
		if e == nil {
			break
		}
		if err := a.countDistinct(e, streams[1:]); err != nil {
			return err
		}
		if top != nil {
			err = top.offer(e)
		} else {
			err = w.put(e)
		}
		if err != nil {
			return err
		}
	}
	if top != nil {
		if err := top.put(w); err != nil {
			return err
		}
	}
	return w.flush()
}

// stream gives all groups of a grouping, and lets go of the tables.
func (a *Aggregation) stream(ctx context.Context, i int) (stream, error) {
	all := a.workers[0].tables[i]
	for _, w := range a.workers[1:] {
		t := w.tables[i]
		if all.memory()+t.memory() > a.opts.Memory {
			a.spillOf(i)
		}
		if a.spills[i].spill != nil {
			continue
		}
		for g := range t.len() {
			if g%(1<<14) == 0 && ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
			e := t.entry(uint32(g))
			all.absorb(e.hash, e.key, e.state, e.bytes)
		}
		t.reset()
	}
	if a.spills[i].spill == nil {
		return &tableStream{t: all, order: sorted(all)}, nil
	}
	s := a.spills[i].spill
	for _, w := range a.workers {
		if err := s.put(w.tables[i]); err != nil {
			return nil, err
		}
	}
	file, err := newTempFile(a.opts.Dir)
	if err != nil {
		return nil, err
	}
	r := &runs{grouping: all.grouping, file: file}
	err = s.gather(all, a.opts.Memory/2, func(t *table) error {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return r.put(t)
	})
	all.reset()
	if err == nil {
		var m *mergeStream
		if m, err = r.stream(a.opts.Memory / 4); err == nil {
			return m, nil
		}
	}
	file.Close()
	return nil, err
}

// countDistinct takes from the streams of distinct values those of a group, whose
// keys begin with the group's.
func (a *Aggregation) countDistinct(e *entry, streams []stream) error {
	for i, s := range streams {
		p := s.(*peeking)
		for {
			v, err := p.peek()
			if err != nil {
				return err
			}
			n := len(e.key)
			if v == nil || len(v.key) < n || string(v.key[:n]) != string(e.key) {
				break
			}
			if v.key[n] == 0 { // it is not null
				e.state[a.plan.main.counts[i]]++
			}
			p.taken()
		}
	}
	return nil
}

// peeking is a stream whose next group can be looked at.
type peeking struct {
	stream
	head *entry
	done bool
}

func (p *peeking) peek() (*entry, error) {
	if p.head == nil && !p.done {
		var err error
		if p.head, err = p.stream.next(); err != nil {
			return nil, err
		}
		p.done = p.head == nil
	}
	return p.head, nil
}

func (p *peeking) taken() { p.head = nil }
