package lower

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/dfaparse/dfaparse/dfa"
)

// clf is how Apache httpd escapes in its logs (mod_log_config, since 2.0.46).
var clf = &Escape{Lead: '\\', To: map[byte]byte{'"': '"', '\\': '\\', 'b': '\b', 'n': '\n', 'r': '\r', 't': '\t', 'v': '\v'}, Hex: 'x'}

func clfHole(name string) Part { return Hole{Name: name, Escape: clf} }

func commonLog() []Part {
	return []Part{hole("host"), lit(" "), hole("ident"), lit(" "), hole("user"), lit(" ["), hole("time"), lit(`] "`),
		clfHole("request"), lit(`" `), hole("status"), lit(" "), hole("bytes")}
}

func combinedLog() []Part {
	return append(commonLog(), lit(` "`), clfHole("referer"), lit(`" "`), clfHole("agent"), lit(`"`))
}

// TestFactoredStates holds the sizes of the machines for Apache's log formats.
func TestFactoredStates(t *testing.T) {
	for _, c := range []struct {
		name                 string
		parts                []Part
		factored, positional int
	}{
		{"common", commonLog(), 15, 34},
		{"combined", combinedLog(), 15, 50},
	} {
		f := build(t, &Record{Parts: c.parts, Rest: "extra"})
		p := build(t, &Record{Parts: c.parts, Positional: true})
		if !f.Factored || p.Factored {
			t.Errorf("%s: factored %v and %v, want only the first", c.name, f.Factored, p.Factored)
		}
		if f.Automaton.NStates() != c.factored || p.Automaton.NStates() != c.positional {
			t.Errorf("%s: %d states factored and %d positional, want %d and %d", c.name,
				f.Automaton.NStates(), p.Automaton.NStates(), c.factored, c.positional)
		}
	}
}

func build(t testing.TB, r *Record) *RecordShape {
	t.Helper()
	s, err := BuildRecord(r)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// outcomes are the records of in as rows: their fields, once the number of
// fields and their classes are checked, or "reject".
func outcomes(s *RecordShape, in string) (out []string) {
	n := len(s.Columns)
	if s.HasRest {
		n--
	}
	s.Automaton.Walk([]byte(in), s.Automaton.Start, func(r *dfa.RawRecord) bool {
		if r.Kind != dfa.DataRecord {
			return true
		}
		row := fmt.Sprintf("%d:", r.Start)
		ok := r.Code == 0 && len(r.Fields) >= n && (len(r.Fields) == n || s.HasRest)
		for i, f := range r.Fields {
			switch {
			case !ok || i > n:
			case i == n:
				row += "|" + in[f.Start:r.End]
			case s.Columns[i].Class != 0 && s.Columns[i].Class != f.Class:
				ok = false
			default:
				row += "|" + string(f.Value)
			}
		}
		if !ok {
			row = fmt.Sprintf("%d: reject", r.Start)
		}
		out = append(out, row)
		return true
	})
	return out
}

// same checks that both machines of a template read in to the same rows.
func same(t interface{ Fatalf(string, ...any) }, factored, positional *RecordShape, in string) {
	f, p := outcomes(factored, in), outcomes(positional, in)
	if !slices.Equal(f, p) {
		t.Fatalf("%q\nfactored   %q\npositional %q", in, f, p)
	}
}

// listTemplate draws a template that is a list.
func listTemplate(t *rapid.T) []Part {
	sep := rapid.SampledFrom([]string{" ", ","}).Draw(t, "sep")
	escaped := rapid.Bool().Draw(t, "escaped")
	var parts []Part
	for i := range rapid.IntRange(2, 4).Draw(t, "columns") {
		if i > 0 {
			parts = append(parts, lit(sep))
		}
		h := Hole{Name: fmt.Sprint("c", i)}
		switch rapid.SampledFrom([]string{"bare", "quoted", "brackets"}).Draw(t, "kind") {
		case "bare":
			parts = append(parts, h)
		case "quoted":
			if escaped {
				h.Escape = clf
			}
			parts = append(parts, lit(`"`), h, lit(`"`))
		case "brackets":
			parts = append(parts, lit("["), h, lit("]"))
		}
	}
	return parts
}

func TestFactoredIsPositional(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := Record{Parts: listTemplate(t), Rest: rapid.SampledFrom([]string{"", "rest"}).Draw(t, "rest")}
		r.EOL = rapid.SampledFrom([]EOL{0, LF, CRLF, CR, AnyEOL}).Draw(t, "eol")
		r.Lax = rapid.Bool().Draw(t, "lax")
		r.Blank = rapid.SampledFrom([]Blank{SkipBlank, KeepBlank}).Draw(t, "blank")
		if rapid.Bool().Draw(t, "comments") {
			r.Comments, r.Directives = []string{"x"}, []string{"xa"}
		}
		f, err := BuildRecord(&r)
		if err != nil {
			t.Fatal(err)
		}
		r.Positional = true
		p, err := BuildRecord(&r)
		if err != nil {
			t.Fatal(err)
		}
		if p.Factored {
			t.Fatal("factored, though it should not be")
		}
		if !f.Factored {
			t.Skip("not factored")
		}
		symbol := rapid.SampledFrom([]byte("aaax4  ,,\"\"[]]\\\n\n\r"))
		for range 4 {
			same(t, f, p, string(rapid.SliceOfN(symbol, 0, 24).Draw(t, "in")))
			// Inputs that are nearly right reach further.
			in := []byte(fill(t, r.Parts))
			for range rapid.IntRange(0, 2).Draw(t, "mutations") {
				if i := rapid.IntRange(0, len(in)).Draw(t, "at"); i < len(in) {
					in[i] = symbol.Draw(t, "symbol")
				}
			}
			same(t, f, p, string(in))
		}
	})
}

