package compile

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/alecthomas/participle/v2/lexer"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/charset"
	"github.com/dfaparse/dfaparse/internal/lower"
)

// definer turns a form into the definition of a Program.
type definer struct {
	*form
	bad   *faults
	def   dfa.Definition
	nulls nullTokens       // of every column
	after []lexer.Position // where "after escape" is said
	bare  []lexer.Position // where "null bare" is said
	wide  []lexer.Position // where "null" is, of fields that may be enclosed
	empty []string         // tokens of every column that may be empty

	columns map[string]dfa.Column // by name, as fields gives them
	ofKeys  []*dfa.Split          // of each keyed
	used    map[string]bool       // fields that some column has taken
	kept    map[string]*dfa.Kept  // by hole: its escape keeps what it does not decode
	tabled  map[string]bool       // holes in the form of a dfa
	told    map[string]bool       // holes that only a form tells from others, nil: none
	allTold bool                  // all are
}

// define gives the definition of the format; it is good if bad got no fault.
func (d *definer) define() dfa.Definition {
	d.columns, d.used, d.kept, d.tabled = map[string]dfa.Column{}, map[string]bool{}, map[string]*dfa.Kept{}, map[string]bool{}
	d.def.Name = d.format.Name.String()
	if d.doc != nil {
		d.def.Doc = d.doc.Text.Value()
	}
	d.policies()
	d.types()
	switch lexing := d.lexing.(type) {
	case *Delimited:
		d.delimited(lexing)
	case *Record:
		if isShape(lexing) {
			d.recordShapes(lexing.Pos)
		} else {
			d.record(lexing)
		}
	case *Fixed:
		if isShape(lexing) {
			d.recordShapes(lexing.Pos)
		} else {
			d.fixed(lexing)
		}
	case *Binary:
		d.binary(lexing)
	case *TableUse:
		d.table(lexing)
	default:
		d.bad.addf(d.format.Pos, "format %s does not say what its bytes look like: one of delimited, record, fixed, binary and dfa is missing", d.format.Name)
	}
	d.split()
	d.byKey()
	d.leaveOut()
	d.unused()
	d.misplaced()
	d.nothingEscaped()
	return d.def
}

// policies sets what does not depend on columns.
func (d *definer) policies() {
	_, isRecord := d.lexing.(*Record)
	if isRecord {
		d.def.OnError, d.def.UTF8 = dfa.Reject, dfa.ReplaceUTF8
	}
	if it := d.onError; it != nil {
		d.def.OnError = choose(d, "on_error", it.Mode, byName(dfa.ErrorModes()))
	}
	if it := d.utf8; it != nil {
		d.def.UTF8 = choose(d, "utf8", it.Mode, byName(dfa.UTF8Policies()))
	}
	d.encodingOf()
	if it := d.ragged; it != nil {
		for _, m := range it.Modes {
			switch m {
			case "pad":
				d.def.Ragged |= dfa.Pad
			case "truncate":
				d.def.Ragged |= dfa.Truncate
			case "error":
				if len(it.Modes) > 1 {
					d.bad.addf(it.Pos, "ragged error goes with neither pad nor truncate")
				}
			}
		}
	}
	if it := d.maxRecord; it != nil {
		d.def.MaxRecord = d.size(it.Size)
	}
	d.skip()
	d.header()
	for _, it := range d.form.nulls {
		d.nulls.add(it.Decoded, it.Tokens, nil)
		d.afterEscape(it.Decoded, it.Pos)
		d.bareNull(it.Bare, it.Decoded, it.Pos)
	}
	for _, it := range d.form.empties {
		for _, t := range it.Tokens {
			d.empty = d.emptyToken(d.empty, t, d.nulls, false)
		}
	}
	d.def.DefaultNulls, d.def.DefaultDecodedNulls, d.def.DefaultEmpties = d.nulls.written, d.nulls.decoded, d.empty
}

