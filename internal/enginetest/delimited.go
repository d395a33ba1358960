package enginetest

import (
	"pgregory.net/rapid"

	"github.com/dfaparse/dfaparse/dfa"
)

// passErrors passes over what follows an error, in inv, up to the end of the line, and builds the automaton.
func passErrors(t *rapid.T, b *dfa.Builder, eor, inv dfa.StateID) *dfa.Automaton {
	b.On(inv, dfa.Bytes('\n'), eor, record)
	b.Otherwise(inv, inv, skip)
	b.EOF(inv, record)
	return build(t, b)
}

// DrawDelimited draws an automaton of fields and separators, quotes and brackets:
// either what such formats usually are, or that with something unusual about it.
// Engines take shortcuts for the former, which must not be taken for the latter.
func DrawDelimited(t *rapid.T) Machine {
	odds := func(n int, what string) bool { return rapid.IntRange(0, n-1).Draw(t, what) == 0 }
	b := dfa.NewBuilder()
	eor, eof := b.AddState("EOR", "at the start of a record"), b.AddState("EOF", "at the start of a field")
	fld, inv := b.AddState("FLD", "in a field"), b.AddState("INV", "after an error")
	bad := func(text string) dfa.Emission { return dfa.Emission{Kind: dfa.Error, Code: b.Message(text)} }
	class := func(e dfa.Emission, c uint8) dfa.Emission { e.Class = c; return e }
	comma, newline, cr := dfa.Bytes(','), dfa.Bytes('\n'), dfa.Bytes('\r')
	bare := uint8(rapid.IntRange(0, 1).Draw(t, "class of bare fields"))
	places := []dfa.StateID{eor, eof, fld}
	classes := []uint8{bare, bare, bare}
	strict := odds(2, "strict")

	ends := []dfa.Emission{record, record, record} // of a record in each place
	if odds(6, "blank lines are dropped") {
		ends[0].Record = dfa.DroppedRecord
	}
	if odds(6, "comments") {
		comment := b.AddState("COM", "in a comment")
		end := record
		end.Record = dfa.DroppedRecord
		b.On(eor, dfa.Bytes('#'), comment, skip)
		b.On(comment, newline, eor, end)
		b.Otherwise(comment, comment, data)
		b.EOF(comment, end)
	}
	if odds(8, "empty fields are of another class") {
		classes[1] = 2
	}
	switch rapid.IntRange(0, 15).Draw(t, "a is something else") {
	case 0:
		b.On(fld, dfa.Bytes('a'), fld, skip)
	case 1:
		b.On(fld, dfa.Bytes('a'), fld, dfa.Emission{Kind: dfa.Data, Sub: dfa.ByByte, Byte: 'Z'})
	case 2:
		b.On(fld, dfa.Bytes('a'), eof, class(dfa.Emission{Kind: dfa.Field, Column: 1}, bare))
	case 3:
		b.On(fld, dfa.Bytes('a'), fld, lead)
	}
	// followed makes of a symbol behind a backslash what escapes do.
	followed := func(escape, in dfa.StateID) {
		switch rapid.IntRange(0, 3).Draw(t, "escapes") {
		case 0:
			b.On(escape, dfa.Bytes('a'), in, dfa.Emission{Kind: dfa.Data, Sub: dfa.ByByte, Byte: 'Z'})
		case 1:
			b.On(escape, dfa.Bytes('a'), escape, lead)
		case 2:
			b.On(escape, newline, eor, record)
			b.On(escape, comma.Union(cr), inv, bad("no escape"))
		}
		b.Otherwise(escape, in, data)
		b.EOF(escape, record)
	}
	if odds(3, "escapes in bare fields") {
		escape, first := b.AddState("ESC", "after a backslash"), b.AddState("ESC1", "after a backslash that begins a line")
		for _, s := range []dfa.StateID{eof, fld} {
			b.On(s, dfa.Bytes('\\'), escape, lead)
		}
		if odds(3, "a backslash begins a record with something else") {
			b.On(eor, dfa.Bytes('\\'), first, lead)
			b.On(first, dfa.Bytes('b'), inv, bad("no escape here"))
			b.Otherwise(first, fld, data)
		} else {
			b.On(eor, dfa.Bytes('\\'), escape, lead)
			b.Otherwise(first, fld, data)
		}
		b.EOF(first, record)
		followed(escape, fld)
	}
	enclose := func(name string, open, close byte, c uint8) {
		in, closed := b.AddState("IN"+name, "in "+name), b.AddState("END"+name, "after "+name)
		opens := []dfa.Emission{skip, skip, lead}[rapid.IntRange(0, 2).Draw(t, "what opens is control, or of an escape")]
		for _, s := range []dfa.StateID{eor, eof} {
			if s == eof && odds(12, "other fields are opened otherwise") {
				opens = lead
			}
			if s == eor || !odds(8, "only the first field") {
				b.On(s, dfa.Bytes(open), in, opens)
			}
		}
		if strict {
			b.On(fld, dfa.Bytes(open, close), inv, bad("in a bare field"))
		} else if odds(6, "opens in a bare field") {
			b.On(fld, dfa.Bytes(open), in, data)
		}
		b.On(in, dfa.Bytes(close), closed, skip)
		if odds(3, "not over the end of a line") {
			b.On(in, newline, eor, class(record, c))
		}
		if odds(3, "an escape") {
			escape := b.AddState("ESC"+name, "after a backslash in "+name)
			b.On(in, dfa.Bytes('\\'), escape, []dfa.Emission{skip, lead, lead}[rapid.IntRange(0, 2).Draw(t, "which was written")])
			followed(escape, in)
		}
		if odds(2, "doubled") {
			b.On(closed, dfa.Bytes(open), in, []dfa.Emission{data, data, data, skip}[rapid.IntRange(0, 3).Draw(t, "as")])
		}
		b.Otherwise(in, in, data)
		places, classes, ends = append(places, closed), append(classes, c), append(ends, record)
		b.EOF(in, class(record, c))
	}
	if odds(2, "quotes") || strict {
		enclose("QUOTES", '"', '"', uint8(rapid.IntRange(0, 2).Draw(t, "class of quoted fields")))
	}
	if odds(2, "brackets") {
		enclose("BRACKETS", '[', ']', uint8(rapid.IntRange(0, 2).Draw(t, "class of fields in brackets")))
	}
	lines := drawLineEnds(t, b, eor, fld, inv)
	for i, s := range places {
		b.On(s, comma, eof, class(field, classes[i]))
		end := class(ends[i], classes[i])
		lines.end(t, i, s, end, func() dfa.Emission { return bad("a carriage return alone") })
		if i < 3 || odds(4, "text after an enclosure") {
			b.Otherwise(s, fld, data)
		} else {
			b.Otherwise(s, inv, bad("after an enclosure"))
		}
	}
	a := passErrors(t, b, eor, inv)
	words := []string{"", "", "b", "bb", "bb", "xy", "xyz", "\"b\"", "\"b,\nb\"", "\"b\"\"b\"", "\"\"", "[b]", "[b,b]", "[b[b]", "\"[b\"", "\\\\", "b\\b", "\\\\\\b", "\"\\b\"", "\"\\\"\\\\\""}
	return Machine{"delimited", a, "aab,,,\"\"[]#\\\r\n\n", words, ""}
}

