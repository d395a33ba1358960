package compile

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/alecthomas/participle/v2/lexer"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/lower"
)

// This file says for each kind of lexing what package lower shall build, and
// which columns come of it.

// maxLines is the bound of the line ends in a field in quotes, 0 if there is none.
func maxLines(q *Quote, bad *faults) int {
	if q.MaxLines == "" {
		return 0
	}
	n, err := strconv.Atoi(q.MaxLines)
	if err != nil || n < 1 || n > lower.LimitMaxLines {
		bad.addf(q.Pos, "max_lines is a number from 1 to %d: each of them is states of the automaton", lower.LimitMaxLines)
		return 0
	}
	return n
}

// delimited: fields with a separator between them.
func (d *definer) delimited(it *Delimited) {
	before := len(d.bad.list)
	l := &lower.Delimited{}
	l.Lines, l.AfterData = d.linesOf(it.Options)
	l.Rest = d.rest != nil
	seps, quotes := 0, 0
	var quote *Quote
	for _, o := range it.Options {
		switch o := o.(type) {
		case *Sep:
			if seps++; seps > 1 {
				d.bad.addf(o.Pos, "a second sep; several separators are alternatives: sep ',' | '\\t'")
			}
			l.Leading, l.Trailing = o.Leading, o.Trailing
			for _, a := range o.Alts {
				if a.Text.Value() == "" {
					d.bad.addf(a.Pos, "a separator is at least one symbol")
				}
				l.Separators = append(l.Separators, lower.Separator{Text: []byte(a.Text.Value()), Run: a.Run})
			}
		case *Quote:
			if quotes++; quotes > 1 {
				d.bad.addf(o.Pos, "a second quote; quotes of two kinds are quote '\"' or \"'\", further enclosures bracket '[' ']'")
			}
			l.Quote, l.Doubled = quoteOf(o.Text, d.bad), o.Doubled
			for _, t := range o.Or {
				l.Quotes = append(l.Quotes, quoteOf(t, d.bad))
			}
			l.MaxLines = maxLines(o, d.bad)
			quote = o
		case *EscapeUse:
			if l.Escape != nil {
				d.bad.addf(o.Pos, "a second escape")
			}
			if l.Everywhere = o.Everywhere; o.Everywhere && !slices.ContainsFunc(it.Options, isQuote) {
				d.bad.addf(o.Pos, "without quotes an escape holds everywhere; the word says nothing here")
			}
			if o.Lead != nil {
				l.Escape = leadEscape(o.Lead, d.bad)
			} else {
				l.Escape = d.scope.escape(o.Name, d.bad)
			}
		case *Blanks:
			l.Blanks = true
		case *Bracket:
			l.Brackets = append(l.Brackets, [2]byte{oneByte(o.Open, "a bracket", d.bad), oneByte(o.Close, "a bracket", d.bad)})
		}
	}
	if quote != nil && !l.Doubled && l.Escape == nil && !l.Lax {
		d.bad.warnf(quote.Pos, "a field in quotes can never hold %s: neither doubled nor an escape says how", quote.Text.Token)
	}
	if seps == 0 {
		d.bad.addf(it.Pos, "delimited has no separator: sep ','")
	}
	d.byPosition(it.Pos)
	if d.blank == nil && len(d.def.Columns) == 1 && !d.fromFile() {
		l.Blank = lower.KeepBlank // an empty line is then a row with an empty value
	}
	var kept *dfa.Kept
	if l.Escape, kept = keeping(l.Escape); kept != nil {
		d.def.DefaultKeep = kept
		for i := range d.def.Columns {
			d.def.Columns[i].Keep = kept
		}
	}
	d.def.Openers = d.openers(l)
	l.Openers = d.def.Openers != ""
	if len(d.bad.list) > before {
		return
	}
	a, classes, err := lower.BuildDelimited(l)
	if err != nil {
		d.bad.add(lowered(err, d.blame(err, it.Pos, it.Options), ""))
		return
	}
	d.def.Automaton, d.def.Classes = a, classes
}

