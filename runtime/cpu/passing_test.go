package cpu

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dfaparse/dfaparse/compile"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/reference"
)

// TestLongComments: comments, and comments behind data, are passed over as by the reference, whether longer than a record may be or not.
func TestLongComments(t *testing.T) { onEach(t, testLongComments) }

func testLongComments(t *testing.T) {
	spec, err := compile.Compile("f.dfp", []byte(`format f { delimited { sep ','  comment "#" after data }  fields { a u8  b str  c str }  on_error reject }`))
	if err != nil {
		t.Fatal(err)
	}
	smallHops(t, 4096, 8)
	rng := rand.New(rand.NewPCG(71, 72))
	for _, most := range []int{20, 40, 1000} {
		var text strings.Builder
		for range 600 {
			line, long := "1,b,c ", max(0, most-3+rng.IntN(8))
			if rng.IntN(4) == 0 {
				line = ""
			}
			if rng.IntN(20) > 0 {
				long = rng.IntN(10)
			}
			fmt.Fprintf(&text, "%s#%s\n", line, strings.Repeat("x", long)+[]string{"", "\r"}[rng.IntN(2)])
		}
		read := func(how ...runtime.Option) string {
			return outcomeOf(t, spec.Program, []byte(text.String()), append(how, runtime.WithMaxRecord(most))...)
		}
		want := read(runtime.WithEngine(reference.Engine))
		for _, chunk := range []int{100, 1 << 20} {
			if got := read(runtime.WithEngine(Engine), runtime.WithChunkSize(chunk)); got != want {
				t.Errorf("records of at most %d, chunks of %d: %s", most, chunk, firstDifference(got, want))
			}
		}
	}
}

// TestLinesBehindMarks: a whole line that is passed over behind some records is none of those read side by side.
func TestLinesBehindMarks(t *testing.T) {
	onEach(t, func(t *testing.T) {
		spec, err := compile.Compile("f.dfp", []byte(`dfa t {
  group N='\n' | S=' ' | P='!' | X=*
  A "in a record" : A r | A f | E . | A d
  E "behind a mark" : B r | ! | ! | !
  B "in a line that is skipped" : A r drop | B . | B . | B .
  eof : A r, E r, B ok
}
format f { dfa t  fields { a str  b str }  ragged pad }`))
		if err != nil {
			t.Fatal(err)
		}
		smallHops(t, 4096, 8)
		rng := rand.New(rand.NewPCG(1, 2))
		var b strings.Builder
		for range 3000 {
			b.WriteString([]string{"a longer", "a-text-of-many-symbols cccc"}[rng.IntN(2)] + "-and-so-on" + []string{"", "!"}[rng.IntN(2)] + "\n")
		}
		want := outcomeOf(t, spec.Program, []byte(b.String()), runtime.WithEngine(reference.Engine))
		if got := outcomeOf(t, spec.Program, []byte(b.String()), runtime.WithEngine(Engine)); got != want {
			t.Fatal(firstDifference(got, want))
		}
	})
}

// TestLinesWithLoneFeeds: a comment with a line feed in it, where CR LF ends lines, is passed over as a whole, also side by side
// with records: what is behind the line feed is no record.
func TestLinesWithLoneFeeds(t *testing.T) {
	onEach(t, func(t *testing.T) {
		for _, about := range []string{"", "stop at blank"} {
			spec, err := compile.Compile("f.dfp", []byte(`format f { delimited { sep ','  comment "#"  eol crlf }  `+about+`  fields { a u16  b str }  on_error reject }`))
			if err != nil {
				t.Fatal(err)
			}
			smallHops(t, 4096, 8)
			rng := rand.New(rand.NewPCG(5, 6))
			var b strings.Builder
			for i := range 3000 {
				fmt.Fprintf(&b, "%d,%s\r\n", i, strings.Repeat("x", rng.IntN(6)))
				if rng.IntN(5) == 0 {
					fmt.Fprintf(&b, "# %s\n5,6\r\n", strings.Repeat("y", rng.IntN(6)))
				}
				if about != "" && i == 1000 {
					b.WriteString("\r\n")
				}
			}
			want := outcomeOf(t, spec.Program, []byte(b.String()), runtime.WithEngine(reference.Engine))
			for _, chunk := range []int{100, 1 << 20} {
				if got := outcomeOf(t, spec.Program, []byte(b.String()), runtime.WithEngine(Engine), runtime.WithChunkSize(chunk)); got != want {
					t.Errorf("%q, chunks of %d: %s", about, chunk, firstDifference(got, want))
				}
			}
		}
	})
}
