package cpu

import "github.com/dfaparse/dfaparse/dfa"

// table is the automaton laid out for one core: one entry for each state and
// symbol.
//
//	bit  31..29   28..25   24..16     15..0
//	     op       0        emission   next state
type table struct {
	entries   []entry
	emissions []dfa.Emission
	eof       []dfa.EmissionID
	start     dfa.StateID
}

type entry uint32

// The ops, ordered so that one comparison tells what needs no work: plain data.
const (
	opData    = iota // data that stands for itself
	opSkip           // control
	opDecode         // data that stands for another byte
	opError          // no transition
	opField          // ends a field
	opRecord         // ends a record
	opShift   = 29
	firstWork = entry(opSkip) << opShift
)

func (e entry) next() uint32             { return uint32(e) & 0xFFFF }
func (e entry) op() uint32               { return uint32(e) >> opShift }
func (e entry) emission() dfa.EmissionID { return dfa.EmissionID(e >> 16 & (dfa.MaxEmissions - 1)) }

func newTable(a *dfa.Automaton) *table {
	t := &table{entries: make([]entry, 256*a.NStates()), emissions: a.Emissions, eof: a.AtEOF, start: a.Start}
	for s := range a.NStates() {
		for c := range 256 {
			i := int(a.Group[c])*a.NStates() + s
			t.entries[s<<8|c] = entry(a.Next[i]) | entry(a.Emit[i])<<16 | op(&a.Emissions[a.Emit[i]])<<opShift
		}
	}
	return t
}

func op(e *dfa.Emission) entry {
	switch e.Kind {
	case dfa.Data:
		if e.Sub == dfa.Itself {
			return opData
		}
		return opDecode
	case dfa.Skip:
		return opSkip
	case dfa.Field:
		return opField
	case dfa.Record:
		return opRecord
	}
	return opError
}
