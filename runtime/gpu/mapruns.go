//go:build cuda

package gpu

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/dfaparse/dfaparse/dfa"
)

// This file finds the runs of symbols that kernels/pairs/walk.cuh passes over: of symbols that are data in a state of
// a map's automaton and lead to one that they do not leave. Which symbols are in no run is the same for all states that have
// such runs, and known by three comparisons; in other states, as behind a backslash, each symbol is stepped.

// mostStepped is how many symbols may be in no run.
const mostStepped = 8

// mapRuns are those of an automaton, as Pairs has them.
type mapRuns struct {
	next        [16]uint8
	mask, value [3]uint32
}

// oneByOne is what they lead to from a state in which symbols are stepped.
const oneByOne = 0xff

// dataRun is a run that begins in a state.
type dataRun struct {
	state, next dfa.StateID
	stepped     []byte // symbols that are in none
}

// runsOf finds the runs of an automaton.
func runsOf(a *dfa.Automaton) (x mapRuns) {
	for s := range x.next {
		x.next[s] = oneByOne
	}
	if a.NStates() > len(x.next) {
		return x
	}
	var runs []dataRun
	for s := range dfa.StateID(a.NStates()) {
		if r, ok := runOf(a, s); ok {
			runs = append(runs, r)
		}
	}
	slices.SortStableFunc(runs, func(a, b dataRun) int { return cmp.Compare(len(a.stepped), len(b.stepped)) })
	var stepped []byte
	for _, r := range runs {
		all := slices.Compact(slices.Sorted(slices.Values(slices.Concat(stepped, r.stepped))))
		mask, value, ok := compareSymbols(all)
		if !ok {
			continue
		}
		stepped = all
		x.next[r.state] = uint8(r.next)
		for i := range mask {
			x.mask[i], x.value[i] = 0x01010101*uint32(mask[i]), 0x01010101*uint32(value[i])
		}
	}
	return x
}

// runOf is the run that begins in state s; false: there is none.
func runOf(a *dfa.Automaton, s dfa.StateID) (r dataRun, ok bool) {
	data := func(s dfa.StateID, symbol int) (dfa.StateID, bool) {
		next, e := a.Step(s, byte(symbol))
		return next, e.Kind == dfa.Data && !e.Coded()
	}
	var leads [16]int // symbols that lead to a state
	for symbol := range 256 {
		if next, ok := data(s, symbol); ok {
			leads[next]++
		}
	}
	r = dataRun{state: s}
	for next, n := range leads {
		if n > leads[r.next] {
			r.next = dfa.StateID(next)
		}
	}
	for symbol := range 256 {
		next, first := data(s, symbol)
		again, more := data(r.next, symbol)
		if !first || !more || next != r.next || again != r.next {
			r.stepped = append(r.stepped, byte(symbol))
		}
	}
	return r, len(r.stepped) <= mostStepped
}

// compareSymbols finds comparisons symbol|mask == value that are true of all these symbols, and of few others.
// False: there are too many.
func compareSymbols(symbols []byte) (mask, value [3]byte, ok bool) {
	if len(symbols) == 0 || len(symbols) > mostStepped {
		return mask, value, false
	}
	least := -1
	parts := 1
	for range symbols {
		parts *= len(mask)
	}
	for part := range parts {
		var m, v [3]byte
		var first [3]int
		for i := range first {
			first[i] = -1
		}
		for k, left := 0, part; k < len(symbols); k, left = k+1, left/len(m) {
			i := left % len(m)
			if first[i] < 0 {
				first[i] = k
			}
			m[i] |= symbols[k] ^ symbols[first[i]]
		}
		others := 0
		for i, k := range first {
			if k < 0 { // as that of the first symbol
				k, m[i] = 0, m[part%len(m)]
			} else {
				others += 1 << bits.OnesCount8(m[i])
			}
			v[i] = symbols[k] | m[i]
		}
		for i := range m {
			for _, common := range []byte("abcdefghijklmnopqrstuvwxyz0123456789-./:_") {
				if common|m[i] == v[i] && !slices.Contains(symbols, common) {
					others += 64
				}
			}
		}
		if least < 0 || others < least {
			least, mask, value = others, m, v
		}
	}
	return mask, value, true
}
