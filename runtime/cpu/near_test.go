package cpu

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/dfaparse/dfaparse/compile"
	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/reference"
)

// TestNear: records that are left out every few lines, and those between them, are what they are by reference, with each
// kind of code, in all modes, whatever is told of them.
func TestNear(t *testing.T) { onEach(t, testNear) }

func testNear(t *testing.T) {
	var programs []*dfa.Program
	for _, spec := range []string{
		`format pairs { delimited { sep ';' }  fields { a str!  b f64! } }`,
		`format lax { delimited { sep ';'  quote '"' doubled  comment "#" }  fields { a str  b f64 }  ragged pad truncate  utf8 reject }`,
		`format kept { delimited { sep ';' }  fields { a str  b f64 }  blank keep }`,
		`format rest { delimited { sep ';'  quote '"' doubled }  fields { a str  b f64? }  rest more }`,
		`format texts { delimited { sep ';' }  fields { a str!  b u8!  c f64  d str }  utf8 reject }`,
		`format single { delimited { sep ';'  quote '"' }  fields { a str  b f64  c u8 } }`,
		`format lines { delimited { sep ';'  quote '"' doubled max_lines 1 }  fields { a str  b f64  c u8  d str } }`,
		`format bare { delimited { sep ';'  quote '"' doubled }  null bare "a" ""  fields { a str?  b f64  c u8? } }`,
		`format five { delimited { sep ';'  quote '"' doubled }  fields { a str!  b u8!  c f64!  d str  e u8 } }`,
		`format once { delimited { sep ';'  quote '"'  comment "#" }  fields { a str  b u8  c f64  d str  e u8 }  utf8 reject }`,
		`format padded { delimited { sep ';'  quote '"' doubled  comment "#" }  fields { a str  b f64  c u8  d str  e u8 }  ragged pad }`,
		`format many { delimited { sep ';' }  fields { a str  b f64  c u8  d str  e u8 } }`,
		`format crlf { delimited { sep ';'  quote '"' doubled  eol crlf }  fields { a str  b f64  c u8  d str } }`,
		`format two { delimited { sep ';'  quote '"' or "'" doubled }  fields { a str  b f64  c u8 } }`,
		`format wide { delimited { sep ';'  quote '"' doubled  comment "#" }  fields { a str  b f64  c u8  d str } }`,
	} {
		s, err := compile.Compile("near.dfp", []byte(spec))
		if err != nil {
			t.Fatal(err)
		}
		programs = append(programs, s.Program)
	}
	rng := rand.New(rand.NewPCG(19, 20))
	rounds := 10
	if testing.Short() {
		rounds = 4
	}
	for _, p := range programs {
		for range rounds {
			data := drawNear(rng, len(p.Columns))
			opts := []runtime.Option{runtime.WithErrorMode([]dfa.ErrorMode{dfa.Reject, dfa.Reject, dfa.Null, dfa.Fail}[rng.IntN(4)])}
			if rng.IntN(2) == 0 {
				opts = append(opts, runtime.WithRejectDetails(rng.IntN(3)))
			}
			if rng.IntN(4) == 0 {
				opts = append(opts, runtime.WithMaxRecord(20))
			}
			if rng.IntN(2) == 0 {
				opts = append(opts, runtime.WithPartitionSize(600+rng.IntN(3000)))
			}
			if rng.IntN(2) == 0 {
				opts = append(opts, runtime.WithBatchSize(1+rng.IntN(60)))
			}
			want := outcomeOf(t, p, data, append(opts, runtime.WithEngine(reference.Engine))...)
			for _, threads := range []int{1, 2, 3} {
				chunk := 1 + rng.IntN(len(data)+1)
				got := outcomeOf(t, p, data, append(opts, runtime.WithEngine(Engine), runtime.WithThreads(threads), runtime.WithChunkSize(chunk))...)
				if got != want {
					t.Fatalf("%s, chunks of %d: %q gives\n%s\nwant\n%s", p.Name, chunk, data, got, want)
				}
			}
		}
	}
}

