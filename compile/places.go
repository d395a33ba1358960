package compile

import (
	"slices"

	"github.com/alecthomas/participle/v2/lexer"
)

// Places are where a spec says what is in its Program: for who has more to say of
// that than whether it is right. What a format has from its parents stands in their
// files.
type Places struct {
	Form    lexer.Position            // delimited, record, fixed, binary or dfa
	Columns map[string]lexer.Position // by name: the column in fields, else its hole or its width
	Splits  map[string]lexer.Position // by the name of the column that is taken apart
	Said    []Said                    // in the order of the file
}

// Said is something that a spec says of how records look.
type Said struct {
	Pos  lexer.Position
	What SaidWhat
	Text string // of a separator; the lead of an escape; the name of a shape; what skipped lines begin with
	Hole bool   // it is the escape of a hole
}

// SaidWhat is what a Said is about.
type SaidWhat uint8

const (
	SaidSeparator SaidWhat = iota // sep
	SaidRun                       // sep, any number of times
	SaidEscape                    // an escape of delimited, or of a hole
	SaidBlanks                    // blanks
	SaidMaxLines                  // quote … max_lines
	SaidMultiline                 // multiline
	SaidDirective                 // directive
	SaidGroups                    // the symbol groups of a dfa
	SaidShape                     // the second of several shapes
	SaidSkip                      // skip, of lines that begin with a text, where comment may be said too
)

// String is the word that the language has for it.
func (w SaidWhat) String() string {
	return [...]string{"sep", "sep", "escape", "blanks", "max_lines", "multiline", "directive", "group", "shape", "skip"}[w]
}

// places finds where what the Program has is said. The format is a good one.
func (d *definer) places() Places {
	p := Places{
		Form: positionOf(d.lexing), Columns: map[string]lexer.Position{}, Splits: map[string]lexer.Position{},
	}
	say := func(pos lexer.Position, what SaidWhat, text string) {
		p.Said = append(p.Said, Said{Pos: pos, What: what, Text: text})
	}
	columns := func(template *Text) {
		for _, h := range holes(parseTemplate(template, &faults{})) {
			p.Columns[h.hole.name] = h.pos
			if e := d.scope.findEscape(h.hole.rule); e != nil {
				p.Said = append(p.Said, Said{h.pos, SaidEscape, e.Lead.Value(), true})
			}
		}
	}
	switch it := d.lexing.(type) {
	case *Delimited:
		d.saidBy(it, say)
	case *Record:
		for _, t := range d.templates {
			columns(t)
		}
	case *Fixed:
		for _, w := range it.Columns {
			p.Columns[w.Name.String()] = w.Pos
		}
	case *Binary:
		for _, c := range it.Columns {
			p.Columns[c.Name.String()] = c.Pos
		}
	case *TableUse:
		rows := it.Rows
		if it.Name != nil {
			rows = d.scope.findTable(it.Name.String()).Rows
		}
		if len(rows.Groups) > 0 {
			say(rows.Groups[0].Pos, SaidGroups, "")
		}
	}
	if _, fixed := d.lexing.(*Fixed); len(d.shapes) > 1 && !fixed { // shapes that are cut by widths do not take turns
		say(d.shapes[1].pos, SaidShape, d.shapes[1].name)
	}
	if d.multiline != nil {
		say(d.multiline.Pos, SaidMultiline, "")
	}
	for _, it := range d.direct {
		say(it.Pos, SaidDirective, it.Prefix.Value())
	}
	if hasComments(d.lexing) {
		for _, it := range d.form.skips {
			for _, t := range it.Prefixes {
				say(t.Pos, SaidSkip, t.Value())
			}
		}
	}
	for _, s := range d.splits {
		p.Splits[s.Column.String()] = s.Pos
		columns(s.Template)
	}
	for _, k := range d.keyed {
		p.Splits[k.Column.String()] = k.Pos
		for _, f := range k.fields {
			p.Columns[f.Name.String()] = f.Pos
		}
	}
	if d.rest != nil {
		p.Columns[d.rest.Name.String()] = d.rest.Pos
	}
	for _, f := range d.fields {
		p.Columns[f.Name.String()] = f.Pos
	}
	slices.SortStableFunc(p.Said, func(a, b Said) int { return before(a.Pos, b.Pos) })
	return p
}

// hasComments reports whether comments may be said of such records.
func hasComments(lexing Item) bool {
	switch lexing.(type) {
	case *Delimited, *Record:
		return true
	}
	return false
}

// blame makes faults of what a verifier found in columns, where these stand; any other error stays.
func (p *Places) blame(err error) error {
	all, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return err
	}
	var list Faults
	for _, one := range all.Unwrap() {
		of, ok := one.(interface{ Column() string })
		if !ok {
			return err
		}
		list = append(list, faultf(p.Columns[of.Column()], "%v", one))
	}
	return list
}

// saidBy tells say what the options of it are.
func (d *definer) saidBy(it *Delimited, say func(lexer.Position, SaidWhat, string)) {
	for _, o := range it.Options {
		switch o := o.(type) {
		case *Sep:
			for _, a := range o.Alts {
				what := SaidSeparator
				if a.Run {
					what = SaidRun
				}
				say(a.Pos, what, a.Text.Value())
			}
		case *EscapeUse:
			if o.Lead != nil {
				say(o.Pos, SaidEscape, o.Lead.Value())
			} else if e := d.scope.findEscape(o.Name.String()); e != nil {
				say(o.Pos, SaidEscape, e.Lead.Value())
			}
		case *Blanks:
			say(o.Pos, SaidBlanks, "")
		case *Quote:
			if o.MaxLines != "" {
				say(o.Pos, SaidMaxLines, "")
			}
		}
	}
}
