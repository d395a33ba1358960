package importer

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/alecthomas/participle/v2/lexer"

	"github.com/dfaparse/dfaparse/compile"
)

// draft is a spec that is being made of a description.
type draft struct {
	kind    *Kind
	text    string // the description
	options Options
	spec    *compile.FormatBuilder

	template strings.Builder // of the record, as a spec has it
	origin   []int           // the byte of text that each byte of the template comes from
	last     partKind
	depth    int // of optional groups

	columns  []column
	used     map[string]bool   // names that columns and what splits make have
	defined  map[string]bool   // escapes and dfas
	forms    map[string]string // regular expressions -> the dfas made of them
	requests []string          // columns of request lines that are taken apart
	notes    []note
	failure  *Error
	joins    map[string][]string
	open     bool // the file names its columns
	table    bool // what bytes look like is said by an item of spec
}

// partKind is what the template ends with so far.
type partKind uint8

const (
	nothing partKind = iota
	literalPart
	holePart
	blanksPart
	groupPart // an optional group
	endPart   // a hole to the end of the record
)

// column is a column and its type; "" leaves it to the language, which makes it text.
type column struct {
	name      string
	typ       string
	modifiers []*compile.Modifier
	at        int // in the description
}

type note struct {
	at      int
	message string
}

func newDraft(kind *Kind, text string, o Options) *draft {
	return &draft{kind: kind, text: text, options: o, spec: compile.New(cmp.Or(o.Name, kind.Name)),
		used: map[string]bool{}, defined: map[string]bool{}, joins: map[string][]string{}}
}

// fail says why there can be no spec; the first reason counts. At is a byte of the
// description, or -1.
func (d *draft) fail(at int, format string, args ...any) {
	if d.failure == nil {
		d.failure = &Error{Kind: d.kind.Name, Text: d.text, At: at, Message: fmt.Sprintf(format, args...)}
	}
}

// note says what the spec leaves out.
func (d *draft) note(at int, format string, args ...any) {
	n := note{at, fmt.Sprintf(format, args...)}
	if !slices.Contains(d.notes, n) {
		d.notes = append(d.notes, n)
	}
}

// literal adds text that stands in every record.
func (d *draft) literal(at int, text string) {
	for i := range len(text) {
		s := text[i : i+1]
		switch {
		case d.depth > 0 && (s == "[" || s == "]") || s == "]" && d.last == groupPart:
			s = "{" + s + "}" // beside the bracket of a group [[ and ]] would be something else
		case strings.Contains("[{}", s):
			s += s
		}
		d.write(at+i, s)
		d.last = literalPart
	}
}

// write adds to the template what comes from byte at of the description.
func (d *draft) write(at int, s string) {
	d.template.WriteString(s)
	for range len(s) {
		d.origin = append(d.origin, at)
	}
}

// blanks adds one or more spaces or tabs.
func (d *draft) blanks(at int) {
	if d.last != blanksPart {
		d.write(at, "{ }")
		d.last = blanksPart
	}
}

// optional adds what may be missing.
func (d *draft) optional(at int, parts func()) {
	d.write(at, "[")
	d.depth++
	parts()
	d.depth--
	if d.last == groupPart {
		d.fail(at, "an optional part at the end of an optional part cannot be said by a template")
	}
	d.write(at, "]")
	d.last = groupPart
}

// field is a hole and its column.
type field struct {
	at        int
	name      string // "" and "_": it is passed over
	rule      string // of an escape or a dfa, see define
	dash      bool   // a dash is null
	typ       string
	modifiers []*compile.Modifier
}

// hole adds a field; the name that its column got.
func (d *draft) hole(f field) string {
	if d.last == holePart {
		d.fail(f.at, "nothing stands between this field and the one before it, so nothing tells where that one ends")
	}
	d.last = holePart
	if f.name == "" || f.name == "_" {
		d.write(f.at, "{_"+prefixed(":", f.rule)+"}")
		return "_"
	}
	name := d.named(f)
	dash := ""
	if f.dash {
		dash = ":-"
	}
	d.write(f.at, "{"+name+prefixed(":", f.rule)+dash+"}")
	d.columns = append(d.columns, column{name, f.typ, f.modifiers, f.at})
	return name
}

// toEnd adds a field that goes to the end of the record; an empty name passes it
// over.
func (d *draft) toEnd(f field) {
	if d.last == holePart {
		d.fail(f.at, "nothing stands between this field and the one before it, so nothing tells where that one ends")
	}
	name := "_"
	if f.name != "" && f.name != "_" {
		name = d.named(f)
		d.columns = append(d.columns, column{name, f.typ, f.modifiers, f.at})
	}
	dash := ""
	if f.dash && name != "_" {
		dash = ":-"
	}
	d.write(f.at, "{"+name+"..."+dash+"}")
	d.last = endPart
}

