package cpu

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dfaparse/dfaparse/compile"
	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/reference"
)

// TestPassedOver: comments and blank lines, of which there are many for some strips and none for others, are passed over as by
// the reference, whatever is in them.
func TestPassedOver(t *testing.T) { onEach(t, testPassedOver) }

// TestPassedBeforeOdd: a blank line or a comment right before a broken record, where few blocks are read so that they are passed
// over.
func TestPassedBeforeOdd(t *testing.T) {
	spec, err := compile.Compile("f.dfp", []byte(`format f { delimited { sep ','  quote '"' doubled  comment "#" }  fields { a str  b u32  c str }  on_error reject }`))
	if err != nil {
		t.Fatal(err)
	}
	onEach(t, func(t *testing.T) {
		for n := 400; n < 1000; n += 37 {
			long := strings.Repeat("x", 2000+n)
			text := "a\"b,1,c\n\n" + long + ",1,c\n\na\"b,1,c\n\nbb,2,c\n\na,2," + long[:n] + "\n\na\"b,1,c\n\nd,3,c\n"
			for _, passed := range []string{"\n\n", "\n#\n"} {
				data := []byte(strings.ReplaceAll(text, "\n\n", passed))
				by := func(engine runtime.Engine) string {
					return outcomeOf(t, spec.Program, data, runtime.WithEngine(engine), runtime.WithThreads(1))
				}
				if got, want := by(Engine), by(reference.Engine); got != want {
					t.Errorf("%d, %q: %s", n, passed, firstDifference(got, want))
				}
			}
		}
	})
}

