package dfa

import (
	"errors"
	"fmt"
	"slices"
)

// StateID numbers the states of an Automaton from 0.
type StateID uint16

// GroupID numbers its symbol groups from 0.
type GroupID uint8

// EmissionID indexes Automaton.Emissions.
type EmissionID uint16

// Limits of an Automaton. MaxStates keeps a table within what a worker's cache
// holds; a spec that needs more is refused at compile time.
const (
	MaxStates    = 1 << 12
	MaxEmissions = 1 << 9
)

// State names a state for people.
type State struct {
	Name string // short, unique, as in graphs: "ENC"
	Doc  string // in words, as in errors: "inside a quoted field"
}

// Automaton is a deterministic finite-state transducer over bytes, the merge
// of a DFA with the emissions of its transitions (ParPaRaw, section 3 and
// Table 1). It is immutable once built; Builder makes one, and Validate holds
// for every Automaton inside a Program.
//
// After a Record with Lag = Open the next record begins after the symbol, in
// the state that the transition leads to. After a Record with Lag > Open it
// begins after the boundary (Emission.After), in Start, and reading from there
// gives the same states from the present symbol on: that is what allows a
// reader to begin again at any record boundary.
type Automaton struct {
	States    []State
	Start     StateID
	Group     [256]GroupID // symbol -> group
	NGroups   int
	Next      []StateID    // NGroups rows of len(States): Next[group*len(States)+state]
	Emit      []EmissionID // same shape as Next
	AtEOF     []EmissionID // per state: Skip (no record is open) or Record
	Emissions []Emission
	Messages  []string // what ErrorCode c means: Messages[c-1]
}

// Escapes reports whether some transition belongs to an escape. If none does,
// every field is what was written.
func (a *Automaton) Escapes() bool {
	return slices.ContainsFunc(a.Emissions, func(e Emission) bool { return e.Coded() })
}

// LeadingFields reports whether some field is found to have ended at the lead of an
// escape, see Emission.Escape.
func (a *Automaton) LeadingFields() bool {
	return slices.ContainsFunc(a.Emissions, func(e Emission) bool { return e.leads() })
}

// Touches reports whether some field ends where the next one begins, with no symbol
// between them, see Emission.Touch.
func (a *Automaton) Touches() bool {
	return slices.ContainsFunc(a.Emissions, func(e Emission) bool { return e.Touch })
}

// NStates is the number of states.
func (a *Automaton) NStates() int { return len(a.States) }

// Step is one transition.
func (a *Automaton) Step(s StateID, symbol byte) (StateID, *Emission) {
	i := int(a.Group[symbol])*len(a.States) + int(s)
	return a.Next[i], &a.Emissions[a.Emit[i]]
}

// EOF is the emission at the end of the input.
func (a *Automaton) EOF(s StateID) *Emission { return &a.Emissions[a.AtEOF[s]] }

// Resume is the state in which the record begins that follows a Record
// emission e whose transition led to next.
func (a *Automaton) Resume(e *Emission, next StateID) StateID {
	if e.Lag > e.Open {
		return a.Start
	}
	return next
}

// Message is the text of an error code, "" for 0.
func (a *Automaton) Message(c ErrorCode) string {
	if c == 0 || int(c) > len(a.Messages) {
		return ""
	}
	return a.Messages[c-1]
}

// Validate reports the first way in which a is not well formed. Every
// Automaton that validates can be run over any input without a panic.
func (a *Automaton) Validate() error {
	n := len(a.States)
	switch {
	case n == 0:
		return errors.New("automaton: no states")
	case n > MaxStates:
		return fmt.Errorf("automaton: %d states, at most %d", n, MaxStates)
	case int(a.Start) >= n:
		return fmt.Errorf("automaton: start state %d of %d", a.Start, n)
	case a.NGroups < 1 || a.NGroups > 256:
		return fmt.Errorf("automaton: %d symbol groups", a.NGroups)
	case len(a.Emissions) == 0 || len(a.Emissions) > MaxEmissions:
		return fmt.Errorf("automaton: %d emissions, at most %d", len(a.Emissions), MaxEmissions)
	case len(a.Next) != n*a.NGroups || len(a.Emit) != n*a.NGroups || len(a.AtEOF) != n:
		return fmt.Errorf("automaton: tables of %d, %d and %d entries for %d states and %d groups",
			len(a.Next), len(a.Emit), len(a.AtEOF), n, a.NGroups)
	}
	for b, g := range a.Group {
		if int(g) >= a.NGroups {
			return fmt.Errorf("automaton: symbol %#02x in group %d of %d", b, g, a.NGroups)
		}
	}
	for i := range a.Emissions {
		if err := a.validateEmission(&a.Emissions[i]); err != nil {
			return fmt.Errorf("automaton: emission %d: %w", i, err)
		}
	}
	for i, t := range a.Next {
		if int(t) >= n {
			return fmt.Errorf("automaton: group %d, state %d: next state %d of %d", i/n, i%n, t, n)
		}
		if int(a.Emit[i]) >= len(a.Emissions) {
			return fmt.Errorf("automaton: group %d, state %d: emission %d of %d", i/n, i%n, a.Emit[i], len(a.Emissions))
		}
	}
	for s, id := range a.AtEOF {
		if int(id) >= len(a.Emissions) {
			return fmt.Errorf("automaton: state %d: emission %d of %d at the end of input", s, id, len(a.Emissions))
		}
		if e := &a.Emissions[id]; e.Kind != Skip && e.Kind != Record || e.Escape {
			return fmt.Errorf("automaton: state %d: %s at the end of input, want skip or record", s, e)
		}
	}
	return a.validateLags()
}

func (a *Automaton) validateEmission(e *Emission) error {
	switch {
	case e.Kind > Error:
		return fmt.Errorf("unknown kind %d", e.Kind)
	case e.Sub > ByOctal:
		return fmt.Errorf("unknown substitution %d", e.Sub)
	case e.Sub != Itself && e.Kind != Data:
		return fmt.Errorf("%s with a substitute", e.Kind)
	case e.Escape && e.Kind != Skip && !e.leads():
		return fmt.Errorf("%s as the lead of an escape", e)
	case e.Blame > BlameField:
		return fmt.Errorf("unknown blame %d", e.Blame)
	case int(e.Code) > len(a.Messages):
		return fmt.Errorf("error code %d of %d", e.Code, len(a.Messages))
	case e.Kind == Error && e.Code == 0:
		return errors.New("error without a code")
	case e.Kind != Error && e.Kind != Record && e.Code != 0:
		return fmt.Errorf("%s with an error code", e.Kind)
	case e.Boundary() && (e.Column < NextColumn || e.Column >= MaxColumns):
		return fmt.Errorf("column %d, at most %d", e.Column, MaxColumns-1)
	case e.Open > e.Lag:
		return fmt.Errorf("lag of %d symbols, %d of them open", e.Lag, e.Open)
	case e.Touch && (e.Kind != Field || e.Lag != 0 || e.Escape):
		return fmt.Errorf("%s that no symbol parts from what follows", e)
	case !e.Boundary() && (e.Lag != 0 || e.Class != 0 || e.Column != 0):
		return fmt.Errorf("%s with the attributes of a boundary", e.Kind)
	case e.Kind != Record && e.Record != 0:
		return fmt.Errorf("%s with a record kind", e.Kind)
	}
	return nil
}
