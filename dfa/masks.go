package dfa

import (
	"fmt"
	"slices"
)

// Masks is what it takes to find the ends of fields by bit masks, 64 symbols at
// a time, without stepping the automaton: fields are bare or enclosed, and what
// a symbol does depends on no more than the place that was reached before it.
//
//	place                            symbol                 leads to
//	begin (of a record), next field  opens an enclosure     inside it
//	begin, next field, bare, closed  one of Fields          next field
//	begin, next field, bare, closed  one of Records         begin
//	begin, next field, bare, closed  Return                 before one of Records, which leads to begin
//	begin, next field, bare          any other              bare
//	inside                           closes the enclosure   closed
//	inside                           any other              inside
//	closed                           Open again, if Doubled inside
//	begin, next field, bare, inside  Lead                   before one of Led, which leads to bare, or inside
//
// Each place is one state, but for the one after Return. What is not in this
// table is odd, and so is what the automaton does otherwise, for which there are
// sets. Who reads by masks reads up to the first odd symbol, and from the record
// in which it lies on by the automaton. So it guarantees, for every input read
// from state Begin: up to the first odd symbol the automaton is in the states of
// these places, ends are the symbols themselves, of the next column, of data
// records without an error, and what is bare or inside is data for itself. Where there
// is a Lead that leads, and its escape: that all of them are of Led is for the reader to
// see to. In a field in which one is not, anything may come.
type Masks struct {
	Begin, Next    StateID // in which a record begins, and in which another field does
	Fields         Set     // symbols that end a field, outside of enclosures
	Records        Set     // symbols that end a field and its record there
	Class          uint8   // of bare fields
	Quote, Bracket *Enclosure
	Return         Set  // at most one symbol, which is control before one of Records: '\r'
	ReturnEnds     bool // the boundary of the record is Return, not what follows
	Odd            Set  // symbols that are odd outside of enclosures
	OddFirst       Set  // and the first of a record
	OddNext        Set  // and the first of another field
	Passes         bool // records that begin with one of OddFirst, if at their very begin, are dropped: see passes
	Lead           Set  // at most one symbol, with which escapes of two symbols begin: where there is a Led
	Led            *Led // in bare fields, also where these begin; nil: the lead is what it is without
}

// Led is what the second symbols of escapes decode to, -1 for those that are none: errors, and
// symbols of longer escapes.
type Led [256]int16

// Enclosure is how a field is enclosed: by quotes, which open and close alike,
// or by brackets, which do not. A quote in a bare field is odd, and so is a
// closing bracket.
type Enclosure struct {
	Open, Close byte
	Doubled     bool  // a quote that is doubled is data, the second of the two
	Class       uint8 // of the field
	Escape      bool  // what opens it is of an escape: how a field was written says that it was enclosed
	Odd         Set   // symbols that are odd inside
	Led         *Led  // of quotes: there; nil: the lead is what it is without, and in brackets it is odd

	inside, closed StateID
}

func (m *Masks) String() string { return m.text("") }

// text is String, of separators of which something is said.
func (m *Masks) text(separators string) string {
	s := fmt.Sprintf("records end at %s", FormatSet(m.Records))
	if !m.Fields.Empty() {
		s = fmt.Sprintf("fields end at %s%s, ", separators, FormatSet(m.Fields)) + s
	}
	if m.Quote != nil {
		s += ", quoted by " + FormatSymbol(m.Quote.Open)
		if m.Quote.Doubled {
			s += " that may be doubled"
		}
	}
	if !m.Lead.Empty() {
		s += ", escaped by " + FormatSet(m.Lead)
	}
	if m.Bracket != nil {
		s += fmt.Sprintf(", in brackets %s %s", FormatSymbol(m.Bracket.Open), FormatSymbol(m.Bracket.Close))
	}
	return s
}

// FindMasks is the form of a, or nil and the reason why it has none.
func FindMasks(a *Automaton) (m *Masks, why string) {
	f := maskFinder{a: a}
	if why := f.bare(); why != "" {
		return nil, why
	}
	for symbol := range 256 {
		f.enclosure(byte(symbol))
	}
	f.findReturn()
	f.findLead()
	f.odd()
	f.m.Passes = f.passes()
	return &f.m, ""
}

