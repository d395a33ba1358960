//go:build cuda

package gpu

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dfaparse/dfaparse/compile"
	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/gen"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/cpu"
)

const escapesSpec = `escape clf = '\' { '"' '\' '-' n r t v b x:hex2 }
format escapes {
  record ` + "`" + `{a} {b:-} "{c:clf}" {d:-} "{e:clf:-}" "{f:clf}" "{g:clf}"` + "`" + `
  fields { d u32  f str trim null "n/a" "none at all"  g u8 }
  split c ` + "`" + `{method} {path}` + "`" + ` else null
}`

// TestLineEscapes reads fields with escapes and quotes that are doubled, on the path of lines: null
// tokens that were escaped, or decode to one, escapes where a field begins and ends, escapes that
// stand for other symbols, and blanks around them.
func TestLineEscapes(t *testing.T) {
	newBench(t)
	parts := []string{"-", `\-`, `\"`, `\\`, `\n`, `\x41`, "x", "long enough to be no null token ", " ", `n/a`, `n\x2fa`, `\`, "\xc3\xa4", "\xff", "7", `\x`}
	for _, test := range []struct {
		name, spec string
		parts      []string
		line       string // @: a field of parts
	}{
		{"escapes", escapesSpec, parts, `@ @ "@" @ "@" "@" "@"` + "\n"},
		{"one token", "escape e = '\\\\' { '\"' '\\\\' n }\nformat plain {\n  record `{a:e} \"{b:e}\" {c}`\n  fields { b str  c u8 null \"-\" }\n}", parts, `@ "@" @` + "\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			spec, err := compile.Compile(test.name, []byte(test.spec))
			if err != nil {
				t.Fatal(err)
			}
			rng := rand.New(rand.NewPCG(3, 8))
			for round := range 14 {
				var in strings.Builder
				for range 1 + rng.IntN(200) {
					for i, piece := range strings.SplitAfter(test.line, "@") {
						piece, field := strings.CutSuffix(piece, "@")
						in.WriteString(piece)
						if !field {
							continue
						}
						n := 1
						if i == 2 || i > 3 && rng.IntN(3) == 0 {
							n += rng.IntN(4)
						}
						for range n {
							k := rng.IntN(len(test.parts))
							if round%2 == 0 && k > 7 {
								k = 6
							}
							in.WriteString(test.parts[k])
						}
					}
				}
				for _, opts := range [][]runtime.Option{{runtime.WithErrorMode(dfa.Reject)}, {runtime.WithErrorMode(dfa.Null)}, {runtime.WithErrorMode(dfa.Reject), runtime.WithUTF8(dfa.RejectUTF8)}} {
					read := func(e runtime.Engine) string { return readWhole(t, e, spec.Program, []byte(in.String()), opts) }
					want := read(cpu.Engine)
					for _, flight := range []int{DefaultFlight, 3000} {
						if got := read(New(WithFlight(flight))); got != want {
							t.Fatalf("round %d, flights of %d: of %q: rows\n%s\nwant\n%s", round, flight, in.String(), got, want)
						}
					}
				}
			}
		})
	}
}

// TestEscapesStay: of an access log next to no row is left because of its escapes.
func TestEscapesStay(t *testing.T) {
	newBench(t)
	p, err := gen.Program("apache_combined")
	if err != nil {
		t.Fatal(err)
	}
	line := `10.0.0.1 - - [17/May/2015:10:05:03 +0000] "GET /a.png HTTP/1.1" 200 203023 "-" "an agent (\"in \\ quotes\") of some length"` + "\n"
	e := &openEngine{Engine: New()}
	if rows, err := len(readWhole(t, e, p, []byte(strings.Repeat(line, 500)), nil)), error(nil); rows == 0 || err != nil {
		t.Fatal(rows, err)
	}
	if c := e.counted; c.FlightsFused != c.Flights || c.Rows != 500 || c.RowsLeft != 0 {
		t.Errorf("%+v, by %s", c, e.way())
	}
}
