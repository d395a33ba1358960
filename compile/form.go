package compile

import (
	"fmt"
	"slices"
	"strings"

	"github.com/alecthomas/participle/v2/lexer"
)

// form is a format together with what it inherits: the items in force.
type form struct {
	format *Format
	scope  *scope

	doc       *Doc
	lexing    Item    // *Delimited, *Record, *Fixed, *Binary or *TableUse; nil: none
	templates []*Text // of a record, those that are appended included
	shapes    []*shapeItem
	shape     *ShapeColumn
	lines     *Lines
	skips     []*SkipItem
	header    *Header
	fields    []*Field       // the parents' first
	index     map[string]int // name -> fields
	stops     []*Stop
	months    [2]*Months   // in full and short
	weekdays  [2]*Weekdays // in full and short
	zones     *Zones
	nulls     []*Null
	empties   []*Empty
	onError   *OnError
	ragged    *RaggedItem
	blank     *Blank
	encoding  *EncodingItem
	utf8      *UTF8
	maxRecord *MaxRecord
	splits    []*Split
	keyed     []*keyedItem
	multiline *Multiline
	direct    []*Directive
	rest      *Rest
	without   []*Name // columns that are not delivered
	tests     []*Test // its own
}

// maxAncestors bounds a chain of extends.
const maxAncestors = 16

// gather finds the parents of a format and lays their items over each other;
// nil if a parent is missing.
func gather(file *File, format *Format, resolve Resolver, bad *faults) *form {
	fm := &form{format: format, index: map[string]int{}, scope: &scope{files: []*File{file}}}
	chain := []*Format{format}
	for at := format; at.Extends != nil; at = chain[len(chain)-1] {
		name := at.Extends.String()
		parentFile, parent := findParent(file, at, resolve, bad)
		if parent == nil {
			return nil
		}
		same := func(f *Format) bool { return f == parent || f.Pos == parent.Pos && f.Pos.Line > 0 }
		if i := slices.IndexFunc(chain, same); i >= 0 {
			bad.addf(at.Extends.Pos, "format %s extends itself: %s", parent.Name, cycle(append(chain[i:], parent)))
			return nil
		}
		if len(chain) == maxAncestors {
			bad.addf(at.Extends.Pos, "format %s extends a chain of more than %d formats", name, maxAncestors)
			return nil
		}
		chain = append(chain, parent)
		if file = parentFile; !slices.Contains(fm.scope.files, file) {
			fm.scope.files = append(fm.scope.files, file)
		}
	}
	for _, f := range slices.Backward(chain) {
		fm.lay(f, bad)
	}
	return fm
}

func cycle(chain []*Format) string {
	names := make([]string, len(chain))
	for i, f := range chain {
		names[i] = f.Name.String()
	}
	return strings.Join(names, " extends ")
}

// findParent finds the format that child extends: in its own file, or where
// resolve says.
func findParent(file *File, child *Format, resolve Resolver, bad *faults) (*File, *Format) {
	name := child.Extends.String()
	if name != child.Name.String() {
		if f := file.Format(name); f != nil {
			return file, f
		}
	}
	var why error
	if resolve != nil {
		other, err := resolve(name)
		if err == nil && other != nil {
			if f := other.Format(name); f != nil {
				return other, f
			}
			err = fmt.Errorf("its file defines only %s", strings.Join(other.FormatNames(), ", "))
		}
		why = err
	}
	if file.Format(name) == child {
		bad.addf(child.Extends.Pos, "format %s extends itself", name)
		return nil, nil
	}
	near := onlySuggestion(bad.suggest(name, others(file.FormatNames(), child.Name.String())))
	switch {
	case near != "":
		bad.addf(child.Extends.Pos, "there is no format %q to extend%s", name, near)
	case why == nil:
		bad.addf(child.Extends.Pos, "there is no format %q to extend in this file, and nothing says where others are: "+
			"with WithResolver(formats.Resolve) Compile finds the built-in ones", name)
	default:
		bad.addf(child.Extends.Pos, "there is no format %q to extend%s", name, afterColon(strings.TrimPrefix(why.Error(), fmt.Sprintf("no format %q", name))))
	}
	return nil, nil
}

