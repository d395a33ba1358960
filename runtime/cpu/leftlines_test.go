package cpu

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/dfaparse/dfaparse/compile"
	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/reference"
)

// TestLinesLeftOut: records of which nothing but the size is asked for count for the bytes and lines that they do by reference, whatever
// ends lines, where the boundary is a carriage return, and where records have line feeds inside them.
func TestLinesLeftOut(t *testing.T) { onEach(t, testLinesLeftOut) }

func testLinesLeftOut(t *testing.T) {
	rng := rand.New(rand.NewPCG(23, 24))
	const end = `  fields { a str  b u8! }`
	for _, spec := range []string{
		`format plain { delimited { sep ';'  eol lf|crlf }  blank keep` + end + ` }`,
		`format crlf { delimited { sep ';'  eol crlf }` + end + ` }`,
		`format cr { delimited { sep ';'  eol cr }` + end + ` }`,
		`format any { delimited { sep ';'  eol any }` + end + ` }`,
		`format bar { delimited { sep ';'  eol "|" }` + end + ` }`,
		`format quoted { delimited { sep ';'  quote '"' doubled }` + end + ` }`,
		`format bracketed { delimited { sep ';'  bracket '[' ']' }` + end + ` }`,
		`dfa before {
		   group             N='\n' | C=';' | R='\r' | X=*
		   SOR "at a line"  : SOR r | SOF f | CR . | FLD d
		   SOF "at a field" : SOR r | SOF f | CR . | FLD d
		   FLD "in a field" : SOR r | SOF f | CR . | FLD d
		   CR  "at the end" : SOR r lag 1 open 1 | ! | ! | !
		   eof : SOR ok, SOF|FLD r, CR r
		   recover N
		 }
		 format before { dfa before` + end + ` }`,
		`dfa within {
		   group             N='\n' | C=';' | R='\r' | X=*
		   SOR "at a line"  : SOR r | SOF f | SOR r drop | FLD d
		   SOF "at a field" : SOR r | SOF f | FLD d | FLD d
		   FLD "in a field" : SOR r | SOF f | FLD d | FLD d
		   eof : SOR ok, SOF|FLD r
		   recover N
		 }
		 format within { dfa within` + end + ` }`,
		`dfa either {
		   group             N='\n' | C=';' | R='\r' | B='!' | X=*
		   SOR "at a line"  : SOR r | SOF f | CR . | BNG . | FLD d
		   SOF "at a field" : SOR r | SOF f | CR . | FLD d | FLD d
		   FLD "in a field" : SOR r | SOF f | CR . | FLD d | FLD d
		   CR  "at the end" : SOR r | ! | ! | ! | !
		   BNG "behind it"  : SOR r | BNG f | SOR r | BNG d | BNG d
		   eof : SOR ok, SOF|FLD|BNG r, CR r
		   recover N
		 }
		 format either { dfa either  fields { a str  b u8 }  ragged pad }`,
	} {
		s, err := compile.Compile("lines.dfp", []byte(spec))
		if err != nil {
			t.Fatal(err)
		}
		for range 10 {
			odd, ends := 1+rng.IntN(8), []string{"\n", "\n", "\r\n", "\r\n", "\r", "|"}
			ends = ends[rng.IntN(len(ends)):][:1]
			if rng.IntN(3) == 0 {
				ends = []string{"\n", "\r\n", "\r", "|"}
			}
			var data []byte
			for range 1 + rng.IntN(500) {
				line := []string{"Oslo;1", "a;23"}[rng.IntN(2)]
				if rng.IntN(odd) == 0 {
					line = []string{"x", "", "a\rb;1", "a\nb;x", "a\rb", "\"a\nb\"", "[a\nb]", "\"a\nb\";x", "[a\nb];x", "!a;1;2\r", "a;1;2", "a;x", "\r", "\xff"}[rng.IntN(14)]
				}
				data = append(append(data, line...), ends[rng.IntN(len(ends))]...)
			}
			if rng.IntN(3) == 0 { // records that end elsewhere, and empty ones behind them
				data = bytes.Repeat([]byte("a\rb;1\nOslo;1\n!a;1;2\r\n"), 1+rng.IntN(60))
			}
			opts := []runtime.Option{
				runtime.WithErrorMode([]dfa.ErrorMode{dfa.Reject, dfa.Reject, dfa.Null, dfa.Fail}[rng.IntN(4)]), runtime.WithRejectDetails(rng.IntN(3) / 2),
			}
			want := outcomeOf(t, s.Program, data, append(opts, runtime.WithEngine(reference.Engine))...)
			for _, chunk := range []int{1 + rng.IntN(len(data)), 1 << 20} {
				got := outcomeOf(t, s.Program, data, append(opts, runtime.WithEngine(Engine), runtime.WithThreads(1+rng.IntN(2)), runtime.WithChunkSize(chunk))...)
				if got != want {
					t.Fatalf("%s, chunks of %d: %.3000q: %s", s.Program.Name, chunk, data, firstDifference(got, want))
				}
			}
		}
	}
}