// encodingOf sets the encoding of inputs.
func (d *definer) encodingOf() {
	it := d.form.encoding
	if it == nil {
		return
	}
	name := it.Name.Value()
	canonical, err := charset.Canonical(name)
	if err != nil {
		d.bad.addf(it.Name.Pos, "%v%s", err, onlySuggestion(d.bad.suggest(name, charset.Names)))
		return
	}
	if _, is := d.lexing.(*Binary); is {
		d.bad.addf(it.Pos, "encoding is of text; records here are binary")
		return
	}
	d.def.Encoding = canonical
}

// emptyToken adds a token that is an empty value.
func (d *definer) emptyToken(to []string, t *Text, nulls nullTokens, own bool) []string {
	v := t.Value()
	switch {
	case slices.Contains(to, v):
		if own {
			d.bad.addf(t.Pos, "the token for empty %s is there twice", t.Token)
		}
		return to
	case v == "":
		d.bad.addf(t.Pos, "what is empty needs no token for it")
	case slices.Contains(nulls.written, v):
		d.bad.addf(t.Pos, "the token %s is null, and so never empty", t.Token)
	}
	return append(to, v)
}

// bareNull notes whether null tokens count in fields that are enclosed.
func (d *definer) bareNull(bare, decoded bool, pos lexer.Position) {
	switch {
	case bare:
		d.bare = append(d.bare, pos)
	case !decoded:
		d.wide = append(d.wide, pos)
	}
}

// openers are the symbols that open enclosed fields in which no token counts, "" if all
// count in all fields.
func (d *definer) openers(l *lower.Delimited) string {
	if len(d.bare) == 0 {
		return ""
	}
	all := append([]byte{l.Quote}, l.Quotes...)
	if l.Quote == 0 {
		all = nil
	}
	for _, b := range l.Brackets {
		all = append(all, b[0])
	}
	switch {
	case len(d.wide) > 0:
		d.bad.addf(d.wide[0], "null tokens count in all fields, or in none that are enclosed: null bare is said at line %d, and here it is not", d.bare[0].Line)
	case len(all) == 0:
		d.bad.addf(d.bare[0], "nothing encloses fields here, so all are bare: null says it")
	}
	return string(all)
}

// choose gives the value of a keyword.
func choose[T any](d *definer, what string, w *Word, values map[string]T) T {
	v, ok := values[w.Value]
	if !ok {
		known := slices.Sorted(maps.Keys(values))
		hint := d.bad.suggest(w.Value, known)
		d.bad.addf(w.Pos, "%s wants %s, not %q%s", what, strings.Join(known, " or "), w.Value, onlySuggestion(hint))
	}
	return v
}

// byName has values by what they are called.
func byName[T fmt.Stringer](all []T) map[string]T {
	of := map[string]T{}
	for _, v := range all {
		of[v.String()] = v
	}
	return of
}

func onlySuggestion(hint string) string {
	if strings.HasPrefix(hint, "; did") {
		return hint
	}
	return ""
}

