// Package abreast reads several inputs side by side, and gives what they have one after
// the other: the same records, rejects and errors in the same order as if each had been
// opened when the one before it had ended.
//
//	inputs   0            1           2           3
//	workers  given out    read        is read     is read
//	         record by    to its end
//	         record       and waits
//
// What waits is bounded: in bytes, and in inputs, which may be open files.
package abreast

import (
	"context"
	"os"
	"sync"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/input"
	"github.com/dfaparse/dfaparse/runtime"
)

// Source is what an input gives: a *runtime.Reader, or what one has given before.
type Source interface {
	array.RecordReader
	Stats() runtime.Stats
	Rejects() []*runtime.Reject
	Hints() []string
}

// Open opens input i and begins to read it, by options behind its own. ahead says that
// others are read meanwhile. After an error there may be an Input, which is for messages.
type Open func(ctx context.Context, i int, ahead bool, opts ...runtime.Option) (*input.Input, *runtime.Reader, error)

// Read begins to read an input: a file as it lies there, if it is not compressed, else decompressed
// by as many threads as there are.
func Read(in *input.Input, p *dfa.Program, opts ...runtime.Option) (*runtime.Reader, error) {
	if in.Plain != nil {
		return runtime.ReadOpenFile(in.Plain, p, opts...)
	}
	in.SideBySide(runtime.ApartOf(opts...).Threads)
	return runtime.NewReader(in.Reader, p, opts...)
}

// Bounds of what is read ahead.
const (
	mostInputs = 256
	perWorker  = 4 // inputs
)

var mostWaiting int64 = 64 << 20 // bytes of records; fewer in tests

// Group are inputs. One goroutine takes them, in their order.
type Group struct {
	paths   []string
	open    Open
	heads   bool // no records are wanted
	width   int  // that are read at a time; 1: one after the other
	rejects func(*runtime.Reject) error

	ctx     context.Context
	cancel  context.CancelFunc
	workers sync.WaitGroup

	mu      sync.Mutex
	changed sync.Cond
	at      int // that was taken last
	next    int // the first that nobody has looked at
	working int
	waiting int64 // bytes
	reading map[int]*ahead
	closed  bool
}

// New is for inputs that are opened with these options. Where one depends on what the one
// before it had, as with a limit, they are read one after the other.
func New(ctx context.Context, paths []string, open Open, opts ...runtime.Option) *Group {
	apart := runtime.ApartOf(opts...)
	g := &Group{paths: paths, open: open, width: 1, rejects: apart.Rejects, reading: map[int]*ahead{}}
	g.changed.L = &g.mu
	if apart.OK && len(paths) > 1 {
		g.width = min(apart.Threads, mostInputs/perWorker)
	}
	g.ctx, g.cancel = context.WithCancel(ctx)
	return g
}

// Heads is New where no record is wanted.
func Heads(ctx context.Context, paths []string, open Open, opts ...runtime.Option) *Group {
	g := New(ctx, paths, open, append(opts[:len(opts):len(opts)], runtime.WithLimit(-1), runtime.WithSkip(0))...)
	g.heads = true
	return g
}

// Take gives input i, which is the next. The caller closes the Input, if there is one, and
// releases the Source, if there is no error.
func (g *Group) Take(i int) (*input.Input, Source, error) {
	a := g.start(i)
	if a == nil {
		in, r, err := g.open(g.ctx, i, false)
		if err != nil {
			return in, nil, err
		}
		return in, r, nil
	}
	<-a.opened
	if a.err != nil {
		return a.in, nil, a.err
	}
	return a.in, a, nil
}

// Bounds of files, in bytes.
const (
	smallFile = 4 << 20 // keeps one core busy
	tinyFile  = 1 << 20 // compressed
)

// threads is how many read an input side by side with others: what has to be decompressed, or
// comes from a server, and files so small that they keep but one core busy. 0: it is read alone.
func threads(path string) int {
	if input.IsRemote(path) {
		return 2
	}
	if path == "-" {
		return 0
	}
	if archive, _, ok := input.Member(path); ok {
		if input.InTurn(archive) {
			return 0
		}
		return 2
	}
	info, err := os.Stat(path)
	switch packed := input.Bare(path) != path; {
	case err != nil:
		return 1 // which says why
	case !info.Mode().IsRegular():
		return 0
	case packed && info.Size() > tinyFile:
		return 2
	case packed || info.Size() <= smallFile:
		return 1
	}
	return 0
}

