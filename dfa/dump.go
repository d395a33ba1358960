package dfa

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Dump is the automaton as stable text: its symbol groups, and under each
// state what it does with which symbols, first the state that follows, then
// the emission, then the end of the input. An error is a number, which the
// messages at the end explain.
func (a *Automaton) Dump() string {
	var d dump
	d.automaton(a)
	return d.String()
}

// Dump is the Program as stable text: what it was made from, all of it, and
// nothing that was computed from that.
func (p *Program) Dump() string {
	var d dump
	d.definition(&p.Definition)
	return d.String()
}

// dump is text in lines, indented.
type dump struct {
	strings.Builder
	indent string
}

func (d *dump) line(format string, args ...any) {
	d.WriteString(strings.TrimRight(d.indent+fmt.Sprintf(format, args...), " ") + "\n")
}

func (d *dump) inside(f func()) {
	was := d.indent
	d.indent += "  "
	f()
	d.indent = was
}

// rows writes rows of cells as aligned columns.
func (d *dump) rows(rows [][]string) {
	var width []int
	for _, row := range rows {
		for i, cell := range row {
			if i == len(width) {
				width = append(width, 0)
			}
			width[i] = max(width[i], utf8.RuneCountInString(cell))
		}
	}
	for _, row := range rows {
		s := ""
		for i, cell := range row {
			s += cell + strings.Repeat(" ", width[i]-utf8.RuneCountInString(cell)+2)
		}
		d.line("%s", s)
	}
}

func (d *dump) automaton(a *Automaton) {
	name := a.stateNames()
	d.line("automaton: %d states, %d groups, %d emissions, begins in %s", len(a.States), a.NGroups, len(a.Emissions), name[a.Start])
	d.inside(func() {
		d.line("groups")
		d.inside(func() { d.rows(a.groupRows()) })
		d.line("states")
		d.inside(func() {
			rows := [][]string{}
			for s, state := range a.States {
				rows = append(rows, []string{name[s], oneLine(state.Doc)})
				for _, arc := range a.Arcs(StateID(s)) {
					rows = append(rows, []string{"", strings.Join(arc.Words, " "), name[arc.Next], arc.Emission.String()})
				}
				rows = append(rows, []string{"", "end", "", a.EOF(StateID(s)).String()})
			}
			d.states(rows)
		})
		if len(a.Messages) > 0 {
			d.line("messages")
			d.inside(func() {
				for i, m := range a.Messages {
					d.line("%d  %s", i+1, oneLine(m))
				}
			})
		}
	})
}

// states writes the rows of states as one table: those of a transition are
// aligned, the words of a state are longer than their column.
func (d *dump) states(rows [][]string) {
	var table [][]string
	var heads []string
	for _, row := range rows {
		if len(row) == 2 {
			heads = append(heads, row[0]+"  "+row[1])
			table = append(table, nil)
		} else {
			table = append(table, row[1:])
		}
	}
	var body dump
	body.indent = d.indent + "    "
	body.rows(table)
	i := 0
	for k, text := range strings.SplitAfter(body.String(), "\n") {
		if k < len(table) && table[k] == nil {
			d.line("%s", heads[i])
			i++
			continue
		}
		d.WriteString(text)
	}
}

// stateNames are the names of the states where they tell them apart, with
// their numbers where they do not.
func (a *Automaton) stateNames() []string {
	names := make([]string, len(a.States))
	seen := map[string]bool{"": true}
	distinct := true
	for s, state := range a.States {
		names[s] = oneLine(state.Name)
		distinct = distinct && !seen[names[s]]
		seen[names[s]] = true
	}
	if !distinct {
		for s := range names {
			names[s] = fmt.Sprintf("%d:%s", s, names[s])
		}
	}
	return names
}

func (a *Automaton) groupRows() [][]string {
	rows := make([][]string, a.NGroups)
	for g := range rows {
		set := a.Symbols(GroupID(g))
		words := setWords(set, "-")
		if set.Len() > 128 {
			words = []string{"all", "but"}
			words = append(words, setWords(All().Minus(set), "-")...)
		}
		rows[g] = []string{strconv.Itoa(g), strings.Join(words, " ")}
	}
	return rows
}

// oneLine is s as it is, or quoted if it would break a line or a table.
func oneLine(s string) string {
	for _, r := range s {
		if !strconv.IsPrint(r) {
			return strconv.Quote(s)
		}
	}
	return s
}

