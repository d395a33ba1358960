package dfa

import (
	"strings"
	"testing"
)

func TestProgramFaults(t *testing.T) {
	lex := barsMachine(t)
	for _, c := range []struct {
		want   string
		change func(*Definition)
	}{
		{"no automaton", func(d *Definition) { d.Automaton = nil }},
		{"no states", func(d *Definition) { d.Automaton = &Automaton{} }},
		{"record kind 2, but 0 directives", func(d *Definition) {
			a := *d.Automaton
			a.Emissions = append([]Emission{{Kind: Record, Column: NextColumn, Record: FirstDirective}}, a.Emissions[1:]...)
			d.Automaton = &a
		}},
		{"16385 columns", func(d *Definition) { d.Columns = make([]Column, MaxColumns+1) }},
		{"cannot name columns", func(d *Definition) { d.Header = Header{Mode: NamesHeader} }},
		{"want one of these", func(d *Definition) { d.Skip = []SkippedLines{{}} }},
		{"want one of these", func(d *Definition) { d.Skip = []SkippedLines{{Lines: 1, Until: []string{"x"}}} }},
		{"want one of these", func(d *Definition) { d.Skip = []SkippedLines{{Lines: -1}} }},
		{`the prefix "a\n"`, func(d *Definition) { d.Skip = []SkippedLines{{Prefixes: []string{"#", "a\n"}}} }},
		{`the prefix ""`, func(d *Definition) { d.Skip = []SkippedLines{{Until: []string{""}}} }},
		{"65 kinds of lines to skip", func(d *Definition) { d.Skip = make([]SkippedLines, 65) }},
		{"unknown policy", func(d *Definition) { d.OnError = Reject + 1 }},
		{"records of at most -1 bytes", func(d *Definition) { d.MaxRecord = -1 }},
		{"1 widths for 5 columns", func(d *Definition) { d.Widths = []int{3} }},
		{"a rest without a column", func(d *Definition) { d.Columns, d.HasRest = nil, true }},
		{"the automaton ends fields", func(d *Definition) { d.Columns, d.Widths = d.Columns[:1], []int{3} }},
		{"0 bytes wide", func(d *Definition) { d.Columns, d.Widths = d.Columns[:1], []int{0} }},
		{"unknown action", func(d *Definition) { d.Directives = []Directive{{Prefix: "#", Action: 9}} }},
		{"lexeme class 3 of 0", func(d *Definition) { d.Columns[0].Class = 3 }},
		{"precision 39", func(d *Definition) { d.Columns[0].Type = Type{Kind: Decimal, Precision: 39} }},
		{"without tokens", func(d *Definition) { d.Columns[0].Type = Type{Kind: Enum} }},
		{"without an element type", func(d *Definition) { d.Columns[0].Type = Type{Kind: List} }},
		{"nested more than 3 deep", func(d *Definition) {
			list := Type{Kind: List, Lex: lex, Elem: &Type{}}
			for range 3 {
				inner := list
				list = Type{Kind: List, Lex: lex, Elem: &inner}
			}
			d.Columns[0].Type = list
		}},
		{"a split inside a split", func(d *Definition) {
			d.Columns[0].Split = &Split{Automaton: pairMachine(t), Columns: []Column{{Split: &Split{Automaton: pairMachine(t)}}}}
		}},
		{"split without an automaton", func(d *Definition) { d.Columns[0].Split = &Split{} }},
		{"a record ends before the end of the value", func(d *Definition) { d.Columns[0].Split = &Split{Automaton: lex} }},
		{`at the end of the input "a", in state FLD, nothing is said to be open, but data of a field have been read`, func(d *Definition) {
			d.Automaton = losing(lex)
		}},
		{`at the end of the value "a", in state FLD, nothing is said to be open, but data of a field have been read`, func(d *Definition) {
			d.Columns[0].Type = Type{Kind: Map, Elem: &Type{}, Lex: losing(lex)}
		}},
		{"a value has no directives", func(d *Definition) {
			a := *lex
			a.Emissions = append(a.Emissions[:len(a.Emissions):len(a.Emissions)], Emission{Kind: Record, Column: NextColumn, Record: FirstDirective})
			d.Columns[0].Type = Type{Kind: List, Elem: &Type{}, Lex: &a}
		}},
	} {
		d := csvProgram(t).Definition
		c.change(&d)
		if _, err := NewProgram(d); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
}

func TestAutomatonFaults(t *testing.T) {
	for _, c := range []struct {
		want   string
		change func(*Automaton)
	}{
		{"start state 6 of 6", func(a *Automaton) { a.Start = 6 }},
		{"0 symbol groups", func(a *Automaton) { a.NGroups = 0 }},
		{"tables of 23,", func(a *Automaton) { a.Next = a.Next[1:] }},
		{"symbol 0x41 in group 9 of 4", func(a *Automaton) { a.Group['A'] = 9 }},
		{"group 1, state 2: next state 77 of 6", func(a *Automaton) { a.Next[6+2] = 77 }},
		{"emission 77 of", func(a *Automaton) { a.Emit[0] = 77 }},
		{"at the end of input, want skip or record", func(a *Automaton) { a.AtEOF[1] = a.Emit[2*6] }},
		{"unknown kind 9", func(a *Automaton) { a.Emissions[0] = Emission{Kind: 9} }},
		{"skip with a substitute", func(a *Automaton) { a.Emissions[0] = Emission{Kind: Skip, Sub: ByHex} }},
		{"error code 9 of 3", func(a *Automaton) { a.Emissions[0] = Emission{Kind: Error, Code: 9} }},
		{"error without a code", func(a *Automaton) { a.Emissions[0] = Emission{Kind: Error} }},
		{"lag of 1 symbols, 2 of them open", func(a *Automaton) { a.Emissions[0] = Emission{Kind: Field, Lag: 1, Open: 2} }},
		{"data with the attributes of a boundary", func(a *Automaton) { a.Emissions[0] = Emission{Kind: Data, Lag: 1} }},
		{"column 16384", func(a *Automaton) { a.Emissions[0] = Emission{Kind: Field, Column: MaxColumns} }},
	} {
		a := csvMachine(t, false, true)
		c.change(a)
		if err := a.Validate(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
}