type maskFinder struct {
	a               *Automaton
	m               Masks
	begin, next, in StateID // the places outside of enclosures
}

// bare finds the places outside of enclosures.
func (f *maskFinder) bare() (why string) {
	in, ok := f.most(f.a.Start)
	if to, stays := f.most(in); !ok || !stays || to != in {
		return "in no state most symbols are the content of a field"
	}
	f.in = in
	to := map[Kind]StateID{}
	for symbol := range 256 {
		next, e := f.a.Step(in, byte(symbol))
		if !isPlainEnd(e) {
			continue
		}
		if before, seen := to[e.Kind]; seen && before != next || len(to) > 0 && e.Class != f.m.Class {
			return "bare fields end in several ways"
		}
		to[e.Kind], f.m.Class = next, e.Class
		if e.Kind == Field {
			f.m.Fields = f.m.Fields.Union(Bytes(byte(symbol)))
		} else {
			f.m.Records = f.m.Records.Union(Bytes(byte(symbol)))
		}
	}
	if f.begin, ok = to[Record]; !ok {
		return "no symbol by itself ends a record"
	}
	if f.next, ok = to[Field]; !ok {
		if slices.ContainsFunc(f.a.Emissions, func(e Emission) bool { return e.Kind == Field }) {
			return "no symbol by itself ends a field"
		}
		f.next = f.begin
	}
	for _, s := range []StateID{f.begin, f.next} {
		if to, ok := f.most(s); !ok || to != in {
			return "bare fields are not all alike"
		}
	}
	f.m.Begin, f.m.Next = f.begin, f.next
	return ""
}

// isPlainEnd reports whether e ends a field, or a record, and there is nothing
// else to it.
func isPlainEnd(e *Emission) bool {
	return e.Boundary() && e.Lag == 0 && !e.Touch && e.Column == NextColumn && e.Record == DataRecord && e.Code == 0
}

// isSelf reports whether e is data for itself.
func isSelf(e *Emission) bool { return e.Kind == Data && e.Sub == Itself }

// isAround reports whether e is control around a field, and of no escape.
func isAround(e *Emission) bool { return e.Kind == Skip && !e.Escape }

// most is the state to which most symbols lead from s as data for themselves.
func (f *maskFinder) most(s StateID) (to StateID, ok bool) {
	count := make([]int, len(f.a.States))
	for symbol := range 256 {
		if next, e := f.a.Step(s, byte(symbol)); isSelf(e) {
			if count[next]++; count[next] > 128 {
				return next, true
			}
		}
	}
	return 0, false
}

// enclosure notes the enclosure that open opens where a record or a field
// begins, if it does and there is no other of its kind.
func (f *maskFinder) enclosure(open byte) {
	inside, e := f.a.Step(f.next, open)
	first, opensFirst := f.a.Step(f.begin, open)
	if e.Kind != Skip || opensFirst.Kind != Skip || e.Escape != opensFirst.Escape || first != inside || inside == f.in {
		return
	}
	if content, ok := f.most(inside); !ok || content != inside {
		return
	}
	x := &Enclosure{Open: open, Escape: e.Escape, inside: inside}
	closes := 0
	for symbol := range 256 {
		next, e := f.a.Step(inside, byte(symbol))
		if next == inside && isSelf(e) {
			continue
		}
		if class, ok := f.ends(next); isAround(e) && ok {
			x.Close, x.Class, x.closed = byte(symbol), class, next
			closes++
		}
		x.Odd = x.Odd.Union(Bytes(byte(symbol)))
	}
	outside := f.m.Fields.Union(f.m.Records)
	if closes != 1 || outside.Has(open) || outside.Has(x.Close) {
		return
	}
	x.Odd = x.Odd.Minus(Bytes(x.Close))
	switch {
	case open == x.Close && f.m.Quote == nil:
		again, e := f.a.Step(x.closed, open)
		x.Doubled = again == inside && isSelf(e)
		f.m.Quote = x
	case open != x.Close && f.m.Bracket == nil && f.content(open):
		f.m.Bracket = x
	}
}

// content reports whether symbol is data in a bare field.
func (f *maskFinder) content(symbol byte) bool {
	next, e := f.a.Step(f.in, symbol)
	return next == f.in && isSelf(e)
}

