package compile

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/alecthomas/participle/v2/lexer"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/lower"
)

// record: a template that every record matches.
func (d *definer) record(it *Record) {
	before := len(d.bad.list)
	lines, options := d.lineOptions()
	var parts []part
	for _, t := range d.templates {
		parts = append(parts, parseTemplate(t, d.bad)...)
	}
	all := holes(parts)
	d.checkHoles(all)
	d.checkGroups(parts)
	if !d.checkSize(parts, it.Template.Pos) {
		d.holeColumns(all)
		return
	}
	r := &lower.Record{Lines: lines, Parts: d.lowerParts(parts, surroundings{})}
	if n := len(all); n > 0 {
		r.Fewer = d.columnNamed(all[n-1].hole.name).Optional
	}
	if d.rest != nil {
		r.Rest = d.rest.Name.String()
		if n := len(parts); n > 0 && parts[n-1].hole.toEnd {
			d.bad.addf(d.rest.Pos, "{%s...} goes to the end of the record; nothing is left for rest %s", parts[n-1].hole.name, r.Rest)
		}
		if slices.ContainsFunc(all, func(h part) bool { return h.hole.name == r.Rest }) {
			d.bad.addf(d.rest.Pos, "rest: there is a column %q already", r.Rest)
		}
	}
	if d.multiline != nil {
		var last []string
		if n := len(all); n > 0 {
			last = []string{all[n-1].hole.name}
		}
		r.Multiline = d.multilineOf(d.multiline, [][]part{parts}, last)
	}
	if len(d.bad.list) > before {
		d.holeColumns(all)
		return
	}
	shape, err := lower.BuildRecord(r)
	for found := err; err != nil && d.tell(found); {
		r.Parts = d.lowerParts(parts, surroundings{})
		shape, found = lower.BuildRecord(r)
		err = d.further(err, found)
	}
	if err != nil {
		d.hint(err, parts)
		d.bad.add(lowered(err, d.blameHole(err, d.blame(err, it.Template.Pos, options), all), ""))
		d.holeColumns(all)
		return
	}
	d.def.Automaton, d.def.Classes, d.def.HasRest = shape.Automaton, shape.Classes, shape.HasRest
	for i, hc := range shape.Columns {
		if shape.Absent(i) {
			d.warnAbsent(hc.Name, all)
		}
		c := d.columnNamed(hc.Name)
		c.Class, c.Optional, c.Hidden, c.Keep = hc.Class, c.Optional || hc.Optional, hc.Name == hiddenName, d.kept[hc.Name]
		if i := slices.IndexFunc(all, func(h part) bool { return h.hole.name == hc.Name && h.hole.dash }); i >= 0 && !c.Hidden {
			c.Nulls = merge(c.Nulls, []string{"-"})
		}
		if hc.Optional && c.Required {
			d.bad.warnf(d.fieldPos(hc.Name), "column %q may be missing in the template, and is required", hc.Name)
		}
		d.def.Columns = append(d.def.Columns, c)
	}
}

// warnAbsent warns of the first hole of a name that no record has a field for.
func (d *definer) warnAbsent(name string, all []part) {
	if i := slices.IndexFunc(all, func(h part) bool { return h.hole.name == name }); i >= 0 {
		d.bad.warnf(all[i].pos, "{%s} is never there: what follows its group begins, or goes on, as it does", name)
	}
}

func (d *definer) fieldPos(name string) lexer.Position {
	for _, f := range d.fields {
		if f.Name.String() == name {
			return f.Pos
		}
	}
	return d.format.Pos
}

// holeColumns makes columns of the holes alone, so that what else is wrong can
// be found where no automaton could be built.
func (d *definer) holeColumns(all []part) {
	for _, h := range all {
		c := d.columnNamed(h.hole.name)
		c.Hidden = h.hole.hidden
		d.def.Columns = append(d.def.Columns, c)
	}
	if d.rest != nil {
		d.def.Columns = append(d.def.Columns, d.columnNamed(d.rest.Name.String()))
	}
}

func (d *definer) checkHoles(all []part) {
	seen := map[string]bool{}
	for _, h := range all {
		name := h.hole.name
		if seen[name] && !h.hole.hidden {
			d.bad.addf(h.pos, "column %q is there twice; a field that is not wanted is {_}", name)
		}
		seen[name] = true
		if h.hole.hidden && h.hole.dash {
			d.bad.addf(h.pos, "{_} is not delivered, so it cannot be null")
		}
	}
	if len(all) == 0 && len(d.templates) > 0 {
		d.bad.addf(d.templates[0].Pos, "the template has no holes: {name}")
	}
}

