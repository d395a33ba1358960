package lower

import (
	"fmt"
	"strings"

	"github.com/dfaparse/dfaparse/dfa"
)

// BuildRecord builds the automaton of r and says where its columns are.
func BuildRecord(r *Record) (*RecordShape, error) {
	if len(r.Shapes) > 0 {
		return buildShapes(r, r.Shapes, newMessages(r.Work))
	}
	parts := tidy(r.Parts)
	if err := r.checkLiterals(parts); err != nil {
		return nil, err
	}
	ms := newMessages(r.Work)
	if told(parts) {
		return buildShapes(r, []Shape{{Parts: parts}}, ms)
	}
	if r.Multiline != nil {
		return buildMultiline(r, parts, ms)
	}
	list, isList := asList(parts)
	// The rest is taken as written, up to the end of the record; a closer that
	// may be data would be the boundary there, and be lost.
	if isList && (r.Fewer || list.separated(r.Rest)) && !r.Positional && (r.Rest == "" || !list.loose()) {
		return factored(r, list, ms)
	}
	t, err := positional(ms, parts, r.Rest)
	if err != nil {
		return nil, err
	}
	t.lax, t.keepBlank = r.Lax, r.Blank == KeepBlank
	a, err := exploreLined[templateState](t, &r.Lines, r.Rest != "", ms)
	if err != nil {
		return nil, err
	}
	return &RecordShape{Automaton: a, Classes: []string{"any"}, Columns: t.columns, HasRest: r.Rest != ""}, nil
}

// buildShapes builds the automaton of records of several templates.
func buildShapes(r *Record, shapes []Shape, ms *messages) (*RecordShape, error) {
	if r.Rest != "" {
		return nil, &Fault{Where: "rest", What: "records of several shapes, or with optional groups that only a form tells, have no rest",
			Hint: "end the template with {rest...}"}
	}
	var all []Shape
	for _, s := range shapes {
		s.Parts = tidy(s.Parts)
		err := r.checkLiterals(s.Parts)
		if err == nil && r.Multiline != nil {
			s.Parts, err = multilineParts(r, s.Parts)
		}
		if f, ok := err.(*Fault); ok {
			f.Shape = s.Name
		}
		if err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	u, err := newUnion(ms, all)
	if err != nil {
		return nil, err
	}
	u.lax, u.keepBlank = r.Lax, r.Blank == KeepBlank
	var a *dfa.Automaton
	if r.Multiline != nil {
		a, err = exploreMultiline(r, recordContent[unionState](u), ms)
	} else {
		a, err = exploreLined[unionState](u, &r.Lines, false, ms)
	}
	if err != nil {
		return nil, err
	}
	shape := &RecordShape{Automaton: a, Classes: u.classes(), Columns: u.columns}
	if u.named() {
		shape.Shapes = u.of
	}
	return shape, nil
}

// told reports whether parts have an optional group that only a form tells.
func told(parts []Part) bool {
	for _, part := range parts {
		if o, ok := part.(Optional); ok && (o.Told || told(o.Parts)) {
			return true
		}
	}
	return false
}

// factored takes lexing and shape apart: one lexical machine reads every
// column, and what remains of the shape is a class a column.
func factored(r *Record, list *listing, ms *messages) (*RecordShape, error) {
	x, classes, of, err := list.lexer(ms)
	if err != nil {
		return nil, err
	}
	x.rule, x.keepBlank = lineRuleOf(r.Lax), r.Blank == KeepBlank
	a, err := exploreLined[lexState](x, &r.Lines, r.Rest != "", ms)
	if err != nil {
		return nil, err
	}
	shape := &RecordShape{Automaton: a, Classes: classes, HasRest: r.Rest != "", Factored: true}
	for i, c := range list.columns {
		shape.Columns = append(shape.Columns, HoleColumn{Name: c.hole.Name, Class: of[i]})
	}
	if r.Rest != "" {
		shape.Columns = append(shape.Columns, HoleColumn{Name: r.Rest, Optional: true})
	}
	return shape, nil
}

// positional is the template of parts, with a rest if it has a name.
func positional(ms *messages, parts []Part, rest string) (*template, error) {
	list, isList := asList(parts)
	if isList && list.separated(rest) {
		t, err := newTemplate(ms, list.instructions(rest))
		if err == nil && rest != "" {
			t.rest, _, _, err = list.lexer(ms)
		}
		return t, err
	}
	if rest != "" {
		parts = append(parts[:len(parts):len(parts)], Optional{Parts: []Part{Literal{" "}, Hole{Name: rest, ToEnd: true}}})
	}
	p, err := newInstructions(parts)
	if err != nil {
		return nil, err
	}
	if isList && list.columns[len(list.columns)-1].loose() {
		p.ins[1].anchored = true // the last quote, as in a list: those before are data
	}
	return newTemplate(ms, p)
}

func (r *Record) checkLiterals(parts []Part) error {
	for _, part := range parts {
		switch v := part.(type) {
		case Literal:
			switch {
			case r.End != nil && strings.Contains(v.Text, string(r.End[:1])):
				return &Fault{Where: "template", What: fmt.Sprintf("the text %q holds %q, and %q ends the record", v.Text, r.End[:1], r.End)}
			case r.End == nil && strings.ContainsAny(v.Text, "\r\n"):
				return &Fault{Where: "template", What: "a literal holds a line end", Hint: "a line end always ends the record; lines that go on are said by multiline, records of several lines by a dfa"}
			}
		case Optional:
			if err := r.checkLiterals(v.Parts); err != nil {
				return err
			}
		}
	}
	return nil
}

// BuildSplit builds the automaton that takes one whole value apart, line ends
// included, and names its columns, which are explicit in its emissions.
func BuildSplit(parts []Part, w *Work) (*dfa.Automaton, []string, error) {
	ms := newMessages(w)
	if parts = tidy(parts); told(parts) {
		u, err := newUnion(ms, []Shape{{Parts: parts}})
		if err != nil {
			return nil, nil, err
		}
		u.whole = true
		for i := range u.alts {
			u.alts[i].whole = true
		}
		a, err := explore(&valued[unionState]{u}, ms)
		return a, columnNames(u.columns), err
	}
	t, err := positional(ms, parts, "")
	if err != nil {
		return nil, nil, err
	}
	t.whole = true
	a, err := explore(&valued[templateState]{t}, ms)
	if err != nil {
		return nil, nil, err
	}
	return a, columnNames(t.columns), nil
}

func columnNames(columns []HoleColumn) (names []string) {
	for _, c := range columns {
		names = append(names, c.Name)
	}
	return names
}
