package enginetest

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/dfaparse/dfaparse/dfa"
)

var (
	data   = dfa.Emission{Kind: dfa.Data}
	skip   = dfa.Emission{Kind: dfa.Skip}
	lead   = dfa.Emission{Kind: dfa.Skip, Escape: true}
	field  = dfa.Emission{Kind: dfa.Field, Column: dfa.NextColumn}
	record = dfa.Emission{Kind: dfa.Record, Column: dfa.NextColumn}
)

func build(tb rapid.TB, b *dfa.Builder) *dfa.Automaton {
	tb.Helper()
	a, err := b.Build()
	if err != nil {
		tb.Fatal(err)
	}
	return a
}

// csvMachine is RFC 4180: \n or \r\n, errors that last to the end of the line,
// blank lines dropped.
func csvMachine(tb testing.TB) *dfa.Automaton {
	b := dfa.NewBuilder()
	eor, eof := b.AddState("EOR", "at the start of a record"), b.AddState("EOF", "at the start of a field")
	fld, enc := b.AddState("FLD", "in a field"), b.AddState("ENC", "in a quoted field")
	esc, cr := b.AddState("ESC", "after a quote in a quoted field"), b.AddState("CR", "after a carriage return")
	inv, blank := b.AddState("INV", "after an error"), b.AddState("BCR", "after a carriage return that begins a line")
	bad := func(text string) dfa.Emission { return dfa.Emission{Kind: dfa.Error, Code: b.Message(text)} }
	crlf := dfa.Emission{Kind: dfa.Record, Column: dfa.NextColumn, Lag: 1, Open: 1}
	dropped := dfa.Emission{Kind: dfa.Record, Column: dfa.NextColumn, Record: dfa.DroppedRecord}
	q, comma, nl := dfa.Bytes('"'), dfa.Bytes(','), dfa.Bytes('\n')

	b.On(eor, q, enc, skip)
	b.On(eor, nl, eor, dropped)
	b.On(eor, dfa.Bytes('\r'), blank, skip)
	b.On(blank, nl, eor, dfa.Emission{Kind: dfa.Record, Column: dfa.NextColumn, Record: dfa.DroppedRecord, Lag: 1, Open: 1})
	b.Otherwise(blank, inv, bad("a carriage return alone"))
	b.EOF(blank, dropped)
	b.On(eof, q, enc, skip)
	b.On(fld, q, inv, bad("a quote in a bare field"))
	b.On(enc, q, esc, skip)
	b.Otherwise(enc, enc, data)
	b.On(esc, q, enc, data)
	for _, s := range []dfa.StateID{eor, eof, fld, esc} {
		b.On(s, comma, eof, field)
		if s != eor {
			b.On(s, nl, eor, record)
			b.On(s, dfa.Bytes('\r'), cr, skip)
		}
	}
	b.Otherwise(eor, fld, data)
	b.Otherwise(eof, fld, data)
	b.Otherwise(fld, fld, data)
	b.Otherwise(esc, inv, bad("text after a closing quote"))
	b.On(cr, nl, eor, crlf)
	b.Otherwise(cr, inv, bad("a carriage return alone"))
	b.On(inv, nl, eor, record)
	b.Otherwise(inv, inv, skip)
	b.EOF(eor, skip)
	for _, s := range []dfa.StateID{eof, fld, esc, inv} {
		b.EOF(s, record)
	}
	b.EOF(cr, crlf)
	unterminated := record
	unterminated.Code, unterminated.Blame = b.Message("unterminated quote"), dfa.BlameField
	b.EOF(enc, unterminated)
	return build(tb, b)
}

