package aggregate

import (
	"github.com/apache/arrow/go/v17/arrow"

	"github.com/dfaparse/dfaparse/internal/expr"
)

// grouping is what keys and states of one table are made of.
type grouping struct {
	keys       []keyColumn
	terminated bool // texts end with 0 0 also where nothing follows
	raw        bool // the key is one text: it is looked up as it lies in the column
	tallies    []tally
	at         []int // the tallies' first words in a state, of which the first counts rows
	of         []int // numbers of Plan.values
	counted    bool  // rows are
	words      int   // of a state
	counts     []int // words where distinct values will be counted
}

// tally is the number of the tally of a value, which is t if there is none of its type yet.
func (g *grouping) tally(of int, t tally) int {
	_, isSketch := t.(*sketchTally)
	for i, other := range g.of {
		if _, is := g.tallies[i].(*sketchTally); other == of && is == isSketch {
			return i
		}
	}
	g.tallies, g.of = append(g.tallies, t), append(g.of, of)
	return len(g.of) - 1
}

// finish lays keys and states out.
func (g *grouping) finish(terminated bool) {
	g.terminated = terminated
	g.raw = !terminated && len(g.keys) == 1 && g.keys[0].kind == textKey
	for _, t := range g.tallies {
		g.at = append(g.at, g.words)
		g.words += t.words()
	}
}

// begin makes state that of a group without rows.
func (g *grouping) begin(state []uint64) {
	clear(state)
	for i, t := range g.tallies {
		t.begin(state[g.at[i]:])
	}
}

// merge adds a state, whose bytes lie in from, to that of a group of t.
func (g *grouping) merge(t *table, dst, src []uint64, from []byte) {
	dst[0] += src[0]
	for i, x := range g.tallies {
		x.merge(t, dst[g.at[i]:], src[g.at[i]:], from)
	}
}

// refs calls f with each reference to bytes in a state.
func (g *grouping) refs(state []uint64, f func(ref []uint64)) {
	for i, x := range g.tallies {
		x.refs(state[g.at[i]:], f)
	}
}

// arrays are the values of rec that the grouping reads, by number of Plan.values.
func arrays(values []*expr.Value, rec arrow.Record) []arrow.Array {
	all := make([]arrow.Array, len(values))
	for i, v := range values {
		all[i] = v.Array(rec)
	}
	return all
}
