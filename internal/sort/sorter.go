package sort

import (
	"context"
	"errors"
	"os"
	"sync"
	"sync/atomic"

	"github.com/apache/arrow/go/v17/arrow"

	"github.com/dfaparse/dfaparse/internal/output"
)

// Options say how a Sorter runs, and where it ends.
type Options struct {
	Limit   int64  // only the first so many rows; 0: all
	Threads int    // workers
	Memory  int64  // about how much rows take until they go to files; 0: DefaultMemory
	Dir     string // where the files are; "": the system's folder for temporary ones

	Numbers      Numbers // what sorts on a device; nil: the cores do
	DeviceMemory int64   // how much of it it may take; 0: what there is
}

// DefaultMemory is what rows take of memory if nobody says.
const DefaultMemory = 1 << 30

// Sorter takes records in. One goroutine calls it.
type Sorter struct {
	plan *Plan
	opts Options
	run  run
	dict []dictionary

	pending []arrow.Record // too few rows for a slab yet
	waiting int            // rows of these
	nbytes  int64          // of their values
	copying sync.WaitGroup // slabs of run that are not there yet
	copiers chan struct{}  // has one for each of them
	failure atomic.Pointer[error]
	held    int64      // bytes, about
	spilled *spill     // nil: nothing is in files
	extents []extent   // of what is
	putting chan error // says how the run went that goes to files beside; nil: there is none
	stop    func()     // ends that
	how     string     // runs were sorted elsewhere, or why not
}

// New begins to sort. It is ended by Finish or by Close.
func New(p *Plan, o Options) *Sorter {
	o.Threads = max(o.Threads, 1)
	if o.Memory <= 0 {
		o.Memory = DefaultMemory
	}
	if o.Dir == "" {
		o.Dir = os.TempDir()
	}
	s := &Sorter{
		plan: p, opts: o, run: run{plan: p}, copiers: make(chan struct{}, max(o.Threads/2, 1)),
		dict: make([]dictionary, output.Dictionaries(p.schema, p.schema.NumFields())),
	}
	s.run.opts = &s.opts
	return s
}

// How says how rows were sorted that were sorted last, if something else than the cores was asked to.
func (s *Sorter) How() string { return s.how }

// full reports whether what is held has to go to a file. As much may be on its way to one.
func (s *Sorter) full() bool { return s.held > s.opts.Memory/4 }

const (
	// blockRows is how many rows a record has that is given, at most.
	blockRows = 16 << 10
	// slabRows is how many rows wait for others to be copied with, and slabBlocks how many
	// times blockBytes their values may have: long ones would take more memory than there is,
	// and more than the 2 GiB of text that an array can hold.
	slabRows, slabBlocks = 4 << 10, 16
	// leastBeside is the memory with which rows are copied beside others that are read: both are
	// there twice meanwhile.
	leastBeside = 64 << 20
	// itemBytes is what a row needs besides its values: an item twice.
	itemBytes = 32
)

// blockBytes is about how many bytes a record has at most, that is given or in a file.
func (s *Sorter) blockBytes() int {
	return int(min(max(s.opts.Memory/256, 64<<10), 1<<20))
}

// Add takes a record in, whose columns are those of the schema that the plan is bound to.
// A dictionary begins with all words of the one before.
func (s *Sorter) Add(ctx context.Context, rec arrow.Record) error {
	if rec.NumRows() == 0 {
		return nil
	}
	var err error
	coded := output.Coded(rec, s.plan.coded, func(n int, d arrow.ArrayData) {
		if e := s.dict[n].grow(d); e != nil {
			err = e
		}
	})
	if err != nil {
		coded.Release()
		return err
	}
	s.pending = append(s.pending, coded)
	s.waiting += int(coded.NumRows())
	for _, column := range coded.Columns() {
		s.nbytes += int64(rowBytes(column.Data(), 0, column.Len()))
	}
	if s.waiting >= slabRows || s.nbytes >= slabBlocks*int64(s.blockBytes()) {
		s.copyPending()
	}
	if s.full() {
		return s.put(ctx)
	}
	return nil
}

// copyPending copies the rows that wait, so that what they are read from may go, beside who
// takes more in: nobody looks at a slab before copied.
func (s *Sorter) copyPending() {
	if len(s.pending) == 0 {
		return
	}
	c, pending := &slab{rows: s.waiting}, s.pending
	s.run.slabs = append(s.run.slabs, c)
	s.held += int64(c.rows)*itemBytes + s.nbytes
	s.pending, s.waiting, s.nbytes = nil, 0, 0
	s.copiers <- struct{}{}
	copies := func() {
		if err := c.copy(s.plan.coded, pending); err != nil {
			s.failure.CompareAndSwap(nil, &err)
		}
		<-s.copiers
	}
	if s.opts.Threads == 1 || s.opts.Memory < leastBeside {
		copies()
		return
	}
	s.copying.Go(copies)
}

