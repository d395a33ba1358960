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
		for _, symbol := range rapid.SliceOfN(rapid.Byte(), 0, 50).Draw(rt, "in") {
			next, e := a.Step(s, symbol)
			to, oe := o.Step(at, symbol)
			if (e.Kind == Record && e.Record == DataRecord) != (oe.Kind == Record) || o.Of[next] != to {
				rt.Fatalf("%d to %d by %#x, %s: the outline goes from %d to %d, %s", s, next, symbol, e, at, to, oe)
			}
			if o.Quiet[o.Group[symbol]] && oe.Kind == Record {
				rt.Fatalf("%#x is quiet, and from %d a record ends", symbol, at)
			}
			s, at = next, to
		}
		var quiet []byte
		for symbol, g := range o.Group {
			if o.Quiet[g] {
				quiet = append(quiet, byte(symbol))
			}
		}
		if len(quiet) == 0 {
			return
		}
		run := rapid.SliceOfN(rapid.SampledFrom(quiet), 1, 10).Draw(rt, "run")
		whole := leads(o, at, run)
		if ends := leads(o, at, []byte{run[0], run[len(run)-1]}); ends != whole {
			rt.Fatalf("from %d %#x leads to %d, its first and last symbol to %d", at, run, whole, ends)
		}
	})
}

// leads is where symbols lead from s.
func leads(o *Outline, s StateID, symbols []byte) StateID {
	for _, symbol := range symbols {
		s, _ = o.Step(s, symbol)
	}
	return s
}

// TestQuiet: what is quiet of a usual automaton.
func TestQuiet(t *testing.T) {
	o := csvMachine(t, false, true).Outline()
	for symbol, g := range o.Group {
		if want := symbol != '\n' && symbol != '"'; o.Quiet[g] != want {
			t.Errorf("%q: quiet is %v", byte(symbol), o.Quiet[g])
		}
	}
}
