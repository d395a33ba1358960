package runtime

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/near"
)

// newPlan resolves the columns that the file or the spec names, and the
// projection.
func newPlan(p *dfa.Program, columns []dfa.Column, o *options) (*Plan, error) {
	plan := &Plan{Program: p, Columns: columns, MaxRecord: o.maxRecord, UTF8: o.utf8, BaseTime: o.base, Look: o.look}
	for i := range columns {
		s := columns[i].Split
		if !columns[i].Hidden && (s == nil || !s.Keyed) {
			plan.Outputs = append(plan.Outputs, Output{i, -1})
		}
		if s == nil {
			continue
		}
		for j := range s.Columns {
			if !s.Columns[j].Hidden {
				plan.Outputs = append(plan.Outputs, Output{i, j})
			}
		}
		if !columns[i].Hidden && s.Keyed { // the keys that have no column come after those that do
			plan.Outputs = append(plan.Outputs, Output{i, -1})
		}
	}
	if o.columns == nil {
		return plan, nil
	}
	byName := map[string]Output{}
	var names []string
	for _, out := range plan.Outputs {
		name := plan.Def(out).Name
		names = append(names, name)
		if _, ok := byName[name]; !ok {
			byName[name] = out
		}
	}
	plan.Outputs = nil
	for _, name := range o.columns {
		out, ok := byName[name]
		if !ok {
			return nil, &NoColumnError{name, names}
		}
		plan.Outputs = append(plan.Outputs, out)
	}
	return plan, nil
}

// NoColumnError is a column that WithColumns names and that is not there. It is an
// *OptionError too.
type NoColumnError struct {
	Name    string
	Columns []string // that there are
}

// Error names the column that was probably meant, or else all of them.
func (e *NoColumnError) Error() string {
	if meant := near.Word(e.Name, e.Columns); meant != "" {
		return fmt.Sprintf("no column %q, did you mean %q?", e.Name, meant)
	}
	return fmt.Sprintf("no column %q; the columns are %s", e.Name, strings.Join(e.Columns, ", "))
}

// Unwrap is the *OptionError.
func (e *NoColumnError) Unwrap() error { return &OptionError{"WithColumns", e.Error()} }

// positional is the binding of a Program whose columns go by position.
func positional(p *dfa.Program, columns []dfa.Column) *Binding {
	b := &Binding{MaxFields: len(columns), Rest: -1, Truncate: p.Ragged&dfa.Truncate != 0}
	if !namesColumns(p.Automaton) && len(p.Widths) == 0 && p.Ragged&dfa.Pad == 0 { // a line of fixed width may be cut short
		b.MinFields = len(columns)
		for b.MinFields > 0 && columns[b.MinFields-1].Optional {
			b.MinFields--
		}
	}
	for i := range columns {
		if columns[i].Shape {
			b.Source = append(b.Source, -1) // no field has it
			continue
		}
		b.Source = append(b.Source, i)
	}
	if p.HasRest {
		b.Rest = len(columns) - 1
		b.MinFields = min(b.MinFields, b.Rest)
	}
	return b
}

// namesColumns reports whether the automaton says which column a field is.
func namesColumns(a *dfa.Automaton) bool {
	for i := range a.Emissions {
		if e := &a.Emissions[i]; e.Boundary() && e.Column != dfa.NextColumn && e.Record == dfa.DataRecord {
			return true
		}
	}
	return false
}

// schema collects the columns that headers and directives name, across the
// segments of an input.
type schema struct {
	program  *dfa.Program
	declared declarations // of the program
	utf8     dfa.UTF8Policy
	columns  []dfa.Column
	index    map[string]int // name -> columns
	sealed   bool           // no column can be added any more

	typed   map[int]string    // columns of which a line says the type -> that
	written map[string]bool   // names that headers and directives have
	madeUp  map[string]string // names that they do not have -> what is called so

	steady bool // the input has been looked through, and all its directives say the same

	said *segment            // that of the last line that names columns
	told int                 // bytes of the lines that were bound
	laid int                 // entries of their bindings
	kept map[string]*segment // of directives that were read: those of one file are few, and come often
}

// segment is what a directive that names columns says.
type segment struct {
	columns []int // in its order
	binding *Binding
	types   said // the last directive behind it that gave them types
}

// said is a directive that was read.
type said struct {
	kind dfa.RecordKind // a data record if there is none
	raw  []byte
}

func (s *said) is(kind dfa.RecordKind, raw []byte) bool {
	return s.kind == kind && bytes.Equal(s.raw, raw)
}

func (s *said) set(kind dfa.RecordKind, raw []byte) {
	s.kind, s.raw = kind, append(s.raw[:0], raw...)
}