// afterColon is a reason as it follows a statement.
func afterColon(reason string) string {
	if strings.HasPrefix(reason, ";") || strings.HasPrefix(reason, " (") {
		return reason
	}
	return ": " + reason
}

// blameChild makes one fault of those that show in the text of a parent, at the
// place where the child extends it: the parent alone compiles, so it is what the
// child says that does not go with it.
func (fm *form) blameChild(list Faults) Faults {
	child := fm.format
	if child.Extends == nil {
		return list
	}
	var out Faults
	var parents []string
	for _, f := range list {
		if f.Pos.Filename == child.Pos.Filename {
			out = append(out, f)
		} else {
			parents = append(parents, fmt.Sprintf("%s (%s)", f.Message, strings.TrimSuffix(where(f.Pos), ": ")))
		}
	}
	if n := len(parents); n > 3 {
		parents = append(parents[:3], fmt.Sprintf("and %d more", n-3))
	}
	if parents != nil {
		out = append(out, faultf(child.Extends.Pos, "what format %s says does not go with what it has from %s: %s",
			child.Name, child.Extends, strings.Join(parents, "; ")))
	}
	return out
}

func others(names []string, not string) []string {
	return slices.DeleteFunc(names, func(n string) bool { return n == not })
}

// Format is the format of a name, nil if f does not define it.
func (f *File) Format(name string) *Format {
	for _, d := range f.Definitions {
		if format, ok := d.(*Format); ok && format.Name.String() == name {
			return format
		}
	}
	return nil
}

// FormatNames are the names of the formats that f defines, in order.
func (f *File) FormatNames() []string {
	var names []string
	for _, d := range f.Definitions {
		if format, ok := d.(*Format); ok {
			names = append(names, format.Name.String())
		}
	}
	return names
}

// said are the statements of a format, each of which it may say once, and where.
type said struct {
	at  map[string]lexer.Position
	bad *faults
}

// once reports whether a statement is the first of its kind; another one is a fault.
func (s *said) once(what string, pos lexer.Position) bool {
	if at, twice := s.at[what]; twice {
		s.bad.addf(pos, "a second %s; the first is at line %d", what, at.Line)
		return false
	}
	s.at[what] = pos
	return true
}

// only puts a statement into its place in the form, if it is the first of its kind.
func only[T any](s *said, what string, pos lexer.Position, place *T, it T) {
	if s.once(what, pos) {
		*place = it
	}
}

