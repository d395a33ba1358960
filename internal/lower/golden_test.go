package lower

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/dfaparse/dfaparse/dfa"
)

var update = flag.Bool("update", false, "rewrite the golden files")

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
		path := filepath.Join("testdata", name+".txt")
		got := a.Dump()
		if *update {
			if err := os.MkdirAll("testdata", 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if got != string(want) {
			t.Errorf("%s differs; run with -update to accept\ngot:\n%s", path, got)
		}
	}
}
