package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"html"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/formats"
	"github.com/dfaparse/dfaparse/internal/convert"
	"github.com/dfaparse/dfaparse/internal/studio"
)

// card is what the gallery's index has of a format.
type card struct {
	Name    string   `json:"name"`
	Doc     string   `json:"doc"`
	Columns []string `json:"columns"`
	Speed   string   `json:"speed"` // GB/s of one core, "" if it is not measured
}

// cards are the formats of a group.
type cards struct {
	Group   string `json:"group"`
	Formats []card `json:"formats"`
}

// writeGallery writes a page, a picture and an automaton of each built-in format, and
// gallery.json, the cards of all of them.
func writeGallery(ctx context.Context, root, out string) error {
	prose, err := os.ReadFile(filepath.Join(root, "docs/formats.md"))
	if err != nil {
		return err
	}
	if prose, err = relink(root, "docs/formats.md", "gallery/x.md", prose); err != nil {
		return err
	}
	measured, err := os.ReadFile(filepath.Join(root, "docs/formats-speed.md"))
	if err != nil {
		return err
	}
	if measured, err = relink(root, "docs/formats-speed.md", "gallery/x.md", measured); err != nil {
		return err
	}
	var all []cards
	for _, group := range formats.Groups() {
		of := cards{Group: group.Name}
		for _, name := range group.Names {
			f, err := newFormat(ctx, name, group.Name)
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			f.prose = sectionOf(prose, name)
			f.speed = speedOf(measured, name)
			if err := f.write(out); err != nil {
				return err
			}
			c := card{Name: name, Doc: f.Doc, Columns: []string{}}
			for _, column := range f.Columns {
				c.Columns = append(c.Columns, column.Name)
			}
			if len(f.speed.rows) > 0 {
				c.Speed = f.speed.rows[0][len(f.speed.rows[0])-1]
			}
			of.Formats = append(of.Formats, c)
		}
		all = append(all, of)
	}
	text, err := json.Marshal(all)
	if err != nil {
		return err
	}
	page, err := os.ReadFile(filepath.Join(root, "site/gallery.md"))
	if err != nil {
		return err
	}
	if err := put(out, "gallery/index.md", page); err != nil {
		return err
	}
	return put(out, "gallery.json", text)
}

// format is a built-in format, and what it makes of its sample.
type format struct {
	*studio.Analysis
	name, group string
	source      []byte
	types       map[string]string // of columns, as specs write them
	arrow       map[string]string // the same, as Arrow calls them
	prose       []byte
	speed       speed
}

// sampleBytes is about how long a sample is.
const sampleBytes = 1500

func newFormat(ctx context.Context, name, group string) (*format, error) {
	source, err := formats.Source(name)
	if err != nil {
		return nil, err
	}
	spec, err := formats.Spec(name)
	if err != nil {
		return nil, err
	}
	f := &format{name: name, group: group, source: source, types: map[string]string{}, arrow: map[string]string{}}
	if f.Analysis, err = sampled(ctx, name, source, spec.Examples); err != nil {
		return nil, err
	}
	for _, fault := range f.Faults {
		if fault.Severity == "error" || fault.Severity == "test" {
			return nil, fmt.Errorf("%d: %s", fault.Line, fault.Message)
		}
	}
	if f.Error != "" {
		return nil, fmt.Errorf("its sample: %s", f.Error)
	}
	learn := func(c *dfa.Column) {
		f.types[c.Name], f.arrow[c.Name] = convert.Name(&c.Type), convert.ArrowType(&c.Type).String()
	}
	for i := range spec.Program.Columns {
		c := &spec.Program.Columns[i]
		learn(c)
		if c.Split != nil {
			for k := range c.Split.Columns {
				learn(&c.Split.Columns[k])
			}
		}
	}
	return f, nil
}

// sampled is what a spec makes of a sample: of the inputs of its tests one after the other, as
// long as they are read so as each is for itself, else of the one with the most rows.
func sampled(ctx context.Context, name string, source []byte, tests []dfa.Example) (*studio.Analysis, error) {
	if len(tests) == 0 {
		return nil, fmt.Errorf("it has no tests")
	}
	sample, rows, rejects := "", 0, 0
	for _, x := range tests {
		if len(sample)+len(x.Input) <= sampleBytes {
			sample, rows, rejects = sample+x.Input, rows+len(x.Rows), rejects+len(x.Rejects)
		}
	}
	if a, err := analysed(ctx, name, source, sample); err == nil && a.Error == "" && rows > 0 && a.Summary.Rows == int64(rows) && a.Rejected == int64(rejects) {
		return a, nil
	}
	most := slices.MaxFunc(tests, func(x, y dfa.Example) int { return len(x.Rows) - len(y.Rows) })
	return analysed(ctx, name, source, most.Input)
}

