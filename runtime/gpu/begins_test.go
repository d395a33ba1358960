//go:build cuda

package gpu

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dfaparse/dfaparse/compile"
	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/enginetest"
	"github.com/dfaparse/dfaparse/internal/gen"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/cpu"
)

// severalSpecs are formats whose records have several lines, and some lines of their inputs.
var severalSpecs = []struct {
	name, spec string
	lines      []string
}{
	{"tabs", "record `{ts} [[{pid}] {level}:  {msg...}`  fields { pid u32  level enum(LOG ERROR) }  multiline { continue '\\t' into msg }",
		[]string{"2025-08-13 01:45:01.123 UTC [12345] LOG:  statement", "\tSELECT 1,", "\t", "x [7] ERROR:  no", "x [a] LOG:  b"}},
	{"prefixes", "record `{n} {msg...}`  fields { n i32 }  multiline { continue \"  \" \"> \" \"->\" '\\t' into msg }",
		[]string{"12 text", "  more", "> quoted", "-> that", "- that", ">", "-5 what", "\t"}},
	{"angles", "record `<{pri}>{msg...}`  fields { pri u8 }  multiline { continue ' ' into msg }", []string{"<34>text", " more", "<", "<5>", "<300>x"}},
	{"dates", "record `{ts} {level}{ }[[{thread}] - {msg...}`  fields { ts ts(\"%F %T\") }  multiline { start `{ts}` into msg }",
		[]string{"2025-08-13 01:45:01 INFO [main] - text", "2025-08-", "java.io.IOException: closed", "  \tat a.b(C.java:1)", "2025-08-13 01:45:01"}},
	{"brackets", "record `[[{ts}] {who}: {msg...}`  fields { ts ts(\"%F %T\") }  multiline { start `[[{ts}` into msg }",
		[]string{"[2025-08-13 01:45:01] me: text", "[2025-08-13 01:45:01", "[2025-08", "what", "[2025-08-13 01:45:02] é: \xff"}},
	{"words", "record `LOG {n}: {msg...}`  fields { n i64 }  multiline { start `LOG ` into msg }", []string{"LOG 12: text", "LOG", "LOG ", "LOG x: y", "more"}},
	{"optional", "record `{n}{[}:{pid}{]} {msg...}`  fields { n i32  pid u32 }  multiline { continue ' ' into msg }", []string{"7 text", "7:8 text", " more", "7:x y", "8"}},
	{"shapes", "record one `A {n} {msg...}`  record two `B {n} {k} {msg...}`  fields { n i32 }  multiline { continue '\\t' into msg }",
		[]string{"A 1 text", "B 2 k text", "\tmore", "B 2", "A", "C 1 text"}},
	{"lf", "lines { eol lf }  record `{n} {msg...}`  fields { n i32 }  multiline { continue ' ' into msg }", []string{"12 text", " more", "x y", "12", "1 a\r", "\r"}},
}

// severalInput draws one of some lines, the first ones above all; odd: with carriage returns,
// symbols in place of others, and long lines.
func severalInput(rng *rand.Rand, lines []string, n int, odd bool) string {
	var b strings.Builder
	for range n {
		i := rng.IntN(2)
		if rng.IntN(3) == 0 {
			i = rng.IntN(len(lines))
		}
		b.WriteString(lines[i])
		if odd && rng.IntN(20) == 0 {
			b.WriteString(strings.Repeat(" long", rng.IntN(500)))
		}
		if odd && rng.IntN(20) == 0 {
			b.WriteByte('\r')
		}
		b.WriteByte('\n')
		if rng.IntN(20) == 0 {
			b.WriteByte('\n')
		}
	}
	in := []byte(b.String())
	for range len(in) / 200 {
		if odd {
			in[rng.IntN(len(in))] = "\n\r\t 0[:-x"[rng.IntN(9)]
		}
	}
	return string(in)
}

// compiledSeveral are those formats.
func compiledSeveral(t *testing.T) map[string]*dfa.Program {
	t.Helper()
	programs := map[string]*dfa.Program{}
	for _, x := range severalSpecs {
		spec, err := compile.Compile(x.name, []byte("format "+x.name+" { "+x.spec+" }"))
		if err != nil {
			t.Fatal(err)
		}
		programs[x.name] = spec.Program
	}
	for _, name := range gen.VariedFormats() {
		spec, err := gen.Spec(name)
		if err != nil {
			t.Fatal(err)
		}
		programs[name] = spec.Program
	}
	return programs
}

// recordEnds are the offsets of the symbols that records of in end at, as x tells.
func recordEnds(x *recordBegins, in []byte) (ends []int) {
	for p, symbol := range in {
		if int(symbol) != x.symbol {
			continue
		}
		begins := p+1 == len(in)
		for node, q := 0, p+1; q < len(in); q++ {
			to := x.next[node+int(x.a.Group[in[q]])]
			if begins = to == beginYes; begins || to == beginNo {
				break
			}
			node = int(to)
		}
		if begins {
			ends = append(ends, p)
		}
	}
	return ends
}