// named is the name of a field's column; a name that a template cannot have is told.
func (d *draft) named(f field) string {
	name := d.name(f.name)
	if word(f.name) != f.name {
		d.note(f.at, "the column of %s is called %s", f.name, name)
	}
	return name
}

// name is a name for a column: one that a template can have, and no other column has.
func (d *draft) name(wanted string) string {
	base := word(wanted)
	name := base
	for n := 2; d.used[name]; n++ {
		name = fmt.Sprintf("%s_%d", base, n)
	}
	d.used[name] = true
	return name
}

// word is a name as a word of the language: what no word may have is _.
func word(name string) string {
	var b strings.Builder
	for i, r := range name {
		letter := r == '_' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= 0x80
		digit := r >= '0' && r <= '9'
		switch {
		case letter, digit && i > 0:
			b.WriteRune(r)
		case digit:
			b.WriteString("_" + string(r))
		default:
			b.WriteByte('_')
		}
	}
	if out := b.String(); strings.Trim(out, "_") != "" {
		return out
	}
	return "column"
}

// snake is a name of other conventions in lower case, with _ between words.
func snake(name string) string {
	return strings.ToLower(word(strings.ReplaceAll(name, "-", "_")))
}

// splitRequest takes the request lines of a column apart, unless a part would have the name of a
// column.
func (d *draft) splitRequest(column string) {
	if d.used["method"] || d.used["path"] || d.used["protocol"] {
		return
	}
	d.used["method"], d.used["path"], d.used["protocol"] = true, true, true
	d.requests = append(d.requests, column)
}

// define adds the definition of an escape or a dfa once, and returns its name.
func (d *draft) define(name, text string) string {
	if !d.defined[name] {
		d.defined[name] = true
		d.spec.Define(text)
	}
	return name
}

// finish makes the spec and compiles it.
func (d *draft) finish() (*Imported, error) {
	d.kind.read(d)
	if d.failure != nil {
		return nil, d.failure
	}
	if len(d.columns) == 0 && !d.open {
		d.fail(-1, "it names no field")
		return nil, d.failure
	}
	if !d.table {
		d.spec.Record(d.template.String())
	}
	for _, c := range d.columns {
		if c.typ == "" && len(c.modifiers) > 0 || c.typ == "" && d.table {
			c.typ = "str"
		}
		if c.typ != "" {
			d.spec.Field(c.name, c.typ, c.modifiers...)
		}
	}
	for _, column := range d.requests {
		d.spec.Split(column, "{method} {path} {protocol}", false)
	}
	if len(d.options.Continue) > 0 {
		d.spec.MultilineContinue(d.options.Continue...)
	}
	file, err := d.spec.File()
	if err == nil {
		_, err = d.spec.Build()
	}
	if err != nil {
		d.blame(file, err)
		return nil, d.failure
	}
	out := &Imported{Source: []byte(d.spec.Source()), joins: d.joins}
	slices.SortStableFunc(d.notes, func(a, b note) int { return cmp.Compare(a.at, b.at) })
	for _, n := range d.notes {
		place := ""
		if n.at >= 0 {
			place = placeOf(d.text, n.at)
		}
		out.Notes = append(out.Notes, Note{d.kind.Name, place, n.message})
	}
	return out, nil
}

// blame says of what is wrong with the spec where in the description it comes from.
func (d *draft) blame(file *compile.File, err error) {
	var list compile.Faults
	if !errors.As(err, &list) || len(list) == 0 || file == nil {
		d.fail(-1, "%v", err)
		return
	}
	d.fail(d.originOf(file, list[0].Pos), "%s", list[0].Message)
}

// originOf is the byte of the description that a place of the spec comes from, -1
// if none does.
func (d *draft) originOf(file *compile.File, pos lexer.Position) int {
	for _, def := range file.Definitions {
		f, ok := def.(*compile.Format)
		if !ok {
			continue
		}
		for _, it := range f.Items {
			switch it := it.(type) {
			case *compile.Record:
				at := pos.Offset - it.Template.Pos.Offset - 1
				if it.Template.Token[0] == '`' && at >= 0 && at < len(d.origin) {
					return d.origin[at]
				}
			case *compile.Fields:
				for _, c := range it.List {
					i := slices.IndexFunc(d.columns, func(known column) bool { return known.name == c.Name.String() })
					if c.Pos.Line == pos.Line && i >= 0 {
						return d.columns[i].at
					}
				}
			}
		}
	}
	return -1
}

// nulls is the modifier of tokens that are null.
func nulls(tokens ...string) *compile.Modifier { return compile.NullTokens(tokens...) }

// prefixed is s after a prefix, or nothing if s is empty.
func prefixed(prefix, s string) string {
	if s == "" {
		return ""
	}
	return prefix + s
}

// typeOf writes a type with one text as its argument: ts("%F").
func typeOf(name, text string) string {
	return name + "(" + compile.NewText(text).Token + ")"
}
