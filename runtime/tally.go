package runtime

import (
	"math"
	"math/bits"
	"slices"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/symbols"
)

// tally counts the data records that end in a text, and knows nothing of their fields: it
// steps the automaton's Outline, and of that only the symbols that are not quiet, with
// the first and the last of the quiet ones before each. In most logs only the ends of
// lines are not, in tables these and quotes.
//
//	text    1 , " a \n b " \n
//	words   1,"   a\n   b"   \n    a first and a last quiet symbol, or none, and one that is not
type tally struct {
	of []dfa.StateID // Outline.Of
	// A word's number is the sum of these, by symbol: of the quiet one that it begins with, of
	// the last quiet one before its end, and of its end; words of quiet symbols alone have quiet.
	first, last, end [256]uint16
	quiet            uint16
	next             []uint16     // by word and state, the sum of both: the next state
	ends             []uint8      // the same: 1 if a data record ends
	loud             *symbols.Set // what is not quiet
	parities         *parities    // nil: there are none
}

// newTally is nil if nothing is quiet in the automaton's Outline, or it has too many words.
func newTally(a *dfa.Automaton) *tally {
	o := a.Outline()
	var quiet, ends []byte // a symbol of each group
	number := make([]int, o.NGroups)
	var loud dfa.Set
	for g, is := range o.Quiet {
		symbol := byte(slices.Index(o.Group[:], dfa.GroupID(g)))
		if is {
			number[g] = len(quiet)
			quiet = append(quiet, symbol)
		} else {
			number[g] = len(ends)
			ends = append(ends, symbol)
		}
	}
	nstates, nends := o.NStates(), len(ends)+1
	nwords := (1 + len(quiet)*len(quiet)) * nends
	if len(quiet) == 0 || nwords*nstates > math.MaxUint16 {
		return nil
	}
	t := &tally{of: o.Of, quiet: uint16(len(ends) * nstates), next: make([]uint16, nwords*nstates), ends: make([]uint8, nwords*nstates)}
	for symbol, g := range o.Group {
		n := number[g] * nstates
		if o.Quiet[g] {
			t.first[symbol] = uint16(nends * (nstates + n*len(quiet)))
			t.last[symbol] = uint16(nends * n)
			continue
		}
		t.end[symbol] = uint16(n)
		loud = loud.Union(dfa.Bytes(byte(symbol)))
	}
	for s := range nstates {
		set := func(word uint16, text ...byte) {
			i, state := int(word)+s, dfa.StateID(s)
			for _, symbol := range text {
				to, e := o.Step(state, symbol)
				if state = to; e.Kind == dfa.Record {
					t.ends[i] = 1
				}
			}
			t.next[i] = uint16(state)
		}
		words := func(before uint16, run ...byte) {
			set(before+t.quiet, run...)
			for _, end := range ends {
				set(before+t.end[end], append(run[:len(run):len(run)], end)...)
			}
		}
		words(0)
		for _, first := range quiet {
			for _, last := range quiet {
				words(t.first[first]+t.last[last], first, last)
			}
		}
	}
	t.loud, t.parities = symbols.NewSet(loud), newParities(o, o.Of[a.Start])
	return t
}

// light reports whether t counts several states faster than an engine reads.
func (t *tally) light() bool { return t != nil && t.parities != nil }

// local reports whether t counts faster than anything: no symbol toggles.
func (t *tally) local() bool { return t.light() && t.parities.sides == 1 }

// counting is what a tally has come to from a state.
type counting struct {
	state   dfa.StateID // of the Outline
	side    int8        // see parities; noSide: not known
	records int64
}

const noSide = int8(-1)

// from counts from a state of the automaton.
func (t *tally) from(s dfa.StateID) *counting { return &counting{state: t.of[s], side: noSide} }

// count counts data[from:to] from all; they have come to from.
func (t *tally) count(w *blocks, data []byte, from, to int, all ...*counting) {
	for from < to {
		next := min(from+symbols.Strip*symbols.Block, to)
		if t.parities != nil {
			t.parities.count(t, w, data, from, next, all)
		} else {
			for _, c := range all {
				t.countWords(data[from:next], c)
			}
		}
		from = next
	}
}

// countWords counts data, at most a strip, word by word.
func (t *tally) countWords(data []byte, c *counting) {
	var masks [symbols.Strip]uint64
	t.loud.Find(masks[:], data)
	s, at := uint(c.state), 0
	step := func(word uint16) {
		i := uint(word) + s
		s = uint(t.next[i])
		c.records += int64(t.ends[i])
	}
	for b, set := range masks[:(len(data)+symbols.Block-1)/symbols.Block] {
		for ; set != 0; set &= set - 1 {
			q := b*symbols.Block + bits.TrailingZeros64(set)
			w := t.end[data[q]]
			if q != at {
				w += t.first[data[at]] + t.last[data[q-1]]
			}
			step(w)
			at = q + 1
		}
	}
	if at < len(data) {
		step(t.quiet + t.first[data[at]] + t.last[data[len(data)-1]])
	}
	c.state = dfa.StateID(s)
}
