package docs_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dfaparse/dfaparse/compile"
	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/formats"
	"github.com/dfaparse/dfaparse/internal/convert"
	"github.com/dfaparse/dfaparse/internal/golden"
	"github.com/dfaparse/dfaparse/runtime/cpu"
)

// TestTables holds the tables between <!-- table: NAME --> and <!-- end --> to
// what the code says: of formats, and of the columns of each.
func TestTables(t *testing.T) {
	tables := map[string]string{"formats": formatsTable(t), "groups": groupsTable(), "slow columns": slowTable(t)}
	for _, name := range formats.Names() {
		tables["columns of "+name] = columnsTable(t, name)
	}
	seen := map[string]bool{}
	for _, file := range []string{"README.md", "docs/formats.md", "docs/performance.md"} {
		text := read(t, file)
		now := table.ReplaceAllStringFunc(text, func(old string) string {
			name := table.FindStringSubmatch(old)[1]
			content, ok := tables[name]
			if !ok {
				t.Errorf("%s: there is no table %q", file, name)
				return old
			}
			seen[name] = true
			return fmt.Sprintf("<!-- table: %s -->\n%s<!-- end -->", name, content)
		})
		switch {
		case now == text:
		case *golden.Update:
			if err := os.WriteFile(filepath.Join(root, file), []byte(now), 0o644); err != nil {
				t.Fatal(err)
			}
		default:
			t.Errorf("%s: a table is not what the formats say; go test ./docs -update writes it", file)
		}
	}
	for _, name := range formats.Names() {
		switch {
		case seen["columns of "+name]:
		case *golden.Update:
			addSection(t, name, tables["columns of "+name])
		default:
			t.Errorf("docs/formats.md has no section of %s; go test ./docs -update writes one", name)
		}
	}
	for _, name := range []string{"formats", "slow columns"} {
		if !seen[name] {
			t.Errorf("no document has <!-- table: %s -->", name)
		}
	}
}

// slowTable is what convert.FindSlow says of a column of each kind that is slow.
func slowTable(t *testing.T) string {
	t.Helper()
	many := "enum("
	for i := range 5000 {
		many += fmt.Sprintf("T%d ", i)
	}
	many += ")"
	var b strings.Builder
	b.WriteString("| column | ns a value | in place of | because |\n|---|---|---|---|\n")
	for _, c := range []struct{ written, spec string }{
		{"`u32(hex)`", "u32(hex)"},
		{"`u32(thousands ',')`", "u32(thousands ',')"},
		{"`binary(hex)`", "binary(hex)"},
		{"`binary(base64)`", "binary(base64)"},
		{"`enum` of 5,000 tokens", many},
		{"`dict`", "dict"},
		{"`str default \"x\"`", "str default \"x\""},
		{"`list(i32, sep ';')`, 3 elements", "list(i32, sep ';')"},
		{"`map(str, pairs ';', kv '=')`, 2 keys", "map(str, pairs ';', kv '=')"},
		{"`map(str, pairs ' ' before key)`, 4 keys", "map(str, pairs ' ' before key)"},
		{"`map(str, pairs ';', kv '=', quote '\"', keys quoted)`, 4 keys", "map(str, pairs ';', kv '=', quote '\"', keys quoted)"},
		{"`map(str, pairs ' ', kv '=', duplicates list)`, 4 keys, one twice", "map(str, pairs ' ', kv '=', duplicates list)"},
		{"`dur(clock)`", "dur(clock)"},
		{"`dur(go)`", "dur(go)"},
		{"`ts` with `%I … %f %p`", "ts(\"%F %I:%M:%S.%f %p\")"},
		{"`date(\"%Y %j\")`", "date(\"%Y %j\")"},
		{"`date(\"%d %B %Y\")`", "date(\"%d %B %Y\")"},
		{"`ts` of three layouts, the last with `%I … %p`", "ts(\"%d/%b/%Y:%T\" | \"%F %T\" | \"%m/%d/%Y %I:%M %p\")"},
		{"`ts` with `zones` or `months`", "ts(\"%F %I:%M %p %Z\")"},
		{"`u64(size 1024)`", "u64(size 1024)"},
	} {
		spec, err := compile.Compile("x.dfp", []byte("format x { delimited { sep '|' } fields { a "+c.spec+" }  zones { CET +01:00 } }"))
		if err != nil {
			t.Fatal(err)
		}
		s := convert.FindSlow(&spec.Program.Columns[0], convert.Options{BaseTime: time.Unix(1.7e9, 0)})
		if s == nil {
			continue // it has become fast
		}
		fmt.Fprintf(&b, "| %s | %d | %d, %s | %s |\n", c.written, s.Nanos, s.Usual, s.Than, strings.ReplaceAll(s.Why, "%I", "`%I`"))
	}
	return b.String()
}