// start makes i the input that is given, lets others be read, and gives i if it is one of them; nil
// if it is read alone.
func (g *Group) start(i int) *ahead {
	if g.width == 1 {
		return nil
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.at, g.next = i, max(g.next, i)
	// What has been read to its end is given out before its worker looks for more: all workers may be
	// about to, and none has i yet.
	for g.working < g.width || g.next == i {
		a := g.claim()
		if a == nil {
			break
		}
		g.working++
		g.workers.Add(1)
		go g.work(a)
	}
	g.changed.Broadcast()
	a := g.reading[i]
	delete(g.reading, i)
	return a
}

// claim is the next input to read, nil if there is none now.
func (g *Group) claim() *ahead {
	for ; !g.closed && g.next < min(len(g.paths), g.at+perWorker*g.width); g.next++ {
		if n := threads(g.paths[g.next]); n > 0 {
			a := &ahead{group: g, i: g.next, threads: n, opened: make(chan struct{})}
			a.ctx, a.cancel = context.WithCancel(g.ctx)
			g.reading[g.next] = a
			g.next++
			return a
		}
	}
	return nil
}

func (g *Group) work(a *ahead) {
	defer g.workers.Done()
	for a != nil {
		a.read()
		g.mu.Lock()
		if a = nil; g.working <= g.width {
			a = g.claim()
		}
		if a == nil {
			g.working--
		}
		g.mu.Unlock()
	}
}

// Close ends the reading of what nobody has taken.
func (g *Group) Close() {
	g.mu.Lock()
	g.closed = true
	g.changed.Broadcast()
	g.mu.Unlock()
	g.cancel()
	g.workers.Wait()
	for _, a := range g.reading {
		if a.err == nil {
			a.Release()
		}
		if a.in != nil {
			a.in.Close()
		}
	}
	g.reading = nil
}

// ahead is an input that is read, or has been. It gives what its Reader has given.
type ahead struct {
	group   *Group
	i       int
	threads int           // that read it
	opened  chan struct{} // closed once what follows is known
	in      *input.Input
	err     error
	ctx     context.Context
	cancel  context.CancelFunc
	schema  *arrow.Schema
	hints   []string

	// Under the mutex of the group:
	events []event
	ended  bool
	given  bool // up: nobody wants more
	stats  runtime.Stats
	failed error
	kept   []*runtime.Reject

	current arrow.Record
	now     runtime.Stats // where current is
	over    bool
	refs    int
}

// event is a record, or a reject.
type event struct {
	record arrow.Record
	reject *runtime.Reject
	stats  runtime.Stats
	size   int64
}

// read reads the input to its end, as far as there is room for what it gives.
func (a *ahead) read() {
	g := a.group
	opts := []runtime.Option{runtime.WithContext(a.ctx), runtime.WithThreads(a.threads)}
	if g.rejects != nil {
		opts = append(opts, runtime.WithRejectHandler(func(r *runtime.Reject) error {
			own := *r
			a.put(event{reject: &own, size: int64(len(r.Raw)) + 256})
			return nil
		}))
	}
	in, r, err := g.open(a.ctx, a.i, true, opts...)
	a.in, a.err, a.refs = in, err, 1
	if err != nil {
		close(a.opened)
		return
	}
	a.schema, a.hints = r.Schema(), r.Hints()
	close(a.opened)
	for !g.heads && r.Next() {
		rec := r.Record()
		rec.Retain()
		if !a.put(event{record: rec, stats: r.Stats(), size: sizeOf(rec)}) {
			rec.Release()
			break
		}
	}
	err, stats, kept := r.Err(), r.Stats(), r.Rejects()
	r.Release()
	g.mu.Lock()
	a.failed, a.stats, a.kept, a.ended = err, stats, kept, true
	g.changed.Broadcast()
	g.mu.Unlock()
}

// put hands an event over once there is room for it, and reports whether it did.
func (a *ahead) put(e event) bool {
	g := a.group
	g.mu.Lock()
	defer g.mu.Unlock()
	for !a.given && !g.closed && g.waiting+e.size > mostWaiting && (a.i != g.at || len(a.events) > 0) {
		g.changed.Wait()
	}
	if a.given || g.closed {
		return false
	}
	a.events = append(a.events, e)
	if g.waiting += e.size; a.i == g.at {
		g.changed.Broadcast()
	}
	return true
}

// sizeOf is about how many bytes a record takes.
func sizeOf(rec arrow.Record) (n int64) {
	var of func(d arrow.ArrayData)
	of = func(d arrow.ArrayData) {
		for _, b := range d.Buffers() {
			if b != nil {
				n += int64(b.Len())
			}
		}
		for _, child := range d.Children() {
			of(child)
		}
	}
	for _, c := range rec.Columns() {
		of(c.Data())
	}
	return n
}

// Next implements array.RecordReader, and so do the others.
func (a *ahead) Next() bool {
	if a.current != nil {
		a.current.Release()
		a.current = nil
	}
	g := a.group
	for !a.over {
		g.mu.Lock()
		for len(a.events) == 0 && !a.ended {
			g.changed.Wait()
		}
		if len(a.events) == 0 {
			a.now, a.over = a.stats, true
			a.err = a.failed
			g.mu.Unlock()
			break
		}
		e := a.events[0]
		a.events[0] = event{}
		a.events = a.events[1:]
		g.waiting -= e.size
		g.changed.Broadcast()
		g.mu.Unlock()
		if err := g.ctx.Err(); err != nil {
			a.err, a.over = err, true
		}
		if e.reject != nil {
			if err := g.rejects(e.reject); err != nil && !a.over {
				a.err, a.over = err, true
			}
			continue
		}
		if a.over {
			e.record.Release()
			break
		}
		a.current, a.now = e.record, e.stats
		return true
	}
	return false
}

func (a *ahead) Schema() *arrow.Schema { return a.schema }
func (a *ahead) Record() arrow.Record  { return a.current }
func (a *ahead) Err() error            { return a.err }
func (a *ahead) Hints() []string       { return a.hints }
func (a *ahead) Stats() runtime.Stats  { return a.now }

// Rejects are those that the Reader has kept, once it has ended.
func (a *ahead) Rejects() []*runtime.Reject {
	if !a.over {
		return nil
	}
	return a.kept
}

func (a *ahead) Retain() { a.refs++ }

func (a *ahead) Release() {
	if a.refs--; a.refs > 0 {
		return
	}
	if a.current != nil {
		a.current.Release()
		a.current = nil
	}
	g := a.group
	g.mu.Lock()
	a.given, a.over = true, true
	a.cancel()
	for !a.ended { // its Input is about to be closed
		g.changed.Broadcast()
		g.changed.Wait()
	}
	events := a.events
	for _, e := range events {
		g.waiting -= e.size
	}
	a.events = nil
	g.changed.Broadcast()
	g.mu.Unlock()
	for _, e := range events {
		if e.record != nil {
			e.record.Release()
		}
	}
}