// TestNearEnds: records behind one that was left out are what they are by reference where that one ends elsewhere than
// others do, where more are left out than a round has rows, where they are too long and their fields not asked for, and where
// fields in quotes hold more line ends than they may, or quotes that are not doubled.
func TestNearEnds(t *testing.T) { onEach(t, testNearEnds) }

func testNearEnds(t *testing.T) {
	for _, c := range []struct{ spec, text string }{
		{`dfa bangs {
		    group             N='\n' | C=';' | H='#' | B='!' | P='.' | X=*
		    SOR "at a line" : SOR r drop | SOF f | COM . | ! | FLD d | FLD d
		    SOF "at a field" : SOR r | SOF f | FLD d | ! | FLD d | FLD d
		    FLD "in a field" : SOR r | SOF f | FLD d | ! | FLD d | FLD d
		    COM "in a comment" : SOR r drop | COM . | COM . | COM . | COM . | COM .
		    eof : SOR ok, SOF|FLD r, COM ok
		    recover P
		  }
		  format bangs { dfa bangs  fields { a str  b str } }`, strings.Repeat("Oslo;1\nBonn;!.#Rome;2\n", 300)},
		{`dfa quoted {
		    group              N='\n' | C=';' | Q='"' | B='!' | P='.' | X=*
		    SOR "at a line"  : SOR r | SOF f | QUO . | ! | FLD d | FLD d
		    SOF "at a field" : SOR r | SOF f | QUO . | ! | FLD d | FLD d
		    FLD "in a field" : SOR r | SOF f | ! | FLD d | FLD d | FLD d
		    QUO "in quotes"  : QUO d | QUO d | CLO . | QUO d | QUO d | QUO d
		    CLO "behind them": SOR r | SOF f | ! | ! | ! | !
		    eof : SOR ok, SOF|FLD|CLO r, QUO ! "open"
		    recover P
		  }
		  format quoted { dfa quoted  fields { a str  b str } }`, strings.Repeat("Oslo;\"a\"\n\"Bonn\";!.Rome;\"2\"\n\"x;y\";\"\"\n", 300)},
		{`format pairs { delimited { sep ';' }  fields { a str  b str } }`, "a\rb;1\na\rb;1\n" + strings.Repeat("x\n", 20_000)},
		{`format lines { delimited { sep ';'  quote '"' doubled }  fields { a str  b str } }`, "a\"b;1\na\"b;1\n" + strings.Repeat("x\n", 20_000) + "\"a\";b\n"},
		{`format pairs { delimited { sep ';' }  fields { a str  b str } }`, "a\rb;1\na\rb;1\n" + strings.Repeat("Oslo;1\n"+strings.Repeat("x", 30)+"\n", 300)},
		{`format quoted { delimited { sep ';'  quote '"' doubled max_lines 1 }  fields { a str  b str } }`, strings.Repeat("x;\"y\"z\nOslo;\"1\n2\"\n\"a\";\"b\n\nc\"\n", 300)},
		{`format undoubled { delimited { sep ';'  quote '"' }  fields { a str  b str } }`, strings.Repeat("x;\"y\"z\nOslo;\"1\"\n\"a\";\"b\"\"c\"\n", 300)},
		{`format many { delimited { sep ';' }  fields { a str  b str  c str  d str  e str }  rest more }`, strings.Repeat("a;b\rc;d\r\n", 2) + strings.Repeat("a;b;c;d;e\r\nx;y\r\na;b;c;d;e\n1;2;3;4;5;6\r\na;b\rc;d\r\n", 300)},
		{`format five { delimited { sep ';'  quote '"' doubled }  fields { a str  b str  c str  d str  e str } }`, strings.Repeat("a;b;c;d;\"e\"\"\"\r\nx;y\r\na;\"b\"\"\";c;d;e\n1;2;3;4;\"5\";6\r\na;\"b\"x;c;d;e\r\n", 300)},
		{`format two { delimited { sep ';'  quote '"' or "'" doubled }  fields { a str  b str } }`, strings.Repeat("x;\"y\"z\nOslo;\"it's\"\na;b'c\n\"a\";'b;c'\n", 300)},
	} {
		s, err := compile.Compile("near.dfp", []byte(c.spec))
		if err != nil {
			t.Fatal(err)
		}
		for i, columns := range [][]string{{"a", "b"}, {"b"}, {"a", "b"}, {"b"}} {
			opts := []runtime.Option{runtime.WithErrorMode(dfa.Reject), runtime.WithThreads(1), runtime.WithMaxRecord(20), runtime.WithColumns(columns...)}
			if i > 1 {
				opts = append(opts, runtime.WithMaxRecord(100_000), runtime.WithRejectDetails(0))
			}
			want := outcomeOf(t, s.Program, []byte(c.text), append(opts, runtime.WithEngine(reference.Engine))...)
			if got := outcomeOf(t, s.Program, []byte(c.text), append(opts, runtime.WithEngine(Engine))...); got != want {
				t.Errorf("%s, columns %s of %.20q…: %s", s.Program.Name, columns, c.text, firstDifference(got, want))
			}
		}
	}
}