// pipesMachine separates fields by "||", escapes by \xHH and \n, and ends
// fields in class 1 where they held an escape.
func pipesMachine(tb testing.TB) *dfa.Automaton {
	b := dfa.NewBuilder()
	hexDigits := dfa.Range('0', '9').Union(dfa.Range('a', 'f')).Union(dfa.Range('A', 'F'))
	type states struct{ fld, pipe, esc, hex1, hex2 dfa.StateID }
	bol := b.AddState("BOL", "at the start of a record")
	var s [2]states
	for c := range s {
		n := fmt.Sprint(c)
		s[c] = states{
			b.AddState("FLD"+n, "in a field"), b.AddState("PIPE"+n, "after one |"), b.AddState("ESC"+n, "after a backslash"),
			b.AddState("HEX"+n, "before a hexadecimal digit"), b.AddState("HEY"+n, "before the second one"),
		}
	}
	bad := dfa.Emission{Kind: dfa.Error, Code: b.Message("unknown escape")}
	for c, t := range s {
		class := uint8(c)
		end := dfa.Emission{Kind: dfa.Record, Column: dfa.NextColumn, Class: class}
		begin := []dfa.StateID{t.fld}
		if c == 0 {
			begin = append(begin, bol)
		}
		for _, at := range begin {
			b.On(at, dfa.Bytes('|'), t.pipe, data)
			b.On(at, dfa.Bytes('\\'), s[1].esc, lead)
			b.On(at, dfa.Bytes('\n'), bol, end)
			b.Otherwise(at, t.fld, data)
		}
		b.On(t.pipe, dfa.Bytes('|'), s[0].fld, dfa.Emission{Kind: dfa.Field, Column: dfa.NextColumn, Class: class, Lag: 1, Open: 1})
		b.On(t.pipe, dfa.Bytes('\\'), s[1].esc, lead)
		b.On(t.pipe, dfa.Bytes('\n'), bol, end)
		b.Otherwise(t.pipe, t.fld, data)
		b.On(t.esc, dfa.Bytes('x'), t.hex1, lead)
		b.On(t.esc, dfa.Bytes('n'), t.fld, dfa.Emission{Kind: dfa.Data, Sub: dfa.ByByte, Byte: '\n'})
		b.On(t.esc, dfa.Bytes('\n'), bol, end)
		b.Otherwise(t.esc, t.fld, bad)
		b.On(t.hex1, hexDigits, t.hex2, lead)
		b.On(t.hex2, hexDigits, t.fld, dfa.Emission{Kind: dfa.Data, Sub: dfa.ByHex})
		for _, h := range []dfa.StateID{t.hex1, t.hex2} {
			b.On(h, dfa.Bytes('\n'), bol, end)
			b.Otherwise(h, t.fld, bad)
			b.EOF(h, end)
		}
		b.EOF(t.fld, end)
		b.EOF(t.pipe, end)
		b.EOF(t.esc, end)
	}
	b.EOF(bol, skip)
	return build(tb, b)
}

// stanzaMachine begins a record where a line begins with "@7"; the newline
// before it is found to have been the boundary two symbols later, the @ to be
// control. "7" is the first field, and what follows its colon, over many lines,
// the second.
func stanzaMachine(tb testing.TB) *dfa.Automaton {
	b := dfa.NewBuilder()
	start := b.AddState("START", "at the start of a record")
	at, key := b.AddState("AT", "after @"), b.AddState("KEY", "after @7")
	text, nl, nlAt := b.AddState("TEXT", "in the text"), b.AddState("NL", "after a newline"), b.AddState("NLAT", "after a newline and @")
	lost := b.AddState("LOST", "in text before the first record")
	bad := dfa.Emission{Kind: dfa.Error, Code: b.Message("text before the first record")}
	newline, lead, seven := dfa.Bytes('\n'), dfa.Bytes('@'), dfa.Bytes('7')

	b.On(start, lead, at, skip)
	b.Otherwise(start, lost, bad)
	b.On(at, seven, key, data)
	b.Otherwise(at, lost, bad)
	b.On(lost, newline, start, record)
	b.Otherwise(lost, lost, data)
	b.On(key, dfa.Bytes(':'), text, field)
	b.On(key, newline, nl, dfa.Emission{Kind: dfa.Error, Code: b.Message("no colon")})
	b.Otherwise(key, text, dfa.Emission{Kind: dfa.Error, Code: b.Message("no colon")})
	b.On(nl, lead, nlAt, data)
	b.On(nlAt, seven, key, dfa.Emission{Kind: dfa.Record, Column: dfa.NextColumn, Lag: 2, Open: 1})
	for _, s := range []dfa.StateID{text, nl, nlAt} {
		b.On(s, newline, nl, data)
		b.Otherwise(s, text, data)
	}
	b.EOF(start, skip)
	for _, s := range []dfa.StateID{at, key, text, nlAt, lost} {
		b.EOF(s, record)
	}
	b.EOF(nl, dfa.Emission{Kind: dfa.Record, Column: dfa.NextColumn, Lag: 1, Open: 1})
	return build(tb, b)
}

