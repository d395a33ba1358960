package dfa

import (
	"strings"
	"testing"
)

// TestFindMasks: automata that look as if they had masks, and what is odd in
// them, or why they have none.
func TestFindMasks(t *testing.T) {
	field, record := Emission{Kind: Field, Column: NextColumn}, Emission{Kind: Record, Column: NextColumn}
	skip := Emission{Kind: Skip}
	comma, newline, quote := Bytes(','), Bytes('\n'), Bytes('"')
	// csv is fields and quoted fields; change makes it something else.
	csv := func(change func(b *Builder, fld, enc, esc StateID)) *Automaton {
		b := NewBuilder()
		eor, eof := b.AddState("EOR", "at the start of a record"), b.AddState("EOF", "at the start of a field")
		fld, enc, esc := b.AddState("FLD", "in a field"), b.AddState("ENC", "in quotes"), b.AddState("ESC", "after a quote")
		for _, s := range []StateID{eor, eof, fld, esc} {
			b.On(s, comma, eof, field)
			b.On(s, newline, eor, record)
			b.EOF(s, record)
		}
		b.On(eor, quote, enc, skip)
		b.On(eof, quote, enc, skip)
		b.On(esc, quote, enc, Emission{Kind: Data})
		b.On(enc, quote, esc, skip)
		change(b, fld, enc, esc)
		for s, to := range map[StateID]StateID{eor: fld, eof: fld, fld: fld, enc: enc, esc: fld} {
			b.Otherwise(s, to, Emission{Kind: Data})
		}
		b.EOF(enc, record)
		a, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	for _, test := range []struct {
		name   string
		change func(b *Builder, fld, enc, esc StateID)
		want   string // of Masks.String, and what is odd; or why there are none
	}{
		{"csv", func(*Builder, StateID, StateID, StateID) {}, `fields end at ',', records end at '\n', quoted by '"' that may be doubled`},
		{"a field ends late", func(b *Builder, fld, _, esc StateID) {
			late := Emission{Kind: Field, Column: NextColumn, Lag: 1, Open: 1}
			b.On(fld, Bytes(';'), 1, late)
		}, `odd ';'`},
		{"two separators", func(b *Builder, fld, _, _ StateID) { b.On(fld, Bytes(';'), fld, field) }, "why: bare fields end in several ways"},
		{"two classes", func(b *Builder, fld, _, _ StateID) {
			b.On(fld, Bytes(';'), 1, Emission{Kind: Field, Column: NextColumn, Class: 1})
		}, "why: bare fields end in several ways"},
		{"a quote in a bare field ends it", func(b *Builder, fld, _, _ StateID) { b.On(fld, quote, 1, field) }, `fields end at '"' or ',', records end at '\n' odd`},
		{"a symbol is lost", func(b *Builder, fld, _, _ StateID) { b.On(fld, Bytes('x'), fld, skip) }, `odd 'x'`},
		{"a symbol is another", func(b *Builder, fld, _, _ StateID) {
			b.On(fld, Bytes('x'), fld, Emission{Kind: Data, Sub: ByByte, Byte: 'y'})
		}, `odd 'x'`},
		{"an escape in quotes", func(b *Builder, _, enc, esc StateID) { b.On(enc, Bytes('\\'), esc, skip) }, `odd`},
		{"an escape", func(b *Builder, fld, _, _ StateID) {
			led := b.AddState("LED", "after a backslash")
			b.On(fld, Bytes('\\'), led, Emission{Kind: Skip, Escape: true})
			b.On(led, newline, fld, Emission{Kind: Skip})
			b.Otherwise(led, fld, Emission{Kind: Data})
			b.EOF(led, record)
		}, `that may be doubled, escaped by '\\'`},
		{"an escape of which nobody knows that it was written", func(b *Builder, fld, _, _ StateID) {
			led := b.AddState("LED", "after a backslash")
			b.On(fld, Bytes('\\'), led, skip)
			b.Otherwise(led, fld, Emission{Kind: Data})
			b.EOF(led, record)
		}, `odd '\\'`},
		{"only one column", func(b *Builder, fld, _, _ StateID) { b.On(fld, Bytes(';'), 1, Emission{Kind: Field, Column: 3}) }, `odd ';'`},
	} {
		m, why := FindMasks(csv(test.change))
		got := "why: " + why
		if m != nil {
			got = m.String() + " odd " + FormatSet(m.Odd)
		}
		if !strings.Contains(got, test.want) {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
	}
}

// TestEnclosuresOfEscapes: what opens an enclosure is of an escape wherever it opens one, or nowhere.
func TestEnclosuresOfEscapes(t *testing.T) {
	field, record := Emission{Kind: Field, Column: NextColumn}, Emission{Kind: Record, Column: NextColumn}
	control, escape := Emission{Kind: Skip}, Emission{Kind: Skip, Escape: true}
	for _, test := range []struct {
		first, other    Emission
		quoted, escaped bool
	}{{control, control, true, false}, {escape, escape, true, true}, {control, escape, false, false}, {escape, control, false, false}} {
		b := NewBuilder()
		eor, eof := b.AddState("EOR", "at the start of a record"), b.AddState("EOF", "at the start of a field")
		fld, enc, esc := b.AddState("FLD", "in a field"), b.AddState("ENC", "in quotes"), b.AddState("ESC", "after a quote")
		b.On(eor, Bytes('"'), enc, test.first)
		b.On(eof, Bytes('"'), enc, test.other)
		b.On(enc, Bytes('"'), esc, control)
		for _, s := range []StateID{eor, eof, fld, esc} {
			b.On(s, Bytes(','), eof, field)
			b.On(s, Bytes('\n'), eor, record)
			b.EOF(s, record)
			b.Otherwise(s, fld, Emission{Kind: Data})
		}
		b.Otherwise(enc, enc, Emission{Kind: Data})
		b.EOF(enc, record)
		a, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		m, why := FindMasks(a)
		if m == nil {
			t.Fatal(why)
		}
		if (m.Quote != nil) != test.quoted || m.Quote != nil && m.Quote.Escape != test.escaped {
			t.Errorf("escapes: first %v, other %v: quotes are %+v", test.first.Escape, test.other.Escape, m.Quote)
		}
	}
}
