package dfa

import "testing"

// Machines made by hand, for tests.

var (
	data   = Emission{Kind: Data}
	skip   = Emission{Kind: Skip}
	field  = Emission{Kind: Field, Column: NextColumn}
	record = Emission{Kind: Record, Column: NextColumn}
)

func mustBuild(tb testing.TB, b *Builder) *Automaton {
	tb.Helper()
	a, err := b.Build()
	if err != nil {
		tb.Fatal(err)
	}
	return a
}

// csvMachine is RFC 4180, the automaton of ParPaRaw's Figure 3: a record ends
// with a newline, or with \r\n as well if crlf; an error is absorbing, or lasts
// until the next newline if recover.
func csvMachine(tb testing.TB, crlf, recover bool) *Automaton {
	b := NewBuilder()
	eor := b.AddState("EOR", "at the start of a record")
	eof := b.AddState("EOF", "at the start of a field")
	fld := b.AddState("FLD", "inside a field")
	enc := b.AddState("ENC", "inside a quoted field")
	esc := b.AddState("ESC", "after a quote inside a quoted field")
	inv := b.AddState("INV", "after an error")
	bare := b.Message("a quote inside an unquoted field")
	after := b.Message("text after the closing quote")
	open := b.Message("unterminated quoted field")
	bad := func(c ErrorCode) Emission { return Emission{Kind: Error, Code: c} }

	q, comma, nl := Bytes('"'), Bytes(','), Bytes('\n')
	for _, s := range []StateID{eor, eof} {
		b.On(s, q, enc, skip)
	}
	b.On(fld, q, inv, bad(bare))
	b.On(enc, q, esc, skip)
	b.On(esc, q, enc, data)
	for _, s := range []StateID{eor, eof, fld, esc} {
		b.On(s, comma, eof, field)
		b.On(s, nl, eor, record)
	}
	if crlf {
		cr := b.AddState("CR", "after a carriage return")
		for _, s := range []StateID{eor, eof, fld, esc} {
			b.On(s, Bytes('\r'), cr, skip)
		}
		b.On(cr, nl, eor, record)
		b.Otherwise(cr, inv, bad(b.Message("a carriage return without a newline")))
		b.EOF(cr, record)
	}
	for _, s := range []StateID{eor, eof, fld} {
		b.Otherwise(s, fld, data)
	}
	b.Otherwise(enc, enc, data)
	b.Otherwise(esc, inv, bad(after))
	if recover {
		b.On(inv, nl, eor, record)
	}
	b.Otherwise(inv, inv, skip)

	b.EOF(eor, skip)
	for _, s := range []StateID{eof, fld, esc, inv} {
		b.EOF(s, record)
	}
	b.EOF(enc, Emission{Kind: Record, Column: NextColumn, Code: open, Blame: BlameField})
	return mustBuild(tb, b)
}

// barsMachine separates fields with "||"; a single bar is data.
func barsMachine(tb testing.TB) *Automaton {
	b := NewBuilder()
	fld := b.AddState("FLD", "inside a field")
	eor := b.AddState("EOR", "at the start of a record")
	bar := b.AddState("BAR", "after a bar")
	bar1, nl := Bytes('|'), Bytes('\n')
	for _, s := range []StateID{eor, fld} {
		b.On(s, bar1, bar, data)
	}
	lagged := field
	lagged.Lag, lagged.Open = 1, 1
	b.On(bar, bar1, fld, lagged)
	for _, s := range []StateID{eor, fld, bar} {
		b.On(s, nl, eor, record)
		b.Otherwise(s, fld, data)
	}
	b.EOF(eor, skip)
	b.EOF(fld, record)
	b.EOF(bar, record)
	a := mustBuild(tb, b)
	a.Start = 1 // EOR: Start need not be state 0
	return a.Minimise()
}

// pairMachine takes a value apart at its first "||".
func pairMachine(tb testing.TB) *Automaton {
	b := NewBuilder()
	left := b.AddState("LEFT", "before the bars")
	bar := b.AddState("BAR", "after a bar")
	right := b.AddState("RIGHT", "after the bars")
	code := b.Message("there are no two bars")
	b.On(left, Bytes('|'), bar, data)
	b.On(bar, Bytes('|'), right, Emission{Kind: Field, Column: 0, Lag: 1, Open: 1})
	b.Otherwise(left, left, data)
	b.Otherwise(bar, left, data)
	b.Otherwise(right, right, data)
	for _, s := range []StateID{left, bar} {
		b.EOF(s, Emission{Kind: Record, Column: 0, Code: code})
	}
	b.EOF(right, Emission{Kind: Record, Column: 1})
	return mustBuild(tb, b)
}