// ends reports whether in state s ends what ends a bare field in one, and of
// which class the field is.
func (f *maskFinder) ends(s StateID) (class uint8, ok bool) {
	first := true
	for symbol := range 256 {
		if !f.m.Fields.Has(byte(symbol)) && !f.m.Records.Has(byte(symbol)) {
			continue
		}
		_, e := f.a.Step(s, byte(symbol))
		if first {
			class, first = e.Class, false
		}
		if !f.endsAt(s, byte(symbol), class) {
			return 0, false
		}
	}
	return class, true
}

// endsAt reports whether symbol ends in state s what it ends in a bare field,
// which is of a class.
func (f *maskFinder) endsAt(s StateID, symbol byte, class uint8) bool {
	next, e := f.a.Step(s, symbol)
	if !isPlainEnd(e) || e.Class != class {
		return false
	}
	if f.m.Fields.Has(symbol) {
		return e.Kind == Field && next == f.next
	}
	return e.Kind == Record && next == f.begin
}

// findReturn finds a symbol that may stand before those that end a record,
// after bare fields and enclosed ones.
func (f *maskFinder) findReturn() {
	for symbol := range 256 {
		if f.m.Fields.Has(byte(symbol)) { // which may be none behind the last field
			continue
		}
		lag, ok := f.returns(f.in, byte(symbol), f.m.Class)
		for _, x := range []*Enclosure{f.m.Quote, f.m.Bracket} {
			if !ok || x == nil {
				continue
			}
			lagClosed, okClosed := f.returns(x.closed, byte(symbol), x.Class)
			ok = okClosed && lagClosed == lag && byte(symbol) != x.Open && byte(symbol) != x.Close
		}
		if ok && f.m.Return.Empty() {
			f.m.Return, f.m.ReturnEnds = Bytes(byte(symbol)), lag == 1
		}
	}
}

// returns reports whether symbol is control in state s, and with what ends a
// record ends one there, and a field of a class; and by how much that lags.
func (f *maskFinder) returns(s StateID, symbol byte, class uint8) (lag uint16, ok bool) {
	after, e := f.a.Step(s, symbol)
	if !isAround(e) {
		return 0, false
	}
	first := true
	for end := range 256 {
		if !f.m.Records.Has(byte(end)) {
			continue
		}
		next, e := f.a.Step(after, byte(end))
		if first {
			lag, first = e.Lag, false
		}
		plain := *e
		plain.Lag, plain.Open = 0, 0
		if !isPlainEnd(&plain) || e.Kind != Record || e.Class != class || e.Lag != lag || e.Open != lag || lag > 1 || next != f.begin {
			return 0, false
		}
	}
	return lag, true
}

// findLead finds a symbol that leads escapes in bare fields, in quotes, or in both.
func (f *maskFinder) findLead() {
	for symbol := range 256 {
		lead := Bytes(byte(symbol))
		q, b := f.m.Quote, f.m.Bracket
		if f.m.Fields.Union(f.m.Records).Union(f.m.Return).Has(byte(symbol)) ||
			q != nil && q.Open == byte(symbol) || b != nil && (b.Open == byte(symbol) || b.Close == byte(symbol)) {
			continue
		}
		f.m.Led = f.led(byte(symbol), f.in, f.begin, f.next)
		if f.m.Led != nil {
			for i := range f.m.Led {
				if f.m.Return.Has(byte(i)) { // what ends with one ends before it
					f.m.Led[i] = -1
				}
			}
		}
		if q != nil {
			q.Led = f.led(byte(symbol), q.inside)
		}
		switch {
		case q != nil && q.Led != nil:
			q.Odd = q.Odd.Minus(lead)
		case f.m.Led == nil:
			continue
		case q != nil:
			q.Odd = q.Odd.Union(lead)
		}
		if f.m.Lead = lead; b != nil {
			b.Odd = b.Odd.Union(lead)
		}
		return
	}
}

// led is what lead leads to in state s, and in those others in which it leads at all; nil if
// it is no lead.
func (f *maskFinder) led(lead byte, s StateID, others ...StateID) *Led {
	if !f.isLead(s, lead) {
		return nil
	}
	var led Led
	some := false
	for i := range led {
		led[i] = f.decoded(s, lead, byte(i), s)
		for _, other := range others {
			if f.isLead(other, lead) && f.decoded(other, lead, byte(i), s) != led[i] {
				led[i] = -1
			}
		}
		some = some || led[i] >= 0
	}
	if !some {
		return nil
	}
	return &led
}

