package cpu

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dfaparse/dfaparse/compile"
	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/reference"
)

// returnEnds is a table of fields in which a return belongs to the line end behind it, or is wrong.
const returnEnds = `
	group             N='\n' | C=';' | R='\r' | X=*
	SOR "at a line"  : SOR r | SOF f | CR . | FLD d
	SOF "at a field" : SOR r | SOF f | CR . | FLD d
	FLD "in a field" : SOR r | SOF f | CR . | FLD d
	CR  "at the end" : SOR r lag 1 open 1 | ! | ! | !
	eof : SOR ok, SOF|FLD r, CR r
	recover N
	`

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
		`dfa before {` + returnEnds + `}
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
		`format heads { delimited { sep ';' }  fields { a u8!  b str } }`,
		`format ended { dfa {` + returnEnds + `}  fields { a str  b u8 } }`,
		`format bar { delimited { sep ';'  eol "|" }  fields { a str  b u8! }  utf8 reject }`,
		`format broken { delimited { sep '\xa6' }  fields { a str  b str }  utf8 reject }`,
		`format tokens { delimited { sep ';' }  fields { a str  b str }  null "\xff"  utf8 reject }`,
		`escape short = '\' { n t other drop }  format led { delimited { sep ';'  escape short }  fields { a str  b u8! } }`,
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
		for range rounds {
			compareTogether(t, rng, s.Program, spec)
		}
	}
}

// TestTogetherTables: the same of tables that say something else, in each state, of the symbols that masks say little of.
func TestTogetherTables(t *testing.T) { onEach(t, testTogetherTables) }

func testTogetherTables(t *testing.T) {
	rng, masked, n := rand.New(rand.NewPCG(31, 1)), 0, 120
	if testing.Short() {
		n = 40
	}
	for range n {
		spec := drawTable(rng)
		s, err := compile.Compile("table.dfp", []byte(spec))
		if err != nil {
			t.Errorf("%s: %v", spec, err)
			continue
		}
		if s.Program.Analysis().Masks != nil {
			masked++
		}
		compareTogether(t, rng, s.Program, spec)
	}
	if masked < n/4 {
		t.Errorf("%d of %d tables have masks", masked, n)
	}
}

// TestTogetherWhere: the same of what lies just so.
func TestTogetherWhere(t *testing.T) { onEach(t, testTogetherWhere) }

func testTogetherWhere(t *testing.T) {
	lines := func(n int, of ...string) string { return strings.Repeat(strings.Join(of, ""), n) }
	const good, returned = "Oslo;1\n", "Oslo;1\r\n"
	elsewhere := `dfa elsewhere {
		    group             N='\n' | C=';' | B='!' | X=*
		    SOR "at a line"  : SOR r drop | SOF f | FLD d | FLD d
		    SOF "at a field" : SOR r | SOF f | FLD d | FLD d
		    FLD "in a field" : SOR r | SOF f | ! | FLD d
		    eof : SOR ok, SOF|FLD r
		    recover C
		  }
		  format elsewhere { dfa elsewhere  fields { a str  b str }  ragged pad }`
	type input struct{ what, spec, data string }
	inputs := []input{
		{"nothing but malformed records", `format pairs { delimited { sep ';' }  fields { a str  b str } }`, lines(9000, "a\r;1\n")},
		{"null tokens that are not UTF-8", `format tokens { delimited { sep ';' }  fields { a str?  b str? }  null "\xff\xff"  utf8 reject }`,
			lines(3000, "abc;b\n", "abc;\xff\xff\n", "abc;\xc3\n")},
		{"values behind the first round", `format ended { dfa {` + returnEnds + `}  fields { a str  b u8? } }`,
			lines(2, "a\r;1\n") + lines(4200, returned) + lines(50, "a\r;1\n", returned, returned, returned, returned, returned, "Oslo;x\r\n", returned)},
		{"where the input begins is not where records do", `format top { dfa {
		   group             N='\n' | C=';' | R='\r' | B='!' | X=*
		   TOP "at the top"  : TOP r | SOF f | CR . | COM . | FLD d
		   SOR "at a line"   : SOR r | SOF f | CR . | ! | FLD d
		   SOF "at a field"  : SOR r | SOF f | CR . | ! | FLD d
		   FLD "in a field"  : SOR r | SOF f | CR . | ! | FLD d
		   CR  "at the end"  : SOR r | ! | ! | ! | !
		   COM "in a comment" : SOR r drop | COM . | COM . | COM . | COM .
		   eof : TOP|SOR ok, SOF|FLD|CR r, COM !
		   recover N
		 }  fields { a str  b str } }`, lines(200, good, good, good, good, good, "a\rb;1\n", "!note\n")},
		{"a bang where a field begins, but no record", `format bangs { dfa {
		   group             N='\n' | C=';' | B='!' | X=*
		   SOR "at a line"   : SOR r | SOF f | ! | FLD d
		   SOF "at a field"  : SOR r | SOF f | FLD . | FLD d
		   FLD "in a field"  : SOR r | SOF f | ! | FLD d
		   eof : SOR ok, SOF|FLD r
		   recover N
		 }  fields { a str  b str } }`, lines(200, "x!y;1\n", "x!y;1\n", good, good, good, good, good, "Rome;!b\n")},
		{"texts of fixed width that are not UTF-8", `format cut { fixed { a 3  b 2 }  fields { a str  b str }  utf8 reject }`, lines(5000, "abc12\n", "ab\xff12\n")},
		{"binary texts that are not UTF-8", `format cells { binary { a 3  b 3 }  fields { a str  b str }  utf8 reject }`, lines(5000, "abc12\n", "ab\xff12\n")},
	}
	for n := 570; n < 600; n++ { // where a strip has been looked up, of which the rest was left
		inputs = append(inputs, input{"a record that begins where none does as a rule", elsewhere,
			lines(3, good) + lines(2, "x!;") + lines(n, good) + lines(20, "Rome\n") + "x!;" + lines(6, "Rome\n") + "x!;\n" + lines(200, "Rome\n")})
	}
	for _, in := range inputs {
		s, err := compile.Compile("where.dfp", []byte(in.spec))
		if err != nil {
			t.Fatal(err)
		}
		for _, mode := range []dfa.ErrorMode{dfa.Reject, dfa.Null} {
			for _, told := range []int{0, 2} {
				opts := []runtime.Option{runtime.WithErrorMode(mode), runtime.WithRejectDetails(told)}
				want := outcomeOf(t, s.Program, []byte(in.data), append(opts, runtime.WithEngine(reference.Engine))...)
				if got := outcomeOf(t, s.Program, []byte(in.data), append(opts, runtime.WithEngine(Engine))...); got != want {
					t.Errorf("%s, %v, %d told: %s", in.what, mode, told, firstDifference(got, want))
				}
			}
		}
	}
}

