package runtime

import (
	"testing"

	"github.com/dfaparse/dfaparse/compile"
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
		if got := newExtents(spec.Program.Automaton)['\n']; got != want {
			t.Errorf("%s: %d bytes behind LF, want %d", source, got, want)
		}
	}
}