func isQuote(o DelimitedOption) bool {
	_, is := o.(*Quote)
	return is
}

// blame finds the option that an error of lower is about.
func (d *definer) blame(err error, pos lexer.Position, options []DelimitedOption) lexer.Position {
	var f *lower.Fault
	if !errors.As(err, &f) {
		return pos
	}
	is := func(words ...string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(f.Where, w) })
	}
	for _, o := range options {
		switch o := o.(type) {
		case *Sep:
			if is("separator") {
				return o.Pos
			}
		case *Quote:
			if is("quote") {
				return o.Pos
			}
		case *EscapeUse:
			if is("escape") {
				return o.Pos
			}
		case *Blanks:
			if is("blanks") {
				return o.Pos
			}
		case *Bracket:
			if is("bracket") {
				return o.Pos
			}
		case *Comment:
			if is("comment") {
				return o.Pos
			}
		case *EOL:
			if is("line end", "eol") {
				return o.Pos
			}
		}
	}
	if is("stop at") && len(d.stops) > 0 {
		return d.stops[0].Pos
	}
	if is("directive") && len(d.direct) > 0 {
		return d.direct[0].Pos
	}
	if is("multi", "start", "continue") && d.multiline != nil {
		return d.multiline.Pos
	}
	return pos
}

// byPosition makes the fields the columns of the record, in their order; a
// file that names its columns itself takes only types and names from them.
func (d *definer) byPosition(pos lexer.Position) {
	dynamic := d.fromFile()
	made := d.madeBySplits()
	for _, f := range d.fields {
		name := f.Name.String()
		if made[name] {
			continue
		}
		if !dynamic && strings.Contains(name, "*") {
			d.bad.addf(f.Pos, "%q stands for any number of columns, which only a file that names its columns can have: header names, or directive … schema", name)
		}
		c := d.columnNamed(name)
		c.Hidden = !dynamic && name == hiddenName
		d.def.Columns = append(d.def.Columns, c)
	}
	if !dynamic && len(d.def.Columns) == 0 && d.rest == nil && d.form.header == nil {
		d.bad.addf(pos, "no columns: write fields { name type … }, or header names if the file names them, or header none for as many strings as the first record has")
	}
	if d.rest == nil {
		return
	}
	if dynamic {
		d.bad.addf(d.rest.Pos, "rest needs columns by position; this file names its columns")
	}
	d.def.HasRest = true
	d.def.Columns = append(d.def.Columns, d.restColumn())
}

func (d *definer) restColumn() dfa.Column {
	name := d.rest.Name.String()
	if slices.ContainsFunc(d.def.Columns, func(c dfa.Column) bool { return c.Name == name }) {
		d.bad.addf(d.rest.Pos, "rest: there is a column %q already", name)
	}
	c := d.columnNamed(name)
	c.Optional = true
	return c
}

// madeBySplits are the names of columns that are parts of others.
func (d *definer) madeBySplits() map[string]bool {
	made := map[string]bool{}
	for _, s := range d.splits {
		for _, h := range holes(parseTemplate(s.Template, &faults{})) {
			made[h.hole.name] = true
		}
	}
	if d.rest != nil {
		made[d.rest.Name.String()] = true
	}
	return made
}

// recordEnd is the text that ends records, nil if it is a line end that has a name.
func (d *definer) recordEnd(t *Text) []byte {
	v := t.Value()
	names := map[string]string{"\n": "lf", "\r\n": "crlf", "\r": "cr"}
	switch {
	case v == "":
		d.bad.addf(t.Pos, "eol wants a text that is not empty, or lf, crlf, cr or any")
	case names[v] != "":
		d.bad.addf(t.Pos, "eol %s is written eol %s", t.Token, names[v])
	}
	return []byte(v)
}

