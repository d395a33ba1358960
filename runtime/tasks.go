package runtime

import (
	"context"
	"io"
	goruntime "runtime"
	"sync"
	"sync/atomic"

	"github.com/dfaparse/dfaparse/dfa"
)

// This file reads several partitions side by side. Each is the task of one
// worker, which has a Parser of its own and puts rows where their record will have
// them, as if it were alone. Where a task's partition begins is guessed; its rows
// count if the one before it ended there. Otherwise it, and what follows it, is
// read again.
//
//	records     |      1       |      2       |      3       |
//	partitions  | worker 0  |  worker 1    |   worker 0   |
//
// Partitions are cut so that each begins a little before a record does: its first
// rows complete the record before, which is cheap as they are few, and the rest
// is the record's beginning.

// lookBack is how much of a partition is looked at for the beginning of the next.
const lookBack = 256 << 10

// tasks are a Reader's. A nil *tasks reads nothing.
type tasks struct {
	forker  Forker
	threads int
	depth   int        // partitions that wait, are being read, or have been
	queue   chan *task // to the workers; nil: there are none yet
	ctx     context.Context
	cancel  context.CancelFunc
	most    int // bytes of a partition otherwise
	limit   int // bytes of a partition if the caller has said so, else 0
	whole   int // bytes of any partition, which does not go by records, for forks that are wide; else 0

	workers sync.WaitGroup
	open    atomic.Int64          // those that have a Parser
	failure atomic.Pointer[error] // of closing a Parser

	guesses []*guess    // where partitions end that are not being read yet, in input order
	reading []*task     // in input order
	ahead   dfa.StateID // the context after the last of them

	perRow  float64 // bytes for each row; 0: nobody knows
	perText float64 // bytes for each byte of text of the column that has most
	learnt  float64 // of how many partitions these two are means
	off     float64 // bytes by which it was misjudged of late how much of a record a partition is
	least   int     // bytes of the next partition at least, as no record ends in fewer
	rest    int     // partitions to be read one after the other first
	fine    int     // tasks since a guess was wrong
	backoff int     // the next rest
}

// task is a partition that is being read, or has been.
type task struct {
	part   Partition
	slab   *slab // in which its data are
	offer  offer
	counts bool   // lines
	weigh  func() // finds the verdicts
	scout  scout  // of its data
	lines  *lines // of these, if they have been counted
	result *Result
	parser Parser     // that gave it
	of     []verdicts // on its records
	err    error
	done   chan struct{}
}

// Bounds of tasks.rest after a wrong guess.
const (
	leastBackoff = 4
	mostBackoff  = 1 << 10
)

func newTasks(p Parser, o *options) *tasks {
	f, ok := p.(Forker)
	if !ok || o.threads == 1 {
		return nil
	}
	x := &tasks{forker: f, threads: o.threads, depth: o.threads + max(2, o.threads/4), backoff: leastBackoff}
	if w, ok := f.(Wide); ok {
		if x.threads = w.Ahead(); x.threads == 0 || o.account != nil { // one partition at a time takes least
			return nil
		}
		x.depth, x.whole = 2*x.threads+1, o.partition // each has one that is prepared
	}
	if o.sized {
		x.limit = max(o.partition/o.threads, 1)
	}
	x.most = mostTask
	if o.account != nil {
		x.most = min(max(int(o.memory/64)/x.depth, 64<<10), mostTask)
	}
	x.ctx, x.cancel = context.WithCancel(o.ctx)
	return x
}

// stop ends the reading.
func (x *tasks) stop() error {
	if x == nil {
		return nil
	}
	x.cancel()
	if x.queue != nil {
		close(x.queue)
		x.queue = nil
	}
	x.dropGuesses()
	for _, t := range x.reading {
		<-t.done
	}
	x.reading = nil
	x.workers.Wait()
	if err := x.failure.Load(); err != nil {
		return *err
	}
	return nil
}

// close closes a worker's Parser. What it reads by may go before its Results do: by
// then nobody needs them.
func (x *tasks) close(p Parser) {
	if err := p.Close(); err != nil {
		x.failure.CompareAndSwap(nil, &err)
	}
}

// put gives t to the workers. These last, and there is always work for them, so that each stays
// on its core, where the memory of its Parser is.
func (x *tasks) put(t *task) {
	if x.queue == nil {
		queue := make(chan *task, x.depth)
		x.queue = queue
		for range x.threads {
			x.workers.Go(func() { x.work(queue) })
		}
	}
	x.queue <- t
}

