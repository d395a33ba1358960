package reference

import "github.com/dfaparse/dfaparse/runtime"

// check finds the structural problem of each row, if it has one.
func (s *Shape) check(g Grid) {
	n := len(s.Record)
	problems := make([]runtime.Problem, n)
	found := make([]bool, n)
	g.Each(n, func(row int) { problems[row], found[row] = s.problem(row) })
	rows := Select(g, n, func(row int) bool { return found[row] })
	s.Problems = make([]runtime.Problem, len(rows))
	g.Each(len(rows), func(i int) { s.Problems[i] = problems[rows[i]] })

	surplus := make([]runtime.Note, n)
	g.Each(n, func(row int) {
		if !found[row] {
			surplus[row] = s.surplus(row)
		}
	})
	rows = Select(g, n, func(row int) bool { return surplus[row].N > 0 })
	s.Notes = make([]runtime.Note, len(rows))
	g.Each(len(rows), func(i int) { s.Notes[i] = surplus[rows[i]] })
}

// surplus is the note of the fields of a good record that no column is for; its
// N is 0 if there are none.
func (s *Shape) surplus(row int) (note runtime.Note) {
	i := s.Record[row]
	r, f := &s.ix.Records, &s.ix.Fields
	b := s.segments[s.Segment[row]].Binding
	note = runtime.Note{Row: row, What: runtime.SurplusFields}
	if len(s.plan.Program.Cells) > 0 {
		return note
	}
	if len(s.plan.Program.Widths) > 0 {
		if _, end := s.reached(r.End[i] - r.Start[i]); end < r.End[i]-r.Start[i] {
			note.N, note.Offset = 1, r.Start[i]+end
		}
		return note
	}
	count := f.Column[r.Fields[i+1]-1] + 1
	if count <= b.MaxFields || b.Rest >= 0 {
		return note
	}
	for j := r.Fields[i]; j < r.Fields[i+1]; j++ {
		if f.Column[j] >= b.MaxFields {
			note.N, note.Offset = count-b.MaxFields, f.Start[j]
			break
		}
	}
	return note
}

// problem is the first that applies of the structural problems, in the order
// that runtime.Problem gives them.
func (s *Shape) problem(row int) (p runtime.Problem, found bool) {
	i := s.Record[row]
	r, f := &s.ix.Records, &s.ix.Fields
	segment := &s.segments[s.Segment[row]]
	b := segment.Binding
	report := func(what runtime.What, offset, field int) (runtime.Problem, bool) {
		p = s.At(row)
		p.What, p.Output, p.Offset, p.Field = what, -1, offset, field
		return p, true
	}

	if r.End[i]-r.Start[i] > s.plan.MaxRecord {
		return report(runtime.TooLong, r.Start[i], -1)
	}
	if r.Fault[i] >= 0 {
		x := &s.ix.Faults[r.Fault[i]]
		report(runtime.Lexical, x.Offset, x.Field)
		p.Lexical, p.State, p.At = x.Code, x.State, x.At
		return p, true
	}
	if len(s.plan.Program.Cells) > 0 {
		return p, false
	}
	if len(s.plan.Program.Widths) > 0 {
		count, end := s.reached(r.End[i] - r.Start[i])
		switch {
		case count < b.MinFields:
			return report(runtime.TooFew, r.End[i], -1)
		case end < r.End[i]-r.Start[i] && !b.Truncate:
			return report(runtime.TooMany, r.Start[i]+end, count)
		}
		return p, false
	}
	count := f.Column[r.Fields[i+1]-1] + 1
	if count < b.MinFields {
		return report(runtime.TooFew, r.End[i], -1)
	}
	if count > b.MaxFields && !b.Truncate && b.Rest < 0 {
		for j := r.Fields[i]; j < r.Fields[i+1]; j++ {
			if f.Column[j] >= b.MaxFields {
				return report(runtime.TooMany, f.Start[j], f.Column[j])
			}
		}
	}
	for j := r.Fields[i]; j < r.Fields[i+1]; j++ {
		if b.Rest >= 0 && f.Column[j] >= b.Rest {
			break
		}
		column := segment.column(f.Column[j])
		if column >= 0 && s.plan.Columns[column].Class != 0 && s.plan.Columns[column].Class != f.Class[j] {
			return report(runtime.WrongClass, f.Start[j], f.Column[j])
		}
	}
	return p, false
}

// At is a problem of a row that says only where its record is.
func (s *Shape) At(row int) runtime.Problem {
	i := s.Record[row]
	return runtime.Problem{
		Row: row, Start: s.ix.Records.Start[i], End: s.ix.Records.End[i],
		Begin: s.ix.Begin(s.plan.Program.Automaton, i), Binding: s.segments[s.Segment[row]].Binding,
	}
}

// reached is how many columns of fixed width n symbols reach into, and how many
// of the symbols these have together.
func (s *Shape) reached(n int) (columns, end int) {
	for _, width := range s.plan.Program.Widths {
		if end >= n {
			break
		}
		columns, end = columns+1, min(end+width, n)
	}
	return columns, end
}
