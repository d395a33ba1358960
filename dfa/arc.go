package dfa

import "slices"

// Arc is all the symbols with which a state does the same.
type Arc struct {
	Next     StateID
	Emission *Emission
	Symbols  Set
	Words    []string // the symbols; "other" or "any" where there are most of them
}

// Arcs are what state s does, by the smallest symbol of each. The one of most
// symbols is the last, and is called other, if it is large or has gaps.
func (a *Automaton) Arcs(s StateID) []Arc {
	n := len(a.States)
	var arcs []Arc
	for symbol, g := range a.Group {
		i := int(g)*n + int(s)
		next, e := a.Next[i], &a.Emissions[a.Emit[i]]
		k := slices.IndexFunc(arcs, func(c Arc) bool { return c.Next == next && *c.Emission == *e })
		if k < 0 {
			k = len(arcs)
			arcs = append(arcs, Arc{Next: next, Emission: e})
		}
		arcs[k].Symbols[symbol>>6] |= 1 << (symbol & 63)
	}
	most := 0
	for i := range arcs {
		if arcs[i].Symbols.Len() > arcs[most].Symbols.Len() {
			most = i
		}
	}
	if len(arcs) == 1 {
		arcs[0].Words = []string{"any"}
		return arcs
	}
	for i := range arcs {
		arcs[i].Words = setWords(arcs[i].Symbols, "-")
	}
	if arcs[most].Symbols.Len() > 128 || len(arcs[most].Words) > 3 {
		arcs[most].Words = []string{"other"}
		other := arcs[most]
		arcs = append(slices.Delete(arcs, most, most+1), other)
	}
	return arcs
}

// Ending are the columns one of which ends next in a record that is in state s, in
// order. There are none if some column that ends is the next one, NextColumn.
func (a *Automaton) Ending(s StateID) []int {
	n := len(a.States)
	var columns []int
	seen := make([]bool, n)
	seen[s] = true
	for stack := []StateID{s}; len(stack) > 0; {
		s := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		ends := []*Emission{a.EOF(s)}
		for g := range a.NGroups {
			i := g*n + int(s)
			t, e := a.Next[i], &a.Emissions[a.Emit[i]]
			if e.Boundary() {
				ends = append(ends, e)
			} else if e.Kind != Error && !seen[t] {
				seen[t] = true
				stack = append(stack, t)
			}
		}
		for _, e := range ends {
			if !e.Boundary() || e.Code != 0 {
				continue
			}
			if e.Column == NextColumn {
				return nil
			}
			if c := int(e.Column); !slices.Contains(columns, c) {
				columns = append(columns, c)
			}
		}
	}
	slices.Sort(columns)
	return columns
}