func (d *definer) size(s *Size) int {
	digits := strings.TrimRight(s.Value, "BKMGi")
	n, err := strconv.Atoi(digits)
	unit := map[string]int{"": 1, "B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}[s.Value[len(digits):]]
	if err != nil || unit == 0 || n < 1 || n > dfa.LimitMaxRecord/unit {
		d.bad.addf(s.Pos, "%s: want a size from 1B to %dGiB, as 64MiB", s.Value, dfa.LimitMaxRecord>>30)
		return 0
	}
	return n * unit
}

// skip sets which lines at the head are passed over.
func (d *definer) skip() {
	for i, it := range d.form.skips {
		if i == dfa.MaxSkips {
			d.bad.addf(it.Pos, "more than %d times skip", dfa.MaxSkips)
			return
		}
		s := dfa.SkippedLines{Prefixes: d.lineBegins(it.Prefixes), Until: d.lineBegins(it.Until)}
		if it.Lines != "" {
			n, err := strconv.Atoi(it.Lines)
			if err != nil || n < 1 {
				d.bad.addf(it.Pos, "skip %s lines: want a number from 1", it.Lines)
				continue
			}
			s.Lines = n
		}
		d.def.Skip = append(d.def.Skip, s)
	}
}

// lineBegins are the texts that lines to skip begin with.
func (d *definer) lineBegins(list []*Text) (begins []string) {
	for _, t := range list {
		if v := t.Value(); v == "" || len(v) > dfa.MaxSkipPrefix || strings.ContainsAny(v, "\r\n") {
			d.bad.addf(t.Pos, "skip: a line begins with 1 to %d bytes without a line end, as \"#\"", dfa.MaxSkipPrefix)
		}
		begins = append(begins, t.Value())
	}
	return begins
}

func (d *definer) header() {
	it := d.form.header
	if it == nil {
		return
	}
	h := &d.def.Header
	h.Mode = choose(d, "header", it.Mode, map[string]dfa.HeaderMode{"none": dfa.NoHeader, "skip": dfa.SkipHeader, "names": dfa.NamesHeader})
	if h.Mode != dfa.NoHeader {
		h.Rows = 1
	}
	if it.After != nil {
		d.headerAgain(it)
		return
	}
	if it.Joined != nil {
		h.Joined, h.Between = true, it.Joined.Value()
		if h.Mode != dfa.NamesHeader || it.Rows == "" || it.Rows == "1" {
			d.bad.addf(it.Pos, "joined goes with the names of several records: header names 2 joined ' '")
		}
	}
	if it.Rows == "" {
		return
	}
	n, err := strconv.Atoi(it.Rows)
	if err != nil || n < 1 || n > 1<<16 || h.Mode == dfa.NoHeader {
		d.bad.addf(it.Pos, "header %s %s: skip and names take a number of lines from 1 to %d", it.Mode.Value, it.Rows, 1<<16)
		return
	}
	h.Rows = n
	if h.Joined && n > dfa.MaxJoined {
		d.bad.addf(it.Pos, "at most %d records are joined into names", dfa.MaxJoined)
		h.Joined = false
	}
}

// headerAgain checks a header that is the first line, and each after an empty one.
func (d *definer) headerAgain(it *Header) {
	choose(d, "after", it.After, map[string]bool{"blank": true})
	h := &d.def.Header
	switch _, is := d.lexing.(*Delimited); {
	case h.Mode != dfa.NamesHeader || it.Rows != "" || it.Joined != nil:
		d.bad.addf(it.Pos, "after blank goes with names of one line: header names after blank")
	case !is && d.lexing != nil:
		d.bad.addf(it.Pos, "header names after blank goes with delimited; %s has no use for it", lexingWord(d.lexing))
	case d.blank != nil && d.blank.Mode.Value == "keep":
		d.bad.addf(d.blank.Pos, "an empty line is no record where a header comes after it")
	}
	for _, s := range d.stops {
		if s.Blank {
			d.bad.addf(s.Pos, "the data end at an empty line, or a header comes after it, not both")
		}
	}
	for _, x := range d.direct {
		if x.Action.Value != "skip" && x.Action.Value != "metadata" {
			d.bad.addf(x.Pos, "directive … %s says what columns are, or how they are separated; here a line after an empty one does", x.Action.Value)
		}
	}
	h.Mode, h.Rows = dfa.NoHeader, 0
}

// types turns the fields of the form into columns.
func (d *definer) types() {
	d.timeNames()
	defer d.namesUnused()
	for _, k := range d.keyed {
		d.keys(k)
	}
	for _, f := range d.fields {
		name := f.Name.String()
		if f.Name.Text == nil && slices.Contains(modifierWords, name) {
			d.bad.addf(f.Pos, "%s is a modifier%s", name, quotedColumn(name))
		}
		d.columns[name] = d.column(f)
	}
}

func (d *definer) column(f *Field) dfa.Column {
	c := dfa.Column{Name: f.Name.String()}
	c.Type = readType(f.Type, d.scope, d.bad, 0)
	twice := func(is bool, pos lexer.Position, what string) {
		if is {
			d.bad.addf(pos, "a second %s for column %q", what, c.Name)
		}
	}
	var own nullTokens
	empties := d.empty
	if !c.Type.Kind.HasEmpty() {
		empties = nil
	}
	d.afterEscape(c.Type.Decoded, f.Type.Pos)
	for _, m := range f.Modifiers {
		switch {
		case m.Required:
			twice(c.Required, m.Pos, "!")
			c.Required = true
		case m.Optional:
			twice(c.Optional, m.Pos, "?")
			c.Optional = true
		case m.Trim:
			twice(c.Trim, m.Pos, "trim")
			c.Trim = true
		case m.Default != nil:
			twice(c.HasDefault, m.Pos, "default")
			c.Default, c.HasDefault = m.Default.Value(), true
		case m.In != nil:
			twice(c.Type.In != nil, m.Pos, "in")
			d.ranges(&c.Type, m, f.Type)
		case m.Empties != nil:
			if !c.Type.Kind.HasEmpty() {
				d.bad.addf(m.Pos, "column %q: no %s is empty; str, dict, binary, lists and maps may be", c.Name, f.Type.Name)
				continue
			}
			for i, t := range m.Empties {
				empties = d.emptyToken(slices.Clone(empties), t, d.nulls, i > 0)
			}
		default:
			own.add(m.Decoded, m.Nulls, d.bad)
			d.afterEscape(m.Decoded, m.Pos)
			d.bareNull(m.Bare, m.Decoded, m.Pos)
		}
	}
	c.Empties = empties
	for _, v := range own.written {
		if slices.Contains(empties, v) {
			d.bad.addf(f.Pos, "column %q: the token %q is null and empty", c.Name, v)
		}
	}
	c.Nulls, c.DecodedNulls = merge(d.nulls.written, own.written), merge(d.nulls.decoded, own.decoded)
	for _, tok := range slices.Concat(c.Type.Tokens, c.Type.True, c.Type.False) {
		if tok == "" || slices.Contains(c.NullTokens(), tok) { // an empty field is null in columns of such types
			d.bad.warnf(f.Pos, "column %q: the token %q is null, and so never a value", c.Name, tok)
		}
	}
	if c.Required && c.HasDefault {
		d.bad.warnf(f.Pos, "column %q has a default, so it is never null and its ! says nothing", c.Name)
	}
	return c
}

// nullTokens are null where they were written, or where a field decodes to them.
type nullTokens struct{ written, decoded []string }

// add adds tokens, each once; bad, if not nil, hears of those that are there.
func (n *nullTokens) add(decoded bool, tokens []*Text, bad *faults) {
	to := &n.written
	if decoded {
		to = &n.decoded
	}
	for _, t := range tokens {
		switch v := t.Value(); {
		case !slices.Contains(*to, v):
			*to = append(*to, v)
		case bad != nil:
			bad.addf(t.Pos, "the null token %s is there twice", t.Token)
		}
	}
}

// afterEscape notes where it is asked for what fields decode to.
func (d *definer) afterEscape(is bool, pos lexer.Position) {
	if is {
		d.after = append(d.after, pos)
	}
}

// nothingEscaped warns where it is asked for what fields decode to that are never
// written otherwise.
func (d *definer) nothingEscaped() {
	if d.def.Automaton == nil || d.def.Automaton.Escapes() {
		return
	}
	for _, pos := range d.after {
		d.bad.warnf(pos, "after escape says nothing here: the records of this format have no escapes")
	}
}

// merge is a followed by what only b has.
func merge(a, b []string) []string {
	out := slices.Clone(a)
	for _, s := range b {
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

// columnNamed is the column of a name: as fields says, else a string.
func (d *definer) columnNamed(name string) dfa.Column {
	c, ok := d.columns[name]
	if !ok {
		return dfa.Column{Name: name, Nulls: d.nulls.written, DecodedNulls: d.nulls.decoded, Empties: d.empty}
	}
	d.used[name] = true
	return c
}

// split takes columns apart. It comes after the columns are known.
func (d *definer) split() {
	for _, s := range d.splits {
		name := s.Column.String()
		parts := parseTemplate(s.Template, d.bad)
		strict := false
		if s.Else != nil {
			strict = choose(d, "else", s.Else, map[string]bool{"null": false, "error": true})
		}
		automaton, names := d.splitter(s, parts)
		cols := make([]dfa.Column, 0, len(names))
		for _, n := range names {
			c := d.columnNamed(n)
			c.Hidden, c.Keep = n == hiddenName, d.kept[n]
			if slices.ContainsFunc(holes(parts), func(h part) bool { return h.hole.name == n && h.hole.dash }) && !c.Hidden {
				c.Nulls = merge(c.Nulls, []string{"-"})
			}
			cols = append(cols, c)
		}
		i := slices.IndexFunc(d.def.Columns, func(c dfa.Column) bool { return c.Name == name })
		whole := slices.IndexFunc(d.def.Columns, func(c dfa.Column) bool {
			return c.Split != nil && slices.ContainsFunc(c.Split.Columns, func(part dfa.Column) bool { return part.Name == name })
		})
		switch {
		case i < 0 && whole >= 0:
			d.bad.addf(s.Column.Pos, "split: %q is a part of %q, and a part is not taken apart again; one template takes %[2]q apart, with [ … ] for what may be missing", name, d.def.Columns[whole].Name)
		case i < 0:
			d.notThere("split", s.Column, "str")
		case i >= 0 && automaton != nil:
			d.def.Columns[i].Split = &dfa.Split{Automaton: automaton, Columns: cols, Strict: strict, Decoded: s.Decoded}
			if s.FromEnd {
				d.def.Columns[i].Split.FromEnd = textsOf(parts)
			}
			d.afterEscape(s.Decoded, s.Pos)
		}
		for _, c := range cols {
			if !c.Hidden && slices.ContainsFunc(d.def.Columns, func(o dfa.Column) bool { return o.Name == c.Name }) {
				d.bad.addf(s.Template.Pos, "split: there is a column %q already", c.Name)
			}
		}
	}
}

// notThere says that a column that is to be taken apart is none of those that the spec knows; of
// those that the file has more nobody knows, and without a word it would stay whole.
func (d *definer) notThere(by string, column *Name, typ string) {
	switch name := column.String(); {
	case d.fromFile():
		d.bad.addf(column.Pos, "%s: the columns are those of the file, and only one that fields has a type for is taken apart: fields { %s %s }", by, name, typ)
	case len(d.def.Columns) == 0 && len(d.bad.list) == 0: // as in header none
		d.bad.addf(column.Pos, "%s: only a column that fields names is taken apart, and nothing else names any here: fields { … } does for all of them", by)
	case len(d.def.Columns) > 0:
		d.bad.addf(column.Pos, "%s: there is no column %q%s", by, name, d.bad.suggest(name, columnNames(d.def.Columns)))
	}
}

// hiddenName is the hole whose field is matched and not delivered.
const hiddenName = "_"

func columnNames(cols []dfa.Column) []string {
	var names []string
	for _, c := range cols {
		if !c.Hidden {
			names = append(names, c.Name)
		}
		if c.Split != nil {
			names = append(names, columnNames(c.Split.Columns)...)
		}
	}
	return names
}

// leaveOut hides the columns that the format has from its parent and is without.
func (d *definer) leaveOut() {
	hide := func(columns []dfa.Column, name string) (there bool) {
		for i := range columns {
			if c := &columns[i]; c.Name == name && !c.Hidden {
				c.Hidden, there = true, true
			}
		}
		return there
	}
	for _, n := range d.without {
		name := n.String()
		switch {
		case d.fromFile():
			d.bad.addf(n.Pos, "the file names the columns here, and so which there are; whoever reads it chooses among them")
			return
		case d.rest != nil && d.rest.Name.String() == name:
			d.bad.addf(n.Pos, "%s is the rest, which takes what no other column does; a format is not without it", name)
			continue
		}
		there := hide(d.def.Columns, name)
		for i := range d.def.Columns {
			if s := d.def.Columns[i].Split; !there && s != nil && hide(s.Columns, name) {
				there = true
			}
		}
		if !there && len(d.def.Columns) > 0 {
			d.bad.addf(n.Pos, "there is no column %q to be without%s", name, d.bad.suggest(name, columnNames(d.def.Columns)))
		}
	}
}

// unused reports fields that no column of the record has.
func (d *definer) unused() {
	if d.lexing == nil || len(d.bad.list) > 0 && len(d.def.Columns) == 0 {
		return // which columns there are is not known
	}
	for _, f := range d.fields {
		if name := f.Name.String(); !d.used[name] {
			d.bad.addf(f.Pos, "there is no column %q%s", name, d.bad.suggest(name, columnNames(d.def.Columns)))
		}
	}
}

// misplaced reports items that mean nothing beside the lexing of the format.
func (d *definer) misplaced() {
	_, isRecord := d.lexing.(*Record)
	_, isDelimited := d.lexing.(*Delimited)
	_, isTable := d.lexing.(*TableUse)
	if d.lexing == nil {
		return
	}
	if _, isBinary := d.lexing.(*Binary); isBinary {
		d.linesInBinary()
		return
	}
	if len(d.bare) > 0 && !isDelimited {
		d.bad.addf(d.bare[0], "null bare goes with delimited, whose fields may be enclosed; %s has no use for it", lexingWord(d.lexing))
	}
	if d.shape != nil && len(d.shapes) == 0 {
		d.bad.addf(d.shape.Pos, "shape names the column that says which of several records one is; these have names: record %s `…`", d.shape.Name)
	}
	if d.multiline != nil && !isRecord {
		d.bad.addf(d.multiline.Pos, "multiline goes with a record template; %s has no use for it", lexingWord(d.lexing))
	}
	if d.lines != nil && isDelimited {
		d.bad.addf(d.lines.Pos, "lines is for record and fixed; here comment, eol and lax stand in delimited { … }")
	}
	if d.lines != nil && isTable {
		d.bad.addf(d.lines.Pos, "lines is for record and fixed; a dfa says itself where records end")
	}
	if len(d.stops) > 0 && isTable {
		d.bad.addf(d.stops[0].Pos, "stop at is for lines; a dfa says itself what records are")
	}
	if len(d.stops) > 0 && d.multiline != nil {
		d.bad.addf(d.stops[0].Pos, "stop at goes with records of one line; with multiline a line may belong to the record before it")
	}
	if d.ragged != nil && isRecord {
		d.bad.addf(d.ragged.Pos, "ragged is for delimited and dfa; what a record template may lack stands in [ … ], what may follow it is rest NAME")
	}
	if i := slices.IndexFunc(d.direct, func(x *Directive) bool {
		return slices.Contains([]string{"schema", "types", "separator", "is"}, x.Action.Value)
	}); i >= 0 && !isDelimited && !isTable {
		d.bad.addf(d.direct[i].Pos, "directive … %s goes with delimited; the columns of a %s have their names in the spec", d.direct[i].Action.Value, lexingWord(d.lexing))
	}
	if len(d.direct) > 0 && isTable {
		d.bad.addf(d.direct[0].Pos, "directive is for lines; a dfa says itself what records are")
	}
	if d.def.Header.Mode == dfa.NamesHeader && !isDelimited && !isTable {
		d.bad.addf(d.form.header.Pos, "header names goes with delimited; the columns of a %s have their names in the spec", lexingWord(d.lexing))
	}
}
