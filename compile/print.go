package compile

import (
	"fmt"
	"strings"
)

// Print writes the tree of a spec as text: one statement a line, in the order
// of the tree, comments left out. Parse of it gives the same tree.
func Print(f *File) string {
	p := &printer{}
	for i, d := range f.Definitions {
		if i > 0 {
			p.line("")
		}
		p.definition(d)
	}
	return p.String()
}

type printer struct {
	strings.Builder
	indent int
}

// line writes one line. A raw string with line ends is one line here.
func (p *printer) line(format string, args ...any) {
	if format != "" {
		p.WriteString(strings.Repeat("  ", p.indent))
		fmt.Fprintf(p, format, args...)
	}
	p.WriteByte('\n')
}

// block writes a statement with braces around what body writes.
func (p *printer) block(head string, body func()) {
	p.line("%s {", head)
	p.indent++
	body()
	p.indent--
	p.line("}")
}

func (p *printer) definition(d Definition) {
	switch d := d.(type) {
	case *Format:
		head := "format " + d.Name.source()
		if d.Extends != nil {
			head += " extends " + d.Extends.source()
			if d.Without != nil {
				head += " without" + names(d.Without)
			}
		}
		p.block(head, func() {
			for _, it := range d.Items {
				p.item(it)
			}
		})
	case *Escape:
		rules := make([]string, len(d.Rules))
		for i, r := range d.Rules {
			rules[i] = r.source()
		}
		p.line("escape %s = %s { %s }", d.Name.source(), d.Lead.Token, strings.Join(rules, " "))
	case *Table:
		p.block("dfa "+d.Name.source(), func() { p.rows(d.Rows) })
	}
}

func (p *printer) item(it Item) {
	switch it := it.(type) {
	case *Doc:
		p.line("doc %s", it.Text.Token)
	case *Delimited:
		p.options("delimited", it.Options)
	case *Lines:
		p.options("lines", it.Options)
	case *Record:
		p.line("record%s %s%s", shapeWord(it.Shape), when(it.Append, "+= "), it.Template.Token)
	case *ShapeColumn:
		p.line("shape %s", it.Name.source())
	case *Fixed:
		p.block("fixed"+shapeWord(it.Shape)+prefixed(" when ", token(it.When)), func() {
			for _, w := range it.Columns {
				p.line("%s %s", w.Name.source(), w.Bytes)
			}
		})
	case *Binary:
		p.block("binary"+prefixed(" record ", it.Length)+prefixed(" header ", it.Header)+prefixed(" magic ", token(it.Magic)), func() {
			for _, c := range it.Columns {
				p.line("%s %s%s%s%s", c.Name.source(), c.Bytes, c.Form, prefixed(" pad ", token(c.Pad)), prefixed(" since ", token(c.Since)))
			}
		})
	case *TableUse:
		if it.Name != nil {
			p.line("dfa %s", it.Name.source())
		} else {
			p.block("dfa", func() { p.rows(it.Rows) })
		}
	case *SkipItem:
		switch {
		case it.Until != nil:
			p.line("skip until%s", texts(it.Until))
		case it.Prefixes != nil:
			p.line("skip%s", texts(it.Prefixes))
		case it.Lines == "1":
			p.line("skip 1 line")
		default:
			p.line("skip %s lines", it.Lines)
		}
	case *Header:
		p.line("header %s%s%s%s", it.Mode.Value, prefixed(" ", it.Rows), prefixed(" joined ", token(it.Joined)), afterWord(it.After))
	case *Fields:
		p.fields("fields", it.List)
	case *Keyed:
		p.fields("keyed "+it.Column.source()+shapeWord(it.As)+pathOf(it.Path), it.List)
	case *Stop:
		p.line("stop at%s%s", when(it.Blank, " blank"), texts(it.Prefixes))
	case *Months:
		p.line("months%s {%s }", when(it.Short, " short"), names(it.Names))
	case *Weekdays:
		p.line("weekdays%s {%s }", when(it.Short, " short"), names(it.Names))
	case *Zones:
		text := ""
		for _, z := range it.List {
			text += " " + z.Name.source() + " " + when(z.Plus, "+") + z.Hours + ":" + z.Minutes
		}
		p.line("zones {%s }", text)
	case *Null:
		p.line("null%s%s%s", when(it.Bare, " bare"), afterEscape(it.Decoded), texts(it.Tokens))
	case *Empty:
		p.line("empty%s", texts(it.Tokens))
	case *OnError:
		p.line("on_error %s", it.Mode.Value)
	case *RaggedItem:
		p.line("ragged %s", strings.Join(it.Modes, " "))
	case *Blank:
		p.line("blank %s", it.Mode.Value)
	case *UTF8:
		p.line("utf8 %s", it.Mode.Value)
	case *EncodingItem:
		p.line("encoding %s", it.Name.Token)
	case *MaxRecord:
		p.line("max_record %s", it.Size.Value)
	case *Split:
		p.line("split %s %s%s%s%s", it.Column.source(), it.Template.Token, when(it.FromEnd, " from end"), afterEscape(it.Decoded), elseOf(it.Else))
	case *Multiline:
		p.block("multiline", func() {
			for _, o := range it.Options {
				p.multiline(o)
			}
		})
	case *Directive:
		switch {
		case it.List != nil:
			p.fields("directive "+it.Prefix.Token+" "+it.Action.Value, it.List)
		case it.Value != nil:
			p.line("directive %s %s %s", it.Prefix.Token, it.Action.Value, it.Value.Token)
		default:
			p.line("directive %s %s", it.Prefix.Token, it.Action.Value)
		}
	case *Rest:
		p.line("rest %s", it.Name.source())
	case *Test:
		p.test(it)
	}
}

