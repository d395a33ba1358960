package explain

import (
	"bytes"
	"strings"
	"testing"

	"github.com/dfaparse/dfaparse/compile"
	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/gen"
)

func program(t testing.TB, name string) *dfa.Program {
	t.Helper()
	p, err := gen.Program(name)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func at(t testing.TB, p *dfa.Program, text string, offset int) *Explanation {
	t.Helper()
	x, err := At(strings.NewReader(text), p, int64(offset), 0)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// Every byte of every example of built-in formats is explained, and as
// the automaton reads it.
func TestEveryByte(t *testing.T) {
	for _, name := range gen.VariedFormats() {
		spec, err := gen.Spec(name)
		if err != nil {
			t.Fatal(err)
		}
		p := spec.Program
		for _, ex := range spec.Examples {
			in := []byte(ex.Input)
			skipped := p.Preface
			if bytes.HasPrefix(in, []byte(dfa.ByteOrderMark)) {
				skipped = len(dfa.ByteOrderMark)
			}
			steps := stepsOf(p.Automaton, in, skipped)
			for offset := skipped; offset <= len(in); offset++ {
				x := at(t, p, ex.Input, offset)
				if x.AtEnd != (offset == len(in)) {
					t.Fatalf("%s, byte %d of %q: at end %t", name, offset, in, x.AtEnd)
				}
				if len(x.Rows()) < 4 || x.Place() == "" {
					t.Errorf("%s, byte %d of %q: %v", name, offset, in, x.Rows())
				}
				if want := bytes.Count(in[:offset], []byte{'\n'}) + 1; x.Line != int64(want) {
					t.Errorf("%s, byte %d of %q: line %d, want %d", name, offset, in, x.Line, want)
				}
				if x.AtEnd {
					continue
				}
				want := steps[offset]
				if x.Before != want.before || x.After != want.after || *x.Emission != *want.emission || x.Symbol != in[offset] || x.Around[x.At] != in[offset] {
					t.Fatalf("%s, byte %d of %q: %+v", name, offset, in, x)
				}
			}
		}
	}
}

type step struct {
	before, after dfa.StateID
	emission      *dfa.Emission
}

// stepsOf are the steps of each byte from skipped on. What shows that a record has
// ended before it is read again, as the beginning of the next.
func stepsOf(a *dfa.Automaton, in []byte, skipped int) []step {
	steps := make([]step, len(in))
	state := a.Start
	for i := skipped; i < len(in); i++ {
		before := state
		next, e := a.Step(before, in[i])
		steps[i], state = step{before, next, e}, next
		if e.Kind != dfa.Record {
			continue
		}
		again := a.Resume(e, next)
		for j := e.After(i); j <= i; j++ {
			before := again
			next, e := a.Step(before, in[j])
			steps[j], again = step{before, next, e}, next
		}
	}
	return steps
}

// What is said of fields is what Walk says.
func TestFields(t *testing.T) {
	const text = "# c\n1,\"a\"\"b\",x\n\n2,,\n"
	spec, err := compile.Compile("t.dfp", []byte(`format t { delimited { sep ','  quote '"' doubled  comment "#" }  fields { id u8  name str  x str } }`))
	if err != nil {
		t.Fatal(err)
	}
	p := spec.Program
	var got []string
	for offset := range len(text) {
		x := at(t, p, text, offset)
		switch {
		case x.Record == nil:
			got = append(got, "-")
		case x.Record.Field == nil:
			got = append(got, "#")
		default:
			got = append(got, x.Record.Field.Name[:1]+string(rune('0'+x.Record.Number)))
		}
	}
	want := "# # # # i1 i1 n1 n1 n1 n1 n1 n1 n1 x1 x1 # i2 i2 n2 x2"
	if s := strings.Join(got, " "); s != want {
		t.Errorf("got  %s\nwant %s", s, want)
	}
	if f := at(t, p, text, 8).Record.Field; string(f.Value) != `a"b` || f.Start != 6 || f.End != 12 || f.String() != `2, "name", bytes 6 to 11, value "a\"b"` {
		t.Errorf("%+v: %s", f, f)
	}
}

func TestHeaderNames(t *testing.T) {
	x := at(t, program(t, "csv"), "\xEF\xBB\xBFid,na me\n1,2\n3,4", 18)
	if r := x.Record; r.Number != 2 || r.Field.Name != "na me" || x.Line != 3 || x.Column != 3 {
		t.Errorf("%+v of %+v, line %d, column %d", r.Field, r, x.Line, x.Column)
	}
	if x := at(t, program(t, "csv"), "\xEF\xBB\xBFid\n", 2); x.Symbol != 0xBF || x.Column != 3 || !strings.Contains(x.Rows()[1].Text, "byte order mark") {
		t.Errorf("%+v: %v", x, x.Rows())
	}
}

func TestDirectiveNames(t *testing.T) {
	const text = "#Fields: date c-ip\n- -\n#Fields: x y\na b\n"
	p := program(t, "w3c")
	if f := at(t, p, text, 21).Record.Field; f.Name != "c-ip" {
		t.Errorf("%+v", f)
	}
	if f := at(t, p, text, 36).Record.Field; f.Name != "x" {
		t.Errorf("%+v", f)
	}
	if place := at(t, p, text, 0).Place(); !strings.Contains(place, `in the directive "#Fields:"`) {
		t.Error(place)
	}
}

func TestSinceAndProblem(t *testing.T) {
	x := at(t, program(t, "csv"), "a,b\n1,\"x,\ny", 10)
	if x.Since != 6 || x.Record.ProblemAt != 6 || !strings.Contains(x.Record.Problem, "never closed") {
		t.Errorf("since %d, %+v", x.Since, x.Record)
	}
}

// What ends a record at the end of the input alone is no data.
func TestEndedByTheEnd(t *testing.T) {
	x := at(t, program(t, "csv_lax"), "a\nb\r", 3)
	if text := x.later(); x.Later == nil || text != "the end of the input shows that it ends the record, and is part of no value" {
		t.Error(text)
	}
	if x := at(t, program(t, "csv_lax"), "a\nb\rc\n", 3); x.Later != nil {
		t.Errorf("%+v", x.Later)
	}
}

func TestBeyondTheEnd(t *testing.T) {
	_, err := At(strings.NewReader("a,b\n"), program(t, "csv"), 5, 0)
	if err == nil || !strings.Contains(err.Error(), "has 4 bytes") {
		t.Errorf("error %v", err)
	}
}

func TestFixedWidth(t *testing.T) {
	spec, err := compile.Compile("t.dfp", []byte(`format t { fixed { id 3 name 4 } }`))
	if err != nil {
		t.Fatal(err)
	}
	if f := at(t, spec.Program, "001abcd\n002xy\n", 12).Record.Field; f == nil || f.Name != "name" || string(f.Value) != "xy" {
		t.Errorf("%+v", f)
	}
}

// Lines that are passed over are no records, and those after them count on.
func TestPreamble(t *testing.T) {
	spec, err := compile.Compile("t.dfp", []byte("format t { delimited { sep ',' quote '\"' doubled } skip \"#\" skip until \"id\" header names 2 }"))
	if err != nil {
		t.Fatal(err)
	}
	const text = "\"\n#\"\nx\nid\na,b\n1,2\n"
	x, err := At(strings.NewReader(text), spec.Program, 16, 1)
	if err != nil || x.Record.Number != 1 || x.Line != 6 || x.Column != 3 || x.Record.Field.Name != "b" {
		t.Errorf("%+v, %v", x, err)
	}
	if x, err := At(strings.NewReader(text), spec.Program, 10, 1); err != nil || !x.Record.Header || x.Line != 5 {
		t.Errorf("%+v, %v", x, err)
	}
	for offset, place := range map[int]string{0: "line 1, column 1", 1: "line 1, column 2", 3: "line 2, column 2", 5: "line 3, column 1", 9: "line 4, column 3"} {
		x, err := At(strings.NewReader(text), spec.Program, int64(offset), 1)
		if err != nil || x.Place() != place+", in no record" || !strings.Contains(x.Rows()[1].Text, "a line that is passed over") || x.Symbol != text[offset] || x.Around[x.At] != text[offset] {
			t.Errorf("byte %d: %+v, %v, want %s", offset, x, err, place)
		}
	}
	if _, err := At(strings.NewReader("x\ny\n"), spec.Program, 9, 1); err == nil || !strings.Contains(err.Error(), "all 4 bytes") {
		t.Errorf("%v", err)
	}
}