func (d *dump) definition(p *Definition) {
	d.line("program %q", p.Name)
	d.inside(func() {
		rows := [][]string{
			{"doc", strconv.Quote(p.Doc)},
			{"header", fmt.Sprintf("%s %d%s", p.Header.Mode, p.Header.Rows, p.Header.joined())},
			{"ragged", p.Ragged.String()},
			{"on error", p.OnError.String()},
			{"utf8", p.UTF8.String()},
			{"longest record", fmt.Sprintf("%d bytes", p.MaxRecord)},
			{"rest", strconv.FormatBool(p.HasRest)},
		}
		if p.Encoding != "" {
			rows = append(rows, []string{"encoding", p.Encoding})
		}
		for _, s := range p.Skip {
			rows = append(rows, []string{"skip", s.String()})
		}
		if len(p.Widths) > 0 {
			rows = append(rows, []string{"widths", strings.Trim(fmt.Sprint(p.Widths), "[]")})
		}
		if len(p.Cells) > 0 {
			rows = append(rows, []string{"cells", strings.Trim(fmt.Sprint(p.Cells), "[]")}, []string{"preface", fmt.Sprintf("%d bytes, beginning with %q", p.Preface, p.Magic)})
		}
		if len(p.DefaultNulls) > 0 {
			rows = append(rows, []string{"default nulls", quoteAll(p.DefaultNulls)})
		}
		if len(p.DefaultDecodedNulls) > 0 {
			rows = append(rows, []string{"default decoded nulls", quoteAll(p.DefaultDecodedNulls)})
		}
		if k := p.DefaultKeep; k != nil {
			rows = append(rows, []string{"default keep", fmt.Sprintf("%q but before %q", []byte{k.Lead}, k.Itself)})
		}
		if len(p.DefaultEmpties) > 0 {
			rows = append(rows, []string{"default empties", quoteAll(p.DefaultEmpties)})
		}
		if p.Openers != "" {
			rows = append(rows, []string{"tokens", fmt.Sprintf("only in fields that none of %q opens", p.Openers)})
		}
		for i, c := range p.Classes {
			rows = append(rows, []string{fmt.Sprintf("class %d", i), oneLine(c)})
		}
		for i, dir := range p.Directives {
			rows = append(rows, []string{fmt.Sprintf("record kind %d", int(FirstDirective)+i), fmt.Sprintf("%q %s%s", dir.Prefix, dir.Action, dir.options())})
		}
		d.rows(rows)
	})
	d.columns(p.Columns)
	d.automaton(p.Automaton)
}

// columns writes a table of columns, then the automata that they name.
func (d *dump) columns(cols []Column) {
	d.line("columns: %d", len(cols))
	rows := make([][]string, len(cols))
	for i := range cols {
		c := &cols[i]
		rows[i] = []string{strconv.Itoa(i), strconv.Quote(c.Name), c.Type.String(), c.options()}
	}
	d.inside(func() { d.rows(rows) })
	for i := range cols {
		c := &cols[i]
		d.lex(fmt.Sprintf("column %d %q", i, c.Name), &c.Type)
		if c.Split == nil {
			continue
		}
		decoded := ""
		if c.Split.Decoded {
			decoded = ", decoded"
		}
		if c.Split.Keyed {
			json := ""
			if c.Split.JSON {
				json = ", json"
				if c.Split.Path != "" {
					json += fmt.Sprintf(", path %q", c.Split.Path)
				}
			}
			d.line("column %d %q, keyed%s", i, c.Name, json)
			d.inside(func() { d.columns(c.Split.Columns) })
			continue
		}
		fromEnd := ""
		if len(c.Split.FromEnd) > 0 {
			fromEnd = ", from end by " + quoteAll(c.Split.FromEnd)
		}
		d.line("column %d %q, split, strict=%t%s%s", i, c.Name, c.Split.Strict, decoded, fromEnd)
		d.inside(func() {
			d.columns(c.Split.Columns)
			d.automaton(c.Split.Automaton)
		})
	}
}

// lex writes the automata of a list or map, to any depth.
func (d *dump) lex(of string, t *Type) {
	if t.Kind != List && t.Kind != Map {
		return
	}
	if t.Lex != nil {
		decoded := ""
		if t.Decoded {
			decoded = ", decoded"
		}
		ahead := ""
		if k := t.Ahead; k != nil {
			ahead = fmt.Sprintf(", %q before a key with %q, run=%t, lead=%q", k.Pair, k.Sign, k.Run, k.Lead)
		}
		d.line("%s, values%s%s", of, decoded, ahead)
		d.inside(func() { d.automaton(t.Lex) })
	}
	d.lex(of+", element", t.Elem)
}

func (c *Column) options() string {
	var words []string
	add := func(set bool, format string, args ...any) {
		if set {
			words = append(words, fmt.Sprintf(format, args...))
		}
	}
	add(c.Required, "required")
	add(c.Optional, "optional")
	add(c.Hidden, "hidden")
	add(c.Trim, "trim")
	if k := c.Keep; k != nil {
		add(true, "keep %q but before %q", []byte{k.Lead}, k.Itself)
	}
	add(len(c.Nulls) > 0, "nulls=%s", quoteAll(c.Nulls))
	add(len(c.DecodedNulls) > 0, "decoded-nulls=%s", quoteAll(c.DecodedNulls))
	add(len(c.Empties) > 0, "empties=%s", quoteAll(c.Empties))
	add(c.HasDefault || c.Default != "", "default=%q", c.Default)
	add(!c.HasDefault && c.Default != "", "unused")
	add(c.Class != 0, "class=%d", c.Class)
	return strings.Join(words, " ")
}

func (d *Directive) options() string {
	words := ""
	if d.Text != "" {
		words = fmt.Sprintf(" %q", d.Text)
	}
	for i := range d.Columns {
		words += fmt.Sprintf(" %q=%s", d.Columns[i].Name, &d.Columns[i].Type)
	}
	return words
}
