package dfa

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// MaxColumns bounds the columns of a Program and of a record.
const MaxColumns = 1 << 14

// Column is one column of a Program.
type Column struct {
	// Name, where a header or directive names columns, may hold * wildcards:
	// such a Column gives the type of every column that matches and that no
	// Column before it matched.
	Name string
	Type Type
	// Required: the column is never null; an empty or absent field is an error.
	Required bool
	// Optional: the file need not have the column (header or directive formats).
	Optional bool
	// Nulls are the tokens read as null where they were written so, DecodedNulls
	// where the field decodes to them; see Written. An empty field of a type other
	// than String, Dictionary and Binary is null without being named here.
	Nulls, DecodedNulls []string
	// Empties are the tokens, as they were written, that are an empty value: of a String,
	// Dictionary or Binary the empty one, a List or Map without elements.
	Empties []string
	// Default, if HasDefault, is the text converted in place of null.
	Default    string
	HasDefault bool
	Keep       *Kept // leads of escapes that are data of the field, nil: none
	Trim       bool  // spaces and tabs around the field are not part of it
	Hidden     bool  // matched and passed over: {_} in a template; never delivered, but for the columns of its Split
	// Class, if not 0, is the lexeme class that the field must have: one
	// lexical machine then serves every column of a log line, and this is what
	// remains of the shape. Classes gives the words.
	Class uint8
	// Shape: the column has no field of the record. It is the name of the record's
	// shape, see Definition.Shapes; its Type is an Enum of these.
	Shape bool
	// Split takes the field apart into further columns, placed after this one.
	Split *Split
}

// Apart is the automaton that takes values of the column apart for its Split, nil if it has none.
func (c *Column) Apart() *Automaton {
	switch {
	case c.Split == nil:
		return nil
	case c.Split.Keyed:
		return c.Type.Lex
	}
	return c.Split.Automaton
}

// Shape is one of several kinds of data records.
type Shape struct {
	Name    string
	Columns []int // of the Definition, that its records may have
}

// NullTokens are all null tokens of the column: those of a field in which nothing
// was escaped.
func (c *Column) NullTokens() []string {
	if len(c.DecodedNulls) == 0 {
		return c.Nulls
	}
	return append(slices.Clone(c.Nulls), c.DecodedNulls...)
}

// Split is the automaton that takes one field's value apart. Its columns are
// explicit in its emissions. A value that it does not accept leaves them null,
// and a part that cannot be converted is null: these are counted, as Null does
// with any field; if Strict they are errors of the field. What was escaped in the
// field is to the automaton no more than data, as to Type.Lex, unless Decoded.
type Split struct {
	Automaton *Automaton
	Columns   []Column
	Strict    bool
	Decoded   bool
	// FromEnd, if there are any, are the texts before, between and after the Columns, which are
	// looked for from the end of the field: each in the last place that leaves room for those
	// before it. What else looks like them is data.
	FromEnd []string
	// Keyed: the Column is a Map, whose Lex takes the field apart, and Automaton is nil. Each
	// of Columns has the value of the key that is its name, and the map does not. Of
	// a Bool, a key without a value is true, of others null. What is no map leaves all
	// columns null, and so does one of these keys that is there twice, where the map's
	// Duplicates are an error.
	Keyed bool
	// JSON: values are texts of JSON. Strings are what is between their quotes, decoded, and
	// null is no value.
	JSON bool
	// Path, if it is not "", stands between the keys of a path: of a/b the column has the value of
	// the key b in the object that is the value of a, which the map keeps.
	Path string
}

// SkippedLines are lines at the head of an input that are passed over, whatever they
// hold: nothing of them is read as records. A line is what positions count: it
// ends with \n, and where CR ends records with \r or \r\n too. One of the three
// is set.
type SkippedLines struct {
	Lines    int      // so many
	Prefixes []string // all that begin with one of them
	Until    []string // all before the first that begins with one of them; it has to be there
}

// MaxSkips bounds the SkippedLines of a Program.
const MaxSkips = 64

func (s *SkippedLines) validate() error {
	kinds := 0
	for _, is := range []bool{s.Lines != 0, len(s.Prefixes) > 0, len(s.Until) > 0} {
		if is {
			kinds++
		}
	}
	if kinds != 1 || s.Lines < 0 {
		return fmt.Errorf("lines to skip: %d of them, with %q, until %q; want one of these", s.Lines, s.Prefixes, s.Until)
	}
	for _, p := range slices.Concat(s.Prefixes, s.Until) {
		if p == "" || len(p) > MaxSkipPrefix || strings.ContainsAny(p, "\r\n") {
			return fmt.Errorf("lines to skip: the prefix %q is not 1 to %d bytes of a line", p, MaxSkipPrefix)
		}
	}
	return nil
}

