package cpu

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dfaparse/dfaparse/compile"
	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/reference"
)

// TestFewAlike: where records with too few fields or too many come every few, they and those between are what they are by
// reference, enclosed ones as well, and long ones, and those before a return.
func TestFewAlike(t *testing.T) { onEach(t, testFewAlike) }

func testFewAlike(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 32))
	rounds := 12
	if testing.Short() {
		rounds = 4
	}
	for _, spec := range []string{
		`format two { delimited { sep ';' }  fields { a str  b u8 }  utf8 reject }`,
		`format one { delimited { sep ';' }  fields { a u8! } }`,
		`format four { delimited { sep ';'  quote '"' doubled }  fields { a u8  b str  c str  d str! }  utf8 reject }`,
		`format padded { delimited { sep ';' }  fields { a str  b u8!  c str? }  ragged pad }`,
		`format cut { delimited { sep ';' }  fields { a str  b u8 }  ragged truncate }`,
		`format more { delimited { sep ';' }  fields { a str  b u8 }  rest extra }`,
		`format small { delimited { sep ';' }  fields { a str  b u8 }  max_record 20 }`,
		`format five { delimited { sep ';' }  fields { a str  b u8  c str  d str  e u8 } }`,
	} {
		s, err := compile.Compile("few.dfp", []byte(spec))
		if err != nil {
			t.Fatal(err)
		}
		for round := range rounds {
			odd, rare, nrows, width := 1+rng.IntN(30), 10+rng.IntN(400), 1+rng.IntN(3000), len(s.Program.Columns)
			if round == 0 && width == 2 { // there are more than a round leaves out
				odd, nrows = 1, 12_000
			}
			var data []byte
			for range nrows {
				n := width
				if rng.IntN(odd) == 0 {
					n = rng.IntN(width + 2)
				}
				fields := make([]string, n)
				for i := range fields {
					if fields[i] = []string{"1", "23", "4", "Oslo"}[rng.IntN(4)]; s.Program.Columns[min(i, width-1)].Type.Kind != dfa.String {
						fields[i] = fields[i][:1]
					}
					if rng.IntN(rare) == 0 {
						fields[i] = []string{"x", `"q;z"`, "\xff", "\r", strings.Repeat("long", 10), ""}[rng.IntN(6)]
					}
				}
				data = append(data, strings.Join(fields, ";")...)
				if rng.IntN(4*rare) == 0 {
					data = append(data, '\r')
				}
				data = append(data, '\n')
			}
			opts := []runtime.Option{
				runtime.WithErrorMode([]dfa.ErrorMode{dfa.Reject, dfa.Null}[rng.IntN(2)]), runtime.WithRejectDetails(rng.IntN(3)), runtime.WithBatchSize(1 + rng.IntN(3000)),
			}
			asReference(t, rng, s.Program, s.Program.Name, data, opts, 1+rng.IntN(len(data)), 1<<20)
		}
	}
}

// TestFewAlikeFill: they fill a round with rows, and with what is left out, in the midst of what is marked.
func TestFewAlikeFill(t *testing.T) { onEach(t, testFewAlikeFill) }

func testFewAlikeFill(t *testing.T) {
	s, err := compile.Compile("fill.dfp", []byte(`format fill { delimited { sep ';' }  fields { a str  b u8 } }`))
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range []int{1, 2, 3, 5, 9} { // of so many and one
		for _, of := range []string{"1;2\n", "x\n"} {
			other := map[string]string{"1;2\n": "x\n", "x\n": "1;2\n"}[of]
			data := []byte(strings.Repeat(strings.Repeat(of, bad)+other, 12_000/(bad+1)))
			data = append(data, bytes.ReplaceAll(data, []byte("x"), []byte("longer"))...) // batches leave out other sizes
			opts := []runtime.Option{runtime.WithErrorMode(dfa.Reject), runtime.WithRejectDetails(0), runtime.WithBatchSize(700)}
			want := outcomeOf(t, s.Program, data, append(opts, runtime.WithEngine(reference.Engine))...)
			got := outcomeOf(t, s.Program, data, append(opts, runtime.WithEngine(Engine), runtime.WithThreads(1))...)
			if got != want {
				t.Fatalf("%d %q: %s", bad, of, firstDifference(got, want))
			}
		}
	}
}
