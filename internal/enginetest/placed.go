package enginetest

import (
	"fmt"

	"pgregory.net/rapid"

	"github.com/dfaparse/dfaparse/dfa"
)

// drawPlaced draws an automaton that has places of its own for each field, between which are runs of separators, as that
// of a template has: either what such formats usually are, or that with something unusual about it.
func drawPlaced(t *rapid.T) Machine {
	odds := func(n int, what string) bool { return rapid.IntRange(0, n-1).Draw(t, what) == 0 }
	b := dfa.NewBuilder()
	eor, inv := b.AddState("EOR", "at the start of a record"), b.AddState("INV", "after an error")
	bad := dfa.Emission{Kind: dfa.Error, Code: b.Message("what cannot be")}
	separators := rapid.SampledFrom([]string{",", ",", ", "}).Draw(t, "separators")
	seps, newline := dfa.Bytes([]byte(separators)...), dfa.Bytes('\n')
	drop := dfa.Emission{Kind: dfa.Record, Column: dfa.NextColumn, Record: dfa.DroppedRecord}
	if odds(2, "comments") {
		comment := b.AddState("COM", "in a comment")
		b.On(eor, dfa.Bytes('#'), comment, skip)
		b.On(comment, newline, eor, drop)
		b.Otherwise(comment, comment, skip)
		b.EOF(comment, drop)
	}
	named := !odds(4, "columns are not named")
	n := rapid.IntRange(2, 4).Draw(t, "fields")
	last := b.AddState("LAST", "in the last field")
	lines := drawLineEnds(t, b, eor, last, inv)
	before := eor
	for i := range n {
		in := last
		column := int16(dfa.NextColumn)
		if named || odds(12, "but one") {
			column = int16(i)
		}
		ends := func(e dfa.Emission) dfa.Emission {
			e.Column = column
			if odds(40, "of a class") {
				e.Class = 1
			}
			return e
		}
		early := record // a record that ends too early is malformed
		early.Code = bad.Code
		if i < n-1 {
			in = b.AddState(fmt.Sprintf("IN%d", i), "in a field")
			gap := b.AddState(fmt.Sprintf("GAP%d", i), "in a run of separators")
			if before == eor && !odds(4, "no separator at the start") {
				b.On(eor, seps, gap, ends(field))
			}
			if odds(12, "a is something else") {
				b.On(in, dfa.Bytes('a'), in, skip)
			}
			b.On(in, seps, gap, ends(field))
			b.On(in, newline, eor, early)
			b.Otherwise(in, in, data)
			b.EOF(in, early)
			b.On(gap, seps, gap, skip)
			if odds(12, "b ends a run") {
				b.On(gap, dfa.Bytes('b'), inv, bad)
			}
			if i < n-2 || odds(2, "the last field is not empty") {
				b.On(gap, newline, eor, early)
				b.EOF(gap, early)
			} else {
				lines.end(t, 1, gap, ends(record), func() dfa.Emission { return bad })
			}
			if before != eor {
				b.Otherwise(before, in, data)
			} else {
				lines.end(t, 0, eor, drop, func() dfa.Emission { return bad })
				b.Otherwise(eor, in, data)
			}
			before = gap
			continue
		}
		b.Otherwise(before, last, data)
		lines.end(t, 2, last, ends(record), func() dfa.Emission { return bad })
		if odds(8, "no separators in the last field") {
			b.On(last, seps, inv, bad)
		}
		b.Otherwise(last, last, data)
	}
	a := passErrors(t, b, eor, inv)
	return Machine{"placed", a, "aab,,,  #\r\n\n", []string{"b", "bb", "xy", "xyz", "12", "7", "a"}, separators}
}