// checkGroups warns of groups that are a hole alone: a field without a rule may be
// empty anyway, so it is brackets of the text that were meant.
func (d *definer) checkGroups(parts []part) {
	for _, p := range parts {
		if p.kind != optionalPart {
			continue
		}
		if len(p.in) == 1 && p.in[0].kind == holePart && p.in[0].hole.rule == "" {
			name := p.in[0].hole.name
			d.bad.warnf(p.pos, "[{%s}] is an optional group; a field in brackets is written [[{%s}]", name, name)
		}
		d.checkGroups(p.in)
	}
}

// Bounds of a template. What is beyond them has more states than an automaton
// may have, and is refused before they are made.
const (
	maxHoles    = 1 << 10
	maxOptional = 1 << 6
	maxLiteral  = 1 << 12 // bytes
)

// checkSize reports a template beyond the bounds, and whether it is within.
func (d *definer) checkSize(parts []part, pos lexer.Position) bool {
	var nholes, noptional, nliteral int
	var count func([]part)
	count = func(parts []part) {
		for _, p := range parts {
			switch p.kind {
			case holePart:
				nholes++
			case optionalPart:
				noptional++
				count(p.in)
			case literalPart:
				nliteral += len(p.text)
			}
		}
	}
	count(parts)
	if nholes <= maxHoles && noptional <= maxOptional && nliteral <= maxLiteral {
		return true
	}
	d.bad.addf(pos, "the template has %d holes, %d optional groups and %d bytes of text; at most %d, %d and %d can be read",
		nholes, noptional, nliteral, maxHoles, maxOptional, maxLiteral)
	return false
}

// surroundings are what may stand beside parts of a template.
type surroundings struct {
	texts  []string // after them
	hole   *part    // after them, with nothing in between; nil: none
	before bool     // a hole may end right before them
}

// lowerParts says in the terms of lower what parts are.
func (d *definer) lowerParts(parts []part, around surroundings) []lower.Part {
	var out []lower.Part
	before := around.before
	for i, p := range parts {
		texts := following(parts[i+1:], around.texts)
		next := firstHole(parts[i+1:], around.hole)
		switch p.kind {
		case literalPart:
			if n := len(out); n > 0 {
				if l, ok := out[n-1].(lower.Literal); ok { // the seam of record +=
					out[n-1] = lower.Literal{Text: l.Text + p.text}
					continue
				}
			}
			out = append(out, lower.Literal{Text: p.text})
		case blanksPart:
			out = append(out, lower.Blanks{})
		case optionalPart:
			told := slices.ContainsFunc(p.in, func(q part) bool { return q.kind == holePart && d.told[q.hole.name] })
			out = append(out, lower.Optional{Told: told, Parts: d.lowerParts(p.in, surroundings{texts, next, before})})
		case holePart:
			h := lower.Hole{Name: p.hole.name, ToEnd: p.hole.toEnd}
			if p.hole.rule != "" {
				h.Escape, h.Embedded = d.scope.rule(p.hole.rule, p.pos, d.bad)
				d.tabled[p.hole.name] = h.Embedded != nil
				h.Escape, d.kept[p.hole.name] = keeping(h.Escape)
				if p.hole.width != 0 {
					d.bad.addf(p.pos, "{%s} has a width, and with %s a form of its own; a field has one of them", p.hole.name, p.hole.rule)
				}
			} else {
				h.Embedded = d.formFor(p, texts, next != nil || before, d.allTold || d.told[p.hole.name])
			}
			if next != nil && h.Embedded == nil && !h.ToEnd {
				d.touching(p, next)
			}
			out = append(out, h)
		}
		before = endsInHole(p, before)
	}
	return out
}

// tell gives the fields that err cannot tell apart their forms, and reports whether
// that is something new.
func (d *definer) tell(err error) (more bool) {
	var f *lower.Fault
	if !errors.As(err, &f) || d.rest != nil {
		return false
	}
	for _, name := range f.Fields {
		more = more || !d.told[name] && d.hasForm(name)
	}
	if more {
		told := map[string]bool{}
		for name := range d.told {
			told[name] = true
		}
		for _, name := range f.Fields {
			told[name] = true
		}
		d.told = told
	}
	return more
}

// further is what is wrong after fields have been told by their forms: what was before, unless
// now it is about a field that has none.
func (d *definer) further(before, now error) error {
	var f *lower.Fault
	if now == nil || !errors.As(now, &f) {
		return now
	}
	for _, name := range f.Fields {
		if !d.hasForm(name) {
			return now
		}
	}
	return before
}

