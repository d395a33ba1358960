package runtime

import (
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
// keep several goroutines busy, and an engine with a device of its own is waiting for them.
// Where partitions are read side by side that is done beside the Reader's goroutine, which
// knows how many rows a record has, and meanwhile gives the engine more to do:
//
//	Reader   | join 1 | join 2  | join 3 | take 1 ...
//	builder           | build 1 | build 2  | build 3

// unbuilt is a record of which so far only the rows are known.
type unbuilt struct {
	rows   []waitingRows // the last ones; those before are in assembler.columns, of the first record only
	nrows  int           // all
	lent   *waitingRows  // they lie side by side; nil: they do not
	arrays []arrow.Array
}

// Of copies, what is so long is parted.
const (
	longCopy  = 256 << 10 // bytes
	mostBuild = 8         // goroutines that make records
)

// later notes the rows that wait as a record to be made with others of their partition,
// and gives their number; 0 if it has to be made at once.
func (a *assembler) later() (nrows int) {
	if !a.holds || len(a.waiting) == 0 || slices.ContainsFunc(a.waiting, func(w waitingRows) bool { return w.lease == nil || w.batch != nil }) {
		return 0
	}
	nrows = a.nrows
	u := &unbuilt{nrows: nrows, arrays: make([]arrow.Array, len(a.columns))}
	if lent := a.lent(); lent != nil {
		whole := *lent
		u.lent = &whole
	}
	u.rows = append(u.rows, a.waiting...)
	a.unbuilt = append(a.unbuilt, u)
	a.emptied()
	return nrows
}

// building is the records of a partition that are being made beside the Reader.
type building struct {
	done chan struct{}
	made []arrow.Record // once it is done
}

// mostBuilding is of how many partitions records are being made, or wait to be taken.
const mostBuilding = 2

// build makes the records that later has noted, after those that are being made. What waits
// behind them, in memory that is about to go, is put into the columns beside.
func (a *assembler) build() (made []arrow.Record) {
	for len(a.building) > 0 {
		made = append(made, a.built()...)
	}
	if len(a.unbuilt) == 0 {
		return made
	}
	rest := a.waiting
	if slices.ContainsFunc(rest, func(w waitingRows) bool { return w.batch != nil }) {
		rest = nil
	} else {
		a.waiting = a.waiting[:0]
	}
	of := a.unbuilt
	a.unbuilt = nil
	return append(made, a.make(of, rest)...)
}

// buildBeside begins to build, and calls release when the rows of the partition are needed no
// more. It reports whether it does: whether all that waits is lent.
func (a *assembler) buildBeside(release func()) bool {
	if !a.holds || slices.ContainsFunc(a.waiting, func(w waitingRows) bool { return w.lease == nil || w.batch != nil }) {
		return false
	}
	b, of, rest := &building{done: make(chan struct{})}, a.unbuilt, a.waiting
	var before *building // whose rows are in the columns before ours are
	if last := len(a.building) - 1; last >= 0 {
		before = a.building[last]
	}
	a.building, a.unbuilt, a.waiting = append(a.building, b), nil, nil
	go func() {
		if before != nil {
			<-before.done
		}
		b.made = a.make(of, rest)
		release()
		close(b.done)
	}()
	return true
}

// built waits for the first records that are being made beside, of which there are some.
func (a *assembler) built() []arrow.Record {
	b := a.building[0]
	<-b.done
	a.building = a.building[1:]
	return b.made
}

// make makes the records of, and puts the rows behind them into the columns. One at a time
// does, and has the columns meanwhile.
func (a *assembler) make(of []*unbuilt, rest []waitingRows) (made []arrow.Record) {
	capacities := make([]columns.Capacity, len(a.columns))
	var mu sync.Mutex
	var copies []longer
	copyLater := func(to, from []byte) {
		if len(from) < longCopy {
			copy(to, from)
			return
		}
		mu.Lock()
		defer mu.Unlock()
		for at := 0; at < len(from); at += longCopy {
			end := min(at+longCopy, len(from))
			copies = append(copies, longer{to[at:end], from[at:end]})
		}
	}
	gather := func(c *columns.Column, i int, rows []waitingRows) {
		if c.Len == 0 && a.capacities != nil {
			c.Reserve(a.capacities[i])
		}
		text := 0
		for _, w := range rows {
			text += w.columns[i].TextBetween(w.from, w.to)
		}
		c.Room(text)
		for _, w := range rows {
			c.AppendRowsBy(w.columns[i], w.from, w.to, copyLater)
		}
	}
	// The records of one column that are put together, one after the other; then those that
	// are as they lie, which need nothing of each other.
	n := len(a.columns)
	parallel(min(a.threads, mostBuild), n*(1+len(of)), func(k int) {
		i := k % n
		if k >= n {
			if u := of[k/n-1]; u.lent != nil && a.lends[i] {
				u.arrays[i] = u.lent.columns[i].Lend(u.lent.lease, u.lent.from, u.lent.to, a.pool)
			}
			return
		}
		c := a.columns[i]
		for _, u := range of {
			if u.lent != nil && a.lends[i] {
				continue
			}
			gather(c, i, u.rows)
			u.arrays[i] = c.Array(a.mem)
			capacities[i] = c.Capacity()
		}
		gather(c, i, rest)
	})
	parallel(min(a.threads, mostBuild), len(copies), func(k int) { copy(copies[k].to, copies[k].from) })
	if len(of) > 0 && of[len(of)-1].lent == nil {
		a.capacities = capacities
	}
	for i, c := range a.columns {
		if a.tokens[i] {
			a.batches.begin(i, c)
		}
	}
	for _, u := range of {
		made = append(made, array.NewRecord(a.schema, u.arrays, int64(u.nrows)))
		for _, c := range u.arrays {
			c.Release()
		}
	}
	return made
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
