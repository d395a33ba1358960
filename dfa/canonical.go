package dfa

import "slices"

// This file gives the merged states, symbol groups, emissions and messages of
// a minimised automaton their order, which Minimise documents.

// build makes the automaton of m's blocks.
func (m *minimiser) build() *Automaton {
	leader, of := m.order()
	n := len(leader)
	next, emit := make([]int32, n), make([]EmissionID, n)
	rows := newRowSet(n, m.ngroups)
	merged := make([]int, m.ngroups) // states merged, more symbols may be equal
	for g := range m.ngroups {
		row := g * len(m.states)
		for i, s := range leader {
			next[i], emit[i] = of[m.next[row+int(s)]], m.emit[row+int(s)]
		}
		merged[g] = rows.add(next, emit)
	}
	a := &Automaton{NGroups: rows.len}
	for _, s := range leader {
		a.States = append(a.States, m.old.States[m.states[s]])
	}
	number := m.numberGroups(merged, rows.len)
	for symbol, g := range m.group {
		a.Group[symbol] = GroupID(number[merged[g]])
	}
	a.Next = make([]StateID, rows.len*n)
	a.Emit = make([]EmissionID, rows.len*n)
	for g, to := range number {
		for i := range n {
			a.Next[to*n+i] = StateID(rows.next[g*n+i])
			a.Emit[to*n+i] = rows.emit[g*n+i]
		}
	}
	for _, s := range leader {
		a.AtEOF = append(a.AtEOF, m.canon[m.old.AtEOF[m.states[s]]])
	}
	m.numberEmissions(a)
	return a
}

// order gives the first member of each block, in the order of the new states,
// and the new number of every member.
func (m *minimiser) order() (leader, of []int32) {
	number := make([]int32, len(m.states)) // per block: new number + 1
	take := func(s int32) {
		if number[m.block[s]] == 0 {
			leader = append(leader, s)
			number[m.block[s]] = int32(len(leader))
		}
	}
	start, _ := slices.BinarySearch(m.states, m.old.Start)
	take(int32(start))
	for s := range m.states {
		take(int32(s))
	}
	of = make([]int32, len(m.states))
	for s := range of {
		of[s] = number[m.block[s]] - 1
	}
	return leader, of
}

// numberGroups gives each merged group its number. Merged groups come in the
// order of their smallest symbol, so only the catch-all has to move.
func (m *minimiser) numberGroups(merged []int, n int) []int {
	size := make([]int, n)
	for _, g := range m.group {
		size[merged[g]]++
	}
	most := 0
	for g := range size {
		if size[g] >= size[most] {
			most = g
		}
	}
	number := make([]int, n)
	for g := range number {
		switch {
		case g < most:
			number[g] = g
		case g == most:
			number[g] = n - 1
		default:
			number[g] = g - 1
		}
	}
	return number
}

// numberEmissions replaces the old emissions and messages that a's tables
// still name by new ones, those in use.
func (m *minimiser) numberEmissions(a *Automaton) {
	n := len(a.States)
	number := make([]int, len(m.emission)) // old emission -> new + 1
	used := make([]bool, len(m.messages))
	take := func(id *EmissionID) {
		if number[*id] == 0 {
			e := m.emission[*id]
			a.Emissions = append(a.Emissions, e)
			number[*id] = len(a.Emissions)
			if int(e.Code) < len(used) {
				used[e.Code] = true
			}
		}
		*id = EmissionID(number[*id] - 1)
	}
	for s := range n {
		for g := range a.NGroups {
			take(&a.Emit[g*n+s])
		}
		take(&a.AtEOF[s])
	}
	code := make([]ErrorCode, len(used))
	for c := 1; c < len(used); c++ {
		if used[c] {
			a.Messages = append(a.Messages, m.old.Messages[c-1])
			code[c] = ErrorCode(len(a.Messages))
		}
	}
	for i := range a.Emissions {
		if e := &a.Emissions[i]; int(e.Code) < len(code) {
			e.Code = code[e.Code]
		}
	}
}