// hasForm reports whether a field has one, by its type or by a dfa.
func (d *definer) hasForm(name string) bool {
	c, ok := d.columns[name]
	return d.tabled[name] || ok && hasForm(&c)
}

// endsInHole reports whether a hole may end where p does, if one may end before it.
func endsInHole(p part, before bool) bool {
	switch p.kind {
	case holePart:
		return true
	case optionalPart:
		return before || len(p.in) > 0 && endsInHole(p.in[len(p.in)-1], false)
	}
	return false
}

// firstHole is the hole that may follow with no text in between where parts do: the
// first of them, or, past optional groups, after; nil if there is none.
func firstHole(parts []part, after *part) *part {
	for i := range parts {
		switch p := &parts[i]; p.kind {
		case holePart:
			return p
		case optionalPart:
			if h := firstHole(p.in, nil); h != nil {
				return h
			}
		default:
			return nil
		}
	}
	return after
}

// touching reports a hole that another one follows at once, and that does not end by
// itself.
func (d *definer) touching(p part, next *part) {
	why := "it may hold any text"
	if x := d.typeOf(p.hole.name); x != nil && p.hole.rule == "" {
		why = withArticle(x.Name) + " may look like anything"
	}
	d.bad.addf(next.pos, "nothing stands between {%s} and {%s}, so none could tell where one ends: %s; put text between them, or give {%s} a width ({%s:3}), a dfa, or a type with a form: a number, a date or time, enum, uuid, ip",
		p.hole.name, next.hole.name, why, p.hole.name, p.hole.name)
}

// blameHole finds the hole that an error of lower is about.
func (d *definer) blameHole(err error, pos lexer.Position, all []part) lexer.Position {
	var f *lower.Fault
	if !errors.As(err, &f) {
		return pos
	}
	for _, h := range all {
		if slices.Contains(f.Fields, h.hole.name) {
			pos = h.pos // the last of them: without it there would be no question
		}
	}
	for _, word := range strings.FieldsFunc(f.Where, func(r rune) bool { return strings.ContainsRune(" {}\"'`,:", r) }) {
		for _, h := range all {
			if h.hole.name == word {
				return h.pos
			}
		}
	}
	return pos
}

// hint adds what to do where nothing tells which of two fields comes: most
// often brackets of the text were meant, and not a group.
func (d *definer) hint(err error, parts []part) {
	var f *lower.Fault
	if !errors.As(err, &f) || len(f.Fields) == 0 || f.Hint != "" {
		return
	}
	about := func(p part) bool { return slices.Contains(f.Fields, p.hole.name) }
	f.Hint = "what stands before them must differ, as in {a}[ ({b})] {c}"
	for _, h := range slices.DeleteFunc(holes(parts), func(p part) bool { return !about(p) }) {
		if x := d.typeOf(h.hole.name); x != nil && h.hole.rule == "" {
			f.Hint += fmt.Sprintf("; that {%s} is %s does not tell it apart", h.hole.name, withArticle(x.Name))
		}
	}
	for _, p := range parts {
		if i := slices.IndexFunc(holes(p.in), about); i >= 0 {
			f.Hint = fmt.Sprintf("[ … {%s} … ] is an optional group; if it is the text that has brackets, write [[ and, inside a group, ]]; else %s",
				holes(p.in)[i].hole.name, f.Hint)
			return
		}
	}
}

// typeOf is the type that fields gives a column, nil if none.
func (d *definer) typeOf(name string) *TypeExpr {
	for _, f := range d.fields {
		if f.Name.String() == name {
			return f.Type
		}
	}
	return nil
}

func withArticle(word string) string {
	if strings.ContainsRune("aeiou", rune(word[0])) {
		return "an " + word
	}
	return "a " + word
}

// splitter builds the automaton of a split; names are nil after a fault.
func (d *definer) splitter(s *Split, parts []part) (*dfa.Automaton, []string) {
	before := len(d.bad.list)
	all := holes(parts)
	seen := map[string]bool{}
	for _, h := range all {
		if seen[h.hole.name] && !h.hole.hidden {
			d.bad.addf(h.pos, "column %q is there twice", h.hole.name)
		}
		seen[h.hole.name] = true
	}
	d.checkSize(parts, s.Template.Pos)
	if s.FromEnd {
		d.checkFromEnd(parts)
	}
	lowerParts := d.lowerParts(parts, surroundings{})
	if len(d.bad.list) > before {
		return nil, namesOf(all)
	}
	a, names, err := lower.BuildSplit(lowerParts, d.bad.work.Work)
	for found := err; err != nil && d.tell(found); {
		a, names, found = lower.BuildSplit(d.lowerParts(parts, surroundings{}), d.bad.work.Work)
		err = d.further(err, found)
	}
	d.told = nil
	if err != nil {
		d.hint(err, parts)
		d.bad.add(lowered(err, d.blameHole(err, s.Template.Pos, all), ""))
		return nil, namesOf(all)
	}
	return a, names
}

