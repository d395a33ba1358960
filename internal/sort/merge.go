package sort

import (
	"context"
	"io"
	"iter"
	"math"
	"sync"
	"sync/atomic"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/ipc"
)

// merging makes one order of the runs of a Sorter.
type merging struct {
	*Sorter
	layout *layout
	ranks  []ranking
}

// most is how many runs are merged at once: of each a block is in memory, and the next, and
// perhaps one of which rows are being gathered.
func (m *merging) most() int {
	return max(2, int(m.opts.Memory/4/int64(m.blockBytes())))
}

// all merges all runs, several times if they are too many.
func (m *merging) all(ctx context.Context, yield func(arrow.Record) error) error {
	for len(m.spilled.runs) > m.most() {
		to, err := newSpill(m.plan, m.opts.Dir, m.opts.Threads)
		if err != nil {
			return err
		}
		from := m.spilled
		for len(from.runs) > 0 && err == nil {
			n := min(m.most(), len(from.runs))
			err = m.spillAll(ctx, m.merged(from.runs[:n]), to)
			from.runs = from.runs[n:] // neighbours, so that equal rows keep their order
		}
		if err != nil {
			to.close()
			return err
		}
		from.close()
		m.spilled = to
	}
	return m.gatherAll(ctx, m.merged(m.spilled.runs), yield)
}

// block is a record of a run.
type block struct {
	*slab
	values []values
	items  []item       // numbers of its rows
	users  atomic.Int32 // its head, and picks that are not made yet
	pick   int          // the last that it has rows in
	at     uint32       // among the slabs of that
	err    error        // in place of all this
}

func (b *block) release() {
	if b.users.Add(-1) == 0 {
		for _, v := range b.values {
			v.array.Release()
		}
		b.rec.Release()
	}
}

// next reads the next block of a run; nil at its end.
func (m *merging) next(r *ipc.Reader) *block {
	if !r.Next() {
		if err := r.Err(); err != nil && err != io.EOF {
			return &block{err: err}
		}
		return nil
	}
	rec := r.Record()
	rec.Retain()
	b := &block{slab: newSlab(rec), items: make([]item, rec.NumRows())}
	b.users.Store(1)
	for _, c := range m.plan.columns {
		b.values = append(b.values, c.valuesOf(rec, m.ranks))
	}
	for i := range b.items {
		b.items[i].row = uint32(i)
	}
	m.layout.number(b.items, b.values)
	return b
}

// blocks reads the blocks of a run ahead, as long as nobody says stop.
func (m *merging) blocks(run []place, busy chan struct{}, stop <-chan struct{}, to chan<- *block) {
	defer close(to)
	send := func(b *block) (goOn bool) {
		select {
		case to <- b:
			return b.err == nil
		case <-stop:
			return false
		}
	}
	r, err := open(run)
	if err != nil {
		send(&block{err: err})
		return
	}
	defer r.Release()
	for {
		busy <- struct{}{}
		b := m.next(r)
		<-busy
		if b == nil || !send(b) {
			return
		}
	}
}

// head is the next row of a run.
type head struct {
	key    uint64 // of the row
	order  int    // of the run
	ended  bool
	row    int
	block  *block
	blocks <-chan *block
}

// advance goes on to the first row of the next block.
func (h *head) advance() error {
	if h.block != nil {
		h.block.release()
	}
	h.row, h.block = 0, <-h.blocks
	if h.block == nil {
		h.key, h.ended = math.MaxUint64, true
		return nil
	}
	if h.block.err != nil {
		return h.block.err
	}
	h.key = h.block.items[0].key
	return nil
}

