package dfa

import (
	"fmt"
	"slices"
)

// Filler is a set of symbols whose runs can be passed over.
//
// It guarantees: after one symbol of the set, read in whatever state, every
// further symbol of the set leaves the state as it is and is plain, and all of
// them are plain in the same way: each is data for itself, or each is control.
// So a run of the set's symbols has to be stepped through for its first symbol
// only. It guarantees nothing about what that first symbol does: it may change
// the state, be an error, or end a field with a lag; if Quiet, it is never a
// boundary, so that no field and no record ends inside a run.
type Filler struct {
	Groups  []GroupID // ascending
	Symbols Set
	Quiet   bool
}

func (f *Filler) String() string {
	if f == nil {
		return "none"
	}
	s := fmt.Sprintf("%d symbols, groups %s: runs are passed over after their first symbol", f.Symbols.Len(), joinIDs(f.Groups))
	if f.Quiet {
		s += ", which ends nothing"
	}
	return s
}

// fillers finds the idempotent groups and a Filler made of some of them: those
// with the most symbols first, each if it goes with the ones before.
func fillers(a *Automaton, states []StateID) ([]GroupID, *Filler) {
	var idempotent []GroupID
	size := make([]int, a.NGroups)
	for _, g := range a.Group {
		size[g]++
	}
	for g := range a.NGroups {
		row := a.Row(GroupID(g))
		if !slices.ContainsFunc(states, func(s StateID) bool { return row[row[s]] != row[s] }) {
			idempotent = append(idempotent, GroupID(g))
		}
	}
	order := slices.Clone(idempotent)
	slices.SortStableFunc(order, func(g, h GroupID) int { return size[h] - size[g] })
	n := len(a.States)
	image := newBits(n)                        // what the groups taken lead to
	asData, asSkip := fullBits(n), fullBits(n) // the states in which all of them are plain loops
	f := &Filler{Quiet: true}
	for _, g := range order {
		im, d, k := image.clone(), asData.clone(), asSkip.clone()
		gd, gk := plainLoops(a, g)
		d.and(gd)
		k.and(gk)
		for _, s := range states {
			im.set(int(a.Row(g)[s]))
		}
		if size[g] == 0 || !im.within(d, k) {
			continue
		}
		image, asData, asSkip = im, d, k
		f.Groups = append(f.Groups, g)
		for _, s := range states {
			f.Quiet = f.Quiet && !a.Emissions[a.Emit[int(g)*n+int(s)]].Boundary()
		}
	}
	if len(f.Groups) == 0 {
		return idempotent, nil
	}
	slices.Sort(f.Groups)
	f.Symbols = a.Symbols(f.Groups...)
	return idempotent, f
}

// plainLoops gives the states that a symbol of g does not leave and in which it
// is data for itself, or control.
func plainLoops(a *Automaton, g GroupID) (asData, asSkip bitset) {
	n := len(a.States)
	asData, asSkip = newBits(n), newBits(n)
	for s, t := range a.Row(g) {
		if int(t) != s {
			continue
		}
		switch e := &a.Emissions[a.Emit[int(g)*n+s]]; {
		case e.Kind == Data && e.Sub == Itself:
			asData.set(s)
		case isAround(e):
			asSkip.set(s)
		}
	}
	return asData, asSkip
}

// Symbols is the set of the symbols of the groups given.
func (a *Automaton) Symbols(groups ...GroupID) (set Set) {
	for b, g := range a.Group {
		if slices.Contains(groups, g) {
			set = set.Union(Bytes(byte(b)))
		}
	}
	return set
}