// work is a worker. It has one Parser, whose Results stay valid until nobody needs them.
func (x *tasks) work(queue chan *task) {
	last := x.depth + 1
	if x.whole > 0 {
		last += mostBuilding
	}
	parser, err := x.forker.Fork(last)
	if err == nil {
		defer x.close(parser)
	}
	x.open.Add(1)
	preparer, prepares := parser.(Preparer)
	var next *task
	take := func(t *task, ok bool) *task {
		if ok && prepares && x.ctx.Err() == nil {
			preparer.Prepare(&t.part)
		}
		return t
	}
	for {
		t := next
		if next = nil; t == nil {
			of, ok := <-queue
			if t = take(of, ok); !ok {
				return
			}
		}
		if prepares && int(x.open.Load()) == x.threads { // else who is about to read would have nothing to do
			select {
			case of, ok := <-queue:
				next = take(of, ok)
			default:
			}
		}
		if t.err = err; err == nil {
			t.err = x.ctx.Err()
		}
		if t.err == nil {
			t.read(x.ctx, parser)
		}
		if x.whole > 0 { // who has a device is not kept from it
			x.workers.Go(func() {
				t.judge()
				close(t.done)
			})
			continue
		}
		t.judge()
		close(t.done)
		// The Reader's goroutine may be waiting for this while no thread of Go's is free: it has its
		// turn before this worker takes another partition.
		goruntime.Gosched()
	}
}

func (t *task) read(ctx context.Context, parser Parser) {
	t.err = Guard(t.part.Data, func() (err error) {
		t.parser = parser
		t.result, err = parser.Parse(ctx, &t.part)
		return err
	})
}

// judge finds the verdicts on what was read, and counts lines.
func (t *task) judge() {
	if t.err != nil {
		return
	}
	t.err = Guard(t.part.Data, func() error {
		t.scout.known = t.result.LineEnds
		if t.weigh(); t.counts || len(t.scout.known) > 0 {
			t.lines = t.scout.all(t.part.Data[:t.part.Own()])
		}
		return nil
	})
}

// sideBySide assembles the next partition that a worker has read, if there are tasks, and
// reports whether it did.
func (r *Reader) sideBySide() (done bool, err error) {
	x := r.tasks
	if x == nil {
		return false, nil
	}
	for {
		want := r.fill()
		if len(x.reading) == 0 {
			if want == 0 {
				x.dropGuesses() // partitions that they are of are read now, one after the other
				return false, nil
			}
			if r.src.extend(want); len(r.src.data) < want && (!r.src.final() || len(r.src.data) == 0) {
				return false, nil // the end cannot be read, or is there
			}
			continue
		}
		// With stdin, say, what has been read should not wait for what has not.
		var blocks chan block
		if want > 0 {
			blocks = r.src.blocks
		}
		var built chan struct{}
		read := x.reading[0].done
		if of := r.asm.building; len(of) > 0 {
			if built = of[0].done; len(of) >= r.asm.mayBuild() {
				read = nil
			}
		}
		select {
		case <-read:
			return true, r.join()
		case <-built:
			return true, nil // Next takes them
		case b, ok := <-blocks:
			r.src.receive(b, ok)
		}
	}
}

// fill gives the workers as many tasks as they may have. It gives how many bytes
// there have to be for the next one, 0 if there shall be none now.
func (r *Reader) fill() (want int) {
	x := r.tasks
	for len(x.reading) < x.depth && x.rest == 0 && x.perRow > 0 && !r.directed {
		if want = r.wanted(); want > 0 {
			want = max(want, x.least)
		}
		if want == 0 || r.src.needs(want) {
			return want
		}
		switch {
		case x.whole > 0:
			want = r.taken(r.foreseen(want))
		case r.src.final():
			want = min(want, len(r.src.data))
		}
		if want == 0 || len(r.src.data) < want || !r.launch(want) {
			break
		}
	}
	return 0
}

