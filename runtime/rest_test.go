package runtime_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dfaparse/dfaparse/compile"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/cpu"
	"github.com/dfaparse/dfaparse/runtime/reference"
)

// TestRestEndsBeforeLineEnd: what follows the last column, as it stands, has nothing of the line
// end, whichever that is, however the columns are told apart.
func TestRestEndsBeforeLineEnd(t *testing.T) {
	rests := []string{"c|d", "", `"q"`, "x y ", "|"}
	for _, lexing := range []string{"delimited { sep '|' %s }", "delimited { sep '|' quote '\"' doubled %s }"} {
		for eol, end := range map[string]string{"": "\r\n", "eol lf|crlf": "\n", "eol crlf": "\r\n", "eol any": "\r", "eol cr": "\r", "eol lf": "\n", `eol "~;"`: "~;"} {
			spec, err := compile.Compile("rest.dfp", fmt.Appendf(nil, "format r { "+lexing+" fields { a str } rest more }", eol))
			if err != nil {
				t.Fatal(err)
			}
			var in, want strings.Builder
			for i := range 400 { // so many that records are read side by side
				rest := rests[i%len(rests)]
				fmt.Fprintf(&in, "%d|%s%s", i, rest, end)
				fmt.Fprintf(&want, "%q\n", rest)
			}
			for _, e := range []runtime.Engine{reference.Engine, cpu.Engine} {
				r, err := runtime.NewReader(strings.NewReader(in.String()), spec.Program, runtime.WithEngine(e))
				if err != nil {
					t.Fatal(err)
				}
				var got strings.Builder
				for r.Next() {
					for i := range int(r.Record().NumRows()) {
						fmt.Fprintf(&got, "%q\n", r.Record().Column(1).ValueStr(i))
					}
				}
				if err := r.Err(); err != nil || got.String() != want.String() {
					t.Errorf("%s %s: %v, got %.60q, want %.60q", lexing, eol, err, got.String(), want.String())
				}
				r.Release()
			}
		}
	}
}
