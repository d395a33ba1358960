package lower

import (
	"path/filepath"
	"testing"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/golden"
)

// TestGolden holds the automata of a few formats as text.
func TestGolden(t *testing.T) {
	delimited := func(d *Delimited) *dfa.Automaton {
		a, _, err := BuildDelimited(d)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	for name, a := range map[string]*dfa.Automaton{
		"rfc4180": delimited(csv()),
		"w3c": delimited(&Delimited{Separators: []Separator{run(" "), one("\t")}, Quote: '"', Doubled: true,
			Lines: Lines{Comments: []string{"#"}, Directives: []string{"#Fields:"}}}),
		"combined":  build(t, &Record{Parts: combinedLog(), Rest: "extra"}).Automaton,
		"multiline": build(t, &Record{Parts: []Part{hole("date"), lit(" "), hole("msg")}, Multiline: &Multiline{Start: dated()}}).Automaton,
	} {
		golden.File(t, filepath.Join("testdata", name+".txt"), a.Dump())
	}
}
