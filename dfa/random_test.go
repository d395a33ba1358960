package dfa

import (
	"fmt"
	"slices"

	"pgregory.net/rapid"
)

// drawEmission draws a transition's emission, or one for the end of the input.
func drawEmission(t *rapid.T, messages int, eof bool) Emission {
	kinds := []Kind{Data, Data, Skip, Field, Record, Error}
	if eof {
		kinds = []Kind{Skip, Record, Record}
	}
	e := Emission{Kind: rapid.SampledFrom(kinds).Draw(t, "kind")}
	small := rapid.IntRange(0, 3)
	code := func() ErrorCode { return ErrorCode(1 + rapid.IntRange(0, messages-1).Draw(t, "code")) }
	switch e.Kind {
	case Data:
		e.Sub = rapid.SampledFrom([]Substitution{Itself, Itself, Itself, ByByte, ByHex, ByOctal}).Draw(t, "sub")
		e.Byte = byte(small.Draw(t, "byte"))
	case Skip:
		e.Escape = !eof && small.Draw(t, "escape") == 0
	case Record:
		e.Record = RecordKind(small.Draw(t, "record kind") / 2)
		if messages > 0 && small.Draw(t, "malformed") == 0 {
			e.Code = code()
			e.Blame = Blame(small.Draw(t, "blame") % 2)
		}
	case Error:
		if messages == 0 {
			return Emission{Kind: Skip}
		}
		e.Code = code()
		e.Blame = Blame(small.Draw(t, "blame") % 2)
	}
	if e.Boundary() {
		e.Column = int16(max(NextColumn, small.Draw(t, "column")-2))
		e.Class = uint8(small.Draw(t, "class") / 2)
		e.Lag = uint16(small.Draw(t, "lag"))
		e.Open = min(e.Lag, uint16(small.Draw(t, "open")))
		e.Escape = e.Kind == Field && e.Lag > 0 && e.Open == e.Lag && small.Draw(t, "escape") == 0
		e.Touch = e.Kind == Field && e.Lag == 0 && small.Draw(t, "touch") == 0
	}
	return e
}

// drawAutomaton draws an automaton that validates; most are not minimal.
func drawAutomaton(t *rapid.T) *Automaton {
	n := rapid.IntRange(1, 7).Draw(t, "states")
	g := rapid.IntRange(1, 5).Draw(t, "groups")
	a := &Automaton{NGroups: g, Start: StateID(rapid.IntRange(0, n-1).Draw(t, "start"))}
	for i := range n {
		a.States = append(a.States, State{fmt.Sprintf("S%d", i), fmt.Sprintf("in state %d", i)})
	}
	a.Messages = rapid.SampledFrom([][]string{nil, {"wrong"}, {"wrong", "bad", "wrong"}}).Draw(t, "messages")
	for i := range 256 {
		a.Group[i] = GroupID(i % g)
	}
	nmid := rapid.IntRange(1, 6).Draw(t, "emissions")
	for range nmid {
		a.Emissions = append(a.Emissions, drawEmission(t, len(a.Messages), false))
	}
	neof := rapid.IntRange(1, 2).Draw(t, "emissions at the end")
	for range neof {
		a.Emissions = append(a.Emissions, drawEmission(t, len(a.Messages), true))
	}
	for range n * g {
		a.Next = append(a.Next, StateID(rapid.IntRange(0, n-1).Draw(t, "next")))
		a.Emit = append(a.Emit, EmissionID(rapid.IntRange(0, nmid-1).Draw(t, "emit")))
	}
	for range n {
		a.AtEOF = append(a.AtEOF, EmissionID(nmid+rapid.IntRange(0, neof-1).Draw(t, "at the end")))
	}
	for lag := 2; a.Validate() != nil; lag-- { // lags that reach back too far are cut
		if lag < 0 {
			t.Fatal(a.Validate())
		}
		for i := range a.Emissions {
			e := &a.Emissions[i]
			e.Lag = min(e.Lag, uint16(lag))
			e.Open = min(e.Open, e.Lag)
			e.Escape = e.Kind == Skip && e.Escape || e.leads()
			e.Sub = min(e.Sub, []Substitution{ByByte, ByHex, ByOctal}[lag]) // as are digits before
		}
	}
	return a
}

// drawReader draws an automaton that a Program may have: of records, or of
// lists and maps.
func drawReader(t *rapid.T, value bool) *Automaton {
	a := drawAutomaton(t)
	a.endOpen(value)
	if value {
		for i := range a.Emissions {
			a.Emissions[i].Record = min(a.Emissions[i].Record, DroppedRecord)
		}
	}
	return a
}

// endOpen makes the end of the input end a record wherever it would lose one.
func (a *Automaton) endOpen(value bool) {
	for l := a.loss(value); l != nil; l = a.loss(value) {
		a.AtEOF[l.State] = recordAtEnd(a)
	}
}

// recordAtEnd is the id of a plain Record.
func recordAtEnd(a *Automaton) EmissionID {
	if i := slices.Index(a.Emissions, record); i >= 0 {
		return EmissionID(i)
	}
	a.Emissions = append(a.Emissions, record)
	return EmissionID(len(a.Emissions) - 1)
}

// drawSplitter draws an automaton that takes fields apart.
func drawSplitter(t *rapid.T) *Automaton {
	a := drawAutomaton(t)
	for i := range a.Emissions {
		e := &a.Emissions[i]
		e.Record = DataRecord
		if e.Kind == Record && slices.Contains(a.Emit, EmissionID(i)) {
			*e = Emission{Kind: Field, Column: e.Column, Class: e.Class, Lag: e.Lag, Open: e.Open}
		}
	}
	a.endOpen(false)
	return a
}

// drawInput draws bytes that the groups of drawAutomaton tell apart.
func drawInput(t *rapid.T, most int) []byte {
	return rapid.SliceOfN(rapid.ByteRange(0x30, 0x39), 0, most).Draw(t, "input")
}

func walkAll(a *Automaton, in []byte, s StateID) (out []RawRecord) {
	a.Walk(in, s, func(r *RawRecord) bool {
		out = append(out, *r)
		return true
	})
	return out
}
