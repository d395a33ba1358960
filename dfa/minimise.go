package dfa

import (
	"hash/maphash"
	"slices"
)

// Minimise gives the smallest automaton that does the same as a: from Start,
// every input has the same emissions at the same symbols, and so the same
// records. The result is canonical in these ways:
//
//   - States: those that cannot be reached from Start are dropped, those that
//     no input tells apart are merged (partition refinement after Hopcroft,
//     "An n log n algorithm for minimizing states in a finite automaton",
//     1971). The start state is state 0 and keeps its name; the others follow
//     in the order of the first state that went into each, whose name and
//     words they keep.
//   - Symbol groups: one for each distinct column of the table. The last is
//     the group of most symbols, the catch-all (of groups of one size, the one
//     whose smallest symbol is largest); the others go by their smallest symbol.
//   - Emissions: each once, in the order in which the states use them, group by
//     group. Parts that mean nothing are zero: the Byte of one that is not
//     ByByte, the Blame of one without a Code.
//   - Messages: those in use, each once, in their old order.
//
// Minimise needs an automaton whose tables are of the right size and whose
// indices are in range; it may exceed the limits on states and emissions. It
// takes O(symbol groups × states × log states).
func (a *Automaton) Minimise() *Automaton {
	if len(a.States) == 0 {
		return a
	}
	m := newMinimiser(a)
	m.groupSymbols()
	m.refine()
	return m.build()
}

// minimiser holds a as tables over the reachable states, renumbered densely in
// their old order, with one row a symbol group.
type minimiser struct {
	old      *Automaton
	states   []StateID    // old number of each
	messages []ErrorCode  // per old code: the first code of the same text
	canon    []EmissionID // per old emission: the first that means the same
	emission []Emission   // the canonical emissions
	group    [256]int
	ngroups  int
	next     []int32 // ngroups rows of len(states)
	emit     []EmissionID
	block    []int32 // per state: its class once refined
}

func newMinimiser(a *Automaton) *minimiser {
	m := &minimiser{old: a, states: a.reachable()}
	m.messages = make([]ErrorCode, len(a.Messages)+1)
	byText := map[string]ErrorCode{}
	for i, text := range a.Messages {
		if _, ok := byText[text]; !ok {
			byText[text] = ErrorCode(i + 1)
		}
		m.messages[i+1] = byText[text]
	}
	m.canon = make([]EmissionID, len(a.Emissions))
	m.emission = make([]Emission, len(a.Emissions))
	ids := map[Emission]EmissionID{}
	for i, e := range a.Emissions {
		if e.Sub != ByByte {
			e.Byte = 0
		}
		if int(e.Code) < len(m.messages) {
			e.Code = m.messages[e.Code]
		}
		if e.Code == 0 {
			e.Blame = 0
		}
		if _, ok := ids[e]; !ok {
			ids[e] = EmissionID(i)
		}
		m.canon[i], m.emission[i] = ids[e], e
	}
	return m
}

// reachable lists the states that some input leads to, in ascending order.
func (a *Automaton) reachable() []StateID {
	n := len(a.States)
	seen := make([]bool, n)
	seen[a.Start] = true
	stack := []StateID{a.Start}
	for len(stack) > 0 {
		s := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		for g := range a.NGroups {
			if t := a.Next[g*n+int(s)]; !seen[t] {
				seen[t] = true
				stack = append(stack, t)
			}
		}
	}
	var states []StateID
	for s, ok := range seen {
		if ok {
			states = append(states, StateID(s))
		}
	}
	return states
}

// groupSymbols makes one group of the symbols whose rows agree on the
// reachable states. It takes the groups in the order of their smallest symbol.
func (m *minimiser) groupSymbols() {
	a, n := m.old, len(m.states)
	dense := make([]int32, len(a.States))
	for i, s := range m.states {
		dense[s] = int32(i)
	}
	next, emit := make([]int32, n), make([]EmissionID, n)
	of := make([]int, a.NGroups) // old group -> new group + 1
	rows := newRowSet(n, a.NGroups)
	for symbol, old := range a.Group {
		if of[old] == 0 {
			row := int(old) * len(a.States)
			for i, s := range m.states {
				next[i] = dense[a.Next[row+int(s)]]
				emit[i] = m.canon[a.Emit[row+int(s)]]
			}
			of[old] = rows.add(next, emit) + 1
		}
		m.group[symbol] = of[old] - 1
	}
	m.next, m.emit, m.ngroups = rows.next, rows.emit, rows.len
}