// The directives that are remembered are at most so many, and none is longer.
const (
	mostKept    = 256
	longestKept = 1 << 14
)

// A binding has an entry for every column that any line names. So many lines, of which each names few of very
// many, take time that grows by its square: there are at most so many entries, and more of them for each byte
// of such lines.
const (
	mostLaid    = 1 << 26
	laidForByte = 64
)

// again is the binding of a directive that was read before, nil if that is not known.
func (s *schema) again(kind dfa.RecordKind, raw []byte) *Binding {
	g := s.kept[string(append([]byte{byte(kind)}, raw...))]
	if g == nil || len(g.binding.Source) != len(s.columns) {
		return nil
	}
	s.said = g
	return g.binding
}

// keeps reports whether data begins with a line that is a directive of a kind that was read.
func (s *schema) keeps(kind dfa.RecordKind, data []byte) bool {
	data = data[:min(len(data), longestKept)]
	end := bytes.IndexByte(data, '\n')
	return end >= 0 && s.kept[string(append([]byte{byte(kind)}, bytes.TrimRight(data[:end], "\r\n")...))] != nil
}

// inForce gives a Partition's Again, if b is in force. A survey notes which line gives types to
// which columns, so that it has to see them all. steady is Partition.Steady.
func (s *schema) inForce(b *Binding, surveyed bool) (again func(kind dfa.RecordKind, raw []byte) bool, steady bool) {
	known := map[string]bool{}
	if !surveyed || !s.program.Typed() {
		for text, g := range s.kept {
			if g.binding == b && len(b.Source) == len(s.columns) {
				known[text] = true
			}
		}
		if t := &s.said.types; s.said.binding == b && t.kind >= dfa.FirstDirective {
			known[string(append([]byte{byte(t.kind)}, t.raw...))] = true
		}
	}
	again = func(kind dfa.RecordKind, raw []byte) bool { return known[string(append([]byte{byte(kind)}, raw...))] }
	return again, s.steady && len(known) > 0
}

func (s *schema) keep(kind dfa.RecordKind, raw []byte, b *Binding) {
	s.said.binding = b
	if len(raw) > longestKept {
		return
	}
	if len(s.kept) == mostKept {
		clear(s.kept)
	}
	s.kept[string(append([]byte{byte(kind)}, raw...))] = s.said
}

func newSchema(p *dfa.Program, policy dfa.UTF8Policy) *schema {
	return &schema{program: p, declared: declare(p.Columns), utf8: policy, index: map[string]int{},
		typed: map[int]string{}, written: map[string]bool{}, madeUp: map[string]string{}, said: &segment{}, kept: map[string]*segment{}}
}

var errNewColumn = errors.New("names a column that was not there when the reading began")

// bind is the binding of a segment whose records have the fields named.
func (s *schema) bind(names []string) (*Binding, error) {
	s.said = &segment{}
	p := s.program
	b := &Binding{MaxFields: len(names), MinFields: len(names), Rest: -1, Truncate: p.Ragged&dfa.Truncate != 0}
	if p.Ragged&dfa.Pad != 0 {
		b.MinFields = 0
	}
	names, err := s.unique(names)
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	for _, name := range names {
		seen[name] = true
		c, ok := s.index[name]
		if !ok {
			if s.sealed {
				return nil, fmt.Errorf("%w: %q", errNewColumn, name)
			}
			if c = len(s.columns); c == dfa.MaxColumns {
				return nil, fmt.Errorf("names column %q, and the lines before name %d, as many as there can be", name, c)
			}
			s.index[name] = c
			s.columns = append(s.columns, s.define(name))
		}
		s.said.columns = append(s.said.columns, c)
	}
	for i := range p.Columns {
		c := &p.Columns[i]
		if c.Optional || strings.Contains(c.Name, "*") {
			continue
		}
		if !seen[c.Name] {
			return nil, fmt.Errorf("column %q is missing; there are %s", c.Name, quoteAll(names))
		}
	}
	if s.laid += len(s.columns); s.laid > mostLaid+laidForByte*s.told {
		return nil, fmt.Errorf("names %d columns; the lines before name %d, and change too often for so many", len(names), len(s.columns))
	}
	s.widen(b)
	for i, c := range s.said.columns {
		b.Source[c] = i
	}
	return b, nil
}