// MaxSkipPrefix bounds a prefix of SkippedLines, in bytes.
const MaxSkipPrefix = 1 << 10

// LinesEndAtCR reports whether a \r alone ends a line, as it ends a record.
func (p *Program) LinesEndAtCR() bool {
	_, e := p.Automaton.Step(p.Automaton.Start, '\r')
	return e.Kind == Record && len(p.Cells) == 0
}

// HeaderMode says what the first lines of a file are, after those of Definition.Skip.
type HeaderMode uint8

const (
	NoHeader    HeaderMode = iota
	SkipHeader             // Rows lines are passed over; columns go by position
	NamesHeader            // Rows-1 lines are passed over, the first record after them names the columns; or all Rows do
)

// Header of a file.
type Header struct {
	Mode HeaderMode
	Rows int
	// Joined: all Rows are records that name the columns. What they have of a column that is
	// not empty is its name, with Between between the parts.
	Joined  bool
	Between string
}

// MaxJoined bounds the records of a header that are joined.
const MaxJoined = 16

// Lines is how many lines are passed over before a record names the columns, or the data.
func (h *Header) Lines() int {
	switch {
	case h.Mode == SkipHeader:
		return h.Rows
	case h.Mode == NamesHeader && !h.Joined:
		return h.Rows - 1
	}
	return 0
}

// Records is how many records name the columns.
func (h *Header) Records() int {
	switch {
	case h.Mode != NamesHeader:
		return 0
	case h.Joined:
		return h.Rows
	}
	return 1
}

// name is what a field of a header says.
func (p *Program) name(f *RawField) string {
	value, _ := p.DefaultKeep.Restore(f.Value, &f.Written)
	return string(value)
}

// Join adds what one more record of the header has to the names of the columns.
func (p *Program) Join(names []string, fields []RawField) []string {
	for i := range fields {
		switch name := p.name(&fields[i]); {
		case i == len(names):
			names = append(names, name)
		case names[i] == "":
			names[i] = name
		case name != "":
			names[i] += p.Header.Between + name
		}
	}
	return names
}

// DirectiveAction says what a directive record does.
type DirectiveAction uint8

const (
	IgnoreDirective    DirectiveAction = iota
	SchemaDirective                    // its fields name the columns from here on
	TypesDirective                     // its fields name their types
	SeparatorDirective                 // it says what separates fields, of the whole input
	ValueDirective                     // it has to say Text
	MetadataDirective                  // before the first data record, it is metadata of the columns
)

// Directive is a kind of record that is not data.
type Directive struct {
	// Prefix is "#Fields:", for people and for explain; the automaton matches it. "" is that of the
	// SchemaDirective that the first line is, and each line after an empty one.
	Prefix string
	Action DirectiveAction
	// Text of a ValueDirective; of a SeparatorDirective the symbol that separates fields.
	Text string
	// Columns of a TypesDirective: a column that Definition.Columns does not name is as the first
	// of these whose Name, with wildcards, is that of the type.
	Columns []Column
}

// Matters reports whether what the directive says changes how data is read, or has to be
// looked at.
func (d *Directive) Matters() bool {
	return d.Action != IgnoreDirective && d.Action != MetadataDirective
}

// Ragged says what becomes of a record with too few or too many fields.
type Ragged uint8

const (
	Pad      Ragged = 1 << iota // missing fields are null
	Truncate                    // surplus fields are dropped
)

// ErrorMode says what becomes of a record that cannot be read.
type ErrorMode uint8

const (
	Fail   ErrorMode = iota // stop, with an error
	Null                    // a field that cannot be converted is null; a record that cannot be read is rejected
	Reject                  // the record is left out and handed to the rejects
)

// errorModeNames are what specs, flags and messages call them.
var errorModeNames = [...]string{Fail: "fail", Null: "null", Reject: "reject"}

// ErrorModes are all of them; String has their names.
func ErrorModes() []ErrorMode { return allOf[ErrorMode](len(errorModeNames)) }

// UTF8Policy says what becomes of invalid UTF-8 in strings.
type UTF8Policy uint8

const (
	RejectUTF8  UTF8Policy = iota // a conversion error, as the ErrorMode says
	ReplaceUTF8                   // U+FFFD for each invalid byte; counted
	KeepUTF8                      // the bytes as they are
)

