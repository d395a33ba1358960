package runtime

import (
	"errors"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"

	"github.com/dfaparse/dfaparse/internal/columns"
	"github.com/dfaparse/dfaparse/internal/spread"
)

// This file makes the records of a partition whose rows lie in memory that the engine
// lends, all of them together: a record is little work, in which the columns of one hardly
// keep several goroutines busy, and an engine with devices of its own is waiting for them.
// Where partitions are read side by side that is done beside the Reader's goroutine, which
// knows how many rows a record has, and meanwhile gives the engine more to do. Rows behind a
// partition's last record stay where they are, held, so that the next partition's records
// need nothing of what is being made:
//
//	Reader    | join 1 | join 2 | join 3 | take 1 | join 4 ...
//	builder 1          | build 1      |           | build 4
//	builder 2                   | build 2      |
//	builder 3                            | build 3      |
//
// Dictionaries go on from record to record, and so do records of very many rows: what of a
// partition belongs to them waits for the partition before it.
//
// Records of batches are made beside as well: see takeover.go.

// unbuilt is a record of which so far only the rows are known.
type unbuilt struct {
	rows     []waitingRows
	gathered bool         // the rows before these are in assembler.columns
	nrows    int          // all
	lent     *waitingRows // they lie side by side; nil: they do not
	batched  bool         // they lie in batches
	arrays   []arrow.Array

	capacities []columns.Capacity // what those take, if batched
}

// Of copies, what is so long is parted.
const (
	longCopy  = 256 << 10 // bytes
	mostBuild = 8         // goroutines that make the records of a partition
)

// later notes the rows that wait as a record to be made with others of their partition,
// and gives their number; 0 if it has to be made at once, or there are none.
func (a *assembler) later() (nrows int) {
	if a.aside && !a.gathered && len(a.waiting) > 0 && !slices.ContainsFunc(a.waiting, func(w waitingRows) bool { return w.batch == nil }) {
		nrows = a.nrows
		a.unbuilt = append(a.unbuilt, &unbuilt{rows: a.waiting, nrows: nrows, batched: true, arrays: make([]arrow.Array, len(a.columns))})
		a.waiting = nil
		a.emptied()
		return nrows
	}
	if !a.holds || len(a.waiting) == 0 || slices.ContainsFunc(a.waiting, func(w waitingRows) bool { return !w.lies() }) {
		return 0
	}
	nrows = a.nrows
	u := &unbuilt{rows: a.waiting, gathered: a.gathered, nrows: nrows, arrays: make([]arrow.Array, len(a.columns))}
	if lent := a.lent(); lent != nil {
		whole := *lent
		u.lent = &whole
	}
	a.unbuilt = append(a.unbuilt, u)
	a.waiting = nil
	a.emptied()
	return nrows
}

// building is records that are being made, and rows behind them that are put into the
// columns.
type building struct {
	of     []*unbuilt
	rest   []waitingRows
	before *building // who has the columns before; nil: nobody

	turn       *turn // of batches: to copy what lies in others' batches
	done       chan struct{}
	made       []arrow.Record // once it is done
	capacities []columns.Capacity
	err        error // then there are none
}

// mostBuilding is of how many partitions records are being made, or wait to be taken.
const mostBuilding = 4

// mayBuild is mostBuilding, or more where many threads read and a goroutine makes a record.
func (a *assembler) mayBuild() int {
	if a.aside {
		return max(mostBuilding, a.threads/2)
	}
	return mostBuilding
}

// mostStaying is how many parts of a record stay where they are lent when the partition after
// theirs is assembled. More of them, which are of a long record, are put into the columns.
const mostStaying = 4

// begins makes a building of what is noted, and of the rows that wait behind, unless these
// stay where they are.
func (a *assembler) begins(stay bool) *building {
	b := &building{of: a.unbuilt, capacities: a.capacities, done: make(chan struct{})}
	if len(b.of) > 0 && b.of[0].batched {
		a.unbuilt, b.turn = nil, a.copying.begin()
		return b
	}
	chained := slices.Contains(a.grows, true) || len(b.of) > 0 && b.of[0].gathered
	if !stay && len(a.waiting) > 0 {
		b.rest, chained, a.gathered = a.waiting, true, true
		a.waiting = nil
	}
	if a.unbuilt = nil; chained {
		b.before, a.last = a.last, b
	}
	return b
}