// lineEnds is how the ends of lines end records, of an automaton of three states that it leads to.
type lineEnds struct {
	b             *dfa.Builder
	eor, fld, inv dfa.StateID // at the start of a record, in a field, after an error
	returns       int         // 0: are data; else control before \n; 2: and the boundary; 3: or data after all
}

func drawLineEnds(t *rapid.T, b *dfa.Builder, eor, fld, inv dfa.StateID) lineEnds {
	return lineEnds{b, eor, fld, inv, rapid.IntRange(0, 3).Draw(t, "returns")}
}

// end lets a record end in state s, the i-th: at a line end, at that of the input, and at a return, which bad is told of where it
// stands alone.
func (x lineEnds) end(t *rapid.T, i int, s dfa.StateID, end dfa.Emission, bad func() dfa.Emission) {
	newline, cr := dfa.Bytes('\n'), dfa.Bytes('\r')
	x.b.On(s, newline, x.eor, end)
	x.b.EOF(s, end)
	returns := x.returns
	if rapid.IntRange(0, 11).Draw(t, "returns elsewhere") == 0 {
		returns = rapid.IntRange(0, 3).Draw(t, "returns here")
	}
	if returns == 0 {
		return
	}
	if returns == 2 {
		end.Lag, end.Open = 1, 1
	}
	after := x.b.AddState("CR"+string(rune('0'+i)), "after a carriage return")
	x.b.On(s, cr, after, skip)
	x.b.On(after, newline, x.eor, end)
	if returns == 3 {
		x.b.Otherwise(after, x.fld, data)
	} else {
		x.b.Otherwise(after, x.inv, bad())
	}
	x.b.EOF(after, end)
}