// fill draws lines that match parts, or nearly do.
func fill(t *rapid.T, parts []Part) string {
	var b strings.Builder
	value := rapid.SampledFrom([]string{"", "a", "x", "[", "]", `\"`, `\x4a`, `"`, "a a", ","})
	for range rapid.IntRange(1, 3).Draw(t, "lines") {
		for _, p := range parts {
			switch v := p.(type) {
			case Literal:
				b.WriteString(v.Text)
			case Hole:
				b.WriteString(value.Draw(t, "value"))
			}
		}
		b.WriteString(rapid.SampledFrom([]string{"\n", "\r\n", "", " a\n", " \r\n"}).Draw(t, "end"))
	}
	return b.String()
}

func TestFactoredOnRealLines(t *testing.T) {
	lines := strings.SplitAfter(string(corpus(t, "elastic/apache_logs")), "\n")
	f := build(t, &Record{Parts: combinedLog(), Rest: "extra"})
	p := build(t, &Record{Parts: combinedLog(), Rest: "extra", Positional: true})
	rapid.Check(t, func(t *rapid.T) {
		at := rapid.IntRange(0, len(lines)-20).Draw(t, "line")
		in := []byte(strings.Join(lines[at:at+20], ""))
		for range rapid.IntRange(0, 10).Draw(t, "mutations") {
			i := rapid.IntRange(0, len(in)-1).Draw(t, "at")
			in[i] = rapid.SampledFrom([]byte("\"[] \\x\n\ra")).Draw(t, "symbol")
		}
		same(t, f, p, string(in))
	})
}

// corpus is a file of the corpora, real data that is not part of the module.
func corpus(t testing.TB, name string) []byte {
	t.Helper()
	root := os.Getenv("DFAPARSE_CORPORA")
	if root == "" {
		dir, err := os.Getwd()
		if err != nil {
			t.Fatal(err)
		}
		for {
			if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
				break
			}
			up := filepath.Dir(dir)
			if up == dir {
				t.Skip("no go.mod above the test")
			}
			dir = up
		}
		root = filepath.Join(dir, "..", "shared", "corpora")
	}
	src, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		t.Skipf("no corpora: %v", err)
	}
	return src
}

