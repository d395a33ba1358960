package runtime

import (
	"slices"
	"sync"

	"github.com/dfaparse/dfaparse/internal/columns"
)

// This file makes records whose rows lie in batches, any number of them at a time. A record takes
// the memory of the batch over that has most of its rows, its base; those that lie in another
// batch are copied behind. What is left of that one then is the base of the next record:
//
//	batches   |        1         ---|        2       -----|        3     ------ ...
//	records   |-------- 1 --------|-------- 2 --------|-------- 3 --------|
//
// If the second took its base over before the first had its last rows out of it, these were gone.
// So each first copies what it needs of batches that are not its own, for which it waits for
// nobody. Once all before it have done that, nobody else needs its base. Only the tokens of
// dictionaries are numbered in order, so that their columns are made one record after the other.

// mostTogether is how many goroutines copy all rows of a record.
const mostTogether = 4

// makeBatched makes the records of b, whose rows lie in batches.
func (a *assembler) makeBatched(b *building) {
	parts := make([]batchedRows, len(b.of))
	func() {
		defer a.copying.end(b.turn)
		for k, u := range b.of {
			u.capacities = make([]columns.Capacity, len(a.columns))
			if base := baseOf(u.rows, u.nrows); base != nil {
				parts[k] = a.copyRest(base, u.rows[1:], b.turn)
			} else {
				parts[k] = a.copyAll(u.rows, b.capacities)
			}
		}
		if slices.Contains(a.grows, true) {
			<-b.turn.first
			for k, u := range b.of {
				a.goOn(u, parts[k].base, b.capacities)
			}
		}
	}()
	<-b.turn.first
	for k, u := range b.of {
		a.finish(u, &parts[k])
		b.capacities = u.capacities
	}
}

// batchedRows are the rows of a record of batches while it is made, but for columns that go on from
// record to record.
type batchedRows struct {
	base *batch            // nil: no batch has most of them, and all are in columns
	rest []*columns.Column // those that belong behind base's; nil: they are there
	all  []*columns.Column
}

// copyRest copies rows that belong behind those of base: to where they belong if that is nobody
// else's by now.
func (a *assembler) copyRest(base *batch, rows []waitingRows, t *turn) batchedRows {
	r := batchedRows{base: base}
	to := base.columns
	select {
	case <-t.first:
	default:
		r.rest = a.spare.take(a.columns)
		to = r.rest
	}
	for i, c := range to {
		if !a.grows[i] {
			appendRows(c, i, rows)
		}
	}
	return r
}

// copyAll copies rows to columns of their own, of such capacities; nil: nobody knows.
func (a *assembler) copyAll(rows []waitingRows, capacities []columns.Capacity) batchedRows {
	r := batchedRows{all: make([]*columns.Column, len(a.columns))}
	parallel(min(a.threads, mostTogether), len(r.all), func(i int) {
		if a.grows[i] {
			return
		}
		r.all[i] = a.pool.New(a.columns[i].Form)
		if capacities != nil {
			r.all[i].Reserve(capacities[i])
		}
		appendRows(r.all[i], i, rows)
	})
	return r
}

// appendRows appends column i of rows to c.
func appendRows(c *columns.Column, i int, rows []waitingRows) {
	for _, w := range rows {
		c.AppendRows(w.columns[i], w.from, w.to)
	}
}

// goOn makes those arrays of u whose columns go on from record to record.
func (a *assembler) goOn(u *unbuilt, base *batch, capacities []columns.Capacity) {
	for i, c := range a.columns {
		if !a.grows[i] {
			continue
		}
		if base != nil {
			c = a.complete(base, u.rows, i)
		} else {
			if capacities != nil && c.Len == 0 {
				c.Reserve(capacities[i])
			}
			appendRows(c, i, u.rows)
		}
		u.arrays[i], u.capacities[i] = c.Array(a.mem), c.Capacity()
		if a.tokens[i] {
			a.batches.begin(i, a.columns[i])
		}
	}
}

// finish makes the other arrays of u, which take the memory of its base over.
func (a *assembler) finish(u *unbuilt, r *batchedRows) {
	for i := range a.columns {
		if a.grows[i] {
			continue
		}
		var c *columns.Column
		if r.base == nil {
			c = r.all[i]
		} else {
			c = r.base.columns[i]
			if r.rest != nil {
				c.AppendRows(r.rest[i], 0, r.rest[i].Len)
			}
			c.Drop(u.rows[0].from)
		}
		u.arrays[i], u.capacities[i] = c.Array(a.mem), c.Capacity()
	}
	if r.rest != nil {
		a.spare.give(r.rest)
	}
}

// spareColumns are columns that nobody uses, of the forms of an assembler's. Any number of
// goroutines may use them.
type spareColumns struct {
	mu  sync.Mutex
	all [][]*columns.Column
}

// take gives columns that are empty.
func (s *spareColumns) take(like []*columns.Column) (of []*columns.Column) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if last := len(s.all) - 1; last >= 0 {
		of, s.all = s.all[last], s.all[:last]
		return of
	}
	for _, c := range like {
		of = append(of, columns.New(c.Form))
	}
	return of
}

// give takes columns back.
func (s *spareColumns) give(of []*columns.Column) {
	for _, c := range of {
		c.Reset()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all = append(s.all, of)
}