// types gives the columns of the segment their types, by the names that a line has for them.
func (s *schema) types(d *dfa.Directive, types []string) error {
	if len(types) != len(s.said.columns) {
		return fmt.Errorf("%q names %d types, and there are %d columns", d.Prefix, len(types), len(s.said.columns))
	}
	known := declare(d.Columns)
	for i, c := range s.said.columns {
		name := s.columns[c].Name
		if s.declared.of(name) != nil {
			continue
		}
		column := undeclared(s.program, name)
		if of := known.of(types[i]); of != nil {
			column = *of
			column.Name = name
		}
		had, typed := s.typed[c]
		switch same := column.Type.String() == s.columns[c].Type.String(); {
		case !same && (typed || s.sealed):
			if had == "" {
				had = "none"
			}
			return fmt.Errorf("%q says that column %q is %q; before it was %q, and a column has one type", d.Prefix, name, types[i], had)
		case !s.sealed:
			s.columns[c], s.typed[c] = column, types[i]
		}
	}
	return nil
}

// unique gives every field a name that no other has: a field without a name is
// called after its number, the second of a name gets _2, the third _3. A name
// that is made up like this is never one that the file has, in this segment or
// one before.
func (s *schema) unique(names []string) ([]string, error) {
	if len(names) > dfa.MaxColumns {
		return nil, fmt.Errorf("names %d columns, at most %d", len(names), dfa.MaxColumns)
	}
	out := make([]string, len(names))
	for i, name := range names {
		switch {
		case utf8.ValidString(name) || s.utf8 == dfa.KeepUTF8:
		case s.utf8 == dfa.ReplaceUTF8:
			name = string([]rune(name)) // U+FFFD for each invalid byte
		default:
			return nil, fmt.Errorf("the name of column %d is not UTF-8: %q", i+1, name)
		}
		if by, ok := s.madeUp[name]; ok {
			return nil, fmt.Errorf("names a column %q, which %s of an earlier line is called", name, by)
		}
		if out[i] = name; name != "" {
			s.written[name] = true
		}
	}
	taken := map[string]bool{}
	last := map[string]int{} // of a name that is there several times
	for i, name := range out {
		free, of := name, fmt.Sprintf("another %q", name)
		if name == "" {
			name, of = fmt.Sprintf("column_%d", i+1), fmt.Sprintf("column %d without a name", i+1)
			free = name
		}
		made := out[i] == ""
		for n := max(2, last[name]); taken[free] || made && s.written[free]; n++ {
			made = true
			free, last[name] = fmt.Sprintf("%s_%d", name, n), n+1
		}
		if made {
			s.madeUp[free] = of
		}
		taken[free] = true
		out[i] = free
	}
	return out, nil
}

// widen completes bindings made before the last columns were known.
func (s *schema) widen(b *Binding) *Binding {
	b.Source = append(b.Source, slices.Repeat([]int{-1}, len(s.columns)-len(b.Source))...)
	return b
}

// define gives the column of a name: the spec's column of that name, the first
// whose wildcards match, or a string that may be null.
func (s *schema) define(name string) dfa.Column {
	if c := s.declared.of(name); c != nil {
		column := *c
		column.Name = name
		return column
	}
	return undeclared(s.program, name)
}

// declarations are columns of a spec, by what they are called.
type declarations struct {
	named    map[string]*dfa.Column
	patterns []*dfa.Column // whose names have wildcards
}

func declare(columns []dfa.Column) declarations {
	d := declarations{named: make(map[string]*dfa.Column, len(columns))}
	for i := len(columns) - 1; i >= 0; i-- { // the first of a name stays
		d.named[columns[i].Name] = &columns[i]
	}
	for i := range columns {
		if strings.Contains(columns[i].Name, "*") {
			d.patterns = append(d.patterns, &columns[i])
		}
	}
	return d
}

// of is the column of a name, or the first whose wildcards match it; nil if there is none.
func (d *declarations) of(name string) *dfa.Column {
	if c := d.named[name]; c != nil {
		return c
	}
	for _, c := range d.patterns {
		if wildcard(c.Name, name) {
			return c
		}
	}
	return nil
}

// undeclared is a column that only the file names.
func undeclared(p *dfa.Program, name string) dfa.Column {
	return dfa.Column{Name: name, Nulls: p.DefaultNulls, DecodedNulls: p.DefaultDecodedNulls, Empties: p.DefaultEmpties, Keep: p.DefaultKeep}
}

// wildcard reports whether name matches pattern, in which * is any text.
func wildcard(pattern, name string) bool {
	parts := strings.Split(pattern, "*")
	if !strings.HasPrefix(name, parts[0]) {
		return false
	}
	name = name[len(parts[0]):]
	for _, part := range parts[1 : len(parts)-1] {
		i := strings.Index(name, part)
		if i < 0 {
			return false
		}
		name = name[i+len(part):]
	}
	return strings.HasSuffix(name, parts[len(parts)-1])
}

func quoteAll(names []string) string {
	var b strings.Builder
	for i, n := range names {
		if i == 20 {
			fmt.Fprintf(&b, " and %d more", len(names)-i)
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%q", n)
	}
	return b.String()
}