// escapesMachine has space-separated fields with the escapes \n, \t and \\,
// \x and two hexadecimal digits, \o and three octal digits.
func escapesMachine(tb testing.TB) *Automaton {
	b := NewBuilder()
	eor := b.AddState("EOR", "at the start of a record")
	fld := b.AddState("FLD", "inside a field")
	esc := b.AddState("ESC", "after a backslash")
	x1 := b.AddState("X1", "at the first hexadecimal digit")
	x2 := b.AddState("X2", "at the second hexadecimal digit")
	o1 := b.AddState("O1", "at the first octal digit")
	o2 := b.AddState("O2", "at the second octal digit")
	o3 := b.AddState("O3", "at the third octal digit")
	inv := b.AddState("INV", "after an error")
	code := b.Message("unknown escape")
	bad := Emission{Kind: Error, Code: code}
	nl := Bytes('\n')
	for _, s := range []StateID{eor, fld} {
		b.On(s, nl, eor, record)
		b.On(s, Bytes(' '), fld, field)
		b.On(s, Bytes('\\'), esc, skip)
		b.Otherwise(s, fld, data)
	}
	by := func(c byte) Emission { return Emission{Kind: Data, Sub: ByByte, Byte: c} }
	b.On(esc, Bytes('n'), fld, by('\n'))
	b.On(esc, Bytes('t'), fld, by('\t'))
	b.On(esc, Bytes('\\'), fld, data)
	b.On(esc, Bytes('x'), x1, skip)
	b.On(esc, Bytes('o'), o1, skip)
	hex := Range('0', '9').Union(Range('a', 'f')).Union(Range('A', 'F'))
	b.On(x1, hex, x2, skip)
	b.On(x2, hex, fld, Emission{Kind: Data, Sub: ByHex})
	b.On(o1, Range('0', '3'), o2, skip)
	b.On(o2, Range('0', '7'), o3, skip)
	b.On(o3, Range('0', '7'), fld, Emission{Kind: Data, Sub: ByOctal})
	for _, s := range []StateID{esc, x1, x2, o1, o2, o3} {
		b.On(s, nl, eor, Emission{Kind: Record, Column: NextColumn, Code: code})
		b.Otherwise(s, inv, bad)
		b.EOF(s, Emission{Kind: Record, Column: NextColumn, Code: code})
	}
	b.On(inv, nl, eor, record)
	b.Otherwise(inv, inv, skip)
	b.EOF(eor, skip)
	b.EOF(fld, record)
	b.EOF(inv, record)
	return mustBuild(tb, b)
}

// entriesMachine begins a record at a line whose first symbol is '>', which
// shows only one symbol after the newline; other lines continue the field.
func entriesMachine(tb testing.TB) *Automaton {
	b := NewBuilder()
	none := b.AddState("NONE", "before the first entry")
	txt := b.AddState("TXT", "inside an entry")
	nl := b.AddState("NL", "at the start of a line")
	b.Otherwise(none, txt, data)
	b.On(txt, Bytes('\n'), nl, data)
	b.On(nl, Bytes('>'), txt, Emission{Kind: Record, Column: NextColumn, Lag: 1})
	b.On(nl, Bytes('\n'), nl, data)
	b.Otherwise(txt, txt, data)
	b.Otherwise(nl, txt, data)
	b.EOF(none, skip)
	b.EOF(txt, record)
	b.EOF(nl, Emission{Kind: Record, Column: NextColumn, Lag: 1})
	return mustBuild(tb, b)
}

// machines are the machines of this file by name.
func machines(tb testing.TB) map[string]*Automaton {
	return map[string]*Automaton{
		"csv":          csvMachine(tb, false, false),
		"csv-crlf":     csvMachine(tb, true, false),
		"csv-recover":  csvMachine(tb, false, true),
		"crlf-recover": csvMachine(tb, true, true),
		"bars":         barsMachine(tb),
		"escapes":      escapesMachine(tb),
		"entries":      entriesMachine(tb),
	}
}
