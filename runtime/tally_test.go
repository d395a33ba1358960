package runtime_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/gen"
	"github.com/dfaparse/dfaparse/runtime"
)

// TestTally: from every state a tally counts what the automaton says, whatever the symbols and
// wherever it has been interrupted.
func TestTally(t *testing.T) {
	for _, f := range slices.Concat(splitInputs, talliedInputs) {
		name, _, _ := strings.Cut(f.spec, " ")
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := spec(t, f.spec).Automaton
			rapid.Check(t, func(rt *rapid.T) {
				in := drawTallied(rt, f.words)
				cuts := rapid.SliceOfNDistinct(rapid.IntRange(0, len(in)), 0, 5, rapid.ID[int]).Draw(rt, "cuts")
				slices.Sort(cuts)
				sameTally(rt, a, in, append(cuts, len(in)))
			})
		})
	}
	t.Run("generated", func(t *testing.T) {
		for kind, name := range map[string]string{"torture": "csv", "yelp": "csv", "taxi": "csv", "combined": "apache_combined"} {
			var b bytes.Buffer
			if err := gen.Write(&b, kind, 200<<10, 1); err != nil {
				t.Fatal(err)
			}
			a := spec(t, name).Automaton
			sameTally(t, a, b.Bytes(), []int{5000, 30000, b.Len()})
			sameTally(t, a, bytes.ReplaceAll(b.Bytes(), []byte("\n"), []byte("\r\n")), []int{70000, b.Len()})
		}
	})
}

// talliedInputs are more inputs that are tallied.
var talliedInputs = []struct {
	spec  string
	words []string
}{
	{"csv", []string{"a,b\n", "x\"y\n", "5\"\",6\"\n", "\"a\"\"\",\n", "\"", "\n"}},
	{"lines", []string{"a\n", "\n", "b\r\n", "\r"}},
	{"delimited { sep '|'  quote '\\'' } header none ragged pad", []string{"a|b\n", "'x\n'|", "'it''s'\n", "c'|\n", "\r\n"}},
	{"delimited { sep ','  quote '\"'  escape '\\\\' } header none ragged pad", []string{"a,b\n", "\"x\\\"\n\",c\n", "\\\n", "\"\n"}},
	{"fstab", []string{"# no\n", "/dev/sda / ext4 defaults 0 1\n", "\n", " \n", "x\n"}},
}

// drawTallied draws a text of some blocks: words, long stretches of which are the same.
func drawTallied(rt *rapid.T, words []string) []byte {
	var b []byte
	for range rapid.IntRange(0, 30).Draw(rt, "stretches") {
		word := rapid.SampledFrom(words).Draw(rt, "word")
		for range rapid.SampledFrom([]int{1, 1, 1, 2, 5, 40}).Draw(rt, "times") {
			b = append(b, word...)
		}
		b = append(b, strings.Repeat("x", rapid.SampledFrom([]int{0, 0, 0, 1, 3, 61, 64, 200}).Draw(rt, "filler"))...)
	}
	return b
}

// sameTally holds a tally of in, which is read as far as each of the cuts, to the automaton.
func sameTally(t rapid.TB, a *dfa.Automaton, in []byte, cuts []int) {
	tally := runtime.NewTally(a)
	if tally == nil {
		return
	}
	for s := range a.NStates() {
		c := tally.From(dfa.StateID(s))
		state, records, at := dfa.StateID(s), int64(0), 0
		for _, cut := range cuts {
			for _, symbol := range in[at:cut] {
				next, e := a.Step(state, symbol)
				if state = next; e.Kind == dfa.Record && e.Record == dfa.DataRecord {
					records++
				}
			}
			got, is := c.Count(in, at, cut)
			if at = cut; got != records || is != tally.Of(state) {
				t.Fatalf("from %d to %d of %q, cut at %v: %d records, state %d, want %d and %d", s, cut, in[:min(len(in), 2000)], cuts, got, is, records, tally.Of(state))
			}
		}
	}
}
