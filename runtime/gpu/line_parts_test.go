//go:build cuda

package gpu

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dfaparse/dfaparse/compile"
	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/cpu"
)

const partsSpec = `format parts {
  record ` + "`" + `{at} "{request}" {code} {peer} {took} {note:-}` + "`" + `
  split request ` + "`" + `{method} {path}[?{query}] HTTP/{version}` + "`" + ` else null
  split peer ` + "`" + `{host}/{port}` + "`" + ` else error
  fields {
    at ts  code i16 null "-" "none"  took f64 null "-"  note str null "n/a"
    version dec(3,1)  query str null "-"  port u16 null "-"
  }
}`

const integersSpec = `format integers {
  record ` + "`" + `{a} {b} {c} {d} {e} {f} {g} {h} {i} {j}` + "`" + `
  fields { a i8  b u8 null "-"  c i16 null "0"  d u16!  e i32 null "-" ""  f u32 default "7"  g i64 null "-"  h u64  i str null "-"  j u32 null "none" "-" }
}`

// TestLineParts reads columns that are taken apart where a lane has the record, and null tokens of
// numbers: values that do not match, are null, are long or lie in a long record, parts that are no
// values, integers of all widths at their bounds, and lines that are cut off or have other ends.
func TestLineParts(t *testing.T) {
	newBench(t)
	long := strings.Repeat("/long", 1000)
	integers := []string{"0", "1", "12", "-1", "127", "128", "-128", "-129", "255", "256", "65535", "65536", "-32768", "99999999", "100000000", "-99999999", "4294967295", "4294967296",
		"18446744073709551615", "9223372036854775808", "-9223372036854775808", "-0", "007", "-", "none", "x", "1x", "", "\xc3\xa4"}
	for _, test := range []struct {
		name, spec string
		fields     [][]string // the first two of each are good
		line       string     // @: one of the next ones
	}{
		{"parts", partsSpec, [][]string{
			{"2024-01-01T00:00:00Z", "2024-02-29T23:59:59Z", "2023-02-29T23:59:59Z", ""},
			{"GET /a?b=c HTTP/1.1", "POST / HTTP/2.0", "GET /\xc3\xa4?q=\xc3\xa4 HTTP/1.0", "-", "", "GET /a", "GET /a?- HTTP/x", "GET  HTTP/1.1", " / HTTP/1.1", "GET /a b HTTP/1.1", "G HTTP/1.1 HTTP/1.1", "\x00 \xff HTTP/1.1",
				"GET " + long + " HTTP/1.1", "GET /a?b?c HTTP/1.1", "GET /a HTTP/1.1 "},
			{"200", "-", "none", "-5", "40000", "x"},
			{"10.0.0.1/80", "a/-", "a/b", "a/b/c", "/", "/1", "a", "x/65536"},
			{"0.25", "-", "1e5", "nan", "x", "123456789.125"},
			{"text", "-", "n/a", "", "\xff", long + long + long},
		}, `@ "@" @ @ @ @` + "\n"},
		{"integers", integersSpec, [][]string{integers, integers, integers, integers, integers, integers, integers, integers, integers, integers}, "@ @ @ @ @ @ @ @ @ @\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			spec, err := compile.Compile(test.name, []byte(test.spec))
			if err != nil {
				t.Fatal(err)
			}
			rng := rand.New(rand.NewPCG(13, 4))
			var all counted
			for round := range 16 {
				var in strings.Builder
				for range 1 + rng.IntN(400) {
					var line strings.Builder
					odd := rng.IntN(1 + round%4*8)
					for i, piece := range strings.SplitAfter(test.line, "@") {
						piece, field := strings.CutSuffix(piece, "@")
						line.WriteString(piece)
						if !field {
							continue
						}
						if of := test.fields[i]; rng.IntN(100) < odd-2 {
							line.WriteString(of[rng.IntN(len(of))])
						} else {
							line.WriteString(of[rng.IntN(2)])
						}
					}
					text := line.String()
					switch rng.IntN(200) {
					case 0:
						text = text[:rng.IntN(len(text))] + "\n"
					case 1:
						text = text[:len(text)-1] + "\r\n"
					}
					in.WriteString(text)
				}
				input := in.String()
				if round%5 == 4 {
					input = strings.TrimSuffix(input, "\n")
				}
				for _, opts := range [][]runtime.Option{{runtime.WithErrorMode(dfa.Reject)}, {runtime.WithErrorMode(dfa.Null)}, {runtime.WithErrorMode(dfa.Reject), runtime.WithUTF8(dfa.RejectUTF8)}} {
					read := func(e runtime.Engine) string { return readWhole(t, e, spec.Program, []byte(input), opts) }
					want := read(cpu.Engine)
					for _, flight := range []int{DefaultFlight, 9000} {
						e := &openEngine{Engine: New(WithFlight(flight))}
						if got := read(e); got != want {
							t.Fatalf("round %d, flights of %d: of %q: rows\n%.3000s\nwant\n%.3000s", round, flight, input, got, want)
						}
						all.Flights += e.counted.Flights
						all.FlightsFused += e.counted.FlightsFused
						all.Rows += e.counted.Rows
						all.RowsLeft += e.counted.RowsLeft
					}
				}
			}
			t.Logf("%+v", all)
			if all.FlightsFused*2 < all.Flights || all.RowsLeft*2 > all.Rows {
				t.Errorf("%+v", all)
			}
		})
	}
}