// linesOf reads eol, comment and lax from options, and which comments begin after data.
func (d *definer) linesOf(options []DelimitedOption) (l lower.Lines, data []string) {
	l.Work = d.bad.work.Work
	for _, o := range options {
		switch o := o.(type) {
		case *Comment:
			where := &l.Comments
			if o.After != nil {
				where = choose(d, "after", o.After, map[string]*[]string{"blanks": &l.AfterBlanks, "data": &data})
				if _, is := d.lexing.(*Delimited); o.After.Value == "data" && !is {
					d.bad.addf(o.Pos, "a comment after data ends the field that it stands in, which delimited can say; elsewhere it is text of the template, or after blanks")
				}
			}
			for _, t := range o.Prefixes {
				if v := d.prefix(t, "a comment"); where != nil {
					*where = append(*where, v)
				}
			}
		case *EOL:
			if l.EOL != 0 || l.End != nil {
				d.bad.addf(o.Pos, "a second eol; several line ends are alternatives: eol lf|crlf")
			}
			if o.Text != nil {
				if l.End = d.recordEnd(o.Text); d.def.Header.Rows > 1 || d.def.Header.Mode == dfa.SkipHeader || len(d.form.skips) > 0 {
					d.bad.warnf(o.Pos, "what is skipped at the head are lines, which do not end with %s", o.Text.Token)
				}
			}
			for _, w := range o.Kinds {
				l.EOL |= choose(d, "eol", w, map[string]lower.EOL{"lf": lower.LF, "crlf": lower.CRLF, "cr": lower.CR, "any": lower.AnyEOL})
			}
		case *Lax:
			l.Lax = true
		}
	}
	for _, it := range d.stops {
		l.StopAtBlank = l.StopAtBlank || it.Blank
		for _, t := range it.Prefixes {
			l.Stops = append(l.Stops, d.prefix(t, "stop at"))
		}
	}
	if it := d.blank; it != nil {
		l.Blank = choose(d, "blank", it.Mode, map[string]lower.Blank{"skip": lower.SkipBlank, "keep": lower.KeepBlank})
	}
	for _, it := range d.direct {
		l.Directives = append(l.Directives, d.prefix(it.Prefix, "a directive"))
		action := d.directive(it)
		l.Words = append(l.Words, action.Matters())
		d.def.Directives = append(d.def.Directives, action)
	}
	if it := d.form.header; it != nil && it.After != nil {
		l.Directives = append(l.Directives, "")
		l.Names = len(l.Directives)
		d.def.Directives = append(d.def.Directives, dfa.Directive{Action: dfa.SchemaDirective})
	}
	return l, data
}

// directive is what an item says that lines mean.
func (d *definer) directive(it *Directive) dfa.Directive {
	out := dfa.Directive{Prefix: it.Prefix.Value(), Action: choose(d, "directive", it.Action, map[string]dfa.DirectiveAction{
		"skip": dfa.IgnoreDirective, "schema": dfa.SchemaDirective, "types": dfa.TypesDirective, "separator": dfa.SeparatorDirective,
		"is": dfa.ValueDirective, "metadata": dfa.MetadataDirective})}
	switch is, types := out.Action == dfa.ValueDirective, out.Action == dfa.TypesDirective; {
	case is && it.Value == nil:
		d.bad.addf(it.Pos, "directive … is: what the line has to say comes after it, as in directive \"#unset_field\" is \"-\"")
	case types && it.List == nil:
		d.bad.addf(it.Pos, "directive … types: what each name of a type stands for comes after it, as in directive \"#types\" types { count u64 }")
	case !is && it.Value != nil || !types && it.List != nil:
		d.bad.addf(it.Pos, "directive … %s: nothing comes after it; a text goes with is, { } with types", it.Action.Value)
	}
	if it.Value != nil {
		out.Text = it.Value.Value()
	}
	for _, f := range it.List {
		if c := d.column(f); c.Required || c.Optional || c.HasDefault {
			d.bad.addf(f.Pos, "%q is the name of a type; that a column is required, optional or has a default, fields says of the column", c.Name)
		} else {
			out.Columns = append(out.Columns, c)
		}
	}
	if out.Action == dfa.SeparatorDirective {
		out.Text = d.onlySeparator(it)
	}
	return out
}