// linesMachine has columns of its own choice: a field that ends with a digit d
// is column d. Lines that begin with # are dropped, with ! are directives.
func linesMachine(tb testing.TB) *dfa.Automaton {
	b := dfa.NewBuilder()
	bol, in := b.AddState("BOL", "at the start of a line"), b.AddState("IN", "in a line")
	comment, directive := b.AddState("COM", "in a comment"), b.AddState("DIR", "in a directive")
	digits := dfa.Range('0', '9')
	b.On(bol, dfa.Bytes('#'), comment, skip)
	b.On(bol, dfa.Bytes('!'), directive, skip)
	for _, s := range []dfa.StateID{bol, in} {
		for d := range 10 {
			b.On(s, dfa.Bytes(byte('0'+d)), in, dfa.Emission{Kind: dfa.Field, Column: int16(d)})
		}
		b.On(s, dfa.Bytes(' '), in, field)
		b.On(s, dfa.Bytes('\n'), bol, record)
		b.Otherwise(s, in, data)
	}
	kind := record
	for i, s := range []dfa.StateID{comment, directive} {
		kind.Record = dfa.DroppedRecord + dfa.RecordKind(i)
		b.On(s, dfa.Bytes('\n'), bol, kind)
		b.On(s, digits, s, skip)
		b.Otherwise(s, s, data)
		b.EOF(s, kind)
	}
	b.EOF(bol, skip)
	b.EOF(in, record)
	return build(tb, b)
}

// textMachine has lines that are one field, or else comments or directives.
func textMachine(tb testing.TB) *dfa.Automaton {
	b := dfa.NewBuilder()
	bol, in := b.AddState("BOL", "at the start of a line"), b.AddState("IN", "in a line")
	comment, directive := b.AddState("COM", "in a comment"), b.AddState("DIR", "in a directive")
	b.On(bol, dfa.Bytes('#'), comment, skip)
	b.On(bol, dfa.Bytes('!'), directive, skip)
	for kind, s := range []dfa.StateID{in, comment, directive, bol} {
		end := record
		end.Record = dfa.RecordKind(kind % 3)
		b.On(s, dfa.Bytes('\n'), bol, end)
		b.Otherwise(s, max(s, in), data)
		if s != bol {
			b.EOF(s, end)
		}
	}
	b.EOF(bol, skip)
	return build(tb, b)
}

// Machine is an automaton and the symbols that tell its transitions apart.
type Machine struct {
	Name      string
	Automaton *dfa.Automaton
	Alphabet  string
	Words     []string // if not empty, some fields that are separated by commas
	Runs      string   // or by runs of these
}

// Machines are made by hand, one for each thing that an emission can say.
func Machines(tb testing.TB) []Machine {
	return []Machine{
		{"csv", csvMachine(tb), "ab,\"\r\n", []string{"", "a", "bb", "\"a\"", "\"a,\nb\"", "\"a\"\"b\"", "\"\""}, ""},
		{"pipes", pipesMachine(tb), "a||\\x4Dn\n", nil, ""},
		{"stanza", stanzaMachine(tb), "a@@77:\n\n", nil, ""},
		{"text", textMachine(tb), "ab12#!\n\n", nil, ""},
		{"lines", linesMachine(tb), "a01 #!\n\n", nil, ""},
	}
}

// DrawInput draws text over an alphabet.
func DrawInput(t *rapid.T, alphabet string, most int) []byte {
	n := rapid.IntRange(0, most).Draw(t, "symbols")
	return rapid.SliceOfN(rapid.SampledFrom([]byte(alphabet)), n, n).Draw(t, "input")
}

// DrawAutomaton draws any automaton that a Program may have. If resumes, its records can
// be read from any boundary, which few automata drawn at random allow: no record
// leaves symbols to the next, and no digits are those of the record before.
func DrawAutomaton(t *rapid.T, resumes bool) Machine { return drawAutomaton(t, resumes, true) }

// DrawApart draws an automaton as DrawAutomaton does, whose records need not be read from any
// boundary, and in which no fields touch: kernels never get those.
func DrawApart(t *rapid.T) Machine { return drawAutomaton(t, false, false) }