// compareTogether compares what becomes of drawn lines with what does by reference.
func compareTogether(t *testing.T, rng *rand.Rand, p *dfa.Program, spec string) {
	t.Helper()
	data := drawTogether(rng, p)
	opts := []runtime.Option{runtime.WithErrorMode([]dfa.ErrorMode{dfa.Reject, dfa.Reject, dfa.Reject, dfa.Reject, dfa.Null, dfa.Null, dfa.Fail}[rng.IntN(7)]), runtime.WithRejectDetails([]int{0, 0, 0, 1, 2, -1}[rng.IntN(6)])}
	if rng.IntN(4) == 0 {
		opts = append(opts, runtime.WithMaxRecord(20))
	}
	if rng.IntN(3) == 0 {
		opts = append(opts, runtime.WithPartitionSize(600+rng.IntN(9000)))
	}
	if rng.IntN(3) == 0 {
		opts = append(opts, runtime.WithColumns(p.Columns[rng.IntN(min(len(p.Columns), 4))].Name))
	}
	asReference(t, rng, p, spec, data, opts, len(data)+1, 1+rng.IntN(len(data)+1), 1+rng.IntN(3000))
}

// drawTable is a spec of fields between semicolons, with a table in which a bang, a dot, a hash and a carriage return lead
// to one of several states each, from each.
func drawTable(rng *rand.Rand) string {
	pick := func(of ...string) string { return of[rng.IntN(len(of))] }
	odd := func() string { return pick("FLD d", "FLD d", "FLD d", "!", "!", "BNG d", "FLD .") }
	begin := func() string { return pick("FLD d", "FLD d", "!", "COM .", "BNG d") }
	var b strings.Builder
	second := rng.IntN(5) == 0 // symbol that ends records
	row := func(state string, cells ...string) {
		if second && state != "COM" {
			cells[4] = cells[0]
		}
		fmt.Fprintf(&b, "%s : %s\n", state, strings.Join(cells, " | "))
	}
	ret := func() string { return pick("RET .", "RET .", "RET .", "RET .", "!", "FLD d") }
	lag := pick("", "", " lag 1 open 1")
	b.WriteString("dfa table {\n")
	end := pick("'\\n'", "'\\n'", "'\\n'", "'|'", "'\\n' '|'")
	b.WriteString("group " + strings.Join([]string{"N=" + end, "C=';'", "R='\\r'", "B='!'", "P='.'", "H='#'", "X=*"}, " | ") + "\n")
	if rng.IntN(3) == 0 {
		row("TOP", pick("SOR r drop", "SOR r", "TOP r"), "SOF f", ret(), begin(), begin(), begin(), "FLD d")
	}
	row("SOR", pick("SOR r drop", "SOR r"), "SOF f", pick(ret(), ret(), ret(), "SOR r drop"), begin(), begin(), begin(), "FLD d")
	row("SOF", pick("SOR r", "SOR r", "SOR r", "!"), "SOF f", ret(), odd(), odd(), odd(), "FLD d")
	row("FLD", "SOR r", "SOF f", pick("RET .", "RET .", "RET .", "FLD d"), odd(), odd(), odd(), "FLD d")
	row("BNG", pick("SOR r", "SOR r", "AFT r", "!"), "SOF f", pick("RET .", "BNG d"), odd(), odd(), odd(), pick("BNG d", "FLD d", "!"))
	row("AFT", "SOR r", "SOF f", ret(), begin(), begin(), begin(), "FLD d")
	row("RET", "SOR r"+lag, pick("!", "!", "!", "FLD d"), pick("!", "!", "!", "FLD d"), pick("!", "!", "!", "BNG d"), "!", pick("!", "!", "COM ."), pick("!", "!", "!", "!", "FLD d"))
	row("COM", "SOR r drop", "COM .", "COM .", "COM .", "COM .", "COM .", "COM .")
	top := ""
	if strings.Contains(b.String(), "TOP :") {
		top = "TOP|"
	}
	fmt.Fprintf(&b, "eof : %sSOR|AFT ok, SOF|FLD|BNG|RET r, COM %s\n", top, pick("r", "!"))
	b.WriteString(pick("", "recover N", "recover N", "recover C", "recover P", "recover R", "recover N | P", "recover N | C") + "\n}\n")
	name := "table"
	if end == "'|'" {
		name = "bar"
	}
	fields := pick("a str", "a str  b str", "a str  b u8", "a u8  b str", "a str  b u8  c f64  d str", "a str?  b u8!")
	return b.String() + "format " + name + " { dfa table  fields { " + fields + " } " + pick("", "ragged pad", "ragged pad truncate", "blank keep") + pick("", "", " utf8 reject", " utf8 replace") + " }"
}

