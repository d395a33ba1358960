package cpu

import (
	"testing"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/formats"
)

// TestSpecialSymbols: in every built-in format the symbols that have to be
// stepped are the few that structure it, so that text is passed over.
func TestSpecialSymbols(t *testing.T) {
	for _, name := range formats.Names() {
		p, err := formats.Program(name)
		if err != nil {
			t.Fatal(err)
		}
		m := newMachine(p)
		special := m.special.set
		t.Logf("%-16s %d special symbols: %s", name, special.Len(), dfa.FormatSet(special))
		if special.Len() > 16 {
			t.Errorf("%s: %d special symbols", name, special.Len())
		}
	}
}
