package cpu

import (
	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/convert"
)

// openStarts says by field number whether the data of a field may begin behind its first symbol: a
// quote, or blanks that are left out. Of the other fields, where there are no escapes, the place of
// the data says where the field begins. The last is all fields from that number on.
//
// All ways of the automaton through a record are followed: to which states they lead in which
// field, and whether data has begun there.
func openStarts(p *dfa.Program, m *machine) (open []bool) {
	a := p.Automaton
	open = make([]bool, len(p.Columns)+1)
	if a.Escapes() {
		for i := range open {
			open[i] = true
		}
		return open
	}
	symbols := make([]int, a.NGroups) // one of each group
	for c, g := range a.Group {
		symbols[g] = c
	}
	type way struct {
		state dfa.StateID
		field int
	}
	seen := map[way]startPhase{}
	var todo []way
	reach := func(s dfa.StateID, field int, phase startPhase) {
		w := way{s, min(field, len(open)-1)}
		if seen[w]|phase != seen[w] {
			seen[w] |= phase
			todo = append(todo, w)
		}
	}
	reach(m.Start, 0, nothingYet)
	for i := range m.Entries {
		if e := m.Entries[i]; e.Kind() == dfa.Record {
			reach(e.Next(), 0, nothingYet)
		}
	}
	ended := func(em *dfa.Emission, x way, phase startPhase) (field int) {
		field = min(fieldNumber(em, x.field), len(open)-1)
		open[field] = open[field] || phase&behindControl != 0
		return field
	}
	for len(todo) > 0 {
		x := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		phase := seen[x]
		for _, c := range symbols {
			e := m.Entries[m.Row(x.state)|uint32(c)]
			em := m.Emission(e)
			switch e.Kind() {
			case dfa.Data:
				if phase&nothingYet != 0 {
					reach(e.Next(), x.field, phase&^nothingYet|begun)
				} else {
					reach(e.Next(), x.field, phase)
				}
			case dfa.Skip:
				if phase&nothingYet != 0 {
					reach(e.Next(), x.field, phase&^nothingYet|behindControl)
				} else {
					reach(e.Next(), x.field, phase)
				}
			case dfa.Field:
				next := nothingYet
				const somewhere = 1 << 20
				if em.After(somewhere) != em.Opens(somewhere) {
					next = behindControl
				}
				reach(e.Next(), ended(em, x, phase)+1, next)
			case dfa.Record:
				if em.Record == dfa.DataRecord && em.Code == 0 {
					ended(em, x, phase)
				}
			}
		}
		if em := m.EOF(x.state); em.Kind == dfa.Record && em.Record == dfa.DataRecord && em.Code == 0 {
			ended(em, x, phase)
		}
	}
	return open
}

// newLineLong says of each state whether no symbol but those of line ends leads out of it, or ends
// something there.
func (m *machine) newLineLong() []bool {
	long := make([]bool, len(m.AtEOF))
	for s := range long {
		row := m.Row(dfa.StateID(s))
		long[s] = true
		for c, e := range m.Entries[row : row+256] {
			if c != '\n' && c != '\r' && (e.Boundary() || e.Row() != row) {
				long[s] = false
				break
			}
		}
	}
	return long
}

// startPhase is what may have been read of a field, as bits.
type startPhase uint8

const (
	nothingYet startPhase = 1 << iota
	begun                 // its data began with its first symbol
	behindControl
)

// fieldStart is where the field of a column begins in a row of the round, unsettled if the place of
// its data does not say it.
func (w *worker) fieldStart(row, column, field int) int {
	if w.fixed || w.rest >= 0 {
		return unsettled
	}
	start := w.fields[column].Start[row]
	if start >= convert.InDecoded {
		return unsettled
	}
	if open := w.machine.openStarts(); open[min(field, len(open)-1)] {
		return unsettled
	}
	return w.base + int(start)
}
