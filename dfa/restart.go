package dfa

import "slices"

// This file says which automata can be read again from every record. A Record with
// Lag > Open leaves symbols that have been read to the next record, which begins in
// Start: whoever begins there has to come to the state that the automaton is in, and to
// find the data that Lag and Open speak of, or records would depend on where reading
// began.
//
//	record   a = 1 ⏎ b = 2 ⏎ 0 7 : …
//	boundary              │          what follows is of the next record
//	states                S T U V    as the symbols were read, and ended the record
//	again                 A B C V    from Start

// Astray are symbols behind the boundary of a record that make something else of the next
// one where it is read from Start.
type Astray struct {
	State   StateID // in which the last of the symbols ends the record
	Symbols []byte
	Next    StateID // where that leads to,
	Again   StateID // and where the symbols lead to from Start; the same: not all of them are data there that should be
}

// astray is a place in the search: a state of the automaton, and that of who reads again.
type astray struct {
	state, again StateID
	other        bool // a symbol was not what Lag and Open say
	before       *astray
	group        GroupID // that led here
}

// Astray gives symbols after which reading again from a record makes something else of it, nil
// if there are none. It takes NStates² · NGroups steps for each symbol of the Lag of each such
// emission, at most.
func (a *Automaton) Astray() *Astray {
	type late struct{ lag, open uint16 }
	var tried []late
	for i := range a.Emissions {
		e := &a.Emissions[i]
		if l := (late{e.Lag, e.Open}); e.Kind == Record && e.Lag > e.Open && !slices.Contains(tried, l) {
			tried = append(tried, l)
			if found := a.astray(int(l.lag), int(l.open)); found != nil {
				return found
			}
		}
	}
	return nil
}

func (a *Automaton) astray(lag, open int) *Astray {
	n := len(a.States)
	var front, next []*astray
	for _, s := range a.reachable() {
		front = append(front, &astray{state: s, again: a.Start})
	}
	for read := 1; read <= lag; read++ {
		seen := map[astray]bool{}
		next = nil
		kind := Data // of what is read again
		if read <= open {
			kind = Skip
		}
		for _, at := range front {
			for g := range a.NGroups {
				i, j := g*n+int(at.state), g*n+int(at.again)
				e, then := &a.Emissions[a.Emit[i]], &a.Emissions[a.Emit[j]]
				other := at.other || then.Coded() || then.Kind != kind
				if read == lag {
					if e.Kind == Record && int(e.Lag) == lag && int(e.Open) == open && (other || a.Next[i] != a.Next[j]) {
						found := &Astray{State: at.state, Next: a.Next[i], Again: a.Next[j], Symbols: []byte{a.symbol(GroupID(g))}}
						for ; at.before != nil; at = at.before {
							found.Symbols = append([]byte{a.symbol(at.group)}, found.Symbols...)
						}
						return found
					}
					continue
				}
				to := astray{state: a.Next[i], again: a.Next[j], other: other}
				if e.Boundary() || e.Kind == Error || seen[to] {
					continue
				}
				seen[to] = true
				next = append(next, &astray{to.state, to.again, other, at, GroupID(g)})
			}
		}
		front = next
	}
	return nil
}

// symbol is one of a group, a letter or digit if there is one.
func (a *Automaton) symbol(g GroupID) byte {
	for c := range a.Group {
		if a.Group[c] == g && (c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z') {
			return byte(c)
		}
	}
	return byte(slices.Index(a.Group[:], g))
}
