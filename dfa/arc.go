package dfa

import "slices"

// arc is all the symbols with which a state does the same.
type arc struct {
	next     StateID
	emission *Emission
	symbols  Set
	words    []string // the symbols; "other" or "any" where there are most of them
}

// arcs are what state s does, by the smallest symbol of each. The one of most
// symbols is the last, and is called other, if it is large or has gaps.
func (a *Automaton) arcs(s StateID) []arc {
	n := len(a.States)
	var arcs []arc
	for symbol, g := range a.Group {
		i := int(g)*n + int(s)
		next, e := a.Next[i], &a.Emissions[a.Emit[i]]
		k := slices.IndexFunc(arcs, func(c arc) bool { return c.next == next && *c.emission == *e })
		if k < 0 {
			k = len(arcs)
			arcs = append(arcs, arc{next: next, emission: e})
		}
		arcs[k].symbols[symbol>>6] |= 1 << (symbol & 63)
	}
	most := 0
	for i := range arcs {
		if arcs[i].symbols.Len() > arcs[most].symbols.Len() {
			most = i
		}
	}
	if len(arcs) == 1 {
		arcs[0].words = []string{"any"}
		return arcs
	}
	for i := range arcs {
		arcs[i].words = setWords(arcs[i].symbols, "-")
	}
	if arcs[most].symbols.Len() > 128 || len(arcs[most].words) > 3 {
		arcs[most].words = []string{"other"}
		other := arcs[most]
		arcs = append(slices.Delete(arcs, most, most+1), other)
	}
	return arcs
}