func (p *printer) options(head string, options []DelimitedOption) {
	p.block(head, func() {
		for _, o := range options {
			switch o := o.(type) {
			case *Sep:
				alts := make([]string, len(o.Alts))
				for i, a := range o.Alts {
					alts[i] = a.Text.Token + when(a.Run, "+")
				}
				p.line("sep %s%s%s", strings.Join(alts, " | "), when(o.Leading, " leading"), when(o.Trailing, " trailing"))
			case *Quote:
				quotes := o.Text.Token
				for _, t := range o.Or {
					quotes += " or " + t.Token
				}
				p.line("quote %s%s%s", quotes, when(o.Doubled, " doubled"), when(o.MaxLines != "", " max_lines "+o.MaxLines))
			case *EscapeUse:
				if o.Lead != nil {
					p.line("escape %s%s", o.Lead.Token, when(o.Everywhere, " everywhere"))
				} else {
					p.line("escape %s%s", o.Name.source(), when(o.Everywhere, " everywhere"))
				}
			case *Bracket:
				p.line("bracket %s %s", o.Open.Token, o.Close.Token)
			case *Comment:
				p.line("comment%s%s", texts(o.Prefixes), afterWord(o.After))
			case *EOL:
				kinds := make([]string, len(o.Kinds))
				for i, k := range o.Kinds {
					kinds[i] = k.Value
				}
				p.line("eol %s%s", token(o.Text), strings.Join(kinds, "|"))
			case *Blanks:
				p.line("blanks")
			case *Lax:
				p.line("lax")
			}
		}
	})
}

// fields writes columns with their types under each other.
func (p *printer) fields(head string, list []*Field) {
	width := 0
	for _, f := range list {
		width = max(width, len(f.Name.source()))
	}
	p.block(head, func() {
		for i, f := range list {
			name := f.Name.source()
			mods := ""
			for _, m := range f.Modifiers {
				mods += m.source()
			}
			if n := len(f.Modifiers); n > 0 && f.Modifiers[n-1].endsInTexts() && i+1 < len(list) && list[i+1].Name.Text != nil {
				mods += "," // else the name would be one more null token
			}
			p.line("%s%s %s%s", name, strings.Repeat(" ", width-len(name)), f.Type.source(), mods)
		}
	})
}

func (p *printer) multiline(o *MultilineOption) {
	switch {
	case o.Start != nil:
		p.line("start %s", o.Start.Token)
	case o.Continue != nil:
		p.line("continue%s", texts(o.Continue))
	case o.Into != nil:
		p.line("into %s", o.Into.source())
	case o.Max != nil:
		p.line("max %s", o.Max.Value)
	}
}

func (p *printer) test(t *Test) {
	head := "test " + t.First.Token
	if t.Second != nil {
		head += " " + t.Second.Token
	}
	for i, o := range t.Outcomes {
		head += when(i == 0, " =>") + " "
		switch o := o.(type) {
		case *Row:
			cells := make([]string, len(o.Cells))
			for i, c := range o.Cells {
				value := c.Number + c.Word
				if c.Text != nil {
					value = c.Text.Token
				}
				cells[i] = c.Name.source() + " " + value
			}
			head += "{ " + strings.Join(cells, ", ") + " }"
		case *Rejected:
			head += "reject" + prefixed(" ", token(o.Text))
		case *Nothing:
			head += "none"
		}
	}
	p.line("%s", head)
}

