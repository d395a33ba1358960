package fuzz

import (
	"slices"
	"testing"

	"github.com/dfaparse/dfaparse/dfa"
)

// TestDirectivePrefixes: what is a directive the automaton says; the prefix
// beside it is for people.
func TestDirectivePrefixes(t *testing.T) {
	d := program(t, "w3c").Definition
	d.Directives = slices.Clone(d.Directives)
	for i := range d.Directives {
		if d.Directives[i].Action == dfa.SchemaDirective {
			d.Directives[i].Prefix = "#Columns:"
		}
	}
	p, err := dfa.NewProgram(d)
	if err != nil {
		t.Fatal(err)
	}
	in := "#Fields: a b\n1 2\n# no\n#Fields: b\n3\n4 5\n"
	for mode, m := range modes {
		conform(t, mode, p, in, m, settings(true))
	}
}