// build makes the records that later has noted, after those that are being made. What waits
// behind them, in memory that is about to go, is put into the columns beside.
func (a *assembler) build() (made []arrow.Record, err error) {
	for len(a.building) > 0 {
		more, failed := a.built()
		made, err = append(made, more...), errors.Join(err, failed)
	}
	if len(a.unbuilt) == 0 {
		return made, err
	}
	b := a.begins(slices.ContainsFunc(a.waiting, func(w waitingRows) bool { return w.batch != nil }))
	a.make(b)
	close(b.done)
	a.building = append(a.building, b)
	more, failed := a.built()
	return append(made, more...), errors.Join(err, failed)
}

// buildBeside begins to build, and calls release when the rows of the partition are needed no
// more. It reports whether it does: whether all that waits is lent.
func (a *assembler) buildBeside(release func()) bool {
	if a.aside {
		if a.mustGather() {
			return false // once the columns are free
		}
		if len(a.unbuilt) > 0 {
			b := a.begins(true)
			a.building = append(a.building, b)
			go func() {
				a.make(b)
				close(b.done)
			}()
		}
		release()
		return true
	}
	if !a.holds || slices.ContainsFunc(a.waiting, func(w waitingRows) bool { return !w.lies() }) {
		return false
	}
	stay := !a.gathered && len(a.waiting) <= mostStaying
	if stay {
		for i := range a.waiting {
			a.waiting[i].keep()
		}
	}
	if len(a.unbuilt) == 0 && (stay || len(a.waiting) == 0) {
		release()
		return true
	}
	b := a.begins(stay)
	a.building = append(a.building, b)
	go func() {
		a.make(b)
		release()
		close(b.done)
	}()
	return true
}

// built waits for the first records that are being made, of which there are some.
func (a *assembler) built() ([]arrow.Record, error) {
	b := a.building[0]
	<-b.done
	a.building = a.building[1:]
	if b.err == nil && b.capacities != nil {
		a.capacities = b.capacities
	}
	return b.made, b.err
}

// make makes the records of b, and puts the rows behind them into the columns. Several may do
// so at a time: of these the one that needs the columns waits for the one that has them.
func (a *assembler) make(b *building) {
	b.err = Guard(nil, func() error {
		a.makeArrays(b)
		return nil
	})
	if b.before != nil { // its end is ours
		<-b.before.done
		b.before = nil
	}
	for _, u := range b.of {
		if b.err == nil {
			b.made = append(b.made, array.NewRecord(a.schema, u.arrays, int64(u.nrows)))
		}
		for _, c := range u.arrays {
			if c != nil {
				c.Release()
			}
		}
		dropAll(u.rows)
	}
	dropAll(b.rest)
}

// makeArrays makes the arrays of the records.
func (a *assembler) makeArrays(b *building) {
	if b.turn != nil {
		a.makeBatched(b)
		return
	}
	g := a.gathering(b)
	tasks, chained := a.tasksOf(b)
	threads := min(a.threads, mostBuild)
	parallel(threads, len(tasks), func(k int) { g.do(tasks[k]) })
	if b.before != nil {
		<-b.before.done
	}
	parallel(threads, len(chained), func(k int) { g.chain(chained[k]) })
	parallel(threads, len(g.copies), func(k int) { copy(g.copies[k].to, g.copies[k].from) })
	for _, i := range chained {
		if a.tokens[i] {
			a.batches.begin(i, a.columns[i])
		}
	}
}

// arrayTask is to make the array of column i of a record.
type arrayTask struct {
	u *unbuilt
	i int
}