// utf8PolicyNames are what specs, flags and messages call them.
var utf8PolicyNames = [...]string{RejectUTF8: "reject", ReplaceUTF8: "replace", KeepUTF8: "keep"}

// UTF8Policies are all of them; String has their names.
func UTF8Policies() []UTF8Policy { return allOf[UTF8Policy](len(utf8PolicyNames)) }

func allOf[T ~uint8](n int) []T {
	all := make([]T, n)
	for i := range all {
		all[i] = T(i)
	}
	return all
}

// Program is a compiled spec: an automaton, the shape of its records and the
// types of their columns. It is immutable and safe for concurrent use.
type Program struct {
	Definition
	analysis func() *Analysis // nil of one that NewProgram has not made
}

// Definition is what a Program is made from. Inside a Program it is read-only.
type Definition struct {
	Name string // of the format
	Doc  string // one line
	// Encoding is that of inputs, by the name that IANA has for it; "" for UTF-8. The automaton, and
	// all else here, is of the text as UTF-8: see Program.OfText.
	Encoding string

	Automaton *Automaton
	// Shapes are the kinds of data records, if there are several: the field that ends a
	// good one has class 1 + the index of its shape, and no Column has a Class.
	Shapes  []Shape
	Classes []string // Classes[c] is lexeme class c in words; Classes[0] is "any"
	Columns []Column
	// DefaultNulls and DefaultDecodedNulls are the null tokens of columns that only
	// the file names.
	DefaultNulls, DefaultDecodedNulls []string
	DefaultEmpties                    []string // and the tokens that are empty in these
	DefaultKeep                       *Kept    // and their Keep
	// Openers are the symbols with which enclosed fields begin, if Nulls and Empties are no
	// tokens in those. The automaton says of an opener that it is of an escape, so that how
	// such a field was written is known.
	Openers string
	// Widths, if not empty, cuts each record into columns of so many bytes; the
	// automaton then has no Field emissions (fixed-width text).
	Widths []int
	// Cells, if not empty, are one for each of Widths: records are binary, all of the same length,
	// and follow each other with nothing between them. The automaton counts their symbols, and the
	// boundary, which is the last of them, is data of the last column.
	Cells []Cell
	// Preface is how many symbols come before the first record, and Magic what they begin with.
	Preface int
	Magic   string
	// HasRest: the last column takes, as written, all that follows the
	// delimiter of the column before it, up to the end of the record.
	HasRest bool

	Skip       []SkippedLines // one after the other, before the header
	Header     Header
	Directives []Directive

	Ragged  Ragged
	OnError ErrorMode
	UTF8    UTF8Policy
	// MaxRecord bounds the bytes of one record; 0 is DefaultMaxRecord.
	MaxRecord int
}

// DefaultMaxRecord bounds a record where neither spec nor options do.
const DefaultMaxRecord = 256 << 20

// LimitMaxRecord is the largest record that can be asked for.
const LimitMaxRecord = 1 << 30

// NewProgram validates d and makes it immutable.
func NewProgram(d Definition) (*Program, error) {
	if d.MaxRecord == 0 {
		d.MaxRecord = DefaultMaxRecord
	}
	if err := d.validate(); err != nil {
		return nil, fmt.Errorf("program %q: %w", d.Name, err)
	}
	return &Program{Definition: d, analysis: sync.OnceValue(func() *Analysis { return Analyse(d.Automaton) })}, nil
}

// OfText is p for inputs that have been decoded, and are UTF-8.
func (p *Program) OfText() *Program {
	if p.Encoding == "" {
		return p
	}
	of := *p
	of.Encoding = ""
	return &of
}

// CountsBytes reports whether the columns are told by how many bytes they have, so that text in
// another encoding, which has more of them or fewer as UTF-8, would be cut elsewhere.
func (p *Program) CountsBytes() bool { return len(p.Widths) > 0 }

// MaxEncoding bounds the name of an encoding.
const MaxEncoding = 64

// Analysis is what there is to find out about the Program's automaton. It is made when it is
// first asked for.
func (p *Program) Analysis() *Analysis {
	if p.analysis == nil {
		return nil
	}
	return p.analysis()
}

// Dynamic reports whether the columns of a file come from the file itself.
func (p *Program) Dynamic() bool {
	if p.Header.Mode == NamesHeader {
		return true
	}
	for _, d := range p.Directives {
		if d.Action == SchemaDirective {
			return true
		}
	}
	return false
}

