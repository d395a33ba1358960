package lower

import "github.com/dfaparse/dfaparse/dfa"

// valueContent is what stands in a value, or on lines.
type valueContent[S comparable] interface {
	first() S // at the start of a record
	symbol(s S, b byte) (S, dfa.Emission, *Fault)
	end(s S) dfa.Emission // the end of the input
	describe(s S) dfa.State
}

// valued is the machine of one value: there are no lines, and after an error
// nothing more is read.
type valued[S comparable] struct{ valueContent[S] }

type valueState[S comparable] struct {
	in     S
	failed bool
}

func (m *valued[S]) start() valueState[S] { return valueState[S]{in: m.first()} }

func (m *valued[S]) step(s valueState[S], b byte) (valueState[S], dfa.Emission, *Fault) {
	if s.failed {
		return s, skip, nil
	}
	next, e, fault := m.symbol(s.in, b)
	if e.Kind == dfa.Error {
		return valueState[S]{in: m.first(), failed: true}, e, fault
	}
	return valueState[S]{in: next}, e, fault
}

func (m *valued[S]) eof(s valueState[S]) dfa.Emission {
	if s.failed {
		return dfa.Emission{Kind: dfa.Record, Column: dfa.NextColumn}
	}
	return m.end(s.in)
}

func (m *valued[S]) describe(s valueState[S]) dfa.State {
	if s.failed {
		return dfa.State{Name: "ERR", Doc: "after an error"}
	}
	return m.valueContent.describe(s.in)
}
