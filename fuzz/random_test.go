package fuzz

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow/array"
	"pgregory.net/rapid"

	"github.com/dfaparse/dfaparse/compile"
	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/drawn"
	"github.com/dfaparse/dfaparse/internal/gen"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/reference"
)

// drawDelimited draws a format of fields with separators between them, all of
// them strings, as the text of a spec; inputs are drawn over its alphabet.
func drawDelimited(t *rapid.T) (spec, alphabet string) {
	pick := func(what string, of ...string) string { return rapid.SampledFrom(of).Draw(t, what) }
	var b strings.Builder
	sep := pick("separator", `","`, `"||"`, `" "+`, `"\t"`, `"aab"`, `"," | ";"`, `" "+ | ","`, `" "+ leading trailing`, `" "+ leading`, `" "+ trailing`, `"-=-"`)
	fmt.Fprintf(&b, "format f {\n delimited { sep %s", sep)
	if quote := pick("quote", "", "", " quote '\"'", " quote '\"' doubled", " quote '\"' doubled max_lines 2"); quote != "" {
		b.WriteString(quote)
	}
	if !strings.Contains(b.String(), "doubled") {
		b.WriteString(pick("escape", "", "", ` escape '\'`, " escape e"))
	}
	b.WriteString(pick("bracket", "", "", "", " bracket '[' ']'"))
	b.WriteString(pick("comment", "", "", ` comment "#"`, ` comment "//" "#!"`))
	b.WriteString(pick("line ends", "", "", " eol lf", " eol crlf", " eol cr", " eol any"))
	b.WriteString(pick("lax", "", "", " lax"))
	b.WriteString(pick("blanks", "", "", " blanks"))
	b.WriteString(" }\n fields {")
	for i := range rapid.IntRange(1, 3).Draw(t, "columns") {
		fmt.Fprintf(&b, " c%d str%s", i, pick("modifier", "", "", "", ` null "-"`))
	}
	b.WriteString(" }\n")
	b.WriteString(pick("ragged", "", " ragged pad\n", " ragged truncate\n", " ragged pad truncate\n"))
	b.WriteString(pick("blank", "", " blank keep\n", " blank skip\n"))
	b.WriteString(pick("rest", "", "", " rest more\n"))
	b.WriteString(" utf8 keep\n}\nescape e = '\\' { '\"' '\\' n x:hex2 oct3 other drop }\n")
	return b.String(), "ab,;|| -=\t\"\"\\x41[]#!//\r\n\n"
}

// drawTemplate draws a record template with optional groups, null dashes,
// holes that are passed over, and further lines.
func drawTemplate(t *rapid.T) (spec, alphabet string) {
	pick := func(what string, of ...string) string { return rapid.SampledFrom(of).Draw(t, what) }
	var b strings.Builder
	b.WriteString(pick("first text", "", "", "<", "a:"))
	n := rapid.IntRange(1, 4).Draw(t, "holes")
	for i := range n {
		hole := fmt.Sprintf("{c%d%s}", i, pick("rule", "", "", "", ":-", ":e", ":e:-"))
		if i > 0 && rapid.IntRange(0, 5).Draw(t, "passed over") == 0 {
			hole = "{_}"
		}
		group := i > 0 && rapid.IntRange(0, 2).Draw(t, "group") == 0
		text := pick("text", " ", " ", "; ", "{ }", " k=", "ab", "]]")
		if text == "]]" && !group {
			text = "] "
		}
		enclosed := pick("enclosed", "", "", "", "\"", "()")
		if enclosed != "" && strings.HasPrefix(hole, "{c") {
			hole = enclosed[:1] + hole + enclosed[len(enclosed)-1:]
		}
		switch {
		case i == 0:
			b.WriteString(hole)
		case group:
			b.WriteString("[" + text + hole + "]")
		default:
			b.WriteString(text + hole)
		}
	}
	b.WriteString(pick("last text", "", "", "", ">", " {rest...}", "[ ({rest...}]"))
	spec = "escape e = '\\' { '\"' '\\' n x:hex2 other drop }\nformat f {\n record `" + b.String() + "`\n utf8 keep\n"
	spec += pick("lines", "", "", "", " lines { comment \"#\" }", " lines { eol any lax }")
	if strings.HasSuffix(b.String(), " {rest...}") && rapid.Bool().Draw(t, "several lines") {
		spec += " multiline { continue " + pick("continue", `'\t'`, `"  "`, `"  " "ab" '\t'`, `"a:b" "=="`) + " into rest }"
	}
	return spec + "}\n", "ab: ;k=<>\"\"()\\x41-]]#\t\r\n\n"
}

// compileDrawn compiles a drawn spec; nil if it is refused, which must be said
// with a position.
func compileDrawn(t *rapid.T, source string) *dfa.Program {
	spec, err := compile.Compile("drawn.dfp", []byte(source))
	if err != nil {
		if !strings.HasPrefix(err.Error(), "drawn.dfp:") {
			t.Fatalf("%s\n%v", source, err)
		}
		return nil
	}
	return spec.Program
}

// allRows is what an input gives in mode reject: its rows, a cell in quotes
// or null, and the number of rejects.
func allRows(t *rapid.T, p *dfa.Program, in string, s setting) (rows []string, rejected int64) {
	t.Helper()
	r, err := runtime.NewReader(strings.NewReader(in), p, append(s.options(), runtime.WithErrorMode(dfa.Reject))...)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Release()
	for r.Next() {
		rec := r.Record()
		for i := range int(rec.NumRows()) {
			row := ""
			for _, c := range rec.Columns() {
				if c.IsNull(i) {
					row += "[null]"
				} else {
					row += fmt.Sprintf("[%q]", c.(*array.String).Value(i))
				}
			}
			rows = append(rows, row)
		}
	}
	if err := r.Err(); err != nil {
		if errors.Is(err, errEnginesDiffer) {
			t.Fatalf("%s: %v", s, err)
		}
		t.Fatal(err)
	}
	return rows, r.Stats().Rejected
}