// rows writes a table with its cells under each other.
func (p *printer) rows(r *Rows) {
	var lines [][]string
	head := []string{"group"}
	for _, g := range r.Groups {
		head = append(head, g.source())
	}
	lines = append(lines, head)
	for _, s := range r.States {
		line := []string{s.Name + prefixed(" ", token(s.Doc)) + " :"}
		for _, c := range s.Cells {
			line = append(line, c.source())
		}
		lines = append(lines, line)
	}
	var widths []int
	for _, l := range lines {
		for i, c := range l {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], len(c))
		}
	}
	for _, l := range lines {
		text := ""
		for i, c := range l {
			text += c
			if i+1 < len(l) {
				text += strings.Repeat(" ", widths[i]-len(c)) + when(i > 0, " |") + " "
			}
		}
		p.line("%s", text)
	}
	ends := make([]string, len(r.EOF))
	for i, e := range r.EOF {
		ends[i] = strings.Join(e.States, "|") + " " + when(e.Error, "!") + e.Action + prefixed(" ", token(e.Message))
	}
	p.line("eof : %s", strings.Join(ends, ", "))
	if len(r.Recover) > 0 {
		p.line("recover %s", strings.Join(r.Recover, " | "))
	}
}

// The source forms of small nodes.

func (n *Name) source() string {
	if n.Text != nil {
		return n.Text.Token
	}
	return n.Word
}

func (x *TypeExpr) source() string {
	if len(x.Args) == 0 {
		return x.Name
	}
	args := make([]string, len(x.Args))
	for i, a := range x.Args {
		atoms := make([]string, len(a.Atoms))
		for j, atom := range a.Atoms {
			atoms[j] = atom.source()
		}
		args[i] = strings.Join(atoms, " ")
		for _, atom := range a.Or {
			args[i] += " | " + atom.source()
		}
	}
	return x.Name + "(" + strings.Join(args, ", ") + ")"
}

func (a *Atom) source() string {
	switch {
	case a.Text != nil:
		return a.Text.Token + when(a.Run, "+")
	case a.Word != nil:
		return a.Word.source()
	}
	return a.Number
}

func (m *Modifier) source() string {
	switch {
	case m.Required:
		return "!"
	case m.Optional:
		return " ?"
	case m.Trim:
		return " trim"
	case m.Default != nil:
		return " default " + m.Default.Token
	}
	if m.In != nil {
		ranges := make([]string, len(m.In))
		for i, r := range m.In {
			ranges[i] = r.Low.source() + when(r.Dots, "..") + r.High.source()
		}
		return " in " + strings.Join(ranges, " | ")
	}
	if m.Empties != nil {
		return " empty" + texts(m.Empties)
	}
	return " null" + when(m.Bare, " bare") + afterEscape(m.Decoded) + texts(m.Nulls)
}

func (b *Bound) source() string {
	if b == nil {
		return ""
	}
	return b.Number + token(b.Text)
}

// endsInTexts reports whether one more text after m would belong to it.
func (m *Modifier) endsInTexts() bool {
	return m.Nulls != nil || m.Empties != nil || m.In != nil && m.In[len(m.In)-1].High == nil
}

func (r *EscapeRule) source() string {
	switch {
	case r.Char != nil && r.As != nil:
		return r.Char.Token + "=" + r.As.Token
	case r.Char != nil:
		return r.Char.Token
	case r.Other != nil:
		return "other " + r.Other.Value
	}
	return r.Word + prefixed(":", r.Form)
}

func (g *Group) source() string {
	if g.All {
		return g.Name + "=*"
	}
	symbols := make([]string, len(g.Set))
	for i, s := range g.Set {
		symbols[i] = s.Text.Token + prefixed("-", token(s.Last))
	}
	return g.Name + "=" + strings.Join(symbols, " ")
}

func (c *Entry) source() string {
	if c.Error {
		return "!" + prefixed(" ", token(c.Message))
	}
	a := c.Action
	s := c.Next + " " + a.Kind + a.Word
	if a.As != nil || a.AsForm != "" {
		s += "=" + token(a.As) + a.AsForm
	}
	return s + prefixed("@", a.Column) + when(a.Drop, " drop") + prefixed(" lag ", a.Lag) + prefixed(" open ", a.Open)
}

func token(t *Text) string {
	if t == nil {
		return ""
	}
	return t.Token
}

func texts(list []*Text) string {
	s := ""
	for _, t := range list {
		s += " " + t.Token
	}
	return s
}

func names(list []*Name) string {
	s := ""
	for _, n := range list {
		s += " " + n.source()
	}
	return s
}

func afterEscape(decoded bool) string { return when(decoded, " after escape") }

// shapeWord is the name of a shape after its keyword, or another word that may be missing.
func shapeWord(w *Word) string {
	if w == nil {
		return ""
	}
	return " " + w.Value
}

func afterWord(w *Word) string {
	if w == nil {
		return ""
	}
	return " after " + w.Value
}

func elseOf(w *Word) string {
	if w == nil {
		return ""
	}
	return " else " + w.Value
}

func when(yes bool, s string) string {
	if yes {
		return s
	}
	return ""
}

// prefixed is s after a prefix, or nothing if s is empty.
func prefixed(prefix, s string) string {
	if s == "" {
		return ""
	}
	return prefix + s
}

// pathOf is what separates the keys of a path, if there are paths.
func pathOf(t *Text) string {
	if t == nil {
		return ""
	}
	return " path " + t.Token
}