// copied waits until all slabs are there.
func (s *Sorter) copied() error {
	s.copying.Wait()
	if err := s.failure.Load(); err != nil {
		return *err
	}
	return nil
}

func (s *Sorter) letGo() {
	for _, rec := range s.pending {
		rec.Release()
	}
	s.pending, s.waiting, s.nbytes = nil, 0, 0
}

func (s *Sorter) rankings() []ranking {
	r := make([]ranking, len(s.dict))
	for _, c := range s.plan.columns {
		if c.kind == word {
			s.dict[c.leaf].rank()
		}
	}
	for i := range r {
		r[i] = s.dict[i].ranking
	}
	return r
}

// put has what is in memory sorted and moved to files, while more is taken in; or where only the
// first rows are wanted, and these are few, leaves the others away.
func (s *Sorter) put(ctx context.Context) error {
	if err := errors.Join(s.copied(), s.wait()); err != nil {
		return err
	}
	if s.spilled == nil {
		if s.opts.Limit > 0 {
			s.run.sort(s.opts.Threads, s.rankings())
			if s.run.limit(s.opts.Limit); s.prune() {
				return nil
			}
		}
		var err error
		if s.spilled, err = newSpill(s.plan, s.opts.Dir, s.opts.Threads); err != nil {
			return err
		}
		s.extents = make([]extent, len(s.plan.columns))
	}
	r, ranks := s.run, s.rankings()
	s.run, s.held = run{plan: s.plan, opts: &s.opts}, 0
	ctx, s.stop = context.WithCancel(ctx)
	s.putting = make(chan error, 1)
	go func() {
		if r.items == nil {
			r.sort(s.opts.Threads, ranks)
			r.limit(s.opts.Limit)
		}
		for k := range r.extents {
			r.extents[k].keep()
			s.extents[k].merge(&r.extents[k])
		}
		s.how = r.how
		err := s.spillAll(ctx, s.picks(&r), s.spilled)
		r.release()
		s.putting <- err
	}()
	return nil
}

// wait waits until the run is in files that is on its way.
func (s *Sorter) wait() error {
	if s.putting == nil {
		return nil
	}
	err := <-s.putting
	s.stop()
	s.putting = nil
	return err
}

// prune keeps the first rows alone, if they take little of the memory.
func (s *Sorter) prune() bool {
	n, nbytes := len(s.run.items), int64(0)
	if s.opts.Limit == 0 || s.opts.Limit > int64(n) {
		return false
	}
	for _, it := range s.run.items {
		nbytes += int64(s.run.slabs[it.slab].bytesOf(int(it.row)) + itemBytes)
	}
	if nbytes > s.opts.Memory/8 {
		return false
	}
	var kept []*slab
	s.held = 0
	for from := 0; from < n; {
		to := cut(s.run.slabs, s.run.items, from, s.blockBytes())
		c := newSlab(gather(s.plan.coded, s.run.slabs, s.run.items[from:to]))
		kept, from = append(kept, c), to
		s.held += c.nbytes + int64(c.rows)*itemBytes
	}
	s.run.release()
	s.run.slabs = kept
	return true
}

// Finish hands the rows over in their order, record by record. A record is valid until the
// next one.
func (s *Sorter) Finish(ctx context.Context, yield func(arrow.Record) error) error {
	defer s.Close()
	s.copyPending()
	if err := s.copied(); err != nil {
		return err
	}
	dicts := make([]arrow.ArrayData, len(s.dict))
	for i := range s.dict {
		dicts[i] = s.dict[i].data
	}
	decoded := func(rec arrow.Record) error {
		rec = output.Decoded(rec, s.plan.schema, dicts)
		defer rec.Release()
		return yield(rec)
	}
	if s.spilled == nil {
		if len(s.run.slabs) == 0 {
			return nil
		}
		s.run.sort(s.opts.Threads, s.rankings())
		s.run.limit(s.opts.Limit)
		s.how = s.run.how
		return s.gatherAll(ctx, s.picks(&s.run), decoded)
	}
	if len(s.run.slabs) > 0 {
		if err := s.put(ctx); err != nil {
			return err
		}
	}
	if err := s.wait(); err != nil {
		return err
	}
	m := &merging{Sorter: s, ranks: s.rankings()}
	for k, c := range s.plan.columns {
		if c.kind == word { // by the words that were there, ranks were others
			s.extents[k].low, s.extents[k].high = number{}, number{0, uint64(max(len(m.ranks[c.leaf].ranks), 1) - 1)}
		}
	}
	m.layout = layOut(s.plan.columns, s.extents, 0)
	return m.all(ctx, decoded)
}

// Close gives the sorting up, or does nothing after Finish.
func (s *Sorter) Close() {
	if s.putting != nil {
		s.stop()
		_ = s.wait()
	}
	s.letGo()
	_ = s.copied()
	s.run.release()
	for i := range s.dict {
		s.dict[i].release()
	}
	s.spilled.close()
	s.spilled = nil
}
