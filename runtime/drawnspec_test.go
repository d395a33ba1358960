package runtime_test

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/dfaparse/dfaparse/compile"
	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/runtime"
)

// drawnTypes are types of columns, and values of which some are none of theirs.
var drawnTypes = []struct {
	name   string
	values []string
}{
	{"str", []string{"a", "text", "\xc3\xa9", "\xff", "a b", "", "\x00"}},
	{"u8", []string{"0", "255", "256", "x", " 5"}},
	{"i64", []string{"12345678", "-9223372036854775808", "9223372036854775808"}},
	{"f64", []string{"1.5", "nan", "1e309", ".5", "-0"}},
	{"dict null \"-\"", []string{"a", "b", "-"}},
	{"dec(5,2)", []string{"1.5", "1000", "-.01"}},
	{"date", []string{"2024-02-29", "2023-02-29"}},
	{"list(u16, sep ';')", []string{"1;2", "1;;2", "70000"}},
	{"map(str, pairs ' ', kv '=')", []string{"k=v", "a=1 b=2", "a=1 a=2", "a"}},
}

// drawnSpec is a spec, and what lines of it are made of.
type drawnSpec struct {
	text         string
	pieces, ends []string
}

// drawSpec draws separated fields or a template, how records end, and what is done with those that are bad.
func drawSpec(t *rapid.T) drawnSpec {
	d := drawnSpec{ends: []string{"\n", "\n", "\r\n", "\r", "\n\n"}}
	one := func(what string, of ...string) string { return rapid.SampledFrom(of).Draw(t, what) }
	lines := one("line ends", "", "", "eol lf", "eol crlf", "eol cr", "eol any") + one("comments", "", "", ` comment "#"`) + one("lax", "", "", " lax")
	d.pieces = []string{"#", "\r"}
	n := rapid.IntRange(1, 3).Draw(t, "columns")
	var layout string
	if one("kind", "separated", "template") == "separated" {
		sep := one("separator", ",", ";", "||")
		layout = fmt.Sprintf("delimited { sep %q %s %s }", sep, one("quotes", "", "quote '\"' doubled", "quote '\"' doubled max_lines 1"), lines)
		layout += one("ragged", "", "", " ragged pad", " ragged truncate") + one("header", "", "", " header skip")
		d.pieces = append(d.pieces, sep, sep, "\"", "\"q\nr\"", "\"\"")
	} else {
		layout = "lines { " + lines + " } record `" + one("begins", "", "", "<")
		for i := range n {
			text := one("text", " ", ": ", " (", ") ", "\"", " \"")
			layout += fmt.Sprintf("{c%d}", i)
			if i < n-1 {
				layout += text
			}
			d.pieces = append(d.pieces, text, text)
		}
		layout += one("ends", "", "", "\"", ")") + "`"
		d.pieces = append(d.pieces, "<", "\"", ")")
	}
	fields := ""
	for i := range n {
		c := rapid.SampledFrom(drawnTypes).Draw(t, "type")
		fields += fmt.Sprintf("  c%d %s%s\n", i, c.name, one("column", "", "", " ?", "!"))
		d.pieces = append(d.pieces, c.values...)
	}
	d.text = fmt.Sprintf("format f { %s fields {\n%s} on_error %s%s%s }", layout, fields, one("errors", "reject", "reject", "null", "fail"),
		one("longest", "", " max_record 8", " max_record 40"), one("blank", "", " blank keep"))
	return d
}

// draw draws runs of lines that are the same.
func (d *drawnSpec) draw(t *rapid.T) string {
	var in strings.Builder
	for range rapid.IntRange(0, 12).Draw(t, "runs") {
		line := strings.Join(rapid.SliceOfN(rapid.SampledFrom(d.pieces), 0, 7).Draw(t, "line"), "")
		line += rapid.SampledFrom(d.ends).Draw(t, "end")
		in.WriteString(strings.Repeat(line, rapid.OneOf(rapid.Just(1), rapid.IntRange(1, 100)).Draw(t, "times")))
	}
	return in.String()
}

// TestDrawnSpecs: what a spec reads does not depend on how it is read.
func TestDrawnSpecs(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		d := drawSpec(rt)
		s, err := compile.Compile("drawn.dfp", []byte(d.text))
		if err != nil {
			rt.Skip(err)
		}
		p := s.Program
		for range 4 {
			in := d.draw(rt)
			what := []runtime.Option{runtime.WithErrorMode(rapid.SampledFrom([]dfa.ErrorMode{dfa.Reject, dfa.Reject, dfa.Null, dfa.Fail}).Draw(rt, "mode"))}
			if rapid.Bool().Draw(rt, "small records") {
				what = append(what, runtime.WithBatchSize(rapid.IntRange(1, 50).Draw(rt, "batch")))
			}
			want := read(t, p, unseekable{strings.NewReader(in)}, append(ways[0].options(), what...)...)
			for range 4 {
				w := way{
					engine:    rapid.SampledFrom([]string{"cpu", "ahead", "ahead", "reference"}).Draw(rt, "engine"),
					threads:   rapid.IntRange(1, 4).Draw(rt, "threads"),
					chunk:     rapid.IntRange(1, 100).Draw(rt, "chunk"),
					partition: rapid.OneOf(rapid.IntRange(1, 70), rapid.IntRange(1, 1000)).Draw(rt, "partition"),
					bare:      rapid.Bool().Draw(rt, "in memory"),
				}
				var from io.Reader = unseekable{strings.NewReader(in)}
				if w.bare && !p.Dynamic() {
					from = inMemory(in)
				}
				if diff := difference(read(t, p, from, append(w.options(), what...)...), want); diff != "" {
					rt.Fatalf("%s\n%q\n%+v: %s", d.text, in, w, diff)
				}
			}
		}
	})
}
