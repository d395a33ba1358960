package dfa

import "fmt"

// Runs is Masks where separators in a row are one: what Fields has ends a field where a run of it
// begins, and the next field begins behind the run.
//
//	place                            symbol                 leads to
//	begin (of a record)              one of Fields          begin, if Leading; else as behind a field
//	bare, closed                     one of Fields          behind a field, in a run
//	in a run                         one of Fields          in a run
//	in a run                         one of Records         begin
//	in a run                         any other              as where a field begins
//
// If Trailing, a run in front of what ends a record, and of the Return there, is no separator: then the record's last field has ended
// where the run began. Else an empty field stands between them. OddFirst has also what is odd behind
// a run that is Leading, and OddNext is what is odd behind other runs. There is no Bracket and no
// Lead, and Next is the state in a run.
type Runs struct {
	Masks
	Leading, Trailing bool
	Count             int // of fields, where the automaton counts them: see FindCountedRuns; else 0
}

func (m *Runs) String() string {
	s := m.Masks.text("runs of ")
	if m.Count > 0 {
		s += fmt.Sprintf(", %d fields each", m.Count)
	}
	return s
}

// FindRuns is the form of a, or nil if it has none.
func FindRuns(a *Automaton) *Runs {
	f := runFinder{maskFinder: maskFinder{a: a}}
	if a.Escapes() || !f.bare() || !f.run() || !f.quotes() {
		return nil
	}
	f.findReturn()
	f.odd()
	f.m.Passes = f.passes()
	return &Runs{Masks: f.m, Leading: f.leading, Trailing: f.trailing}
}

type runFinder struct {
	maskFinder        // of which next is the state in a run
	leading, trailing bool
	led               StateID // behind a leading run
}

// bare finds the places outside of quotes.
func (f *runFinder) bare() bool {
	in, ok := f.most(f.a.Start)
	if to, stays := f.most(in); !ok || !stays || to != in {
		return false
	}
	f.in = in
	to := map[Kind]StateID{}
	for symbol := range 256 {
		next, e := f.a.Step(in, byte(symbol))
		kind, class := e.Kind, e.Class
		if isAround(e) && f.isGap(next) {
			kind, class, f.trailing = Field, f.gapClass(next), true
		} else if !isPlainEnd(e) {
			continue
		}
		if before, seen := to[kind]; seen && before != next || len(to) > 0 && class != f.m.Class {
			return false
		}
		to[kind], f.m.Class = next, class
		if kind == Field {
			f.m.Fields = f.m.Fields.Union(Bytes(byte(symbol)))
		} else {
			f.m.Records = f.m.Records.Union(Bytes(byte(symbol)))
		}
	}
	var ends, separates bool
	f.begin, ends = to[Record]
	f.next, separates = to[Field]
	f.m.Begin, f.m.Next = f.begin, f.next
	first, ok := f.most(f.begin)
	return ends && separates && ok && first == in && f.next != in && f.next != f.begin && f.isGap(f.next) == f.trailing
}

// isSplit reports whether e ends a field at the symbol before, and is data of the next, or with open what
// opens a quote there.
func isSplit(e *Emission, open uint16) bool {
	plain := *e
	plain.Lag, plain.Open = 0, 0
	return e.Kind == Field && e.Lag == 1 && e.Open == open && !e.Escape && isPlainEnd(&plain)
}

// isGap reports whether in state s most symbols show that a field has ended before them.
func (f *runFinder) isGap(s StateID) bool {
	n := 0
	for symbol := range 256 {
		if next, e := f.a.Step(s, byte(symbol)); next == f.in && isSplit(e, 0) {
			n++
		}
	}
	return n > 128
}

// gapClass is that of the fields that end before s, which is a gap.
func (f *runFinder) gapClass(s StateID) (class uint8) {
	for symbol := range 256 {
		if next, e := f.a.Step(s, byte(symbol)); next == f.in && isSplit(e, 0) {
			class = e.Class
		}
	}
	return class
}

// run reports whether separators in a row are one, and finds what they are at the begin of a record.
func (f *runFinder) run() bool {
	if to, ok := f.most(f.next); !f.trailing && (!ok || to != f.in) {
		return false
	}
	f.led, f.leading = f.begin, true
	first := true
	for symbol := range 256 {
		if !f.m.Fields.Has(byte(symbol)) {
			continue
		}
		if next, e := f.a.Step(f.next, byte(symbol)); next != f.next || !isAround(e) {
			return false
		}
		next, e := f.a.Step(f.begin, byte(symbol))
		if first {
			f.led, first = next, false
		}
		again, more := f.a.Step(f.led, byte(symbol))
		f.leading = f.leading && next == f.led && again == f.led && f.led != f.next && isAround(e) && isAround(more)
	}
	if to, ok := f.most(f.led); f.leading && (!ok || to != f.in) {
		f.leading = false
	}
	if !f.leading {
		f.led = f.begin
	}
	return true
}

