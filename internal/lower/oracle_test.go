package lower

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/dfaparse/dfaparse/dfa"
)

// cut takes line apart as literals say: holes stand between them, each up to
// the first place where the literal after it stands complete.
func cut(line string, literals []string) (fields []string, ok bool) {
	line, ok = strings.CutPrefix(line, literals[0])
	last := len(literals) - 1
	for i, l := range literals[1:] {
		if i+1 == last && l == "" {
			return append(fields, line), ok
		}
		field, after, found := strings.Cut(line, l)
		if !ok || !found {
			return nil, false
		}
		fields, line = append(fields, field), after
	}
	return fields, ok && line == ""
}

func TestTemplateOracle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		literal := func(least int) string {
			n := rapid.IntRange(least, 3).Draw(t, "length")
			return string(rapid.SliceOfN(rapid.SampledFrom([]byte("ab|")), n, n).Draw(t, "literal"))
		}
		literals := []string{literal(0)}
		parts := []Part{lit(literals[0])}
		n := rapid.IntRange(1, 3).Draw(t, "holes")
		for i := range n {
			least := 1
			if i == n-1 {
				least = 0
			}
			literals = append(literals, literal(least))
			parts = append(parts, hole(fmt.Sprint("f", i)), lit(literals[i+1]))
		}
		if _, ok := asList(tidy(parts)); ok {
			t.Skip("a list has rules of its own")
		}
		s, err := BuildRecord(&Record{Parts: parts, Lines: Lines{Blank: KeepBlank}})
		if err != nil {
			t.Fatal(err)
		}
		for range 8 {
			n := rapid.IntRange(1, 14).Draw(t, "n")
			line := string(rapid.SliceOfN(rapid.SampledFrom([]byte("aab|x")), n, n).Draw(t, "line"))
			fields, ok := cut(line, literals)
			want := strings.Join(fields, ",")
			s.Automaton.Walk([]byte(line+"\r\n"), s.Automaton.Start, func(r *dfa.RawRecord) bool {
				var values []string
				for _, f := range r.Fields {
					values = append(values, string(f.Value))
				}
				if got := strings.Join(values, ","); ok != (r.Code == 0) || ok && got != want {
					t.Fatalf("%q of %q: got %q (%s), want %q (%v)", line, literals, got, s.Automaton.Message(r.Code), want, ok)
				}
				return true
			})
		}
	})
}
