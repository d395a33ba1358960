package runtime

import (
	"testing"

	"github.com/dfaparse/dfaparse/compile"
	"github.com/dfaparse/dfaparse/dfa"
)

// TestExtents: where the next record begins is known by a record's boundary, whatever literals
// stand within it.
func TestExtents(t *testing.T) {
	for source, want := range map[string]uint8{
		"format f { record `{a} {b}` }":                              1,
		"format f { record `{a} took={b}ms: {c...}` }":               1,
		"format f { delimited { sep ',' } fields { a str  b str } }": 1,
	} {
		spec, err := compile.Compile("f.dfp", []byte(source))
		if err != nil {
			t.Fatal(err)
		}
		a := spec.Program.Automaton
		x := newExtents(a)
		if got := x['\n']; got != want {
			t.Errorf("%s: %d bytes behind LF, want %d", source, got, want)
		}
		for s := range a.NStates() {
			for c := range 256 {
				_, e := a.Step(dfa.StateID(s), byte(c))
				if n := uint8(e.After(0)); e.Kind == dfa.Record && e.Lag == 0 && x[c] != 0 && x[c] != n {
					t.Errorf("%s: %d bytes behind %q in state %d, want %d", source, x[c], byte(c), s, n)
				}
			}
		}
	}
}