// rowSet collects distinct rows of a table.
type rowSet struct {
	n, len int
	next   []int32
	emit   []EmissionID
	seed   maphash.Seed
	byHash map[uint64][]int
	buf    []byte
}

// newRowSet is a set of rows of n entries, as a rule so many.
func newRowSet(n, rows int) *rowSet {
	return &rowSet{n: n, seed: maphash.MakeSeed(), byHash: make(map[uint64][]int, rows),
		next: make([]int32, 0, n*rows), emit: make([]EmissionID, 0, n*rows), buf: make([]byte, 0, 4*n)}
}

// add gives the number of the row, which is new if none is equal to it.
func (r *rowSet) add(next []int32, emit []EmissionID) int {
	r.buf = r.buf[:0]
	for i, t := range next {
		e := emit[i]
		r.buf = append(r.buf, byte(t), byte(t>>8), byte(e), byte(e>>8))
	}
	h := maphash.Bytes(r.seed, r.buf)
	for _, i := range r.byHash[h] {
		if slices.Equal(r.next[i*r.n:(i+1)*r.n], next) && slices.Equal(r.emit[i*r.n:(i+1)*r.n], emit) {
			return i
		}
	}
	r.byHash[h] = append(r.byHash[h], r.len)
	r.next = append(r.next, next...)
	r.emit = append(r.emit, emit...)
	r.len++
	return r.len - 1
}

// refine finds the classes of equivalent states.
func (m *minimiser) refine() {
	p := newRefinement(m.kinds())
	pre := m.predecessors()
	n := len(m.states)
	work := make([]int32, p.len())
	queued := make([]bool, n)
	for b := range work {
		work[b], queued[b] = int32(b), true
	}
	var splitter []int32
	var split []int32
	for len(work) > 0 {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		queued[b] = false
		splitter = append(splitter[:0], p.members(b)...) // b may split below
		for g := range m.ngroups {
			for _, t := range splitter {
				for _, s := range pre.of(g, t) {
					p.mark(s)
				}
			}
			split = p.split(split[:0])
			// Each pair is a block and the part of it that became a new block.
			// If the old one still waits, both have to; else the smaller is enough.
			for i := 0; i < len(split); i += 2 {
				was, part := split[i], split[i+1]
				if !queued[was] && p.size(was) < p.size(part) {
					part = was
				}
				work, queued[part] = append(work, part), true
			}
		}
	}
	m.block = p.block
}

// kinds gives each state the number of its column of emissions: states with
// different numbers are told apart by one symbol or by the end of the input.
func (m *minimiser) kinds() []int32 {
	n := len(m.states)
	columns := newRowSet(m.ngroups, min(n, 64))
	kind := make([]int32, n)
	eof, emit := make([]int32, m.ngroups), make([]EmissionID, m.ngroups)
	for i, s := range m.states {
		eof[0] = int32(m.canon[m.old.AtEOF[s]])
		for g := range m.ngroups {
			emit[g] = m.emit[g*n+i]
		}
		kind[i] = int32(columns.add(eof, emit))
	}
	return kind
}

// predecessors are the transitions backwards: from[first[g*n+t]:first[g*n+t+1]]
// are the states that a symbol of group g sends to t.
type predecessors struct {
	n     int
	first []int32
	from  []int32
}

func (p *predecessors) of(g int, t int32) []int32 {
	i := g*p.n + int(t)
	return p.from[p.first[i]:p.first[i+1]]
}

func (m *minimiser) predecessors() *predecessors {
	n := len(m.states)
	p := &predecessors{n: n, first: make([]int32, len(m.next)+1), from: make([]int32, len(m.next))}
	for i, t := range m.next {
		p.first[i/n*n+int(t)+1]++
	}
	for i := range m.next {
		p.first[i+1] += p.first[i]
	}
	fill := slices.Clone(p.first)
	for i, t := range m.next {
		at := &fill[i/n*n+int(t)]
		p.from[*at] = int32(i % n)
		*at++
	}
	return p
}