// quotes notes the quotes. It reports whether nothing else encloses fields.
func (f *runFinder) quotes() bool {
	for symbol := range 256 {
		open := byte(symbol)
		if f.m.Fields.Has(open) || f.m.Records.Has(open) {
			continue
		}
		opens := 0
		var inside StateID
		for _, s := range []StateID{f.begin, f.led, f.next} {
			next, e := f.a.Step(s, open)
			if content, ok := f.most(next); !ok || content != next || next == f.in || opens > 0 && next != inside {
				continue
			}
			inside = next
			if s == f.next && f.trailing && isSplit(e, 1) && e.Class == f.m.Class || !(s == f.next && f.trailing) && isAround(e) {
				opens++
			}
		}
		if opens == 0 {
			continue
		}
		if opens < 3 || f.m.Quote != nil || !f.quote(open, inside) {
			return false
		}
	}
	return true
}

// quote notes the quote that leads to a state inside. It reports whether it is one.
func (f *runFinder) quote(open byte, inside StateID) bool {
	q := &Enclosure{Open: open, Close: open, inside: inside}
	for symbol := range 256 {
		next, e := f.a.Step(inside, byte(symbol))
		if (next != inside || !isSelf(e)) && byte(symbol) != open {
			q.Odd = q.Odd.Union(Bytes(byte(symbol)))
		}
	}
	closed, e := f.a.Step(inside, open)
	if !isAround(e) || closed == inside || closed == f.in {
		return false
	}
	q.closed = closed
	first := true
	for symbol := range 256 {
		if !f.m.Fields.Has(byte(symbol)) && !f.m.Records.Has(byte(symbol)) {
			continue
		}
		if _, e := f.a.Step(closed, byte(symbol)); first && e.Boundary() {
			q.Class, first = e.Class, false
		}
		if f.trailing {
			q.Class = f.m.Class
		}
		if !f.endsAt(closed, byte(symbol), q.Class) {
			return false
		}
	}
	again, e := f.a.Step(closed, open)
	q.Doubled = again == inside && isSelf(e)
	f.m.Quote = q
	return true
}

// endsAt reports whether symbol ends in state s what it ends in a bare field, but that the field is of a
// class.
func (f *runFinder) endsAt(s StateID, symbol byte, class uint8) bool {
	if !f.trailing || f.m.Records.Has(symbol) {
		return f.maskFinder.endsAt(s, symbol, class)
	}
	next, e := f.a.Step(s, symbol)
	return next == f.next && isAround(e)
}

// odd fills the sets of what is odd outside of quotes.
func (f *runFinder) odd() {
	for i := range 256 {
		symbol := byte(i)
		if q := f.m.Quote; q != nil && symbol == q.Open {
			continue
		}
		set := Bytes(symbol)
		if !f.m.Fields.Has(symbol) && !f.m.Records.Has(symbol) && !f.m.Return.Has(symbol) && !f.content(symbol) {
			f.m.Odd = f.m.Odd.Union(set)
			continue
		}
		if !f.begins(f.begin, symbol) || !f.begins(f.led, symbol) {
			f.m.OddFirst = f.m.OddFirst.Union(set)
		}
		if !f.follows(symbol) {
			f.m.OddNext = f.m.OddNext.Union(set)
		}
	}
}

// begins reports whether symbol is at the begin of a record, which is state s, what it is in a bare field.
func (f *runFinder) begins(s StateID, symbol byte) bool {
	end := f.m.Records.Has(symbol) || f.m.Return.Has(symbol)
	switch {
	case f.leading && (end || f.m.Fields.Has(symbol)):
		return !end
	case f.m.Fields.Has(symbol):
		return f.endsAt(s, symbol, f.m.Class)
	}
	return f.isAt(s, symbol)
}

// follows reports whether symbol is behind a run what it is in a bare field.
func (f *runFinder) follows(symbol byte) bool {
	if next, e := f.a.Step(f.next, symbol); f.trailing && f.content(symbol) {
		return next == f.in && isSplit(e, 0) && e.Class == f.m.Class
	}
	return f.m.Fields.Has(symbol) || f.isAt(f.next, symbol)
}

// isAt reports whether symbol, which is no separator, is in state s what it is in a bare field.
func (f *runFinder) isAt(s StateID, symbol byte) bool {
	switch {
	case f.m.Records.Has(symbol):
		return f.endsAt(s, symbol, f.m.Class)
	case f.m.Return.Has(symbol):
		lag, returns := f.returns(s, symbol, f.m.Class)
		return returns && lag == 1 == f.m.ReturnEnds
	}
	next, e := f.a.Step(s, symbol)
	return next == f.in && isSelf(e)
}

// ByMasks is those of Runs where there are some, else Masks.
func (r *Analysis) ByMasks() *Masks {
	if r.Runs != nil {
		return &r.Runs.Masks
	}
	return r.Masks
}
