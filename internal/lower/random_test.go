package lower

import (
	"errors"
	"testing"

	"pgregory.net/rapid"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/drawn"
)

// Constructs drawn at random are refused with a Fault, or give an automaton
// that reads any input and can begin again at any record.

func drawByte(t *rapid.T, label string) byte {
	return rapid.SampledFrom([]byte{0, '"', '\'', '[', ']', ' ', ',', '\\', 'a', '=', ';'}).Draw(t, label)
}

func drawText(t *rapid.T, label string) string {
	n := rapid.IntRange(0, 3).Draw(t, label+" length")
	return string(rapid.SliceOfN(rapid.SampledFrom([]byte(" ,|;=\"[]a#\\\t")), n, n).Draw(t, label))
}

func drawSeparator(t *rapid.T) Separator {
	return Separator{Text: []byte(drawText(t, "separator")), Run: rapid.Bool().Draw(t, "run")}
}

func drawEscape(t *rapid.T) *Escape {
	if rapid.Bool().Draw(t, "no escape") {
		return nil
	}
	e := &Escape{Lead: '\\', To: map[byte]byte{'"': '"', 'n': '\n'}, Other: Other(rapid.IntRange(0, 2).Draw(t, "other"))}
	if e.Other == KeepBoth {
		e.To = nil
	} else {
		e.Hex, e.Octal = rapid.SampledFrom([]byte{0, 'x'}).Draw(t, "hex"), rapid.Bool().Draw(t, "octal")
	}
	return e
}

func drawTexts(t *rapid.T, label string, most int) (out []string) {
	for range rapid.IntRange(0, most).Draw(t, label) {
		out = append(out, drawText(t, label))
	}
	return out
}

func drawLines(t *rapid.T) Lines {
	return Lines{
		EOL: EOL(rapid.IntRange(0, 7).Draw(t, "eol")), Blank: Blank(rapid.IntRange(0, 1).Draw(t, "blank")),
		Comments: drawTexts(t, "comment", 1), Directives: drawTexts(t, "directive", 1), Words: []bool{rapid.Bool().Draw(t, "word")}, Lax: rapid.Bool().Draw(t, "lax"),
		Stops: drawTexts(t, "stop", 1), StopAtBlank: rapid.IntRange(0, 3).Draw(t, "stop at blank") == 0,
	}
}

func drawParts(t *rapid.T, depth int) (parts []Part) {
	for range rapid.IntRange(1, 4).Draw(t, "parts") {
		switch rapid.IntRange(0, 5).Draw(t, "part") {
		case 0, 1:
			parts = append(parts, Literal{drawText(t, "literal")})
		case 2, 3:
			h := Hole{Name: rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "name")}
			if rapid.IntRange(0, 3).Draw(t, "escaped") == 0 {
				h.Escape = drawEscape(t)
			}
			h.ToEnd = rapid.IntRange(0, 5).Draw(t, "to end") == 0
			parts = append(parts, h)
		case 4:
			parts = append(parts, Blanks{})
		case 5:
			if depth > 0 {
				parts = append(parts, Optional{Parts: drawParts(t, depth-1)})
			}
		}
	}
	return parts
}

func TestRandomConstructs(t *testing.T) {
	ndrawn, built := 0, 0
	drawn.Check(t, "nothing could be built", func() bool { return built > 0 }, func(rt *rapid.T) {
		ndrawn++
		var a *dfa.Automaton
		var err error
		switch rapid.IntRange(0, 5).Draw(rt, "construct") {
		case 0:
			d := &Delimited{Quote: drawByte(rt, "quote"), Doubled: rapid.Bool().Draw(rt, "doubled"), Escape: drawEscape(rt), Lines: drawLines(rt),
				Leading: rapid.Bool().Draw(rt, "leading"), Trailing: rapid.Bool().Draw(rt, "trailing"), Blanks: rapid.Bool().Draw(rt, "blanks"), Everywhere: rapid.Bool().Draw(rt, "everywhere"), Classes: rapid.Bool().Draw(rt, "classes")}
			for range rapid.IntRange(1, 2).Draw(rt, "separators") {
				d.Separators = append(d.Separators, drawSeparator(rt))
			}
			if rapid.IntRange(0, 3).Draw(rt, "bounded") == 0 {
				d.MaxLines = rapid.IntRange(1, 3).Draw(rt, "lines")
			}
			if rapid.Bool().Draw(rt, "brackets") {
				d.Brackets = [][2]byte{{drawByte(rt, "open"), drawByte(rt, "close")}}
			}
			if rapid.IntRange(0, 3).Draw(rt, "comments after data") == 0 {
				d.AfterData = drawTexts(rt, "after data", 2)
			}
			a, _, err = BuildDelimited(d)
		case 1, 2:
			r := &Record{Parts: drawParts(rt, 2), Rest: rapid.SampledFrom([]string{"", "", "rest"}).Draw(rt, "rest"), Lines: drawLines(rt)}
			switch rapid.IntRange(0, 3).Draw(rt, "multiline") {
			case 0:
				r.Stops, r.StopAtBlank = nil, false
				r.Multiline, r.Comments, r.Directives, r.Lax, r.EOL = &Multiline{Start: Text(drawText(rt, "start"))}, nil, nil, false, 0
			case 1:
				r.Stops, r.StopAtBlank = nil, false
				r.Multiline, r.Comments, r.Directives, r.Lax, r.EOL = &Multiline{Continue: drawTexts(rt, "continue", 2)}, nil, nil, false, 0
			}
			var s *RecordShape
			if s, err = BuildRecord(r); err == nil {
				a = s.Automaton
			}
		case 3:
			a, _, err = BuildSplit(drawParts(rt, 2), nil)
		case 4:
			a, err = BuildList(&List{Separator: drawSeparator(rt), Quote: drawByte(rt, "quote"), Doubled: rapid.Bool().Draw(rt, "doubled"),
				Escape: drawEscape(rt), Open: drawByte(rt, "open"), Close: drawByte(rt, "close")})
		case 5:
			a, err = BuildMap(&Map{Pair: drawSeparator(rt), KeyValue: []byte(drawText(rt, "key value")), Quote: drawByte(rt, "quote"),
				Doubled: rapid.Bool().Draw(rt, "doubled"), Escape: drawEscape(rt), Open: drawByte(rt, "open"), Close: drawByte(rt, "close"),
				Groups: rapid.Bool().Draw(rt, "groups"), Nil: drawByte(rt, "nil")})
		}
		var fault *Fault
		if err != nil {
			if !errors.As(err, &fault) {
				rt.Fatalf("no fault: %v", err)
			}
			return
		}
		built++
		endsAlike(rt, a)
		for range 5 {
			in := drawInput(rt)
			restarts(t, a, in)
			if t.Failed() {
				rt.Fatalf("%q", in)
			}
		}
	})
	t.Logf("%d of %d built", built, ndrawn)
}

// endsAlike checks that a line which is a record is one at the end of the input, too, where its line end may be missing.
func endsAlike(t *rapid.T, a *dfa.Automaton) {
	for s := range a.States {
		for symbol := range 256 {
			next, e := a.Step(dfa.StateID(s), byte(symbol))
			if e.Kind != dfa.Data && e.Kind != dfa.Skip {
				continue
			}
			for _, eol := range []byte("\n\r") {
				_, end := a.Step(next, eol)
				if end.Kind == dfa.Record && end.Record == dfa.DataRecord && a.EOF(next).Kind != dfa.Record {
					t.Fatalf("after %q in %s, %s: %q ends a record, the end of the input none", byte(symbol), a.States[s].Name, a.States[next].Name, eol)
				}
			}
		}
	}
}
