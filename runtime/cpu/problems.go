package cpu

import (
	"slices"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/runtime"
)

// settling is memory for sortProblems.
type settling struct {
	problems []runtime.Problem
	counts   []int32
	starts   []int // by field number
}

// sortProblems puts the problems of the round into the order of Rows.Problems, and finds out where
// their fields begin: by reading each record once more, however many of its fields have one. Of a
// record with one the reader does it, if somebody asks.
func (w *worker) sortProblems(ck *chunk) {
	own := ck.problems[w.found:]
	w.byRecord(own, ck.nrows)
	late := w.plan.Settles && !w.fixed && w.rest < 0 && len(w.plan.Program.Widths) == 0
	for from := 0; from < len(own); {
		to := from + 1
		for to < len(own) && own[to].Row == own[from].Row {
			to++
		}
		if to > from+1 || !late {
			w.locate(ck, own[from:to])
		}
		if to > from+1 {
			runtime.SortProblems(own[from:to])
		}
		from = to
	}
}

// byRecord sorts the problems of the round, whose first record has a number, by their records. As
// a rule they come column by column.
func (w *worker) byRecord(own []runtime.Problem, first int) {
	i := 1
	for i < len(own) && own[i-1].Row <= own[i].Row {
		i++
	}
	if i >= len(own) {
		return
	}
	s := &w.settling
	if merged := s.merge(own, i); merged {
		return
	}
	if len(own) < 64 {
		slices.SortStableFunc(own, func(a, b runtime.Problem) int { return a.Row - b.Row })
		return
	}
	s.counts = grow(s.counts, w.nrows+len(w.omitted)+1)
	clear(s.counts)
	for i := range own {
		s.counts[own[i].Row-first+1]++
	}
	for i := 1; i < len(s.counts); i++ {
		s.counts[i] += s.counts[i-1]
	}
	s.problems = append(s.problems[:0], own...)
	for i := range s.problems {
		at := &s.counts[s.problems[i].Row-first]
		own[*at] = s.problems[i]
		*at++
	}
}

// merge sorts problems of which the first n are sorted, and the others too: those of malformed records,
// and those of one column. It reports whether they are.
func (s *settling) merge(own []runtime.Problem, n int) bool {
	for i := n + 1; i < len(own); i++ {
		if own[i-1].Row > own[i].Row {
			return false
		}
	}
	s.problems = append(s.problems[:0], own[n:]...)
	for to := len(own) - 1; len(s.problems) > 0; to-- {
		if last := &s.problems[len(s.problems)-1]; n == 0 || own[n-1].Row <= last.Row {
			own[to] = *last
			s.problems = s.problems[:len(s.problems)-1]
		} else {
			n--
			own[to] = own[n]
		}
	}
	return true
}

// locate finds where the fields begin that the problems of one record are of.
func (w *worker) locate(ck *chunk, own []runtime.Problem) {
	last := -1
	for i := range own {
		if own[i].Offset == runtime.Unsettled {
			last = max(last, own[i].Field)
		}
	}
	if last < 0 {
		return
	}
	p := &own[0]
	w.settling.starts = grow(w.settling.starts, last+1)
	w.machine.fieldStarts(w.settling.starts, w.plan.Program.Widths, ck.part.Data, p.Start, p.End, p.Begin, w.rest)
	for i := range own {
		if own[i].Offset == runtime.Unsettled {
			own[i].Offset = w.settling.starts[own[i].Field]
		}
	}
}

// fieldStarts finds the first symbols of a record's first fields by reading the record again. It
// is the record's boundary if the record has no such field, and the last field of that number if
// it has several; field number rest is all from there on.
func (m *machine) fieldStarts(starts, widths []int, data []byte, start, boundary int, begin dfa.StateID, rest int) {
	if len(widths) > 0 {
		at := start
		for number := range starts {
			starts[number] = min(at, boundary)
			at += widths[number]
		}
		return
	}
	for number := range starts {
		starts[number] = boundary
	}
	// The record as Walk reads it: of several fields of one number the last is the one.
	field, column := start, 0
	inOrder, last := !m.named && rest < 0, len(starts)-1
	if inOrder && last == 0 {
		starts[0] = start
		return
	}
	ended := func(q int, e *dfa.Emission) (all bool) {
		if e.Column != dfa.NextColumn {
			column = int(e.Column)
		}
		whole := rest >= 0 && column >= rest
		if whole && rest < len(starts) {
			starts[rest] = field
		}
		if column < len(starts) {
			starts[column] = field
		}
		if field, column = e.After(q), column+1; inOrder && column == last && e.Kind == dfa.Field {
			starts[last] = field
			return true
		}
		return whole || !m.named && column >= len(starts)
	}
	row, end, leaving := m.Row(begin), min(boundary+1+m.maxLag, len(data)), m.leaving() // its end may be found behind it
	for q, stayed := start, 0; q < end; q++ {
		e := m.Entries[row|uint32(data[q])]
		if stayed++; e.Row() != row {
			stayed = 0
		}
		row = e.Row()
		if !e.Boundary() {
			if leave := leaving[state(row)]; stayed >= fewStay && leave != nil {
				q += untilAny(data[q+1:end], leave)
				stayed = 0
			}
			continue
		}
		if em := m.Emission(e); ended(q, em) || em.Kind == dfa.Record {
			return
		}
	}
	if e := m.EOF(state(row)); e.Kind == dfa.Record {
		ended(end, e)
		return
	}
	for number := range starts {
		starts[number] = boundary
	}
}
