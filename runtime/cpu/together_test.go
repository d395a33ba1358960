package cpu

import (
	"math/rand/v2"
	"testing"

	"github.com/dfaparse/dfaparse/compile"
	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/reference"
)

// TestTogether: records that are indexed together with malformed ones, and rows with texts that are not UTF-8, are left
// out and kept as by reference, whatever of them is asked for, wherever records end and malformed ones do.
func TestTogether(t *testing.T) { onEach(t, testTogether) }

func testTogether(t *testing.T) {
	const lines = `
		    group             N='\n' | C=';' | R='\r' | B='!' | P='.' | X=*
		    SOR "at a line" : SOR r drop | SOF f | RET . | FLD d | FLD d | FLD d
		    SOF "at a field" : SOR r | SOF f | RET . | FLD d | FLD d | FLD d`
	rng := rand.New(rand.NewPCG(27, 28))
	rounds := 16
	if testing.Short() {
		rounds = 4
	}
	for _, spec := range []string{
		`format pairs { delimited { sep ';' }  fields { a str!  b str } }`,
		`format numbers { delimited { sep ';' }  fields { a str!  b f64! } }`,
		`format lax { delimited { sep ';'  quote '"' doubled  comment "#" }  fields { a str  b f64 }  ragged pad truncate  utf8 reject }`,
		`format blanks { delimited { sep ';' }  fields { a str trim  b str trim }  utf8 reject }`,
		`format kept { delimited { sep ';' }  fields { a str  b str }  blank keep  null "\xff" }`,
		`format replaced { delimited { sep ';' }  fields { a str  b u8 }  utf8 replace }`,
		`format bar { delimited { sep ';'  eol "|" }  fields { a str  b str } }`,
		`dfa before {
		   group             N='\n' | C=';' | R='\r' | X=*
		   SOR "at a line"  : SOR r | SOF f | CR . | FLD d
		   SOF "at a field" : SOR r | SOF f | CR . | FLD d
		   FLD "in a field" : SOR r | SOF f | CR . | FLD d
		   CR  "at the end" : SOR r lag 1 open 1 | ! | ! | !
		   eof : SOR ok, SOF|FLD r, CR r
		   recover N
		 }
		 format before { dfa before  fields { a str  b str } }`,
		`dfa bangs {
		    group             N='\n' | C=';' | H='#' | B='!' | P='.' | X=*
		    SOR "at a line" : SOR r drop | SOF f | COM . | ! | FLD d | FLD d
		    SOF "at a field" : SOR r | SOF f | FLD d | ! | FLD d | FLD d
		    FLD "in a field" : SOR r | SOF f | FLD d | ! | FLD d | FLD d
		    COM "in a comment" : SOR r drop | COM . | COM . | COM . | COM . | COM .
		    eof : SOR ok, SOF|FLD r, COM ok
		    recover P
		 }
		 format bangs { dfa bangs  fields { a str  b str } }`,
		`format crlf { delimited { sep ';'  eol crlf }  fields { a str  b str } }`,
		`format four { delimited { sep ';' }  fields { a str  b u8  c f64  d str }  ragged pad }`,
		`format rest { delimited { sep ';' }  fields { a str  b str }  rest more }`,
		`dfa elsewhere {` + lines + `
		    FLD "in a field" : SOR r | SOF f | RET . | FLD d | ! | FLD d
		    RET "at the end" : SOR r | ! | ! | ! | ! | !
		    eof : SOR ok, SOF|FLD r, RET r
		    recover C
		  }
		  format elsewhere { dfa elsewhere  fields { a str  b str }  ragged pad }`,
		`dfa sometimes {` + lines + `
		    FLD "in a field" : SOR r | SOF f | RET . | BNG d | FLD d | FLD d
		    BNG "behind a bang" : SOR r | SOF f | BNG d | BNG d | BNG d | BNG d
		    RET "at the end" : SOR r | ! | ! | ! | FLD d | !
		    eof : SOR ok, SOF|FLD|BNG r, RET r
		    recover N
		  }
		  format sometimes { dfa sometimes  fields { a str  b str }  ragged pad }`,
	} {
		s, err := compile.Compile("together.dfp", []byte(spec))
		if err != nil {
			t.Errorf("%s: %v", spec, err)
			continue
		}
		p := s.Program
		for range rounds {
			data := drawTogether(rng, len(p.Columns), p.Name == "bar")
			opts := []runtime.Option{runtime.WithErrorMode([]dfa.ErrorMode{dfa.Reject, dfa.Reject, dfa.Reject, dfa.Reject, dfa.Null, dfa.Fail}[rng.IntN(6)]), runtime.WithRejectDetails([]int{0, 0, 0, 1, -1}[rng.IntN(5)])}
			if rng.IntN(4) == 0 {
				opts = append(opts, runtime.WithMaxRecord(20))
			}
			if rng.IntN(3) == 0 {
				opts = append(opts, runtime.WithPartitionSize(600+rng.IntN(9000)))
			}
			if rng.IntN(3) == 0 {
				opts = append(opts, runtime.WithColumns([]string{"a", "b"}[rng.IntN(2)]))
			}
			want := outcomeOf(t, p, data, append(opts, runtime.WithEngine(reference.Engine))...)
			for _, chunk := range []int{len(data) + 1, 1 + rng.IntN(len(data)+1), 1 + rng.IntN(3000)} {
				got := outcomeOf(t, p, data, append(opts, runtime.WithEngine(Engine), runtime.WithThreads(1+rng.IntN(3)), runtime.WithChunkSize(chunk))...)
				if got != want {
					t.Fatalf("%s, chunks of %d: %.3000q gives %s", p.Name, chunk, data, firstDifference(got, want))
				}
			}
		}
	}
}

// drawTogether is many short lines of so many fields, of which one in a few has a symbol or two inserted.
func drawTogether(rng *rand.Rand, nfields int, bar bool) (data []byte) {
	every, end, nlines := 1+rng.IntN(40), []string{"\n", "\n", "\r\n"}[rng.IntN(3)], 100+rng.IntN(2000)
	if bar {
		end = "|"
	}
	switch rng.IntN(16) {
	case 0:
		every, nlines = 1, 6000
	case 1:
		nlines += 6000
	}
	kinds := []string{"\r", "\xc3", "\r", "\xff", "!", "\x82", ";", "\r\n", "\n", "\xf0a", " ", "\"", "#", "!;\r", "!.", "!ab\r", "!.#", "\r\xff", " and so on and so on", "cut"}
	rng.Shuffle(len(kinds), func(i, j int) { kinds[i], kinds[j] = kinds[j], kinds[i] })
	kinds = kinds[:1+rng.IntN(3)]
	for range nlines {
		var line []byte
		for f := range nfields {
			if f > 0 {
				line = append(line, ';')
			}
			if f == 0 || f == 3 {
				line = append(line, []string{"Oslo", "a", "Tromsø", "", "St. John's", "é"}[rng.IntN(6)]...)
			} else {
				line = append(line, []string{"1", "12", "9"}[rng.IntN(3)]...)
			}
		}
		if rng.IntN(every) == 0 {
			at := rng.IntN(len(line) + 1)
			if kind := kinds[rng.IntN(len(kinds))]; kind != "cut" {
				line = append(line[:at:at], append([]byte(kind), line[at:]...)...)
			} else {
				line = line[:at]
			}
		}
		data = append(append(data, line...), end...)
	}
	return data
}
