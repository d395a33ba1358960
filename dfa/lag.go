package dfa

import (
	"fmt"
	"maps"
	"slices"
)

// MaxLag is the largest Lag of any emission: how many symbols after a boundary
// it may still be unknown.
func (a *Automaton) MaxLag() int {
	n := 0
	for i := range a.Emissions {
		n = max(n, int(a.Emissions[i].Lag))
	}
	return n
}

// validateLags checks that nothing is looked for before the beginning of the
// field, whatever the input: a boundary that lags k symbols needs k symbols of
// the field that it ends before the present one, and a digit that completes an
// escape needs the digits before it.
func (a *Automaton) validateLags() error {
	n := len(a.States)
	since := a.sinceBoundary()
	check := func(s int, e *Emission) error {
		if digits := digitsBefore[e.Sub]; since[s] >= 0 && digits > since[s] {
			return fmt.Errorf("automaton: state %s: a digit that goes with %d before it, but its field may have only %d there",
				a.States[s].Name, digits, since[s])
		}
		if since[s] >= 0 && int(e.Lag) > since[s] {
			return fmt.Errorf("automaton: state %s: a %s %d symbols back, but its field may have only %d there",
				a.States[s].Name, e.Kind, e.Lag, since[s])
		}
		return nil
	}
	for i, id := range a.Emit {
		if err := check(i%n, &a.Emissions[id]); err != nil {
			return err
		}
	}
	for s := range n {
		if err := check(s, a.EOF(StateID(s))); err != nil {
			return err
		}
	}
	return nil
}

// digitsBefore is how many symbols before the present one a substitution reads.
var digitsBefore = [...]int{Itself: 0, ByByte: 0, ByHex: 1, ByOctal: 2}

// sinceBoundary is, for each state, the smallest number of symbols that can
// have been read of the present field when it is reached; -1 if it cannot be.
func (a *Automaton) sinceBoundary() []int {
	n := len(a.States)
	since := make([]int, n)
	for s := range since {
		since[s] = -1
	}
	// After a boundary its target is entered anew, with the symbols that the
	// boundary leaves to the field that follows. Entries go up from 0, one symbol
	// a round.
	entry := map[int][]StateID{0: {a.Start}}
	for _, s := range a.reachable() {
		for g := range a.NGroups {
			i := g*n + int(s)
			if e := &a.Emissions[a.Emit[i]]; e.Boundary() {
				k := 1 - e.After(0)
				entry[k] = append(entry[k], a.Next[i])
			}
		}
	}
	entries := slices.Sorted(maps.Keys(entry))
	var front, next []StateID
	for k := 0; len(entries) > 0 || len(front) > 0; k++ {
		if len(front) == 0 {
			k = entries[0]
		}
		if len(entries) > 0 && k == entries[0] {
			front, entries = append(front, entry[k]...), entries[1:]
		}
		next = next[:0]
		for _, s := range front {
			if since[s] >= 0 {
				continue
			}
			since[s] = k
			for g := range a.NGroups {
				i := g*n + int(s)
				if !a.Emissions[a.Emit[i]].Boundary() && since[a.Next[i]] < 0 {
					next = append(next, a.Next[i])
				}
			}
		}
		front, next = next, front
	}
	return since
}