func analysed(ctx context.Context, name string, source []byte, sample string) (*studio.Analysis, error) {
	in := &studio.Input{Name: name, Size: int64(len(sample)), ReaderAt: strings.NewReader(sample)}
	window, err := in.Begin(ctx, name+".dfp", source, 0, studio.DefaultWindow)
	if err != nil {
		return nil, err
	}
	return studio.Analyse(ctx, name+".dfp", source, window), nil
}

// sectionOf is what docs/formats.md says of a format, its table left out.
func sectionOf(prose []byte, name string) []byte {
	_, text, _ := bytes.Cut(prose, []byte("\n### "+name+"\n"))
	if end := bytes.Index(text, []byte("\n##")); end >= 0 {
		text = text[:end+1]
	}
	return bytes.TrimSpace(table.ReplaceAll(text, nil))
}

var table = regexp.MustCompile(`(?s)<!-- table: .*?<!-- end -->\n?`)

// speed is what docs/formats-speed.md says of a format.
type speed struct {
	machine string
	head    []string
	rows    [][]string // of the table of one core
	said    []string   // why it is as fast as it is
}

func speedOf(measured []byte, name string) (s speed) {
	_, first, _ := strings.Cut(string(measured), "\n## One core\n")
	first, _, _ = strings.Cut(first, "\n## ")
	mark := "`" + name + "`"
	for line := range strings.Lines(first) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		for i := range cells {
			cells[i] = strings.Trim(strings.TrimSpace(cells[i]), "*")
		}
		switch {
		case strings.HasPrefix(line, "| format |") && s.head == nil:
			s.head = cells[1:]
		case strings.HasPrefix(line, "| "+mark+" |") && len(cells) == len(s.head)+1:
			s.rows = append(s.rows, cells[1:])
		case strings.HasPrefix(line, "- "+mark):
			s.said = append(s.said, strings.TrimSpace(strings.TrimPrefix(line, "- ")))
		}
	}
	if m := regexp.MustCompile(`(?m)^Machine: (.*)\.$`).FindSubmatch(measured); m != nil {
		s.machine = string(m[1])
	}
	return s
}

// rowsShown is how many rows of the sample the table has: it lies on its side, a line a column.
const rowsShown = 4

func (f *format) write(out string) error {
	var b strings.Builder
	put1 := func(format string, args ...any) { fmt.Fprintf(&b, format, args...) }
	put1("---\ntitle: %s\ndescription: %q\nformat: %s\n---\n\n# %s\n\n", f.name, f.Doc, f.name, f.name)
	put1("<p class=\"lead\" v-pre>%s</p>\n\n", html.EscapeString(f.Doc))
	put1("<p class=\"facts\"><span>%s</span><span>%s</span>", f.group, plural(int64(f.States), "state"))
	if len(f.speed.rows) > 0 {
		put1("<span>%s GB/s by one core</span>", f.speed.rows[0][len(f.speed.rows[0])-1])
	}
	put1("</p>\n\n<InStudio of=\"%s\" class=\"button\">Open it in the studio</InStudio>\n\n", f.name)
	put1("```sh\ndfaparse parse -f %s -o out.parquet FILE\n```\n\n%s\n\n", f.name, f.prose)

	put1("## A sample\n\nOf the tests in its spec; each field has its column's colour.\n\n")
	put1("<div class=\"sample\" v-pre><pre><code>%s</code></pre></div>\n\n", f.lines())
	put1("%s", plural(f.Summary.Rows, "row"))
	if f.Rejected > 0 {
		put1(", and %s rejected", plural(f.Rejected, "record"))
	}
	put1(".\n\n")
	for _, r := range f.Rejects {
		became := ""
		if r.FieldOnly {
			became = ", a null"
		}
		put1("- <span v-pre>Line %d%s: %s</span>\n", r.Line, became, html.EscapeString(r.Reason))
	}
	put1("\n## The table\n\n%s\n\n", f.table())

	put1("## Speed\n\n")
	if len(f.speed.rows) > 0 {
		put1("| %s |\n|%s\n", strings.Join(f.speed.head, " | "), strings.Repeat("---|", len(f.speed.head)))
		for _, row := range f.speed.rows {
			put1("| %s |\n", strings.Join(row, " | "))
		}
		put1("\nOne core, from memory to columns; %s. [What the words mean, and the other formats](../formats-speed.md#one-core).\n\n", f.speed.machine)
		for _, said := range f.speed.said {
			put1("- %s\n", said)
		}
	} else {
		put1("It is not among the formats that [were measured](../formats-speed.md).\n")
	}
	put1("\n## The automaton\n\n<Automaton of=\"%s\" />\n\n", f.name)
	put1("Boxes are states, arrows are symbols and what they emit; what only errors lead to is left out. The <InStudio of=\"%s\">studio</InStudio> lights the way of each byte.\n\n", f.name)
	put1("## The spec\n\n````dfp\n%s````\n", f.source)

	graph := f.Graph()
	text, err := json.Marshal(graph)
	if err != nil {
		return err
	}
	for _, file := range []struct {
		name string
		data []byte
	}{
		{"gallery/" + f.name + ".md", []byte(b.String())},
		{"public/gallery/" + f.name + ".json", text},
		{"public/gallery/" + f.name + ".svg", arcs(graph)},
	} {
		if err := put(out, file.name, file.data); err != nil {
			return err
		}
	}
	return nil
}