// TestRecordBegins: where records begin, as a few symbols tell, is where the automaton says.
func TestRecordBegins(t *testing.T) {
	automata, alphabets, lines := map[string]*dfa.Automaton{}, map[string]string{}, map[string][]string{}
	for name, p := range compiledSeveral(t) {
		automata[name] = p.Automaton
	}
	var all []string
	for _, x := range severalSpecs {
		lines[x.name], all = x.lines, append(all, x.lines...)
	}
	for _, m := range enginetest.Machines(t) {
		automata[m.Name], alphabets[m.Name] = m.Automaton, m.Alphabet
	}
	found := map[string]bool{}
	for name, a := range automata {
		x, err := newRecordBegins(a)
		if x == nil {
			if err != nil {
				t.Logf("%s: %v", name, err)
			}
			continue
		}
		if lines[name] == nil {
			lines[name] = all
		}
		found[name] = true
		rng := rand.New(rand.NewPCG(3, uint64(len(name))))
		for round := range 300 {
			in := []byte(severalInput(rng, lines[name], rng.IntN(12), round%2 == 1))
			for range rng.IntN(200) * min(1, len(alphabets[name])) {
				in = append(in, alphabets[name][rng.IntN(len(alphabets[name]))])
			}
			in = append(in, byte(x.symbol))
			var want []int
			dropped := map[int]bool{}
			a.Walk(in, a.Start, func(r *dfa.RawRecord) bool {
				want = append(want, r.Next-1)
				dropped[r.Next-1] = r.Kind != dfa.DataRecord
				return true
			})
			got := map[int]bool{}
			for _, p := range recordEnds(x, in) {
				got[p] = true
			}
			for _, p := range want {
				if !got[p] && !dropped[p] {
					t.Fatalf("%s: %q: a record ends at %d", name, in, p)
				}
				delete(got, p)
			}
			if len(dropped) > 0 {
				delete(got, len(in)-1) // after a dropped line there is no record
			}
			if len(got) > 0 {
				t.Fatalf("%s: %q: no record ends at %v, but at %v", name, in, got, want)
			}
		}
	}
	for _, x := range severalSpecs {
		if !found[x.name] {
			t.Errorf("%s: its records are not found", x.name)
		}
	}
	for _, name := range []string{"java_multiline", "postgres"} {
		if !found[name] {
			t.Errorf("%s: its records are not found", name)
		}
	}
}

// TestSeveralLines reads records of several lines by the path of lines: in flights of few
// records, within which some end, and in one, values, problems and counts are the CPU's.
func TestSeveralLines(t *testing.T) {
	newBench(t)
	rounds := 7
	if testing.Short() {
		rounds = 4
	}
	programs := compiledSeveral(t)
	for _, x := range severalSpecs {
		t.Run(x.name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(17, uint64(len(x.spec))))
			var counts counted
			for round := range rounds {
				in := severalInput(rng, x.lines, 1+rng.IntN(400), round%3 == 1)
				if round%5 == 4 {
					in = in[:1+rng.IntN(len(in)-1)]
				}
				if round%7 == 6 {
					in = strings.ReplaceAll(in, "\n", "\r\n")
				}
				opts := []runtime.Option{runtime.WithErrorMode([]dfa.ErrorMode{dfa.Reject, dfa.Null}[round%2])}
				read := func(e runtime.Engine) string {
					rows, stats, err := readRows(e, programs[x.name], in, opts...)
					return rows + fmt.Sprint(stats, err)
				}
				want := read(cpu.Engine)
				for _, flight := range []int{DefaultFlight, 40_000, 900} {
					e := &openEngine{Engine: New(WithFlight(flight))}
					if got := read(e); got != want {
						t.Fatalf("round %d, flights of %d: of %q: rows\n%s\nwant\n%s", round, flight, in, got, want)
					}
					if e.parser == nil {
						continue // nothing was to be read
					}
					counts.Flights += e.counted.Flights
					counts.FlightsFused += e.counted.FlightsFused
					counts.Rows += e.counted.Rows
					counts.RowsLeft += e.counted.RowsLeft
				}
			}
			t.Logf("%+v", counts)
			if counts.FlightsFused == 0 {
				t.Errorf("no flight took the path of lines: %+v", counts)
			}
		})
	}
}

// TestSeveralLinesState: after the last partition the state is the automaton's, which depends
// on how the last record ends.
func TestSeveralLinesState(t *testing.T) {
	newBench(t)
	for _, format := range []string{"java_multiline", "postgres"} {
		plan, b := formatPlan(t, format)
		a := plan.Program.Automaton
		first := "2025-05-01 00:00:00,003 INFO  [main] a.B - text"
		if format == "postgres" {
			first = "2025-05-01 00:00:00.581 UTC [7431] LOG:  text"
		}
		states := map[dfa.StateID]bool{}
		for _, more := range []string{"", "\r", "\n\tmore", "\n\tmore\r", "\n\t", "\n\n", "\nmore " + strings.Repeat("long ", 8000)} {
			in := []byte(first + "\n" + first + more + "\n")
			p, err := New().openParser(plan, runtime.Config{})
			if err != nil {
				t.Fatal(err)
			}
			result, err := p.Parse(t.Context(), &runtime.Partition{Data: in, Binding: b, State: a.Start, Final: true})
			if err != nil {
				t.Fatal(err)
			}
			want := a.Start
			for _, symbol := range in {
				want, _ = a.Step(want, symbol)
			}
			if states[want] = true; result.State != want {
				t.Errorf("%s: after %.100q state %d, want %d", format, in, result.State, want)
			}
			if long := len(more) > 1000; p.counted.FlightsFused == 0 && !long && !strings.Contains(more, "\n\n") {
				t.Errorf("%s: %.100q did not take the path of lines", format, in)
			}
			if err := p.Close(); err != nil {
				t.Fatal(err)
			}
		}
		t.Logf("%s: states %v", format, states)
	}
}
