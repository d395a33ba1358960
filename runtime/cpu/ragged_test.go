package cpu

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dfaparse/dfaparse/compile"
	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/reference"
)

// TestRagged: records whose number of fields changes every few, more than a round has rows, are what they are by reference.
func TestRagged(t *testing.T) { onEach(t, testRagged) }

func testRagged(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for _, c := range []struct {
		name, spec, header string
		lines              []string
	}{
		{"padded", "format f { delimited { sep ',' }  fields { a u32  b str  c str ?  d u8 ? }  ragged pad }", "",
			[]string{"1", "2,b", "3,b,c", "4,b,c,5", "x,b", "6,b\r", "x,b,c\r", "7,b,cccccccccccccccccccccccc", "8\r", "9,b,c,5,6"}},
		{"of too few or too many", "format f { delimited { sep ',' }  fields { a u32  b str  c str } }", "",
			[]string{"1,b,c", "1,b,c", "2,b", "3,b,c,d", "x,b,c", "4"}},
		{"padded and truncated", "format f { delimited { sep ','  quote '\"' }  fields { a u32  b str  c str  d str }  ragged pad truncate }", "",
			[]string{"1", "2,b", "3,b,c,\"d\"", "4,b,c,5,6,7", "5,b,c,\"d,\",\"e,\"", "x,b,\"c\"", "6,\"b\"\r", "7,b,c,d,e,f\r", "8,bbbbbbbbbbbbbb,c,d\r", "9,b,c,d,e"}},
		{"of few of many columns", "format f { delimited { sep ',' }  fields { a u32  b str  c str  d str  e str  f str  g str  h str  i str  j str }  ragged pad }", "",
			[]string{"1", "2,", ",b", "3", "x", "4\r", "x,\r"}},
		{"by directives", "format f { delimited { sep ' ' }  directive \"#Fields: \" schema  fields { a u32  b str ?  c str ?  d u8 ? }  ragged pad truncate }", "#Fields: a d c\n",
			[]string{"1", "2 3", "3 4 c", "x 5 c", "4 5\r", "6 7 c d e", "7 x c d\r", "8 9 c\n#Fields: a c"}},
		{"padded, with a rest", "format f { delimited { sep '|' }  fields { a u32  b str  c str }  rest more  ragged pad }", "",
			[]string{"1", "2|b", "3|b|c", "4|b|c|d|e", "x|b", "5|b\r"}},
		{"padded, with escapes", "escape e = '\\\\' { n ',' other keep }\nformat f { delimited { sep ','  escape e }  fields { a u32  b str  c str  d str }  ragged pad truncate }", "",
			[]string{"1", "2,b", "3,b\\,,c", "4,b,c,d\\n", "5,b,c,d,e", "x,\\n", "6,b\r", "7,b,c,d,\\,e"}},
		{"truncated", "format f { delimited { sep ','  quote '\"' doubled }  fields { a u32  b str  c str }  ragged truncate }", "",
			[]string{"1,b,c", "2,b,c,d", "3,b,c,d,e,f,g", "4,b", "5,b,\"c\"\"\",d", "6,b,c,\"d\"\"\"\r", "7,b,c\"", ",b,\"c\",\"d,\"\r"}},
		{"named and truncated", "format f { delimited { sep ',' }  header names  fields { a u32  b str ?  c str ?  d u8 ? }  ragged pad truncate }", "a,c,d\n",
			[]string{"1", "2,c", "3,c,4", "x,c", "5,c\r", "6,c,4,5", "7,c,x,5,6\r"}},
		{"named", "format f { delimited { sep ',' }  header names  fields { a u32  b str ?  c str ?  d u8 ? }  ragged pad }", "a,c,d\n",
			[]string{"1", "2,c", "3,c,4", "x,c", "5,c\r"}},
		{"with a rest", "format f { delimited { sep '|' }  fields { a u32  b str }  rest more }", "",
			[]string{"1|b|c", "2|b|c|d||", "3|b", "4", "x|b|c|d", "5|b|", "6|b|c\r", "7|b|\r", "8|b\r", "9|bbbbbbbbbb|c|d|e"}},
		{"with a rest behind quotes", "format f { delimited { sep ','  quote '\"' doubled }  fields { a u32  b str }  rest more }", "",
			[]string{"1,\"b\",c", "2,\"b,\",\"c,\",d,", "3,\"b\"\"\",c", "4,b", "5,b,\"c\"\"\",d", "6,b,\"c\nd\",e", "7,b,c\"", "8,b,\"c\"\r", "9,\"b\"\r"}},
		{"with a rest and tokens that are null bare", "format f { delimited { sep ','  quote '\"' doubled }  null bare \"\" \"NA\"  fields { a u32  b str ?  c str ? }  rest more  ragged pad }", "",
			[]string{"1,NA,c", "2,\"NA\",\"\",d,", "3,\"\"", "4", "5,b,\"NA\",d", "6,\"\",NA,\"\"\r", "7,b,\"NA\"\r", "x,\"\",c"}},
		{"with a rest that is a number", "format f { delimited { sep ','  quote '\"' }  fields { a u32  b u8  c u8 }  rest c2  on_error null }", "",
			[]string{"1,2,3,4", "1,2,3", "1,2,3,\"4\"", "1,2,x,4,5", "1,2,3,4\r"}},
		{"in brackets, with a rest", "format f { record `{a} [[{b}] {c}`  rest more  fields { a u32 } }", "",
			[]string{"1 [b] c", "1 [b] c d", "1 b c d e", "2 [b]", "3 [b c] c [d]", "4 b c", "5 [b] c d e\r", "6 [b] [c] d", "x [b] c d"}},
		{"with a rest behind runs of blanks", "format f { delimited { sep ' '+ }  fields { a u32  b str }  rest more }", "",
			[]string{"1 b c", "2  b   c d  e", "3 b", "4", "5   b  c ", "x b  c", "6 b c  d\r", "7 b ccccccccccccccccccccccccccccccccccccccccccccccc  ddd e f g h i j k l m n o p q r s t u v w x y z"}},
		{"of too many behind runs of blanks", "format f { delimited { sep ' '+ }  fields { a u32  b str } }", "",
			[]string{"1 b", "2  b", "3 b  c d", "4   b", "5", "x b  c"}},
		{"enclosed", "format f { record `{a} \"{b}\" [{c}]`  fields { a u32 } }", "",
			[]string{"1 \"b\" [c]", "1 \"b\" [c]", "1 b c", "2 \"b\" c", "3 \"b\"", "4 b [c]", "5 \"b\" [c] d"}},
		{"enclosed, of few fields", "format f { record `{a} [[{b}] {c} {d} {e}`  fields { a u32  b str ?  c str ?  d str ?  e str ? } }", "",
			[]string{"1", "1 [b] c d e", "1 [b] c d", "1 b c", "2 [b] [c]", "3 [b]", "4 b [c]", "5 [b] c d e f", "6 [b] c"}},
	} {
		spec, err := compile.Compile("f.dfp", []byte(c.spec))
		if err != nil {
			t.Fatal(c.name, err)
		}
		for run, mode := range []dfa.ErrorMode{dfa.Reject, dfa.Null, dfa.Reject, dfa.Reject} {
			text := strings.Builder{}
			text.WriteString(c.header)
			for range []int{9000, 3000, 300, 3000}[run] {
				line := c.lines[rng.IntN(len(c.lines))] + "\n"
				text.WriteString(strings.Repeat(line, 1+rng.IntN(60)*max(rng.IntN(50)-48, 0))) // many alike, at times
			}
			what := []runtime.Option{runtime.WithErrorMode(mode), runtime.WithMaxRecord([]int{1 << 20, 1 << 20, 12, 1 << 20}[run])}
			if run == 3 { // records that are left out are counted only
				what = append(what, runtime.WithRejectDetails(0))
			}
			by := func(how ...runtime.Option) string {
				return outcomeOf(t, spec.Program, []byte(text.String()), append(how, what...)...)
			}
			want := by(runtime.WithEngine(reference.Engine))
			if got := by(runtime.WithEngine(Engine), runtime.WithThreads(1)); got != want {
				t.Fatalf("%s, run %d: %s", c.name, run, firstDifference(got, want))
			}
		}
	}
}
