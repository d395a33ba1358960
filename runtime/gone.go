package runtime

import (
	"iter"
	"math/bits"
)

// Gone are rows by number that are in no column.
type Gone struct {
	rows []uint64 // row i is bit i&63 of rows[i>>6]
	n    int
}

// Add adds rows behind all that are there: row first+i for bit i of set.
func (g *Gone) Add(first int, set uint64) {
	if set == 0 {
		return
	}
	at, shift := first>>6, first&63
	for len(g.rows) <= at+1 {
		g.rows = append(g.rows, 0)
	}
	g.rows[at] |= set << shift
	g.rows[at+1] |= set >> 1 >> (63 - shift)
	g.n += bits.OnesCount64(set)
}

// Len is how many there are.
func (g *Gone) Len() int { return g.n }

// Has reports whether a row is gone.
func (g *Gone) Has(row int) bool { return row>>6 < len(g.rows) && g.rows[row>>6]>>(row&63)&1 != 0 }

// Before is how many are gone of the rows before one.
func (g *Gone) Before(row int) (n int) {
	if g.n == 0 {
		return 0
	}
	if row>>6 >= len(g.rows) {
		return g.n
	}
	for _, w := range g.rows[:row>>6] {
		n += bits.OnesCount64(w)
	}
	return n + bits.OnesCount64(g.rows[row>>6]&(1<<(row&63)-1))
}

// All are the rows, in order.
func (g *Gone) All() iter.Seq[int] {
	return func(yield func(int) bool) {
		for i, w := range g.rows {
			for ; w != 0; w &= w - 1 {
				if !yield(i<<6 + bits.TrailingZeros64(w)) {
					return
				}
			}
		}
	}
}
