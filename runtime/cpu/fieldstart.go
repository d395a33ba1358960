package cpu

import (
	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/convert"
	"github.com/dfaparse/dfaparse/runtime"
)

// starts says where fields begin whose data lies where it was read: there, or before the symbols in front
// of it that are no data, as quotes and blanks that are left out.
type starts struct {
	// open says by field number whether that does not hold, and controlled whether there may be such symbols
	// in front. The last is all fields from that number on.
	open, controlled []bool
	controls         []dfa.Set // these symbols; behind none of them such a field begins
}

// openStarts follows all ways of the automaton through a record: to which states they lead in which
// field, and whether data has begun there.
func openStarts(p *dfa.Program, m *machine) *starts {
	n := len(p.Columns) + 1
	open, controlled, other := make([]bool, n), make([]bool, n), make([]bool, n)
	// By the number that is expected when a field begins: symbols in front of its data, those behind which it begins,
	// and which numbers it may have had when it ends.
	controls, before, numbers := make([]dfa.Set, n), make([]dfa.Set, n), make([][]bool, n)
	for i := range numbers {
		numbers[i] = make([]bool, n)
	}
	symbols := oneOfEach(p.Automaton)
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
		open[field] = open[field] || phase&lost != 0
		controlled[field] = controlled[field] || phase&behindControls != 0
		other[field] = other[field] || phase&ofOther != 0
		numbers[x.field][field] = true
		return field
	}
	for len(todo) > 0 {
		x := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		phase := seen[x]
		for _, c := range symbols {
			e := m.Entries[m.Row(x.state)|uint32(c)]
			em, phase := m.Emission(e), phase
			switch e.Kind() {
			case dfa.Data:
				if phase&(nothingYet|behindOther) != 0 {
					phase = phase&^(nothingYet|behindOther) | begun
				}
				reach(e.Next(), x.field, phase)
			case dfa.Skip:
				if phase&nothingYet != 0 {
					controls[x.field] = controls[x.field].Union(dfa.Bytes(c))
					phase |= behindControls
				}
				if phase&behindOther != 0 {
					phase = phase&^behindOther | lost
				}
				reach(e.Next(), x.field, phase)
			case dfa.Field:
				next, field := nothingYet, min(ended(em, x, phase)+1, n-1)
				const somewhere = 1 << 20
				switch {
				case em.After(somewhere) != em.Opens(somewhere) || em.Escape:
					next = lost
				case em.Touch || em.Open != em.Lag:
					next = behindOther | ofOther
				default:
					before[field] = before[field].Union(dfa.Bytes(c))
				}
				reach(e.Next(), field, next)
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
	is := &starts{open: open, controlled: controlled, controls: make([]dfa.Set, n)}
	for field := range open {
		var begins dfa.Set
		for expected := range numbers {
			if numbers[expected][field] {
				is.controls[field], begins = is.controls[field].Union(controls[expected]), begins.Union(before[expected])
			}
		}
		open[field] = open[field] || controlled[field] && (other[field] || !is.controls[field].And(begins).Empty())
		is.controls[field] = wholeGroups(p.Automaton, is.controls[field])
	}
	return is
}

// wholeGroups is all symbols of the groups of which some are in s.
func wholeGroups(a *dfa.Automaton, s dfa.Set) (all dfa.Set) {
	var groups [256]bool
	for c, g := range a.Group {
		groups[g] = groups[g] || s.Has(byte(c))
	}
	for c, g := range a.Group {
		if groups[g] {
			all = all.Union(dfa.Bytes(byte(c)))
		}
	}
	return all
}

// startPhase is what may have been read of a field, as bits.
type startPhase uint8

const (
	nothingYet     startPhase = 1 << iota // but controls
	behindControls                        // perhaps it began with some
	behindOther                           // nothing, and it is not known what stands before it
	ofOther                               // that was so
	begun                                 // its data began, as far as is known where it lies
	lost                                  // its data began anywhere
)

// fieldStart is where the field of a column begins in a row of the round, unsettled if the place of
// its data does not say it.
func (w *worker) fieldStart(data []byte, r *rowPlace, row, column, field int) int {
	if w.fixed || w.rest >= 0 {
		return runtime.Unsettled
	}
	start := w.fields[column].Start[row]
	if start >= convert.InDecoded {
		return runtime.Unsettled
	}
	is := w.machine.openStarts()
	field = min(field, len(is.open)-1)
	if is.open[field] {
		return runtime.Unsettled
	}
	at := w.base + int(start)
	for is.controlled[field] && at > r.start && is.controls[field].Has(data[at-1]) {
		at--
	}
	return at
}