func drawAutomaton(t *rapid.T, resumes, touches bool) Machine {
	pick := func(most int, what string) int { return rapid.IntRange(0, most).Draw(t, what) }
	n, groups := 1+pick(5, "states"), 1+pick(3, "groups")
	a := &dfa.Automaton{NGroups: groups, Messages: []string{"wrong", "bad"}}
	for i := range n {
		a.States = append(a.States, dfa.State{Name: fmt.Sprintf("S%d", i)})
	}
	alphabet, narrow := "01234567", pick(1, "groups of one symbol") == 1 // but the first, of which there are runs
	if narrow {
		alphabet = "0456780456123"
	}
	for c := range 256 {
		if a.Group[c] = dfa.GroupID(c % groups); narrow && (c <= '0' || c >= '0'+groups) {
			a.Group[c] = 0
		}
	}
	ending := false // the emissions of the end of the input
	emission := func(kind dfa.Kind) dfa.Emission {
		e := dfa.Emission{Kind: kind}
		if kind == dfa.Data {
			e.Sub, e.Byte = dfa.Substitution(pick(3, "substitution")), 'Z'
			if resumes {
				e.Sub = min(e.Sub, dfa.ByByte)
			}
		}
		if kind == dfa.Skip {
			e.Escape = !ending && pick(1, "escape") == 0
		}
		if e.Boundary() {
			e.Column, e.Class = int16(pick(3, "column")-1), uint8(pick(2, "class"))
			e.Lag = uint16(pick(3, "lag"))
			e.Open = uint16(pick(int(e.Lag), "open"))
			e.Escape = kind == dfa.Field && e.Lag > 0 && e.Open == e.Lag && pick(1, "escape") == 0
			e.Touch = touches && kind == dfa.Field && e.Lag == 0 && pick(2, "touch") == 0
		}
		if kind == dfa.Record {
			if resumes {
				e.Open = e.Lag
			}
			e.Record = dfa.RecordKind(pick(2, "kind"))
		}
		if kind == dfa.Error || kind == dfa.Record && pick(3, "malformed") == 0 {
			e.Code, e.Blame = dfa.ErrorCode(1+pick(1, "code")), dfa.Blame(pick(1, "blame"))
		}
		return e
	}
	for _, kind := range []dfa.Kind{dfa.Data, dfa.Data, dfa.Skip, dfa.Field, dfa.Field, dfa.Record, dfa.Record, dfa.Error} {
		a.Emissions = append(a.Emissions, emission(kind))
	}
	inside := len(a.Emissions)
	ending = true
	a.Emissions = append(a.Emissions, emission(dfa.Skip), emission(dfa.Record))
	for range n * groups {
		a.Next = append(a.Next, dfa.StateID(pick(n-1, "next")))
		a.Emit = append(a.Emit, dfa.EmissionID(pick(inside-1, "emission")))
	}
	for range n {
		a.AtEOF = append(a.AtEOF, dfa.EmissionID(inside+pick(1, "end")))
	}
	for lag := uint16(2); a.Validate() != nil && lag < 3; lag-- { // cut the lags that reach back too far
		for i := range a.Emissions {
			a.Emissions[i].Lag = min(a.Emissions[i].Lag, lag)
			a.Emissions[i].Open = min(a.Emissions[i].Open, lag)
			a.Emissions[i].Escape = a.Emissions[i].Escape && (a.Emissions[i].Kind == dfa.Skip || a.Emissions[i].Open == a.Emissions[i].Lag && a.Emissions[i].Lag > 0)
			a.Emissions[i].Sub = min(a.Emissions[i].Sub, dfa.ByByte+dfa.Substitution(lag))
		}
	}
	endOpen(a, dfa.EmissionID(inside+1))
	if err := a.Validate(); err != nil {
		t.Fatal(err)
	}
	return Machine{"random", a, alphabet, nil, ""}
}

// endOpen makes the end of the input the end of a record, by the emission given,
// wherever a would lose one.
func endOpen(a *dfa.Automaton, record dfa.EmissionID) {
	a.Emissions[record].Lag, a.Emissions[record].Open = 0, 0
	for l := a.RecordLoss(); l != nil; l = a.RecordLoss() {
		a.AtEOF[l.State] = record
	}
}

// Splitter is an automaton that takes fields apart much as a reads records:
// what ends a record ends a part, and the field ends with a part.
func Splitter(a *dfa.Automaton) *dfa.Automaton {
	b := *a
	b.Emissions, b.AtEOF = slices.Clone(a.Emissions), slices.Clone(a.AtEOF)
	for i := range b.Emissions {
		e := &b.Emissions[i]
		switch {
		case !slices.Contains(b.Emit, dfa.EmissionID(i)):
			e.Record = dfa.DataRecord
			continue
		case e.Kind == dfa.Record:
			*e = dfa.Emission{Kind: dfa.Field, Column: e.Column, Class: e.Class, Lag: e.Lag, Open: e.Open}
		}
	}
	for s, id := range a.AtEOF { // those that transitions have too are no records any more
		if e := a.Emissions[id]; e.Kind == dfa.Record {
			e.Record = dfa.DataRecord
			b.Emissions, b.AtEOF[s] = append(b.Emissions, e), dfa.EmissionID(len(b.Emissions))
		}
	}
	b.Emissions = append(b.Emissions, record)
	endOpen(&b, dfa.EmissionID(len(b.Emissions)-1))
	return &b
}