// TestOnlyQuotesAndBracketsEnclose: other symbols around a hole are text, and so is what the next hole holds
// of what looks like a separator.
func TestOnlyQuotesAndBracketsEnclose(t *testing.T) {
	for _, c := range []struct {
		parts []Part
		in    string
		want  []string
	}{
		{[]Part{lit("#"), hole("id"), lit(": "), hole("message")}, "#1: a b\n#a:b: c\n1: a\n", []string{"0:|1|a b", "8:|a:b|c", "16: reject"}},
		{[]Part{lit(";"), hole("a"), lit("->"), hole("b")}, ";-->-\n;a->b->c\n", []string{"0:|-|-", "6:|a|b->c"}},
		{[]Part{lit("="), hole("a"), lit("; ="), hole("b"), lit(";")}, "=x;y; =z;\n", []string{"0:|x;y|z"}},
		{[]Part{lit("("), hole("a"), lit(") <"), hole("b"), lit(">")}, "(x) <y z>\n(x) y\n", []string{"0:|x|y z", "10: reject"}},
	} {
		if got := outcomes(build(t, &Record{Parts: c.parts}), c.in); !slices.Equal(got, c.want) {
			t.Errorf("%q: %q, want %q", c.in, got, c.want)
		}
	}
}

// TestSeparatorIsText: where no field ends at the separator alone, a template means what it says. It reads all
// records that the list reads, to the same fields, and others.
func TestSeparatorIsText(t *testing.T) {
	paren, quoted := []Part{hole("a"), lit(" ("), hole("b"), lit(")")}, []Part{hole("a"), lit(` "`), hole("b"), lit(`"`)}
	for _, c := range []struct {
		parts []Part
		in    string
		want  []string
	}{
		{paren, "x (1)\nx y (1)\n(x) (1)\nx 1\n", []string{"0:|x|1", "6:|x y|1", "14:|(x)|1", "22: reject"}},
		{quoted, "x \"y\"\r\nx y \"\"z\" \"\"\r\nx \"y\"z\n", []string{"0:|x|y", `7:|x y|"z" "`, "20: reject"}},
		{[]Part{lit("["), hole("a"), lit("] "), hole("b")}, "[x y] z w\n[x]y] z\n", []string{"0:|x y|z w", "10:|x]y|z"}},
	} {
		if got := outcomes(build(t, &Record{Parts: c.parts}), c.in); !slices.Equal(got, c.want) {
			t.Errorf("%q: %q, want %q", c.in, got, c.want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		parts := tidy(listTemplate(t))
		list, _ := asList(parts)
		if list.separated("") {
			t.Skip("a list")
		}
		read := func(p *template) *RecordShape {
			m, err := newLined(content[templateState](p), &Lines{}, p.messages)
			if err != nil {
				t.Fatal(err)
			}
			a, err := explore(m, p.messages)
			if err != nil {
				t.Fatal(err)
			}
			return &RecordShape{Automaton: a, Columns: p.columns}
		}
		asWritten, err := positional(newMessages(nil), parts, "")
		if err != nil {
			t.Fatal(err)
		}
		listed, err := newTemplate(newMessages(nil), list.instructions(""))
		if err != nil {
			t.Fatal(err)
		}
		w, l := read(asWritten), read(listed)
		symbol := rapid.SampledFrom([]byte("aaax4  ,,\"\"[]]\\\r"))
		for range 8 {
			in := []byte(fill(t, parts))
			for range rapid.IntRange(0, 2).Draw(t, "mutations") {
				if i := rapid.IntRange(0, len(in)).Draw(t, "at"); i < len(in) {
					in[i] = symbol.Draw(t, "symbol")
				}
			}
			in = append(in, '\n')
			got, want := outcomes(w, string(in)), outcomes(l, string(in))
			if len(want) == 1 && !strings.HasSuffix(want[0], "reject") && !slices.Equal(got, want) {
				t.Fatalf("%q: %q, and as a list %q", in, got, want)
			}
		}
	})
}