func (d *Definition) validate() error {
	if d.Automaton == nil {
		return errors.New("no automaton")
	}
	if err := d.Automaton.Validate(); err != nil {
		return err
	}
	if err := d.Automaton.ValidateRecords(); err != nil {
		return err
	}
	for i := range d.Automaton.Emissions {
		e := &d.Automaton.Emissions[i]
		if k := int(e.Record) - int(FirstDirective); k >= len(d.Directives) {
			return fmt.Errorf("record kind %d, but %d directives", e.Record, len(d.Directives))
		}
		if int(e.Class) >= max(len(d.Classes), 1) {
			return fmt.Errorf("lexeme class %d of %d", e.Class, len(d.Classes))
		}
	}
	switch {
	case len(d.Columns) > MaxColumns:
		return fmt.Errorf("%d columns, at most %d", len(d.Columns), MaxColumns)
	case len(d.Skip) > MaxSkips:
		return fmt.Errorf("%d kinds of lines to skip, at most %d", len(d.Skip), MaxSkips)
	case d.Header.Mode > NamesHeader || d.Header.Rows < 0 || d.Header.Rows > 1<<16:
		return fmt.Errorf("header mode %d of %d rows", d.Header.Mode, d.Header.Rows)
	case d.Header.Joined && (d.Header.Mode != NamesHeader || d.Header.Rows > MaxJoined):
		return fmt.Errorf("%d rows of a header are joined into names, at most %d", d.Header.Rows, MaxJoined)
	case d.Header.Mode == NamesHeader && d.Header.Rows == 0:
		return errors.New("a header of 0 rows cannot name columns")
	case d.Ragged > Pad|Truncate || int(d.OnError) >= len(errorModeNames) || int(d.UTF8) >= len(utf8PolicyNames):
		return fmt.Errorf("unknown policy: ragged %d, on_error %d, utf8 %d", d.Ragged, d.OnError, d.UTF8)
	case len(d.Encoding) > MaxEncoding || strings.ContainsFunc(d.Encoding, func(r rune) bool { return r <= ' ' || r > '~' }):
		return fmt.Errorf("the encoding %q is no name", d.Encoding)
	case d.Encoding != "" && len(d.Cells) > 0:
		return fmt.Errorf("records are binary, and no text in %s", d.Encoding)
	case d.MaxRecord < 1 || d.MaxRecord > LimitMaxRecord:
		return fmt.Errorf("records of at most %d bytes, want 1 to %d", d.MaxRecord, LimitMaxRecord)
	case len(d.Widths) > 0 && len(d.Widths) != len(d.Columns):
		return fmt.Errorf("%d widths for %d columns", len(d.Widths), len(d.Columns))
	case d.HasRest && len(d.Columns) == 0:
		return errors.New("a rest without a column")
	}
	if err := d.validateShapes(); err != nil {
		return err
	}
	for _, w := range d.Widths {
		if w < 1 || w > LimitMaxRecord {
			return fmt.Errorf("a column %d bytes wide", w)
		}
	}
	if len(d.Widths) > 0 && slices.ContainsFunc(d.Automaton.Emissions, func(e Emission) bool { return e.Kind == Field }) {
		return errors.New("the automaton ends fields, and records are cut by widths")
	}
	if err := d.validateCells(); err != nil {
		return err
	}
	for i := range d.Skip {
		if err := d.Skip[i].validate(); err != nil {
			return err
		}
	}
	for _, dir := range d.Directives {
		switch {
		case dir.Prefix == "" && dir.Action != SchemaDirective:
			return fmt.Errorf("a directive of kind %d without a prefix", dir.Action)
		case dir.Action > MetadataDirective:
			return fmt.Errorf("directive %q: unknown action %d", dir.Prefix, dir.Action)
		case dir.Action == SeparatorDirective && len(dir.Text) != 1:
			return fmt.Errorf("directive %q: the separator %q is not one symbol", dir.Prefix, dir.Text)
		}
		if err := validateColumns(dir.Columns, 0, false); err != nil {
			return fmt.Errorf("directive %q: %w", dir.Prefix, err)
		}
	}
	return validateColumns(d.Columns, len(d.Classes), true)
}

func (d *Definition) validateShapes() error {
	if n := len(d.Shapes); n > 0 && n+1 != len(d.Classes) {
		return fmt.Errorf("%d shapes, but %d lexeme classes", n, len(d.Classes))
	}
	for _, s := range d.Shapes {
		for _, c := range s.Columns {
			if c < 0 || c >= len(d.Columns) {
				return fmt.Errorf("shape %q has column %d of %d", s.Name, c, len(d.Columns))
			}
		}
	}
	for i := range d.Columns {
		if c := &d.Columns[i]; len(d.Shapes) > 0 && c.Class != 0 || c.Shape && len(d.Shapes) == 0 {
			return fmt.Errorf("column %q: classes and shapes do not go together", c.Name)
		}
	}
	return nil
}

