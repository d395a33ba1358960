package lower

import "github.com/dfaparse/dfaparse/dfa"

// BuildLines builds the automaton whose records are lines of one field.
func BuildLines(l *Lines) (*dfa.Automaton, error) {
	ms := newMessages(l.Work)
	return exploreLined[plainState](&plain{l}, l, true, ms)
}

// plain is the content of lines that are one field.
type plain struct{ *Lines }

type plainState bool // something has been read

func (p *plain) first() plainState { return false }

func (p *plain) symbol(plainState, byte) (plainState, dfa.Emission, *Fault) { return true, data, nil }

func (p *plain) lineEnd(s plainState) (dfa.Emission, lineRule) {
	e := dfa.Emission{Kind: dfa.Record, Column: dfa.NextColumn}
	if !s && p.Blank == SkipBlank {
		e.Record = dfa.DroppedRecord
	}
	return e, lineRuleOf(p.Lax)
}

func (p *plain) end(s plainState) dfa.Emission {
	if !s {
		return skip
	}
	return dfa.Emission{Kind: dfa.Record, Column: dfa.NextColumn}
}

func (p *plain) describe(s plainState) dfa.State {
	if s {
		return dfa.State{Name: "LINE", Doc: "in a line"}
	}
	return dfa.State{Name: "EOR", Doc: "at the start of a line"}
}