// launch makes a task of about the first n bytes of the data. It reports whether
// it does, or would of more.
func (r *Reader) launch(n int) bool {
	x := r.tasks
	begins := r.state
	if len(x.reading) > 0 {
		begins = x.ahead
	}
	at, ahead, state, last := n, 0, r.state, n == len(r.src.data) && r.src.final()
	if !last {
		ok := false
		if c, cuts := x.forker.(Cutter); cuts {
			at, state, ok = c.Cut(n, begins)
		}
		if !ok {
			var g *guess
			if len(x.guesses) > 0 {
				g, x.guesses = x.guesses[0], x.guesses[1:]
				<-g.done
			} else {
				g = x.guess(r.src.data[:n:n], r.binding)
			}
			at, ahead, state, ok = n-g.before, g.ahead, g.state, g.ok
		}
		if !ok || at <= 0 {
			if longer := 2 * n; x.fine > 0 && x.whole == 0 && longer <= min(x.most, r.window()) { // a long record
				x.least = longer
				return true
			}
			x.backOff()
			return false
		}
	}
	x.least = 0
	tell := r.quota()
	t := &task{done: make(chan struct{}), counts: (!r.src.stays() || r.survey != nil) && !r.cr && !r.binary}
	t.weigh = func() {
		t.of = r.weigh(&t.part, t.result, tell, &t.scout)
		t.counts = t.counts || told(t.of) && !r.binary // else they are counted when somebody asks
	}
	t.part = Partition{State: begins, Binding: r.binding, Final: last, LineEnds: t.counts || r.tells(tell)}
	r.again(&t.part)
	r.brief(&t.part, tell)
	t.part.Data, t.slab = r.src.cut(at)
	t.part.Data, t.part.Ahead = t.part.Data[:at+ahead], ahead
	if len(r.asm.columns) > 0 {
		t.part.Lexicons = &r.asm.batches
	}
	if len(r.asm.columns) > 0 && x.whole == 0 {
		t.offer = r.asm.side(int(float64(at)/x.perRow), x.early(r.record())/r.record())
		t.part.Batches = &t.offer
	}
	x.reading, x.ahead = append(x.reading, t), state
	x.put(t)
	return true
}

// join assembles the rows of the first task, which is right, and finds out whether
// the next one is.
func (r *Reader) join() error {
	x, t := r.tasks, r.tasks.reading[0]
	x.reading = x.reading[1:]
	ahead := r.src.data
	r.src.data = t.part.Data
	if t.err != nil {
		return t.err
	}
	if err := r.unchanged(); err != nil {
		return err
	}
	n, own := t.result.Consumed, t.part.Own()
	release := func() {
		if p, ok := t.parser.(Releaser); ok {
			p.Release(t.result)
		}
	}
	if err := r.assemble(&t.part, t.result, t.of, &t.offer, release); err != nil {
		return err
	}
	if n == own && t.lines != nil {
		r.pos.count()
		r.pos.add(n, t.lines)
		r.src.consume(n)
		r.moved()
	} else {
		r.advancePast(n)
	}
	if t.part.Final && n == own {
		return io.EOF
	}
	left := r.src.data[:max(own-n, 0)]
	r.src.data = ahead
	next := x.ahead
	if len(x.reading) > 0 {
		next = x.reading[0].part.State
	}
	wrong := n != own || r.state != next
	if wrong {
		r.discard(left, max(n-own, 0))
		if r.directed = t.result.Directed; !r.directed { // else nothing was guessed wrong
			x.backOff()
		}
	} else if x.fine++; x.fine%64 == 0 {
		x.backoff = max(x.backoff/2, leastBackoff)
	}
	r.src.release(t.slab)
	if r.survey != nil && (r.survey.look == 0 || len(x.reading) == 0) {
		r.reached()
	}
	return nil
}

// discard ends all tasks: where they begin was guessed wrong. What they have to
// read becomes data again, after what is left of the partition before them, but for
// what its last record took of theirs.
func (r *Reader) discard(left []byte, taken int) {
	x := r.tasks
	parts := [][]byte{left}
	for _, t := range x.reading {
		<-t.done
		parts = append(parts, t.part.Data[:t.part.Own()])
	}
	r.src.restore(parts, taken)
	for _, t := range x.reading {
		r.asm.free(&t.offer)
		r.src.release(t.slab)
	}
	x.reading = x.reading[:0]
	x.dropGuesses()
}

// backOff lets partitions be read one after the other for a while.
func (x *tasks) backOff() {
	x.dropGuesses()
	x.rest, x.fine, x.least = x.backoff, 0, 0
	x.backoff = min(2*x.backoff, mostBackoff)
}
