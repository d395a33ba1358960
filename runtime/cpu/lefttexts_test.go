package cpu

import (
	"math/rand/v2"
	"testing"

	"github.com/dfaparse/dfaparse/compile"
	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/reference"
)

// TestTextsLeftOut: texts of records of which many are left out for other columns, for several, or for the texts, are what they
// are by reference, and so are the bytes of those that become null.
func TestTextsLeftOut(t *testing.T) { onEach(t, testTextsLeftOut) }

func testTextsLeftOut(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 22))
	for _, spec := range []string{
		`format plain { delimited { sep ';' }  fields { a u8!  b str  c u8!  d str }  utf8 reject }`,
		`format needed { delimited { sep ';' }  fields { a u8!  b str!  c u8  d str null "x" }  utf8 reject }`,
		`format parts { delimited { sep ';' }  fields { a u8!  b str  e str!  f str  c u8!  d str }  split b ` + "`{e}é{f}`" + `  utf8 reject }`,
		`escape short = '\' { n t '\' }  format escaped { delimited { sep ';'  escape short }  fields { a u8!  b str null "a\\b"  c u8!  d str }  null after escape "N"  utf8 reject }`,
	} {
		s, err := compile.Compile("left.dfp", []byte(spec))
		if err != nil {
			t.Fatal(err)
		}
		for range 12 {
			numbers, texts, nrows := 1+rng.IntN(20), 1+rng.IntN(20), 1+rng.IntN(1500)
			var data []byte
			for range nrows {
				for field := range 4 {
					one := func(odd int, sound ...string) string {
						if rng.IntN(odd) == 0 {
							return []string{"x", "\xff", "é\xe2\x82", "\x82", ""}[rng.IntN(5)]
						}
						return sound[rng.IntN(len(sound))]
					}
					if field%2 == 0 {
						data = append(data, one(numbers, "1", "23")...)
					} else {
						data = append(data, one(texts, "Oslo", "Tromsøé1", `\N`, `a\\b`, "")...)
					}
					data = append(data, ";;;\n"[field])
				}
			}
			opts := []runtime.Option{
				runtime.WithErrorMode([]dfa.ErrorMode{dfa.Reject, dfa.Null}[rng.IntN(2)]), runtime.WithRejectDetails(rng.IntN(2)), runtime.WithBatchSize(1 + rng.IntN(3000)),
			}
			want := outcomeOf(t, s.Program, data, append(opts, runtime.WithEngine(reference.Engine))...)
			for _, chunk := range []int{1 + rng.IntN(len(data)), 1 << 20} {
				got := outcomeOf(t, s.Program, data, append(opts, runtime.WithEngine(Engine), runtime.WithThreads(1+rng.IntN(3)), runtime.WithChunkSize(chunk))...)
				if got != want {
					t.Fatalf("%s, chunks of %d: %.3000q: %s", s.Program.Name, chunk, data, firstDifference(got, want))
				}
			}
		}
	}
}