// checkFromEnd reports what a template cannot have that is read from the end.
func (d *definer) checkFromEnd(parts []part) {
	for i, p := range parts {
		touches := i > 0 && p.kind == holePart && parts[i-1].kind == holePart
		switch {
		case p.kind == optionalPart:
			d.bad.addf(p.pos, "from end: whether an optional group is there is known from its beginning; two splits, of which one has it, say both")
		case p.kind == blanksPart:
			d.bad.addf(p.pos, "from end: { } is as many blanks as there are; one is written as it is, and trim takes off others")
		case touches:
			d.bad.addf(p.pos, "from end: there is no text between {%s} and {%s} to look for", parts[i-1].hole.name, p.hole.name)
		case p.hole.rule != "" || p.hole.width != 0:
			d.bad.addf(p.pos, "from end: {%s} ends at text alone, and has no escape, dfa or width", p.hole.name)
		}
	}
}

// textsOf are the texts before, between and after holes.
func textsOf(parts []part) []string {
	texts := []string{""}
	for _, p := range parts {
		if p.kind == literalPart {
			texts[len(texts)-1] = p.text
		} else {
			texts = append(texts, "")
		}
	}
	return texts
}

func namesOf(all []part) []string {
	names := make([]string, len(all))
	for i, h := range all {
		names[i] = h.hole.name
	}
	return names
}

// multilineOf reads where a record of several lines begins, which is one of templates.
func (d *definer) multilineOf(it *Multiline, templates [][]part, last []string) *lower.Multiline {
	m := &lower.Multiline{}
	var start *Text
	for _, o := range it.Options {
		switch {
		case o.Start != nil:
			if start != nil {
				d.bad.addf(o.Pos, "a second start")
			}
			start = o.Start
			m.Start = d.startShape(o.Start, templates)
		case o.Continue != nil:
			for _, t := range o.Continue {
				m.Continue = append(m.Continue, d.prefix(t, "a continued line"))
				if hole := wholeHole().FindString(t.Value()); hole != "" {
					d.bad.addf(t.Pos, "continue takes the text that further lines begin with, and %s would be text; how the first line of a record begins is start `%s`", hole, t.Value())
				}
			}
		case o.Max != nil:
			d.def.MaxRecord = d.size(o.Max)
		case o.Into != nil:
			if into := o.Into.String(); !slices.Contains(last, into) {
				d.bad.addf(o.Pos, "further lines join the last field of the template, %q, not %q", strings.Join(last, ", "), into)
			}
		}
	}
	if (start == nil) == (m.Continue == nil) {
		d.bad.addf(it.Pos, "multiline wants one of start `…`, how the first line begins, and continue ' ' '\\t', how the others do")
	}
	return m
}