// merged are the rows of runs in one order.
func (m *merging) merged(runs [][]place) iter.Seq2[pick, error] {
	return func(yield func(pick, error) bool) {
		stop := make(chan struct{})
		var readers sync.WaitGroup
		defer readers.Wait()
		defer close(stop)
		busy := make(chan struct{}, m.opts.Threads)
		t := &tree{merging: m, heads: make([]head, len(runs)), losers: make([]int, len(runs))}
		for i, run := range runs {
			to := make(chan *block)
			t.heads[i] = head{order: i, blocks: to}
			readers.Go(func() { m.blocks(run, busy, stop, to) })
		}
		for i := range t.heads {
			if err := t.heads[i].advance(); err != nil {
				yield(pick{}, err)
				return
			}
		}
		t.build()
		left := m.opts.Limit
		if left == 0 {
			left = math.MaxInt64
		}
		most := m.blockBytes()
		for n := 1; left > 0 && !t.heads[t.losers[0]].ended; n++ {
			b, err := t.pick(n, int(min(left, blockRows)), most)
			left -= int64(len(b.rows))
			if !yield(b, err) || err != nil {
				return
			}
		}
	}
}

// tree finds the head whose row comes first, by a tournament.
type tree struct {
	*merging
	heads  []head
	losers []int // of the matches, that of i and i+1 being the parent of 2i and 2i+1; the first is the winner
	last   int   // rows of the last pick
}

// build plays all matches.
func (t *tree) build() {
	for i := range t.losers {
		t.losers[i] = -1
	}
	for i := range t.heads {
		t.play(i)
	}
}

// play plays the matches of a head that has another row, up to one that has no opponent yet.
func (t *tree) play(i int) {
	for n := (i + len(t.heads)) / 2; n > 0; n /= 2 {
		other := t.losers[n]
		if other < 0 {
			t.losers[n] = i
			return
		}
		if t.less(&t.heads[other], &t.heads[i]) {
			t.losers[n], i = i, other
		}
	}
	t.losers[0] = i
}

// pick takes up to rows rows, and about so many bytes.
func (t *tree) pick(n, rows, nbytes int) (pick, error) {
	b := pick{rows: make([]item, 0, min(rows, t.last+t.last/8))}
	defer func() { t.last = len(b.rows) }()
	var used []*block
	b.done = func() {
		for _, k := range used {
			k.release()
		}
	}
	for taken := 0; len(b.rows) < rows && taken <= nbytes; {
		i := t.losers[0]
		h := &t.heads[i]
		if h.ended {
			break
		}
		k := h.block
		if k.pick != n {
			k.pick, k.at = n, uint32(len(b.slabs))
			k.users.Add(1)
			used, b.slabs = append(used, k), append(b.slabs, k.slab)
		}
		for { // and those behind it that are the same
			b.rows = append(b.rows, item{0, k.at, uint32(h.row)})
			taken += k.bytesOf(h.row)
			h.row++
			if h.row == k.rows || len(b.rows) == rows || taken > nbytes || !t.same(k, h.row) {
				break
			}
		}
		if h.row < k.rows {
			h.key = k.items[h.row].key
		} else if err := h.advance(); err != nil {
			return b, err
		}
		t.play(i)
	}
	return b, nil
}

// same reports whether the key of a row is that of the row before. Then it comes next: no other
// run has one that goes before it.
func (t *tree) same(b *block, row int) bool {
	if b.items[row].key != b.items[row-1].key {
		return false
	}
	for k := t.layout.rest; k < len(b.values); k++ {
		if b.values[k].compare(row-1, &b.values[k], row) != 0 {
			return false
		}
	}
	return true
}

// less reports whether the row of a comes before that of b.
func (t *tree) less(a, b *head) bool {
	if a.key != b.key {
		return a.key < b.key
	}
	return t.lessTied(a, b)
}

func (t *tree) lessTied(a, b *head) bool {
	if a.ended || b.ended {
		return b.ended && !a.ended
	}
	for k := t.layout.rest; k < len(t.plan.columns); k++ {
		if c := a.block.values[k].compare(a.row, &b.block.values[k], b.row); c != 0 {
			return c < 0
		}
	}
	return a.order < b.order
}