func plural(n int64, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// table is the rows of the sample, a line a column.
func (f *format) table() string {
	rows := f.Analysis.Rows(0, rowsShown)
	var b strings.Builder
	b.WriteString("<div class=\"rows\" tabindex=\"0\" v-pre><table><thead><tr><th>column</th><th>type</th>")
	for i := range rows {
		fmt.Fprintf(&b, "<th>row %d</th>", i+1)
	}
	b.WriteString("<th>Arrow</th></tr></thead><tbody>\n")
	for i, c := range f.Columns {
		null := ""
		if !c.Nullable {
			null = ", never null"
		}
		typ := html.EscapeString(c.Type) // of a column that only the sample names
		if t, ok := f.types[c.Name]; ok {
			typ = "<code>" + html.EscapeString(t) + "</code>"
		}
		fmt.Fprintf(&b, "<tr><td><code%s>%s</code></td><td>%s</td>", tint(c.Field), html.EscapeString(c.Name), typ)
		for _, row := range rows {
			if value := row[i]; value == nil {
				b.WriteString("<td class=\"null\">null</td>")
			} else {
				fmt.Fprintf(&b, "<td>%s</td>", html.EscapeString(cut(*value)))
			}
		}
		fmt.Fprintf(&b, "<td>%s%s</td></tr>\n", html.EscapeString(f.arrow[c.Name]), null)
	}
	b.WriteString("</tbody></table></div>")
	if more := f.Summary.Rows - int64(len(rows)); more > 0 {
		fmt.Fprintf(&b, "\n\nAnd %s.", plural(more, "row"))
	}
	return b.String()
}

// longest is how many characters of a value the table has.
const longest = 80

func cut(value string) string {
	if runes := []rune(value); len(runes) > longest {
		return string(runes[:longest-1]) + "…"
	}
	return value
}

// tint is the colour of a field, the one that it has in the studio.
func tint(field int) string {
	if field < 0 {
		return ""
	}
	return fmt.Sprintf(` class="f" style="--h:%d"`, int(float64(field)*137.508+205.5)%360)
}

// classes are the looks of bytes that are no data of a field.
var classes = map[int]string{
	studio.Separator: "sep", studio.Control: "ctl", studio.Dropped: "drop", studio.Preface: "pre", studio.Malformed: "bad", studio.Unread: "raw",
}

// lines are the lines of the sample, their pieces in colours.
func (f *format) lines() string {
	var b strings.Builder
	for _, line := range f.Analysis.Lines(0, f.Summary.Lines) {
		raw := make([]byte, 0, len(line.Text)) // a character is a byte
		for _, c := range line.Text {
			raw = append(raw, byte(c))
		}
		class := ""
		if line.Reject > 0 && !f.Rejects[line.Reject-1].FieldOnly {
			class = ` class="reject"`
		}
		fmt.Fprintf(&b, "<span%s>", class)
		at := 0
		for i := 0; i < len(line.Runs); {
			what, n := line.Runs[i+1], 0
			for ; i < len(line.Runs) && line.Runs[i+1] == what; i += 4 {
				n += line.Runs[i]
			}
			look := tint(what)
			if what < 0 {
				look = ` class="` + classes[what] + `"`
			}
			if text := printable(raw[at : at+n]); text != "" {
				fmt.Fprintf(&b, "<span%s>%s</span>", look, html.EscapeString(text))
			}
			at += n
		}
		b.WriteString("</span>") // a block, for which a line needs no end
	}
	return b.String()
}

// printable is data as text in which every character is seen, but for the end of a line.
func printable(data []byte) string {
	var b strings.Builder
	for data = bytes.TrimSuffix(data, []byte("\n")); len(data) > 0; {
		c, n := utf8.DecodeRune(data)
		data = data[n:]
		switch {
		case c == '\t' || unicode.IsPrint(c):
			b.WriteRune(c)
		case c < ' ':
			b.WriteRune('␀' + c)
		default:
			b.WriteRune('�')
		}
	}
	return b.String()
}