// onlySeparator is the one symbol that separates fields.
func (d *definer) onlySeparator(it *Directive) (symbol string) {
	lexing, ok := d.lexing.(*Delimited)
	for _, o := range optionsOf(lexing, ok) {
		if s, is := o.(*Sep); is && len(s.Alts) == 1 && !s.Alts[0].Run {
			symbol = s.Alts[0].Text.Value()
		}
	}
	if len(symbol) != 1 {
		d.bad.addf(it.Pos, "directive … separator goes with delimited that has one separator, of one symbol, which the line may replace by another")
	}
	return symbol
}

func optionsOf(it *Delimited, ok bool) []DelimitedOption {
	if !ok || it == nil {
		return nil
	}
	return it.Options
}

func (d *definer) prefix(t *Text, what string) string {
	if v := t.Value(); v == "" || strings.ContainsAny(v, "\r\n") {
		d.bad.addf(t.Pos, "%s begins with a prefix on one line, as \"#\"", what)
	}
	return t.Value()
}

// lineOptions reads the lines item of a record or fixed format.
func (d *definer) lineOptions() (lower.Lines, []DelimitedOption) {
	var options []DelimitedOption
	if d.lines != nil {
		options = d.lines.Options
		for _, o := range options {
			switch o.(type) {
			case *EOL, *Comment, *Lax:
			default:
				d.bad.addf(d.lines.Pos, "lines has comment, eol and lax; the other options are those of delimited { … }")
			}
		}
	}
	lines, _ := d.linesOf(options)
	return lines, options
}

// fixed: columns of so many bytes.
func (d *definer) fixed(it *Fixed) {
	before := len(d.bad.list)
	if it.When != nil {
		d.bad.addf(it.When.Pos, "when goes with a shape that has a name: fixed NAME when %s { … }", it.When.Token)
	}
	l, options := d.lineOptions()
	if len(it.Columns) == 0 {
		d.bad.addf(it.Pos, "fixed has no columns: fixed { id 5  name 20 }")
	}
	seen := map[string]bool{}
	for _, w := range it.Columns {
		name := w.Name.String()
		n, err := strconv.Atoi(w.Bytes)
		if err != nil || n < 1 || n > dfa.LimitMaxRecord {
			d.bad.addf(w.Pos, "column %s: a width is a number of bytes from 1, not %s", name, w.Bytes)
		}
		if seen[name] && name != hiddenName {
			d.bad.addf(w.Pos, "column %q is there twice", name)
		}
		seen[name] = true
		c := d.columnNamed(name)
		c.Hidden = name == hiddenName
		if k := c.Type.Kind; k != dfa.String && k != dfa.Dictionary && k != dfa.Binary {
			c.Trim = true // what pads a column to its width is no part of a number or a date
		}
		d.def.Columns = append(d.def.Columns, c)
		d.def.Widths = append(d.def.Widths, n)
	}
	if d.rest != nil {
		d.bad.addf(d.rest.Pos, "a fixed record has no rest; give the last column a width")
	}
	if len(d.bad.list) > before {
		return
	}
	a, err := lower.BuildLines(&l)
	if err != nil {
		d.bad.add(lowered(err, d.blame(err, it.Pos, options), ""))
		return
	}
	d.def.Automaton = a
}

// table: an automaton written out.
func (d *definer) table(it *TableUse) {
	rows := it.Rows
	if it.Name != nil {
		rows, d.def.Automaton = d.scope.table(it.Name, d.bad)
	} else {
		d.def.Automaton = buildTable(rows, it.Pos, d.bad)
	}
	d.byPosition(it.Pos)
	if d.def.Automaton == nil {
		return
	}
	checkLoss(rows, d.def.Automaton, d.def.Automaton.RecordLoss(), d.bad)
	checkAstray(rows, d.def.Automaton, d.bad)
	if d.def.Header.Mode == dfa.NamesHeader {
		return
	}
	for i := range d.def.Automaton.Emissions {
		e := &d.def.Automaton.Emissions[i]
		if e.Boundary() && int(e.Column) >= len(d.def.Columns) {
			d.bad.addf(it.Pos, "the dfa ends column %d, counted from 0, and fields has only %d", e.Column, len(d.def.Columns))
			return
		}
	}
}
