package enginetest

import (
	"pgregory.net/rapid"

	"github.com/dfaparse/dfaparse/dfa"
)

// drawRuns draws an automaton of fields between which separators in a row are one, at the start and at the end of a record
// also none: either what such formats usually are, or that with something unusual about it, as DrawDelimited does.
func drawRuns(t *rapid.T) Machine {
	odds := func(n int, what string) bool { return rapid.IntRange(0, n-1).Draw(t, what) == 0 }
	b := dfa.NewBuilder()
	eor := b.AddState("EOR", "at the start of a record")
	fld, run := b.AddState("FLD", "in a field"), b.AddState("RUN", "in a run of separators")
	inv := b.AddState("INV", "after an error")
	bad := dfa.Emission{Kind: dfa.Error, Code: b.Message("what cannot be")}
	class := func(e dfa.Emission, c uint8) dfa.Emission { e.Class = c; return e }
	separators := rapid.SampledFrom([]string{",", ",", ", "}).Draw(t, "separators")
	seps := dfa.Bytes([]byte(separators)...)
	newline := dfa.Bytes('\n')
	bare := uint8(rapid.IntRange(0, 1).Draw(t, "class of bare fields"))
	leading, trailing := odds(2, "leading"), odds(2, "trailing")
	led := eor
	if odds(3, "separators at the start make a difference") {
		led = b.AddState("LED", "behind separators at the start")
	}
	// What is said of a field and a symbol behind a run of separators: the field has ended there, if not before.
	behind := func(e dfa.Emission, open uint16) dfa.Emission {
		if trailing {
			return class(dfa.Emission{Kind: dfa.Field, Column: dfa.NextColumn, Lag: 1, Open: open}, bare)
		}
		return e
	}
	separator := func(c uint8) dfa.Emission {
		if trailing {
			return skip
		}
		return class(field, c)
	}
	ends := map[dfa.StateID]dfa.Emission{}
	for _, s := range []dfa.StateID{eor, led, fld, run} {
		ends[s] = class(record, bare)
		if s != fld && odds(12, "of another class") {
			ends[s] = class(record, 2)
		}
	}
	if !odds(4, "blank lines are records") {
		ends[eor] = dfa.Emission{Kind: dfa.Record, Column: dfa.NextColumn, Record: dfa.DroppedRecord}
		ends[led] = ends[eor]
	}
	if odds(4, "comments") {
		comment := b.AddState("COM", "in a comment")
		end := record
		end.Record = dfa.DroppedRecord
		b.On(eor, dfa.Bytes('#'), comment, skip)
		b.On(comment, newline, eor, end)
		b.Otherwise(comment, comment, skip)
		b.EOF(comment, end)
	}
	switch rapid.IntRange(0, 15).Draw(t, "a is something else") {
	case 0:
		b.On(fld, dfa.Bytes('a'), fld, skip)
	case 1:
		b.On(run, dfa.Bytes('a'), fld, behind(skip, 1))
	case 2:
		b.On(run, dfa.Bytes('a'), run, skip)
	case 3:
		b.On(led, dfa.Bytes('a'), led, skip)
	case 4:
		b.On(fld, dfa.Bytes('a'), run, separator(bare))
	}
	places := []dfa.StateID{eor, fld, run}
	if led != eor {
		places = append(places, led)
	}
	if odds(3, "quotes") {
		in, closed := b.AddState("IN", "in quotes"), b.AddState("END", "after quotes")
		b.On(eor, dfa.Bytes('"'), in, skip)
		if led != eor && !odds(8, "but behind separators at the start") {
			b.On(led, dfa.Bytes('"'), in, skip)
		}
		if !odds(8, "only the first field") {
			b.On(run, dfa.Bytes('"'), in, behind(skip, 1))
		}
		if odds(2, "strict") {
			b.On(fld, dfa.Bytes('"'), inv, bad)
		}
		b.On(in, dfa.Bytes('"'), closed, skip)
		if odds(3, "not over the end of a line") {
			b.On(in, newline, eor, class(record, bare))
		}
		if odds(2, "doubled") {
			b.On(closed, dfa.Bytes('"'), in, data)
		}
		b.Otherwise(in, in, data)
		b.EOF(in, class(record, bare))
		ends[closed] = class(record, bare)
		if !trailing {
			ends[closed] = class(record, uint8(rapid.IntRange(0, 2).Draw(t, "class of quoted fields")))
		}
		places = append(places, closed)
	}
	lines := drawLineEnds(t, b, eor, fld, inv)
	for i, s := range places {
		end := ends[s]
		switch {
		case (s == eor || s == led) && leading:
			b.On(s, seps, led, skip)
		case s == run:
			b.On(s, seps, run, skip)
		case s == eor || s == led:
			b.On(s, seps, run, separator(bare))
		default:
			b.On(s, seps, run, separator(end.Class))
		}
		lines.end(t, i, s, end, func() dfa.Emission { return bad })
		switch {
		case s == run:
			b.Otherwise(s, fld, behind(data, 0))
		case i < 3 || s == led || odds(4, "text after quotes"):
			b.Otherwise(s, fld, data)
		default:
			b.Otherwise(s, inv, bad)
		}
	}
	a := passErrors(t, b, eor, inv)
	words := []string{"b", "bb", "xy", "xyz", "12", "7", "\"b\"", "\"b,\nb\"", "\"b\"\"b\"", "\"\""}
	return Machine{"runs", a, "aab,,, \"\"#\r\n\n", words, separators}
}
