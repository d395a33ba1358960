package dfa

import "slices"

// FindCountedRuns is the form of a if it has places of its own for each of Count fields, as those of templates have
// between the holes of which are runs alone, or nil if it has none. What is said of Runs holds of a record that has
// so many fields. In one that has more, the last field goes on to the end of the record; of one that has fewer
// nothing is said.
//
//	place                symbol            leads to
//	begin, in a run      other             in a field
//	in a field           one of Fields     in a run: the field has ended; but in the last, where it is data
//	in a run             one of Fields     in a run
//	in the last field    one of Records    begin
func FindCountedRuns(a *Automaton) *Runs {
	f := countedFinder{runFinder: runFinder{maskFinder: maskFinder{a: a, begin: a.Start}}}
	if a.Escapes() || !f.chain() || !f.last() {
		return nil
	}
	f.a = withoutColumns(a)
	f.findReturn()
	f.odd()
	f.m.Begin, f.m.Next = f.begin, f.gaps[0]
	f.m.Passes = f.passes()
	return &Runs{Masks: f.m, Count: len(f.fields)}
}

// withoutColumns is a where boundaries do not say which column ends.
func withoutColumns(a *Automaton) *Automaton {
	b := *a
	b.Emissions = slices.Clone(a.Emissions)
	for i := range b.Emissions {
		b.Emissions[i].Column = NextColumn
	}
	return &b
}

type countedFinder struct {
	runFinder
	fields, gaps []StateID // in each field, and in the run behind each but the last
}

// chain finds the places, up to the last field.
func (f *countedFinder) chain() bool {
	for s := f.begin; len(f.fields) < MaxColumns; s = f.next {
		in, ok := f.most(s)
		if to, stays := f.most(in); !ok || !stays || to != in {
			return false
		}
		f.in, f.fields = in, append(f.fields, in)
		ends, gap := f.gap(in, len(f.fields)-1)
		if ends.Empty() {
			return len(f.fields) > 1
		}
		if len(f.gaps) > 0 && ends != f.m.Fields || !f.isRun(gap, ends) {
			return false
		}
		f.next, f.gaps, f.m.Fields = gap, append(f.gaps, gap), ends
	}
	return false
}

// gap is the symbols that end field number i in state in, and the one state to which they lead; none if there are several.
func (f *countedFinder) gap(in StateID, i int) (ends Set, gap StateID) {
	for symbol := range 256 {
		next, e := f.a.Step(in, byte(symbol))
		if e.Kind != Field {
			continue
		}
		if !ends.Empty() && next != gap || !isEndOf(e, i) || next == in {
			return Set{}, 0
		}
		ends, gap = ends.Union(Bytes(byte(symbol))), next
	}
	return ends, gap
}

// isEndOf reports whether e ends field number i, and there is nothing else to it.
func isEndOf(e *Emission, i int) bool {
	plain := *e
	if int(e.Column) == i {
		plain.Column = NextColumn
	}
	return isPlainEnd(&plain) && e.Class == 0
}

// isRun reports whether state s stays where it is at any of a set.
func (f *countedFinder) isRun(s StateID, set Set) bool {
	for symbol := range 256 {
		if next, e := f.a.Step(s, byte(symbol)); set.Has(byte(symbol)) && (next != s || !isAround(e)) {
			return false
		}
	}
	return true
}

// last finds what ends records, in the last field.
func (f *countedFinder) last() bool {
	for i := range 256 {
		symbol := Bytes(byte(i))
		next, e := f.a.Step(f.in, byte(i))
		switch {
		case e.Kind == Record:
			if !isEndOf(e, len(f.fields)-1) || next != f.begin {
				return false
			}
			f.m.Records = f.m.Records.Union(symbol)
		case f.m.Fields.Has(byte(i)) && (next != f.in || !isSelf(e)):
			return false
		}
	}
	return !f.m.Records.Empty()
}

// odd fills the sets of what is odd. An empty record is, and one that ends behind a run: so it depends on how many fields
// there are.
func (f *countedFinder) odd() {
	for i := range 256 {
		symbol := byte(i)
		set := Bytes(symbol)
		switch {
		case f.m.Records.Has(symbol) || f.m.Return.Has(symbol):
			f.m.OddFirst, f.m.OddNext = f.m.OddFirst.Union(set), f.m.OddNext.Union(set)
			continue
		case f.m.Fields.Has(symbol):
			if next, e := f.a.Step(f.begin, symbol); next != f.gaps[0] || e.Kind != Field || !isPlainEnd(e) || e.Class != 0 {
				f.m.OddFirst = f.m.OddFirst.Union(set)
			}
			continue
		}
		for i, in := range f.fields {
			if !f.goesOn(in, symbol, in) {
				f.m.Odd = f.m.Odd.Union(set)
			}
			if i > 0 && !f.goesOn(f.gaps[i-1], symbol, in) {
				f.m.OddNext = f.m.OddNext.Union(set)
			}
		}
		if !f.goesOn(f.begin, symbol, f.fields[0]) {
			f.m.OddFirst = f.m.OddFirst.Union(set)
		}
	}
}

// goesOn reports whether symbol leads from one state to the other as data for itself.
func (f *countedFinder) goesOn(from StateID, symbol byte, to StateID) bool {
	next, e := f.a.Step(from, symbol)
	return next == to && isSelf(e)
}
