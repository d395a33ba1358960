package lower

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/dfaparse/dfaparse/dfa"
)

// drawInput draws an input of symbols that mean something somewhere.
func drawInput(t *rapid.T) string {
	n := rapid.IntRange(0, 40).Draw(t, "length")
	return string(rapid.SliceOfN(rapid.SampledFrom([]byte("aab12-  ,||\"\"[]\\#\n\n\r\r")), n, n).Draw(t, "in"))
}

// restartable are automata with everything that moves the start of a record.
func restartable(t *testing.T) map[string]*dfa.Automaton {
	out := map[string]*dfa.Automaton{}
	for name, d := range map[string]*Delimited{
		"csv":   csv(),
		"any":   csv().with(func(d *Delimited) { d.EOL, d.Comments = AnyEOL, []string{"#", "##1"} }),
		"lax":   csv().with(func(d *Delimited) { d.Lax, d.Separators = true, []Separator{one("||")} }),
		"crlf":  csv().with(func(d *Delimited) { d.Lax, d.EOL = true, CRLF }),
		"runs":  {Separators: []Separator{run(" ,")}, Quote: '"', Leading: true, Trailing: true, Lines: Lines{Lax: true}},
		"blank": csv().with(func(d *Delimited) { d.Blank = KeepBlank }),
	} {
		a, _, err := BuildDelimited(d)
		if err != nil {
			t.Fatal(name, err)
		}
		out[name] = a
	}
	for name, r := range map[string]*Record{
		"loose":     {Parts: []Part{hole("a"), lit(` "`), hole("b"), lit(`"`)}},
		"rest":      {Parts: []Part{hole("a"), lit(" ["), hole("b"), lit("]")}, Rest: "r"},
		"general":   {Parts: []Part{lit("["), hole("a"), lit("]"), optional(lit(" "), hole("b"), lit("||")), lit("-")}, Lines: Lines{Lax: true}},
		"multiline": {Parts: []Part{lit("["), hole("a"), lit("] "), hole("b")}, Multiline: &Multiline{Start: append(Text("["), digit)}},
		"continue":  {Parts: []Part{hole("a"), lit(" "), hole("b")}, Multiline: &Multiline{Continue: []string{" ", "--"}}},
	} {
		out[name] = build(t, r).Automaton
	}
	return out
}

// TestRestart: reading may begin again at any record.
func TestRestart(t *testing.T) {
	for name, a := range restartable(t) {
		t.Run(name, rapid.MakeCheck(func(rt *rapid.T) {
			in := drawInput(rt)
			restarts(t, a, in)
			if t.Failed() {
				rt.Fatalf("%q", in)
			}
		}))
	}
}

// TestRecordsCoverInput: the records of an input lie one after the other, from
// its start to its end.
func TestRecordsCoverInput(t *testing.T) {
	for name, a := range restartable(t) {
		t.Run(name, rapid.MakeCheck(func(t *rapid.T) {
			in := drawInput(t)
			at := 0
			a.Walk([]byte(in), a.Start, func(r *dfa.RawRecord) bool {
				if r.Start != at || r.End < r.Start || r.Next < r.End {
					t.Fatalf("%q: a record from %d to %d, the next at %d, where the one before ended at %d", in, r.Start, r.End, r.Next, at)
				}
				for _, f := range r.Fields {
					if f.Start < r.Start || f.End < f.Start && r.Code == 0 {
						t.Fatalf("%q: a field from %d to %d in a record from %d", in, f.Start, f.End, r.Start)
					}
				}
				at = r.Next
				return true
			})
			if left := strings.Trim(in[at:], " ,\r\n"); left != "" {
				t.Fatalf("%q: nothing is made of %q", in, left)
			}
		}))
	}
}

// TestMultilineOracle compares records of several lines with lines put
// together one by one.
func TestMultilineOracle(t *testing.T) {
	a := build(t, &Record{Parts: []Part{hole("date"), lit(" "), hole("msg")}, Multiline: &Multiline{Start: []dfa.Set{digit, dfa.Bytes('-')}}}).Automaton
	begins := func(line string) bool { return len(line) > 1 && digit.Has(line[0]) && line[1] == '-' }
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 60).Draw(t, "length")
		in := string(rapid.SliceOfN(rapid.SampledFrom([]byte("12--  a\n\n")), n, n).Draw(t, "in"))
		if rapid.Bool().Draw(t, "crlf") {
			in = strings.ReplaceAll(in, "\n", "\r\n")
		}
		var want []string
		var record []string // its lines
		malformed, open := false, false
		flush := func() {
			date, _, ok := strings.Cut(strings.Join(record[:min(1, len(record))], ""), " ")
			switch {
			case open && (malformed || !ok):
				want = append(want, "!")
			case open:
				want = append(want, date+"|"+strings.Join(record, "\n")[len(date)+1:])
			}
			record, malformed, open = nil, false, false
		}
		lines := strings.Split(strings.ReplaceAll(in, "\r\n", "\n"), "\n")
		if lines[len(lines)-1] == "" {
			lines = lines[:len(lines)-1]
		}
		for _, line := range lines {
			switch {
			case begins(line):
				flush()
				open = true
			case !open && line == "":
				continue
			case !open:
				open, malformed = true, true
			}
			record = append(record, line)
		}
		flush()
		var got []string
		a.Walk([]byte(in), a.Start, func(r *dfa.RawRecord) bool {
			switch {
			case r.Kind != dfa.DataRecord:
			case r.Code != 0:
				got = append(got, "!")
			default:
				got = append(got, fmt.Sprintf("%s|%s", r.Fields[0].Value, r.Fields[1].Value))
			}
			return true
		})
		if !slices.Equal(got, want) {
			t.Fatalf("%q\n got %q\nwant %q", in, got, want)
		}
	})
}