func (f *maskFinder) isLead(s StateID, symbol byte) bool {
	_, e := f.a.Step(s, symbol)
	return e.Kind == Skip && e.Escape
}

// decoded is what lead and symbol, which lead from s to a state, decode to, -1 if they are
// no escape.
func (f *maskFinder) decoded(s StateID, lead, symbol byte, to StateID) int16 {
	before, _ := f.a.Step(s, lead)
	next, e := f.a.Step(before, symbol)
	switch {
	case !f.isLead(s, lead) || next != to || e.Kind != Data:
	case e.Sub == Itself:
		return int16(symbol)
	case e.Sub == ByByte:
		return int16(e.Byte)
	}
	return -1
}

// odd fills the sets of what is odd outside of enclosures. Quotes and closing
// brackets there are odd without being in a set, unless they do what they should.
func (f *maskFinder) odd() {
	for i := range 256 {
		symbol := byte(i)
		if q, b := f.m.Quote, f.m.Bracket; q != nil && symbol == q.Open || b != nil && (symbol == b.Open || symbol == b.Close) {
			continue
		}
		end := f.m.Fields.Has(symbol) || f.m.Records.Has(symbol)
		leads := f.m.Led != nil && f.m.Lead.Has(symbol)
		if !end && !leads && !f.m.Return.Has(symbol) && !f.content(symbol) {
			f.m.Odd = f.m.Odd.Union(Bytes(symbol))
			continue
		}
		for _, place := range []struct {
			state StateID
			odd   *Set
		}{{f.begin, &f.m.OddFirst}, {f.next, &f.m.OddNext}} {
			ok := false
			switch {
			case leads:
				ok = f.isLead(place.state, symbol)
			case end:
				ok = f.endsAt(place.state, symbol, f.m.Class)
			case f.m.Return.Has(symbol):
				lag, returns := f.returns(place.state, symbol, f.m.Class)
				ok = returns && lag == 1 == f.m.ReturnEnds
			default:
				next, e := f.a.Step(place.state, symbol)
				ok = next == f.in && isSelf(e)
			}
			if !ok {
				*place.odd = place.odd.Union(Bytes(symbol))
			}
		}
	}
}

// passes reports whether records that begin with one of OddFirst are dropped, as comments and blank lines are: up to the
// next of Records, whatever is before it. Behind a Return, with which one begins, has to be one of Records.
func (f *maskFinder) passes() bool {
	for i := range 256 {
		if symbol := byte(i); f.m.OddFirst.Has(symbol) && !f.drops(symbol) {
			return false
		}
	}
	return !f.m.OddFirst.Empty()
}

// drops reports whether a record that begins with symbol is dropped.
func (f *maskFinder) drops(symbol byte) bool {
	within, e := f.a.Step(f.begin, symbol)
	if f.m.Records.Has(symbol) {
		return f.isDrop(within, e)
	}
	for i := range 256 {
		switch next, after := f.a.Step(within, byte(i)); {
		case f.m.Records.Has(byte(i)):
			if !f.isDrop(next, after) {
				return false
			}
		case !f.m.Return.Has(symbol) && (next != within || !isInside(after)):
			return false
		}
	}
	return isInside(e)
}

// isInside reports whether e ends nothing, and is no error.
func isInside(e *Emission) bool { return e.Kind == Data || e.Kind == Skip }

// isDrop reports whether e ends a record that is dropped, and leads to where another begins.
func (f *maskFinder) isDrop(next StateID, e *Emission) bool {
	return e.Kind == Record && e.Record == DroppedRecord && e.Code == 0 && e.Lag == 0 && !e.Touch && next == f.begin
}

// MaxHopGroups is the most symbol groups of an automaton whose records are read by
// hops: sets of them are bits of a word.
const MaxHopGroups = 61

// IndexPath says in a word how an engine that reads on one core finds where the fields
// end: by "masks", as long as nothing is odd, by "hops" along the path that other
// records took, or by "steps" of the automaton at special symbols.
func (r *Analysis) IndexPath() string {
	switch {
	case r.ByMasks() != nil:
		return "masks"
	case r.Groups <= MaxHopGroups:
		return "hops"
	}
	return "steps"
}