// ShapeNames are the names of the Shapes, in order.
func (d *Definition) ShapeNames() (names []string) {
	for _, s := range d.Shapes {
		names = append(names, s.Name)
	}
	return names
}

// OnlyShape is p for the records of one shape: those of others are dropped, as comments
// are, and their columns are hidden.
func (p *Program) OnlyShape(name string) (*Program, error) {
	i := slices.IndexFunc(p.Shapes, func(s Shape) bool { return s.Name == name })
	if i < 0 {
		if len(p.Shapes) == 0 {
			return nil, fmt.Errorf("the records of format %s have no shapes", p.Name)
		}
		return nil, fmt.Errorf("format %s has no shape %q; it has %s", p.Name, name, strings.Join(p.ShapeNames(), ", "))
	}
	d, a := p.Definition, *p.Automaton
	a.Emissions = slices.Clone(a.Emissions)
	for k := range a.Emissions {
		if e := &a.Emissions[k]; e.Kind == Record && e.Record == DataRecord && e.Class != 0 && int(e.Class) != i+1 {
			e.Record = DroppedRecord
		}
	}
	d.Automaton, d.Columns = &a, slices.Clone(d.Columns)
	for k := range d.Columns {
		c := &d.Columns[k]
		if !c.Shape && !slices.Contains(p.Shapes[i].Columns, k) {
			c.Hidden, c.Split = true, nil
		}
	}
	return NewProgram(d)
}

func validateColumns(cols []Column, nclasses int, splits bool) error {
	for i := range cols {
		c := &cols[i]
		if err := c.Type.Validate(); err != nil {
			return fmt.Errorf("column %q: %w", c.Name, err)
		}
		if len(c.Empties) > 0 && !c.Type.Kind.HasEmpty() {
			return fmt.Errorf("column %q: a token for empty, and no %s is", c.Name, c.Type.Kind)
		}
		if int(c.Class) >= max(nclasses, 1) {
			return fmt.Errorf("column %q: lexeme class %d of %d", c.Name, c.Class, nclasses)
		}
		if c.Split == nil {
			continue
		}
		if !splits {
			return fmt.Errorf("column %q: a split inside a split", c.Name)
		}
		if c.Split.Keyed {
			if err := c.validateKeyed(); err != nil {
				return fmt.Errorf("column %q: %w", c.Name, err)
			}
			continue
		}
		if c.Split.JSON {
			return fmt.Errorf("column %q: a split of texts of JSON that is not by key", c.Name)
		}
		if c.Split.Automaton == nil {
			return fmt.Errorf("column %q: a split without an automaton", c.Name)
		}
		if n := len(c.Split.FromEnd); n > 0 && (n != len(c.Split.Columns)+1 || slices.Contains(c.Split.FromEnd[1:n-1], "")) {
			return fmt.Errorf("column %q: a split of %d columns from the end by the texts %q", c.Name, len(c.Split.Columns), c.Split.FromEnd)
		}
		if err := c.Split.Automaton.Validate(); err != nil {
			return fmt.Errorf("column %q: split: %w", c.Name, err)
		}
		if err := c.Split.Automaton.ValidateSplit(); err != nil {
			return fmt.Errorf("column %q: split: %w", c.Name, err)
		}
		if err := validateColumns(c.Split.Columns, 0, false); err != nil {
			return fmt.Errorf("column %q: split: %w", c.Name, err)
		}
	}
	return nil
}

func (c *Column) validateKeyed() error {
	s := c.Split
	switch {
	case c.Type.Kind != Map || c.Type.Elem.Kind == Map:
		return fmt.Errorf("keys of a %s", &c.Type)
	case c.Type.Duplicates == ListDuplicates:
		return errors.New("a column for each key, of which a map lists all values")
	case len(s.FromEnd) > 0:
		return errors.New("columns by key, and from the end")
	case s.Path != "" && !s.JSON:
		return errors.New("paths into values that are no texts of JSON")
	case s.Automaton != nil || !s.Strict || s.Decoded != c.Type.Decoded:
		return errors.New("columns by key: want no automaton but the map's, and strict")
	}
	names := map[string]bool{}
	for i := range s.Columns {
		if name := s.Columns[i].Name; name == "" || names[name] {
			return fmt.Errorf("two columns for the key %q, or one for none", name)
		} else {
			names[name] = true
		}
	}
	return validateColumns(s.Columns, 0, false)
}
