package cpu

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dfaparse/dfaparse/compile"
	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/runtime"
)

// TestWrongClass: records of which a field is not enclosed as it has to be, with fewer fields than there are columns or more,
// which are the rest, are what they are by reference, and so are those between.
func TestWrongClass(t *testing.T) { onEach(t, testWrongClass) }

func testWrongClass(t *testing.T) {
	rng := rand.New(rand.NewPCG(33, 34))
	for _, spec := range []string{
		"escape clf = '\\' { '\"' '\\' }  format log { record `{a} [[{b}] \"{c:clf}\" {d}`  fields { d u8! }  rest extra }",
		"escape clf = '\\' { '\"' '\\' }  format strict { record `{a} [[{b}] \"{c:clf}\" {d} {e}`  fields { d u8!  e str ? }  max_record 60 }",
	} {
		s, err := compile.Compile("class.dfp", []byte(spec))
		if err != nil {
			t.Fatal(err)
		}
		for range 15 {
			odd, words, nrows := 1+rng.IntN(30), 1+rng.IntN(4), 1+rng.IntN(2000)
			var data []byte
			for range nrows {
				fields := []string{"host", "[then]", `"GET \"x y"`, "7"}
				for range rng.IntN(words) {
					fields = append(fields, []string{"more", `"more"`, "[more]"}[rng.IntN(3)])
				}
				if rng.IntN(odd) == 0 {
					i := rng.IntN(len(fields))
					fields[i] = []string{"-", "[x]", `"x"`, `"x`, "x]", "", `a"`, "x y z u v", strings.Repeat("long", 20)}[rng.IntN(9)]
				}
				if rng.IntN(2*odd) == 0 {
					fields = fields[:rng.IntN(len(fields))]
				}
				data = append(append(data, strings.Join(fields, " ")...), "\r\n"[min(rng.IntN(20), 1):]...)
			}
			opts := []runtime.Option{
				runtime.WithErrorMode([]dfa.ErrorMode{dfa.Reject, dfa.Null}[rng.IntN(2)]), runtime.WithRejectDetails(rng.IntN(3)), runtime.WithBatchSize(1 + rng.IntN(3000)),
			}
			asReference(t, rng, s.Program, s.Program.Name, data, opts, 1+rng.IntN(len(data)), 1<<20)
		}
	}
}