// lay puts the items of f over those in force.
func (fm *form) lay(f *Format, bad *faults) {
	s := &said{map[string]lexer.Position{}, bad}
	var lexing []Item
	var skips []*SkipItem
	var stops []*Stop
	fields := map[string]lexer.Position{}
	for _, it := range f.Items {
		if fm.layLexing(it, s) && !(isShape(it) && slices.ContainsFunc(lexing, isShape)) {
			lexing = append(lexing, it)
		}
		switch it := it.(type) {
		case *Doc:
			only(s, "doc", it.Pos, &fm.doc, it)
		case *ShapeColumn:
			only(s, "shape", it.Pos, &fm.shape, it)
		case *Lines:
			only(s, "lines", it.Pos, &fm.lines, it)
		case *SkipItem:
			skips = append(skips, it)
		case *Header:
			only(s, "header", it.Pos, &fm.header, it)
		case *Fields:
			for _, field := range it.List {
				fm.field(field, fields, bad)
			}
		case *Stop:
			stops = append(stops, it)
		case *Months:
			only(s, "months"+when(it.Short, " short"), it.Pos, &fm.months[which(it.Short)], it)
		case *Weekdays:
			only(s, "weekdays"+when(it.Short, " short"), it.Pos, &fm.weekdays[which(it.Short)], it)
		case *Zones:
			only(s, "zones", it.Pos, &fm.zones, it)
		case *Null:
			fm.nulls = append(fm.nulls, it)
		case *Empty:
			fm.empties = append(fm.empties, it)
		case *OnError:
			only(s, "on_error", it.Pos, &fm.onError, it)
		case *RaggedItem:
			only(s, "ragged", it.Pos, &fm.ragged, it)
		case *Blank:
			only(s, "blank", it.Pos, &fm.blank, it)
		case *EncodingItem:
			only(s, "encoding", it.Pos, &fm.encoding, it)
		case *UTF8:
			only(s, "utf8", it.Pos, &fm.utf8, it)
		case *MaxRecord:
			only(s, "max_record", it.Pos, &fm.maxRecord, it)
		case *Split:
			if s.once("split of "+it.Column.String(), it.Pos) {
				fm.split(it)
			}
		case *Keyed:
			if s.once("keyed "+it.Column.String(), it.Pos) {
				fm.layKeyed(it, bad)
			}
		case *Multiline:
			only(s, "multiline", it.Pos, &fm.multiline, it)
		case *Directive:
			if s.once("directive "+it.Prefix.Token, it.Pos) {
				fm.direct = append(fm.direct, it)
			}
		case *Rest:
			only(s, "rest", it.Pos, &fm.rest, it)
		case *Test:
			if f == fm.format {
				fm.tests = append(fm.tests, it)
			}
		}
	}
	for _, n := range f.Without {
		if at, is := fields[n.String()]; is {
			bad.addf(n.Pos, "column %q is left out here and given a type at line %d", n, at.Line)
		}
	}
	fm.without = append(fm.without, f.Without...)
	if skips != nil {
		fm.skips = skips
	}
	if stops != nil {
		fm.stops = stops
	}
	if len(lexing) > 1 {
		bad.addf(positionOf(lexing[1]), "format %s says twice what its bytes look like: %s, and %s at line %d; a format has one of delimited, record, fixed, binary, dfa",
			f.Name, lexingWord(lexing[1]), lexingWord(lexing[0]), positionOf(lexing[0]).Line)
	}
}

// layLexing puts in force what says what bytes look like, and reports whether it is that; one that
// adds to another is not.
func (fm *form) layLexing(it Item, s *said) bool {
	switch it := it.(type) {
	case *Delimited, *Binary, *TableUse:
		fm.lexing, fm.templates, fm.shapes = it, nil, nil
		return true
	case *Fixed:
		if it.Shape != nil {
			fm.layShape(&shapeItem{pos: it.Pos, name: it.Shape.Value, fixed: it}, it, s)
			return true
		}
		fm.lexing, fm.templates, fm.shapes = it, nil, nil
		return true
	case *Record:
		return fm.layRecord(it, s)
	}
	return false
}

// layRecord is layLexing of a template.
func (fm *form) layRecord(it *Record, s *said) bool {
	switch {
	case it.Shape != nil && it.Append:
		fm.appendShape(it, s.bad)
	case it.Shape != nil:
		fm.layShape(&shapeItem{pos: it.Pos, name: it.Shape.Value, templates: []*Text{it.Template}}, it, s)
		return true
	case !it.Append:
		fm.lexing, fm.templates, fm.shapes = it, []*Text{it.Template}, nil
		return true
	case len(fm.shapes) > 0:
		s.bad.addf(it.Pos, "record += does not say which shape it adds to: record %s += `…`", fm.shapes[0].name)
	default:
		if _, ok := fm.lexing.(*Record); ok {
			fm.templates = append(fm.templates, it.Template)
			break
		}
		fm.lexing, fm.templates = it, []*Text{it.Template}
		s.bad.addf(it.Pos, "record += adds to the template of a parent, and there is none; write record `…`")
	}
	return false
}

// shapeItem is one of several kinds of records, with all that its templates were
// appended.
type shapeItem struct {
	pos       lexer.Position
	name      string
	templates []*Text
	fixed     *Fixed
}

// isShape reports whether an item says what records of one shape look like.
func isShape(it Item) bool {
	switch it := it.(type) {
	case *Record:
		return it.Shape != nil
	case *Fixed:
		return it.Shape != nil
	}
	return false
}