// tasksOf are the arrays that need the columns of nobody, first those that are put together, which
// takes longest; and the columns of which each array needs what was left of the one before.
func (a *assembler) tasksOf(b *building) (tasks []arrayTask, chained []int) {
	inColumns := len(b.rest) > 0 || len(b.of) > 0 && b.of[0].gathered
	var lends []arrayTask
	for i := range a.columns {
		chain := inColumns || a.grows[i]
		if chain {
			chained = append(chained, i)
		}
		for _, u := range b.of {
			switch {
			case u.lent != nil && a.lends[i]:
				lends = append(lends, arrayTask{u, i})
			case !chain:
				tasks = append(tasks, arrayTask{u, i})
			}
		}
	}
	return append(tasks, lends...), chained
}

// gathering puts arrays together, on several goroutines.
type gathering struct {
	*assembler
	b          *building
	capacities []columns.Capacity // that those of before came to need, nil: nobody knows
	latest     *unbuilt           // the last that is put together, nil: none is
	copyLater  func(to, from []byte)

	mu     sync.Mutex
	copies []longer
}

func (a *assembler) gathering(b *building) *gathering {
	g := &gathering{assembler: a, b: b, capacities: b.capacities}
	g.copyLater = g.copyOrNote
	for _, u := range b.of {
		if u.lent == nil {
			g.latest = u
		}
	}
	if g.latest != nil {
		b.capacities = make([]columns.Capacity, len(a.columns))
	}
	return g
}

// copyOrNote copies what is short, and notes what is long for when all columns are known.
func (g *gathering) copyOrNote(to, from []byte) {
	if len(from) < longCopy {
		copy(to, from)
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	for at := 0; at < len(from); at += longCopy {
		end := min(at+longCopy, len(from))
		g.copies = append(g.copies, longer{to[at:end], from[at:end]})
	}
}

// do makes an array that needs the columns of nobody.
func (g *gathering) do(t arrayTask) {
	if u := t.u; u.lent != nil && g.lends[t.i] {
		u.arrays[t.i] = u.lent.columns[t.i].Lend(u.lent.lease, u.lent.from, u.lent.to, g.pool)
		return
	}
	g.put(g.pool.New(g.columns[t.i].Form), t.i, t.u)
}

// chain makes the arrays of column i, one after the other, and leaves in it what comes into a later record.
func (g *gathering) chain(i int) {
	c := g.columns[i]
	for _, u := range g.b.of {
		if u.lent == nil || !g.lends[i] {
			g.put(c, i, u)
		}
	}
	g.gather(c, i, g.b.rest)
}

// put makes the array of column i of a record, by way of c.
func (g *gathering) put(c *columns.Column, i int, u *unbuilt) {
	if u.lent != nil && g.tokens[i] {
		if u.arrays[i] = c.LendTokens(u.lent.columns[i], u.lent.lease, u.lent.from, u.lent.to, g.pool); u.arrays[i] != nil {
			return
		}
	}
	g.gather(c, i, u.rows)
	u.arrays[i] = c.Array(g.mem)
	if u == g.latest {
		g.b.capacities[i] = c.Capacity()
	}
}

// gather appends rows of column i to c.
func (g *gathering) gather(c *columns.Column, i int, rows []waitingRows) {
	if c.Len == 0 && g.capacities != nil {
		c.Reserve(g.capacities[i])
	}
	text := 0
	for _, w := range rows {
		text += w.columns[i].TextBetween(w.from, w.to)
	}
	c.Room(text)
	for _, w := range rows {
		c.AppendRowsBy(w.columns[i], w.from, w.to, g.copyLater)
	}
}

// longer is a copy, or a part of one, that is done when all columns are known.
type longer struct{ to, from []byte }

// parallel calls f for each number below n, on so many goroutines. Where the budget of memory is
// used up on one of them, the caller panics, whom Guard has called.
func parallel(threads, n int, f func(i int)) {
	var failure atomic.Pointer[MemoryError]
	spread.Over(threads, n, func(i int) {
		defer func() {
			if p := recover(); p != nil {
				err, ok := p.(*MemoryError)
				if !ok {
					panic(p)
				}
				failure.Store(err)
			}
		}()
		f(i)
	})
	if err := failure.Load(); err != nil {
		panic(err)
	}
}