func testPassedOver(t *testing.T) {
	long := strings.Repeat("long ", 1200) // over more than a strip
	for _, f := range []struct {
		name, spec string
		records    []string
		passed     []string
	}{
		{"commas", `delimited { sep ','  quote '"' doubled  comment "#" ";" }  fields { a u32  b str  c str }`,
			[]string{"%d,b,c", "%d,\"b\n#,b\",c", "%d,b,\"c\"\"\"", "%d,b#,c"}, []string{"# d,e", ";", "", "#,,,,", "# \"d,e", "#" + long}},
		{"returns", `delimited { sep ','  comment "#" }  fields { a u32  b str  c str }`,
			[]string{"%d,b,c\r", "%d,,\r", "%d,b,c"}, []string{"\r", "#\r", "# d,e\r", "# d\re,f", ""}},
		{"a few fields", `delimited { sep ','  comment "#" }  fields { a u32  b str ?  c str ? }  ragged pad truncate`,
			[]string{"%d,b,c", "%d", "%d,b", "%d,b,c,d"}, []string{"#", "# d,e", "", "#" + long}},
		{"a rest", `delimited { sep ','  comment "#" }  fields { a u32  b str }  rest c`,
			[]string{"%d,b", "%d,b,c,d", "%d,b,"}, []string{"#", "# d,e", ""}},
		{"tokens in quotes", `delimited { sep ','  quote '"' doubled  comment "#" }  null bare "" "NA"  fields { a u32  b str  c str ? }`,
			[]string{"%d,b,c", "%d,\"\",\"NA\"", "%d,NA,", "%d,,\"b\"\"\""}, []string{"#", "", "# \"d,e", "# d,e"}},
		{"runs", `delimited { sep " \t"+  quote '"' doubled  comment "#" }  fields { a u32  b str  c str }`,
			[]string{"%d  b\tc", "%d \"b  \n# b\" c", "%d b\t\t \"c\""}, []string{"# d  e", "", "#", "# \"d e", "#" + long}},
		{"runs first and last", `delimited { sep ' '+ leading trailing  comment "#" }  fields { a u32  b str  c str }`,
			[]string{" %d  b c  ", "%d b  c", "   %d b c\r"}, []string{"# d  e", "", "  ", "  # d e f", "\r", " \r"}},
		{"escapes", `delimited { sep ','  quote '"'  escape '\\'  comment "#" }  fields { a u32  b str  c str }`,
			[]string{"%d,b,c", "%d,\"b\\\"\",c", "%d,b"}, []string{"#", "# d,e", "", "\r"}},
		{"one field", `delimited { sep ','  comment "#" }  fields { a u8 }`, []string{"%d", "%d,b", "x"}, []string{"#", "# d,e", "", "#x"}},
		{"broken", `delimited { sep ','  comment "#" }  fields { a u32  b str  c str }`, []string{"%d,b,c", "%d,b", "%d", "%d,b,c,d"}, []string{"#", "# d,e", ""}},
		{"broken runs", `delimited { sep ' '+  comment "#" }  fields { a u32  b str  c str }`, []string{"%d b  c", "%d  b", "%d", "%d b  c d"}, []string{"#", "# d  e", ""}},
		{"a template", "record `{a}{ }{b}{ }{c}`  lines { comment \"#\" }  fields { a u32 }",
			[]string{"%d  b\tc", "%d b  c  d", "%d b  c  d\r", "%d b c ", "%d  b"}, []string{"# d  e", "", "#", "#" + long}},
	} {
		spec, err := compile.Compile("f.dfp", []byte("format f { "+f.spec+"  on_error reject }"))
		if err != nil {
			t.Fatal(f.name, err)
		}
		r := rand.New(rand.NewPCG(5, 6))
		var text strings.Builder
		for part := range 24 {
			odds, others := []int{1, 4, 40, 1 << 30}[part%4], 1+r.IntN(60)
			for i := range 100 {
				record := f.records[0]
				if r.IntN(others) == 0 {
					record = f.records[r.IntN(len(f.records))]
				}
				fmt.Fprintf(&text, record+"\n", i)
				if r.IntN(odds) == 0 {
					text.WriteString(f.passed[r.IntN(len(f.passed))] + "\n")
				}
			}
		}
		by := func(how ...runtime.Option) string {
			return outcomeOf(t, spec.Program, []byte(text.String()), append(how, runtime.WithErrorMode(dfa.Reject))...)
		}
		for i, what := range [][]runtime.Option{
			{runtime.WithRejectDetails(0)}, {}, {runtime.WithRejectDetails(0), runtime.WithColumns([]string{}...)}, // the last are counted
		} {
			want := by(append(what, runtime.WithEngine(reference.Engine))...)
			for _, chunk := range []int{1 << 10, 1 << 20} {
				got := by(append(what, runtime.WithEngine(Engine), runtime.WithThreads(1), runtime.WithChunkSize(chunk))...)
				if got != want {
					t.Errorf("%s, chunks of %d, options %d: %s", f.name, chunk, i, firstDifference(got, want))
				}
			}
		}
	}
}

// TestManyPassedOver: lines that are passed over have no mark where there are runs, and so many may come as there are symbols.
func TestManyPassedOver(t *testing.T) { onEach(t, testManyPassedOver) }

func testManyPassedOver(t *testing.T) {
	for _, f := range []struct{ name, spec, record string }{
		{"commas", `delimited { sep ','  comment "#" }  fields { a u32  b str }`, "1,b\n"},
		{"runs", `delimited { sep ' '+  comment "#" }  fields { a u32  b str }`, "1  b\n"},
		{"a template", "record `{a}{ }{b}`  lines { comment \"#\" }  fields { a u32 }", "1  b\n"},
	} {
		spec, err := compile.Compile("f.dfp", []byte("format f { "+f.spec+"  on_error reject }"))
		if err != nil {
			t.Fatal(f.name, err)
		}
		for _, passed := range []string{"\n", "\r\n", "#\n"} {
			data := []byte(strings.Repeat(f.record, 100) + strings.Repeat(passed, 40_000) + strings.Repeat(f.record, 100))
			want := outcomeOf(t, spec.Program, data, runtime.WithEngine(reference.Engine))
			for _, chunk := range []int{1 << 14, 1 << 20} {
				got := outcomeOf(t, spec.Program, data, runtime.WithEngine(Engine), runtime.WithThreads(1), runtime.WithChunkSize(chunk))
				if got != want {
					t.Errorf("%s with %q, chunks of %d: %s", f.name, passed, chunk, firstDifference(got, want))
				}
			}
		}
	}
}