// firstDifference is the first line of got that is not that of want.
func firstDifference(got, want string) string {
	wanted := strings.Split(want, "\n")
	for i, line := range strings.Split(got, "\n") {
		if i == len(wanted) || line != wanted[i] {
			return fmt.Sprintf("line %d is %.200q", i, line)
		}
	}
	return "lines are missing"
}

// drawNear is many short lines of so many fields, of which one in a few is odd in a way that is drawn from few.
func drawNear(rng *rand.Rand, nfields int) (data []byte) {
	every, kinds, quoted := 1+rng.IntN(12), rng.Perm(17)[:1+rng.IntN(4)], rng.IntN(3)
	end := []string{"\n", "\n", "\r\n"}[rng.IntN(3)]
	for range 100 + rng.IntN(1000) {
		line := []byte{}
		for f := range nfields {
			if f > 0 {
				line = append(line, ';')
			}
			text := f == 0 || f == 3
			switch {
			case text && quoted > 0 && rng.IntN(2*quoted) < 3:
				line = append(line, []string{`"Oslo"`, `"a;b"`, `""`, "\"St.\nJohn's\"", `"the ""city"" of Oslo, which is longer"`}[rng.IntN(4+rng.IntN(2))]...)
			case text:
				line = append(line, []string{"Oslo", "a", "Tromsø", "St. John's", ""}[rng.IntN(4)]...)
			case quoted == 1:
				line = append(line, []string{`"1"`, `"12"`, "9"}[rng.IntN(3)]...)
			default:
				line = append(line, []string{"1", "12", "9"}[rng.IntN(3)]...)
			}
		}
		if rng.IntN(every) == 0 {
			at := rng.IntN(len(line))
			switch kinds[rng.IntN(len(kinds))] {
			case 0:
				line = nil
			case 1:
				line = line[:at]
			case 2:
				line[at] = 'x'
			case 3:
				line[at] = ';'
			case 4:
				line[at] = '\r'
			case 5:
				line[at] = '"'
			case 6:
				line = append([]byte("#"), line...)
			case 7:
				line = append([]byte(`"a;b`+"\n"+`c`), line[at:]...)
			case 8:
				line = append([]byte(`"a"`), line[at:]...)
			case 9:
				line = append(line, line[at:]...)
			case 10:
				line[at] = byte(rng.Uint32())
			case 11:
				line = slices.Insert(line, at, []byte("\xc3\xb8\xe2\x82")[rng.IntN(4):]...)
			case 12:
				line = bytes.Replace(line, []byte(`"`), nil, 1+rng.IntN(2))
			case 13:
				line = bytes.Replace(line, []byte(`";`), []byte(`"x;`), 1)
			case 14:
				line = bytes.Replace(line, []byte(`"`), []byte("\"\r"), 2)
			case 15:
				line = append(line, "\"\r"...)
			default:
				line = append(line, '\r')
			}
		}
		data = append(append(data, line...), end...)
	}
	return data
}