// addSection adds the section of a format to docs/formats.md, ahead of the last one,
// which is about no format: what the comment at the head of the spec says, and the table.
// addSection adds the section of a format to docs/formats.md, at the end of its
// group's: what the comment at the head of the spec says, and the table.
func addSection(t *testing.T, name, columns string) {
	t.Helper()
	src, err := formats.Source(name)
	if err != nil {
		t.Fatal(err)
	}
	var comment strings.Builder
	for line := range strings.Lines(string(src)) {
		said, ok := strings.CutPrefix(line, "#")
		if !ok {
			break
		}
		comment.WriteString(strings.TrimPrefix(said, " "))
	}
	text, heading := read(t, "docs/formats.md"), "## "+title(groupOf(name))+"\n\n"
	at := strings.Index(text, "\n"+heading)
	if at < 0 { // a new group, ahead of the last section, which is about no format
		at = strings.LastIndex(text, "\n## ")
		text = text[:at+1] + heading + text[at+1:]
	}
	at += 1 + len(heading)
	if end := strings.Index(text[at:], "\n## "); end >= 0 {
		at += end + 1
	}
	section := fmt.Sprintf("### %s\n\n%s\n<!-- table: columns of %[1]s -->\n%[3]s<!-- end -->\n\n", name, comment.String(), columns)
	file := filepath.Join(root, "docs", "formats.md")
	if err := os.WriteFile(file, []byte(text[:at]+section+text[at:]), 0o644); err != nil {
		t.Fatal(err)
	}
}

func groupOf(name string) string {
	for _, g := range formats.Groups() {
		if slices.Contains(g.Names, name) {
			return g.Name
		}
	}
	return ""
}

// title is a group's name as a heading.
func title(group string) string { return strings.ToUpper(group[:1]) + group[1:] }

var table = regexp.MustCompile(`(?s)<!-- table: ([^\n]*) -->\n(.*?)<!-- end -->`)

var (
	errorModes = map[dfa.ErrorMode]string{dfa.Fail: "fail", dfa.Null: "null", dfa.Reject: "reject"}
	utf8Words  = map[dfa.UTF8Policy]string{dfa.RejectUTF8: "reject", dfa.ReplaceUTF8: "replace", dfa.KeepUTF8: "keep"}
	ragged     = map[dfa.Ragged]string{0: "error", dfa.Pad: "pad", dfa.Truncate: "truncate", dfa.Pad | dfa.Truncate: "pad truncate"}
)

func program(t *testing.T, name string) *dfa.Program {
	t.Helper()
	p, err := formats.Program(name)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// formatsTable has the formats group by group: what a format is, how many columns
// it has, what becomes of a bad record, and what it costs: the states and symbol
// groups of its automaton, and the ways in which fields and contexts are found.
func formatsTable(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("| format | what it is | columns | on error | states | symbol groups | fields by | contexts by |\n|---|---|---|---|---|---|---|---|\n")
	for _, g := range formats.Groups() {
		fmt.Fprintf(&b, "| **%s** | | | | | | | |\n", title(g.Name))
		for _, name := range g.Names {
			p := program(t, name)
			columns := fmt.Sprint(len(columns(p)))
			if p.Dynamic() {
				columns = "the file names them"
			}
			fmt.Fprintf(&b, "| [`%s`](#%[1]s) | %s | %s | %s | %d | %d | %s | %s |\n",
				name, p.Doc, columns, errorModes[p.OnError], p.Automaton.NStates(), p.Automaton.NGroups, p.Analysis().IndexPath(), cpu.ContextPath(p))
		}
	}
	return b.String()
}

// groupsTable has a line a group: the names of its formats.
func groupsTable() string {
	var b strings.Builder
	b.WriteString("| | formats |\n|---|---|\n")
	for _, g := range formats.Groups() {
		fmt.Fprintf(&b, "| %s | `%s` |\n", g.Name, strings.Join(g.Names, "` `"))
	}
	return b.String()
}

// column is a column with what it is a part of, if it comes of a split.
type column struct {
	*dfa.Column
	of string
}

// columns are the columns that are delivered.
func columns(p *dfa.Program) (all []column) {
	for i := range p.Columns {
		c := &p.Columns[i]
		if !c.Hidden {
			all = append(all, column{c, ""})
		}
		if c.Split != nil {
			for j := range c.Split.Columns {
				all = append(all, column{&c.Split.Columns[j], c.Name})
			}
		}
	}
	return all
}

func columnsTable(t *testing.T, name string) string {
	t.Helper()
	p := program(t, name)
	var b strings.Builder
	fmt.Fprintf(&b, "On error: `%s`. Ragged: `%s`. Invalid UTF-8: `%s`.\n", errorModes[p.OnError], ragged[p.Ragged], utf8Words[p.UTF8])
	all := columns(p)
	if len(all) == 0 {
		b.WriteString("Columns: those of the file, as `str`.\n")
		return b.String()
	}
	b.WriteString("\n| column | type | Arrow | null |\n|---|---|---|---|\n")
	for _, c := range all {
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", c.Name, code1(convert.Name(&c.Type)), code1(convert.ArrowType(&c.Type).String()), nulls(p, c))
	}
	return b.String()
}

// code1 is text as code in a cell of a table.
func code1(text string) string { return "`" + strings.ReplaceAll(text, "|", "\\|") + "`" }

// nulls says when a column is null.
func nulls(p *dfa.Program, c column) string {
	if c.Required {
		return "never"
	}
	var when []string
	switch c.Type.Kind {
	case dfa.String, dfa.Dictionary, dfa.Binary:
	default:
		when = append(when, "empty")
	}
	for _, n := range c.Nulls {
		if n == "" {
			when = append(when, "empty")
		} else {
			when = append(when, code1(n))
		}
	}
	switch {
	case c.of != "":
		when = append(when, "`"+c.of+"` has another form")
	case p.Dynamic() && c.Optional:
		when = append(when, "not in the file")
	case p.HasRest && c.Column == &p.Columns[len(p.Columns)-1]:
		when = append(when, "nothing follows")
	}
	return strings.Join(when, ", ")
}