// drawTogether is many short lines of so many fields, or of fewer in runs, of which one in a few has a symbol or two inserted.
func drawTogether(rng *rand.Rand, p *dfa.Program) (data []byte) {
	every, end, nlines := 1+rng.IntN(40), []string{"\n", "\n", "\r\n"}[rng.IntN(3)], 100+rng.IntN(1200)
	sep := ";"
	switch p.Name {
	case "bar":
		end = "|"
	case "broken":
		sep = "\xa6"
	}
	switch rng.IntN(16) {
	case 0:
		every, nlines = 1, 9000
	case 1:
		nlines += 6000
	}
	kinds := []string{"\r", "\xc3", "\r", "\xff", "!", "\x82", ";", "\r\n", "\n", "\xf0a", " ", "\"", "#", "!;\r", "!.", "!ab\r", "!.#", "\r\xff", " and so on and so on", "cut", "!;", "\\\n", "\r!", "x!", ".", "\xc3;", "\r;"}
	rng.Shuffle(len(kinds), func(i, j int) { kinds[i], kinds[j] = kinds[j], kinds[i] })
	kinds = kinds[:1+rng.IntN(4)]
	texts := []string{"Oslo", "a", "Tromsø", "", "St. John's", "é"}
	if rng.IntN(4) == 0 {
		texts = append(texts, []string{"\xff", "\xc3", "\xa6"}[rng.IntN(3)])
	}
	most := min(len(p.Columns), 4)
	runs, n, run := rng.IntN(3) == 0, most, 0
	for range nlines {
		if run--; runs && run < 0 {
			n, run = 1+rng.IntN(most), rng.IntN(80)
		}
		var line []byte
		for f := range n {
			if f > 0 {
				line = append(line, sep...)
			}
			if p.Columns[f].Type.Kind == dfa.String {
				line = append(line, texts[rng.IntN(len(texts))]...)
			} else {
				line = append(line, []string{"1", "12", "9"}[rng.IntN(3)]...)
			}
		}
		if rng.IntN(every) == 0 {
			at := rng.IntN(len(line) + 1)
			if rng.IntN(3) == 0 { // at the edge of a field
				at = []int{0, bytes.Index(line, []byte(sep)) + 1, len(line)}[rng.IntN(3)]
			}
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
