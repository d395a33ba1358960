package infer

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/dfaparse/dfaparse/compile"
	"github.com/dfaparse/dfaparse/dfa"
)

// passed is the name of a column that is passed over.
const passed = "_"

// place gives the columns names by their places where no record of the input does: where
// blanks around names, lines drawn at the edges, or words of the last name are none of them,
// where the names are in a comment, and where the first record is short and no header counts
// the columns.
func (t *Table) place(rows []row, sample []byte, given *Given) {
	switch {
	case t.names != nil:
	case (t.Padded || t.Open || t.Rule) && t.Header:
		for _, f := range rows[0].fields {
			t.names = append(t.names, string(bytes.TrimSpace(f.text)))
		}
	case t.Padded && !t.Rule:
		for i := range t.Width {
			t.names = append(t.names, fmt.Sprintf("column_%d", i+1))
		}
	case t.Open, !t.Header && len(rows) > 0 && len(rows[0].fields) < t.Width:
		t.names = make([]string, t.Width) // or those of the first record would be all
	case !t.Header && given.Header == "" && t.Comment != "" && given.isFree():
		t.names = commented(sample, &t.Dialect, rows)
		t.Above = t.names != nil
	}
	if t.names == nil {
		return
	}
	edged := t.Padded && len(t.names) > 2 && t.names[0] == "" && t.names[len(t.names)-1] == ""
	seen := map[string]bool{passed: true}
	for i, name := range t.names {
		if edged && (i == 0 || i == len(t.names)-1) {
			t.names[i] = passed
			continue
		}
		if name == "" {
			name = fmt.Sprintf("column_%d", i+1)
		}
		for n := 2; seen[name]; n++ {
			name = fmt.Sprintf("%s_%d", t.names[i], n)
		}
		seen[name], t.names[i] = true, name
	}
}

// commented gives the names that stand in the comment above the first record; nil if none do.
func commented(sample []byte, d *Dialect, rows []row) (names []string) {
	sample = dfa.WithoutMark(sample)
	lines := bytes.SplitN(sample, []byte{'\n'}, maxPreamble+2)
	above := rows[0].line - 1
	if above < 0 || above >= len(lines) || !bytes.HasPrefix(lines[above], []byte(d.Comment)) {
		return nil
	}
	line := bytes.TrimLeft(bytes.TrimSpace(lines[above]), d.Comment+" ")
	if told, ok := bytes.CutPrefix(line, []byte("TYPE ")); ok || bytes.HasPrefix(line, []byte("HELP ")) {
		if metric, _, _ := bytes.Cut(bytes.TrimPrefix(told, []byte("HELP ")), []byte{' '}); bytes.HasPrefix(rows[0].fields[0].text, metric) {
			return nil // of Prometheus
		}
	}
	plain := *d
	plain.Comment = ""
	cells, faults, _ := cut(line, &plain, true)
	if len(cells) != 1 || len(cells[0].fields) != len(rows[0].fields) || len(cells[0].fields) < 2 || faults > 0 || !named(cells[0].fields) {
		return nil
	}
	for _, f := range cells[0].fields {
		names = append(names, string(bytes.TrimSpace(f.text)))
	}
	return names
}

// placed adds the columns by their places.
func (t *Table) placed(b *compile.FormatBuilder, types typing) {
	for _, name := range t.names {
		if name == passed {
			b.Field(name, "str")
			continue
		}
		t.placedColumn(name, types).field(b, t.Padded)
	}
	if t.Open {
		b.Rest(t.names[len(t.names)-1])
	}
}

// placedColumn is the column of a name, as far as its type is wanted.
func (t *Table) placedColumn(name string, types typing) *Column {
	c := &Column{Name: name, Type: "str"}
	if types != texts {
		for _, g := range t.Given.Types {
			if g.Column == name {
				c.Type, c.Given = g.Type, true
			}
		}
	}
	if types == all {
		for _, found := range t.Columns {
			if found.Name == name {
				return found
			}
		}
	}
	return c
}

// field adds the column; padded says that blanks around texts are no data.
func (c *Column) field(b *compile.FormatBuilder, padded bool) {
	if c.Given && strings.TrimRight(c.Type, "!?") != "str" {
		(&GivenType{c.Name, c.Type}).field(b)
		return
	}
	var modifiers []*compile.Modifier
	if c.Blanks && c.Type != "str" || padded {
		modifiers = append(modifiers, compile.Trim())
	}
	if len(c.Nulls) > 0 {
		modifiers = append(modifiers, compile.NullTokens(c.Nulls...))
	}
	b.Field(c.Name, c.Type, modifiers...)
}
