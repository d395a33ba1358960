package runtime

import (
	"io"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/dfaparse/dfaparse/compile"
	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/drawn"
)

// TestDirectivesAbreast looks for directives in stretches, which begin in quotes, in comments and in
// records longer than a stretch, as if they were stepped one after the other.
func TestDirectivesAbreast(t *testing.T) {
	spec, err := compile.Compile("abreast.dfp", []byte(`format abreast {
	delimited { sep ','  quote '"' doubled }  directive "#fields" schema  directive "#" skip }`))
	if err != nil {
		t.Fatal(err)
	}
	a := spec.Program.Automaton
	several := 0
	drawn.Check(t, "no input had several directives", func() bool { return several > 0 }, func(t *rapid.T) {
		parts := rapid.SliceOfN(rapid.SampledFrom([]string{"a,b\n", "#fields a b\n", "# no\n", `"`, `""`, "\n", "\r\n", "#fields", `"#fields x` + "\n" + `",1` + "\n", "x"}), 0, 60).Draw(t, "parts")
		data := []byte(strings.Join(parts, ""))
		if rapid.Bool().Draw(t, "two") {
			data = append(data, "\n# no\n# no\n\"\n# no\n# no\n"...) // after the first quote or the second, wherever it begins
		}
		r := &Reader{o: &options{threads: rapid.IntRange(1, 9).Draw(t, "threads")}, src: &source{data: data}}
		if rapid.Bool().Draw(t, "final") {
			r.src.err = io.EOF
		}
		r.state = dfa.StateID(rapid.IntRange(0, a.NStates()-1).Draw(t, "state"))
		var want []span
		next, resume := 0, r.state
		eachSpan(a, data, r.state, r.src.final(), func(s span) bool {
			if s.kind >= dfa.FirstDirective {
				want = append(want, s)
			}
			next, resume = s.next, s.resume
			return true
		})
		found, n, s, err := r.directives(a, rapid.IntRange(1, 40).Draw(t, "least"))
		if err != nil {
			t.Fatal(err)
		}
		at := func(s span) [3]int { return [3]int{int(s.kind), s.start, s.end} }
		if n != next || s != resume || !slices.EqualFunc(found, want, func(x, y span) bool { return at(x) == at(y) }) {
			t.Fatalf("%q from state %d: %v, then %d in %d; want %v, then %d in %d", data, r.state, found, n, s, want, next, resume)
		}
		if len(want) > 1 {
			several++
		}
	})
}

// TestByPieces gives each place once.
func TestByPieces(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		from := rapid.IntRange(0, 3*piece).Draw(t, "from")
		to := from + rapid.OneOf(rapid.IntRange(0, 9), rapid.IntRange(0, 12*piece)).Draw(t, "size")
		given := make([]int, to)
		byPieces(from, to, func(from, to int) bool {
			if to-from > piece {
				t.Fatalf("[%d:%d] is longer than a piece", from, to)
			}
			for i := range given[from:to] {
				given[from+i]++
			}
			return true
		})
		if slices.Contains(given[from:], 0) || slices.ContainsFunc(given, func(n int) bool { return n > 1 }) || slices.Contains(given[:from], 1) {
			t.Fatalf("[%d:%d] is given as %v", from, to, given)
		}
	})
}