// meaning is what an input gives by what the automaton means, record by
// record, for a Program of strings whose columns go by position.
func meaning(p *dfa.Program, in string) (rows []string, rejected int64) {
	least, named := len(p.Columns), false
	for i := range p.Automaton.Emissions {
		e := &p.Automaton.Emissions[i]
		named = named || e.Boundary() && e.Column != dfa.NextColumn && e.Record == dfa.DataRecord
	}
	rest := -1
	if p.HasRest {
		rest = len(p.Columns) - 1
		least = rest
	}
	if named || p.Ragged&dfa.Pad != 0 {
		least = 0
	}
	p.Automaton.Walk([]byte(in), p.Automaton.Start, func(rec *dfa.RawRecord) bool {
		if rec.Kind != dfa.DataRecord {
			return true
		}
		n := rec.Fields[len(rec.Fields)-1].Column + 1
		bad := rec.Code != 0 || n < least || n > len(p.Columns) && rest < 0 && p.Ragged&dfa.Truncate == 0
		cells := slices.Repeat([]string{"[null]"}, len(p.Columns))
		for _, f := range rec.Fields {
			if rest >= 0 && f.Column >= rest {
				cells[rest] = fmt.Sprintf("[%q]", in[f.Start:rec.End])
				break
			}
			if f.Column >= len(p.Columns) {
				break
			}
			c := &p.Columns[f.Column]
			bad = bad || c.Class != 0 && c.Class != f.Class
			cells[f.Column] = fmt.Sprintf("[%q]", f.Value)
			written := f.Value // in which null tokens are looked for
			if len(f.Written.Text) > 0 {
				written = f.Written.Text
			}
			if slices.Contains(c.Nulls, string(written)) {
				cells[f.Column] = "[null]"
			}
		}
		if bad {
			rejected++
			return true
		}
		row := ""
		for i, cell := range cells {
			if !p.Columns[i].Hidden {
				row += cell
			}
		}
		rows = append(rows, row)
		return true
	})
	return rows, rejected
}

// TestDrawnFormats: drawn formats on drawn inputs give by both engines, however
// the input is cut, what their automata mean.
func TestDrawnFormats(t *testing.T) {
	for name, draw := range map[string]func(*rapid.T) (string, string){"delimited": drawDelimited, "template": drawTemplate} {
		t.Run(name, func(t *testing.T) {
			compiled, refused := 0, 0
			drawn.Check(t, "too few formats were compiled", func() bool { return compiled >= refused/4 }, func(t *rapid.T) {
				source, alphabet := draw(t)
				p := compileDrawn(t, source)
				if p == nil {
					refused++
					return
				}
				compiled++
				for range 4 {
					in := string(rapid.SliceOfN(rapid.SampledFrom([]byte(alphabet)), 0, 60).Draw(t, "input"))
					if strings.HasPrefix(in, "\xef\xbb\xbf") || foreign(p, in) {
						continue
					}
					size := func(what string) int { return rapid.IntRange(1, len(in)+2).Draw(t, what) }
					want, rejected := meaning(p, in)
					for _, s := range ways([]setting{
						{"both", 1, size("chunk"), whole}, {"both", 3, size("chunk"), size("partition")},
						{"cpu", 1, whole, size("partition")}, {"reference", 1, size("chunk"), size("partition")},
					}, in, dfa.Reject) {
						got, n := allRows(t, p, in, s)
						if fmt.Sprint(got) != fmt.Sprint(want) || n != rejected {
							t.Fatalf("%s\n%s\n%q gives %d rejects and\n%s\nwant %d and\n%s", source, s, in,
								n, strings.Join(got, "\n"), rejected, strings.Join(want, "\n"))
						}
					}
				}
			})
			t.Logf("%d formats, and %d that were refused", compiled, refused)
		})
	}
}

// foreign reports whether an input is refused as a whole: lines that end in CR,
// where they may not.
func foreign(p *dfa.Program, in string) bool {
	r, err := runtime.NewReader(strings.NewReader(in), p, runtime.WithEngine(reference.Engine))
	if err == nil {
		r.Release()
	}
	return errors.Is(err, runtime.ErrForeign)
}

// TestAnyPartitions: the examples of the built-in formats give the same however
// they are cut into partitions and chunks.
func TestAnyPartitions(t *testing.T) {
	type example struct {
		p  *dfa.Program
		in string
	}
	var examples []example
	for _, name := range gen.VariedFormats() {
		spec, err := gen.Spec(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, ex := range spec.Examples {
			examples = append(examples, example{spec.Program, ex.Input})
		}
	}
	rapid.Check(t, func(r *rapid.T) {
		ex := rapid.SampledFrom(examples).Draw(r, "example")
		mode := rapid.SampledFrom([]dfa.ErrorMode{dfa.Fail, dfa.Null, dfa.Reject}).Draw(r, "mode")
		n := len(ex.in) + 2
		conform(t, "an example", ex.p, ex.in, mode, []setting{
			{"reference", 1, whole, whole},
			{"both", rapid.IntRange(1, 9).Draw(r, "threads"), rapid.IntRange(1, n).Draw(r, "chunk"), rapid.IntRange(1, n).Draw(r, "partition")},
		})
	})
}