// wholeHole is what a hole looks like in a text that is none of templates.
var wholeHole = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\{([\pL_][\pL\d_-]*(\.\.\.|:[\pL\d_:-]+)?| +)\}`) })

// startShape gives the symbols that the first line of a record begins with,
// byte by byte, up to the first part of the pattern that has no fixed length, or
// of which only so many bytes are to count.
func (d *definer) startShape(t *Text, templates [][]part) []dfa.Set {
	var shape []dfa.Set
	parts := parseTemplate(t, d.bad)
	var known []string
	for _, in := range templates {
		known = append(known, namesOf(holes(in))...)
	}
	for _, h := range holes(parts) {
		if !slices.Contains(known, h.hole.name) {
			d.bad.addf(h.pos, "there is no column %q%s", h.hole.name, d.bad.suggest(h.hole.name, known))
			return nil
		}
	}
	for i, p := range parts {
		more, whole := d.partShape(p)
		if c, ok := d.columns[p.hole.name]; ok && c.Type.Kind == dfa.Timestamp && c.Type.Layout == "" && !c.Type.Epoch {
			more = without(more, endOf(p.hole.name, templates))
		}
		n := p.hole.width
		if n > len(more) && len(more) > 0 {
			d.bad.addf(p.pos, "{%s:%d} is longer than what is fixed of its form, which has %d bytes", p.hole.name, n, len(more))
		}
		if n > 0 && n < len(more) {
			more, whole = more[:n], false
			if i+1 < len(parts) {
				d.bad.addf(parts[i+1].pos, "the start pattern ends with {%s:%d}, which is not all of its form", p.hole.name, n)
			}
		}
		shape = append(shape, more...)
		if !whole {
			break
		}
	}
	if len(shape) == 0 && len(t.Value()) > 0 {
		d.bad.addf(t.Pos, "the start pattern begins with a part that has no fixed form; it wants text, or a time stamp or enum of fixed length")
	}
	return shape
}

// endOf are the symbols each of which ends a field of all templates that have it, wherever it
// stands; none if it takes more than one.
func endOf(field string, templates [][]part) dfa.Set {
	ends := dfa.All()
	for _, t := range templates {
		for i, p := range t {
			if p.kind == holePart && p.hole.name == field {
				ends = ends.And(endsBy(t[i+1:]))
			}
		}
	}
	if ends == dfa.All() { // none has it, or in a group
		return dfa.Set{}
	}
	return ends
}

// endsBy is endOf of a field before these parts.
func endsBy(parts []part) (ends dfa.Set) {
	switch {
	case len(parts) == 0:
	case parts[0].kind == literalPart && len(parts[0].text) == 1:
		ends = dfa.Bytes(parts[0].text[0])
	case parts[0].kind == blanksPart:
		ends = dfa.Bytes(' ', '\t')
	}
	return ends
}

// without is the shape of a time stamp by RFC 3339 where a symbol is none of ends, if it may be
// another one: before its time of day stands a T or a space, and the T alone where a space ends it.
// Those with a layout have the form of that.
func without(shape []dfa.Set, ends dfa.Set) []dfa.Set {
	shape = slices.Clone(shape)
	for i, set := range shape {
		if rest := set.Minus(ends); !rest.Empty() {
			shape[i] = rest
		}
	}
	return shape
}

func (d *definer) partShape(p part) (shape []dfa.Set, whole bool) {
	switch p.kind {
	case literalPart:
		return lower.Text(p.text), true
	case blanksPart:
		return []dfa.Set{dfa.Bytes(' ', '\t')}, false
	case optionalPart:
		return nil, false
	}
	c, ok := d.columns[p.hole.name]
	if !ok {
		return nil, false
	}
	switch c.Type.Kind {
	case dfa.Timestamp, dfa.Date, dfa.Time:
		forms := c.Type.Forms()
		shape, whole = timeShape(&forms[0])
		for i := range forms[1:] {
			shape, whole = eitherShape(shape, whole, &forms[1+i])
		}
		return shape, whole
	case dfa.Enum:
		if len(c.Type.Tokens) > 0 {
			return tokenShape(c.Type.Tokens)
		}
	}
	shape = dfa.WordsOf(c.Type.Kind).Shape
	return shape, shape != nil
}

// timeShape is the shape of a date or time. In the ISO forms, what may follow
// the seconds has no fixed length.
func timeShape(t *dfa.Type) (shape []dfa.Set, whole bool) {
	switch {
	case t.Epoch:
		return nil, false
	case t.Layout != "":
		return layoutShape(t, t.Layout)
	case t.Kind == dfa.Date:
		return layoutShape(t, "%F")
	case t.Kind == dfa.Time:
		shape, _ = layoutShape(t, "%T")
		return shape, false
	}
	shape, _ = layoutShape(t, "%F")
	shape = append(shape, dfa.Bytes('T', 't', ' '))
	clock, _ := layoutShape(t, "%T")
	return append(shape, clock...), false
}

// eitherShape is the shape of what has one shape or that of t.
func eitherShape(shape []dfa.Set, whole bool, t *dfa.Type) ([]dfa.Set, bool) {
	other, otherWhole := timeShape(t)
	n := min(len(shape), len(other))
	both := make([]dfa.Set, n)
	for i := range both {
		both[i] = shape[i].Union(other[i])
	}
	return both, whole && otherWhole && n == len(shape) && n == len(other)
}

func tokenShape(tokens []string) (shape []dfa.Set, whole bool) {
	least, most := len(tokens[0]), 0
	for _, tok := range tokens {
		least, most = min(least, len(tok)), max(most, len(tok))
	}
	shape = make([]dfa.Set, least)
	for i := range shape {
		for _, tok := range tokens {
			shape[i] = shape[i].Union(dfa.Bytes(tok[i]))
		}
	}
	return shape, least == most
}
