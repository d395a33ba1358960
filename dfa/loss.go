package dfa

import "fmt"

// This file says which automata may lose what they have read. Where the input
// ends, AtEOF says Skip ("nothing is open") or Record. An automaton that says
// Skip where something is open would drop it, and nobody would hear of it; so
// would one that ends a record in front of symbols that belong to the next.
//
// What is open is not a property of a state alone: the same state may be reached
// after a record and within one. The check goes over pairs of a state and
// whether something is open in it:
//
//	                      of records          of one value
//	Data                  open                open
//	Field                 open                closed: the field stands
//	Record                closed              closed
//	Error                 open                of no matter: its code is reported
//	Skip                  as before           as before
//
// After a boundary that leaves symbols to what follows (Lag > Open) those are
// open. A symbol that is skipped opens nothing: to skip it is what the
// automaton says of it; but a lead does, for its escape is data.

// Loss is an input at whose end something that was read would be gone without
// a word.
type Loss struct {
	State StateID // in which it ends
	Input []byte  // a shortest one, of symbols that are good to read where there are such
	What  string  // is lost: "fields have ended"
}

// Error is the loss in words, the input included.
func (l *Loss) explain(a *Automaton, whose string) error {
	return fmt.Errorf("automaton: at the end of the %s %q, in state %s, nothing is said to be open, but %s",
		whose, l.Input, a.States[l.State].Name, l.What)
}

// RecordLoss is a shortest input of which a part of a record is lost at the
// end, nil if there is none. Of the Automaton of a Program there is none.
func (a *Automaton) RecordLoss() *Loss { return a.loss(false) }

// ValueLoss is a shortest value of which data symbols are in no field and
// nothing says that they should not be, nil if there is none; see Table.Fields.
// Of the automata that read lists and maps there is none.
func (a *Automaton) ValueLoss() *Loss { return a.loss(true) }

// Why something is open. closed is nothing.
const (
	closed = iota
	openData
	openField
	openError
)

var openWords = [...]string{
	openData:  "data of a field have been read",
	openField: "fields of the record have ended",
	openError: "an error has been met",
}

// opens is what is open after e, where before was.
func (e *Emission) opens(before uint8, value bool) uint8 {
	switch e.Kind {
	case Data:
		return max(before, openData)
	case Skip:
		if e.Escape { // it was written
			return max(before, openData)
		}
	case Field, Record:
		switch {
		case e.Kind == Field && !value:
			return openField
		case e.Lag > e.Open || e.Escape || e.Touch:
			return openData
		}
		return closed
	case Error:
		return openError
	}
	return before
}

func (a *Automaton) loss(value bool) *Loss {
	n := len(a.States)
	type step struct {
		from   int32 // the pair before, -1: none
		symbol byte
		open   uint8
	}
	// Pair 2*s is state s with nothing open, 2*s+1 with something.
	reached := make([]step, 2*n)
	seen := make([]bool, 2*n)
	start := int32(2 * a.Start)
	todo := []int32{start}
	reached[start], seen[start] = step{from: -1}, true
	groups, symbols := a.readable()
	for i := 0; i < len(todo); i++ {
		pair := todo[i]
		s := int(pair / 2)
		e := a.EOF(StateID(s))
		lost := ""
		switch {
		case e.Kind == Skip:
			lost = openWords[reached[pair].open]
		case e.Lag > e.Open+1: // the end stands for a symbol, which is none
			lost = fmt.Sprintf("the last %d symbols belong to what follows the boundary", e.Lag-e.Open-1)
		}
		if lost != "" {
			l := &Loss{State: StateID(s), What: lost}
			for ; reached[pair].from >= 0; pair = reached[pair].from {
				l.Input = append(l.Input, reached[pair].symbol)
			}
			for i, j := 0, len(l.Input)-1; i < j; i, j = i+1, j-1 {
				l.Input[i], l.Input[j] = l.Input[j], l.Input[i]
			}
			return l
		}
		for k, g := range groups {
			at := int(g)*n + s
			e := &a.Emissions[a.Emit[at]]
			if value && e.Code != 0 {
				continue
			}
			open := e.opens(reached[pair].open, value)
			next := 2 * int32(a.Next[at])
			if open != closed {
				next++
			}
			if !seen[next] {
				seen[next], reached[next] = true, step{pair, symbols[k], open}
				todo = append(todo, next)
			}
		}
	}
	return nil
}

// readable are the groups that have symbols, each with the one that is best to
// read, best first.
func (a *Automaton) readable() (groups []GroupID, symbols []byte) {
	var has [256]bool
	for _, b := range ReadableSymbols() {
		if g := a.Group[b]; !has[g] {
			has[g] = true
			groups, symbols = append(groups, g), append(symbols, b)
		}
	}
	return groups, symbols
}

// ReadableSymbols are all symbols; those that are good to read in an example
// come first.
func ReadableSymbols() []byte {
	rank := func(b byte) int {
		switch {
		case b >= 'a' && b <= 'z':
			return 0
		case b > ' ' && b < 0x7f:
			return 1
		case b == ' ' || b == '\t' || b == '\r' || b == '\n':
			return 2
		}
		return 3
	}
	order := make([]byte, 0, 256)
	for r := range 4 {
		for b := range 256 {
			if rank(byte(b)) == r {
				order = append(order, byte(b))
			}
		}
	}
	return order
}

// ValidateRecords reports, of an automaton that validates, how it would lose a
// part of the last record of an input.
func (a *Automaton) ValidateRecords() error {
	if l := a.RecordLoss(); l != nil {
		return l.explain(a, "input")
	}
	return nil
}

// ValidateValue reports, of an automaton that validates, why it cannot read
// lists and maps: it would lose a part of a value, or it has records of a kind
// that values have not.
func (a *Automaton) ValidateValue() error {
	for i := range a.Emissions {
		if k := a.Emissions[i].Record; k >= FirstDirective {
			return fmt.Errorf("automaton: emission %d: a record of kind %d, but a value has no directives", i, k)
		}
	}
	if l := a.ValueLoss(); l != nil {
		return l.explain(a, "value")
	}
	return nil
}

// ValidateSplit reports, of an automaton that validates, why it cannot take
// fields apart: a field is one record to it, of kind DataRecord, that ends where
// the field does; where there is none, the field does not fit.
func (a *Automaton) ValidateSplit() error {
	n := len(a.States)
	for _, s := range a.reachable() {
		for g := range a.NGroups {
			if e := &a.Emissions[a.Emit[g*n+int(s)]]; e.Kind == Record {
				return fmt.Errorf("automaton: state %s: a record ends before the end of the value", a.States[s].Name)
			}
		}
		if k := a.EOF(s).Record; k != DataRecord {
			return fmt.Errorf("automaton: state %s: a record of kind %d, but a value is data", a.States[s].Name, k)
		}
	}
	return a.ValidateRecords()
}
