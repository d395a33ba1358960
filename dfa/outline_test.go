package dfa

import (
	"testing"

	"pgregory.net/rapid"
)

// TestOutline: an Outline goes where its automaton goes, and counts the same records.
func TestOutline(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		a := drawAutomaton(rt)
		o := a.Outline()
		if err := o.Validate(); err != nil {
			rt.Fatal(err)
		}
		s := StateID(rapid.IntRange(0, a.NStates()-1).Draw(rt, "state"))
		at := o.Of[s]
		filled := false
		for _, symbol := range rapid.SliceOfN(rapid.Byte(), 0, 50).Draw(rt, "in") {
			next, e := a.Step(s, symbol)
			to, oe := o.Step(at, symbol)
			if (e.Kind == Record && e.Record == DataRecord) != (oe.Kind == Record) || o.Of[next] != to {
				rt.Fatalf("%d to %d by %#x, %s: the outline goes from %d to %d, %s", s, next, symbol, e, at, to, oe)
			}
			fills := o.OK && o.Group[symbol] == o.Filler
			if fills && (oe.Kind == Record || filled && to != at) {
				rt.Fatalf("filler %#x changes %d to %d, %s", symbol, at, to, oe)
			}
			s, at, filled = next, to, fills
		}
	})
}