// layShape adds a shape of the format, or replaces the one of that name of a parent. The
// first of a child takes the place of what has no shapes.
func (fm *form) layShape(s *shapeItem, it Item, x *said) {
	if at, twice := x.at["shape "+s.name]; twice {
		x.bad.addf(s.pos, "shape %s is there twice; the first is at line %d", s.name, at.Line)
		return
	}
	x.at["shape "+s.name] = s.pos
	if !isShape(fm.lexing) {
		fm.shapes = nil
	}
	fm.lexing, fm.templates = it, nil
	for i, old := range fm.shapes {
		if old.name == s.name {
			fm.shapes[i] = s
			return
		}
	}
	fm.shapes = append(fm.shapes, s)
}

// appendShape adds to the template of a shape.
func (fm *form) appendShape(it *Record, bad *faults) {
	var names []string
	for i, s := range fm.shapes {
		names = append(names, s.name)
		if s.name == it.Shape.Value && s.fixed == nil {
			more := *s
			more.templates = append(slices.Clone(s.templates), it.Template)
			fm.shapes[i] = &more
			return
		}
	}
	bad.addf(it.Pos, "record %s += adds to a shape that is there already, and there is no record %s%s", it.Shape.Value, it.Shape.Value, bad.suggest(it.Shape.Value, names))
}

// field adds a column, or replaces the one of that name of a parent. Columns
// that are passed over may be any number.
func (fm *form) field(f *Field, said map[string]lexer.Position, bad *faults) {
	name := f.Name.String()
	if name == hiddenName {
		fm.fields = append(fm.fields, f)
		return
	}
	if at, twice := said[name]; twice {
		bad.addf(f.Pos, "column %q is there twice; the first is at line %d", name, at.Line)
		return
	}
	said[name] = f.Pos
	if i, ok := fm.index[name]; ok {
		fm.fields[i] = f
		return
	}
	fm.index[name] = len(fm.fields)
	fm.fields = append(fm.fields, f)
}

func (fm *form) split(s *Split) {
	for i, old := range fm.splits {
		if old.Column.String() == s.Column.String() {
			fm.splits[i] = s
			return
		}
	}
	fm.splits = append(fm.splits, s)
}

// keyedItem is what is said of the keys of a map, the parents' first.
type keyedItem struct {
	*Keyed
	fields []*Field
}

// layKeyed adds columns of keys, or replaces those of the same names of a parent.
func (fm *form) layKeyed(it *Keyed, bad *faults) {
	k := &keyedItem{Keyed: it}
	i := slices.IndexFunc(fm.keyed, func(old *keyedItem) bool { return old.Column.String() == it.Column.String() })
	if i < 0 {
		fm.keyed = append(fm.keyed, k)
	} else {
		k.fields = slices.Clone(fm.keyed[i].fields)
		if it.As == nil {
			more := *it
			more.As, more.Path, k.Keyed = fm.keyed[i].As, fm.keyed[i].Path, &more
		}
		fm.keyed[i] = k
	}
	said := map[string]lexer.Position{}
	index := map[string]int{}
	for i, f := range k.fields {
		index[f.Name.String()] = i
	}
	for _, f := range it.List {
		name := f.Name.String()
		if at, twice := said[name]; twice {
			bad.addf(f.Pos, "key %q is there twice; the first is at line %d", name, at.Line)
			continue
		}
		said[name] = f.Pos
		if i, ok := index[name]; ok {
			k.fields[i] = f
			continue
		}
		index[name] = len(k.fields)
		k.fields = append(k.fields, f)
	}
}

func lexingWord(it Item) string {
	switch it.(type) {
	case *Delimited:
		return "delimited"
	case *Record:
		return "record"
	case *Fixed:
		return "fixed"
	case *Binary:
		return "binary"
	}
	return "dfa"
}

func positionOf(it Item) lexer.Position {
	switch it := it.(type) {
	case *Delimited:
		return it.Pos
	case *Record:
		return it.Pos
	case *Fixed:
		return it.Pos
	case *Binary:
		return it.Pos
	case *TableUse:
		return it.Pos
	}
	return lexer.Position{}
}
