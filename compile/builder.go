package compile

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// FormatBuilder makes a format in a program instead of a text: the same tree,
// the same checks. Methods return the builder; what is wrong is said by File
// and Build, at positions in the text that Source gives.
type FormatBuilder struct {
	file   *File
	format *Format
	errs   []error
}

// New begins a format.
func New(name string) *FormatBuilder {
	format := &Format{Name: nameOf(name)}
	return &FormatBuilder{file: &File{Definitions: []Definition{format}}, format: format}
}

// Add adds items of the tree, for what has no method here.
func (b *FormatBuilder) Add(items ...Item) *FormatBuilder {
	b.format.Items = append(b.format.Items, items...)
	return b
}

// Define adds the definitions of a spec text, usually escapes and dfas, ahead
// of the format.
func (b *FormatBuilder) Define(text string) *FormatBuilder {
	f, err := Parse("define", []byte(text))
	if err != nil {
		b.errs = append(b.errs, err)
		return b
	}
	n := len(b.file.Definitions) - 1
	b.file.Definitions = append(append(b.file.Definitions[:n:n], f.Definitions...), b.format)
	return b
}

// Definitions adds escapes and dfas that a program has made, ahead of the format.
func (b *FormatBuilder) Definitions(definitions ...Definition) *FormatBuilder {
	n := len(b.file.Definitions) - 1
	b.file.Definitions = append(append(b.file.Definitions[:n:n], definitions...), b.format)
	return b
}

// Extends names the parent.
func (b *FormatBuilder) Extends(parent string) *FormatBuilder {
	b.format.Extends = nameOf(parent)
	return b
}

// Without names columns of the parent that are not delivered.
func (b *FormatBuilder) Without(columns ...string) *FormatBuilder {
	b.format.Without = append(b.format.Without, nameNodes(columns)...)
	return b
}

// Doc says in one line what the format is.
func (b *FormatBuilder) Doc(line string) *FormatBuilder { return b.Add(&Doc{Text: NewText(line)}) }

// Delimited makes the records fields with separators between them, for example
// Delimited(Separator(","), Quoted('"', true)).
func (b *FormatBuilder) Delimited(options ...DelimitedOption) *FormatBuilder {
	return b.Add(&Delimited{Options: options})
}

// Separator is the option of Delimited that names the separators.
func Separator(alternatives ...string) *Sep {
	s := &Sep{}
	for _, a := range alternatives {
		s.Alts = append(s.Alts, &SepAlt{Text: NewText(a)})
	}
	return s
}

// SeparatorRun is a separator that may be repeated.
func SeparatorRun(text string) *Sep {
	return &Sep{Alts: []*SepAlt{{Text: NewText(text), Run: true}}}
}

// Quoted is the option of Delimited that names the quote; doubled: two quotes
// in a quoted field are one.
func Quoted(quote byte, doubled bool) *Quote {
	return &Quote{Text: NewText(string([]byte{quote})), Doubled: doubled}
}

// OrQuote adds a quote of another kind.
func (q *Quote) OrQuote(other byte) *Quote {
	q.Or = append(q.Or, NewText(string([]byte{other})))
	return q
}

// EscapedEverywhere makes an escape hold outside of quotes too.
func (e *EscapeUse) EscapedEverywhere() *EscapeUse {
	e.Everywhere = true
	return e
}

// AtMostLines bounds the line ends in a field in quotes: one that holds more is an
// error, and reading goes on at the next line.
func (q *Quote) AtMostLines(n int) *Quote {
	q.MaxLines = strconv.Itoa(n)
	return q
}

// Escaped is the option of Delimited that after lead every symbol is itself.
func Escaped(lead byte) *EscapeUse { return &EscapeUse{Lead: NewText(string([]byte{lead}))} }

// EscapedAs is the option of Delimited that names an escape rule, see Define.
func EscapedAs(name string) *EscapeUse { return &EscapeUse{Name: nameOf(name)} }

// Bracketed is the option of Delimited that a field which begins with open goes on
// to close; it may be given again, with others.
func Bracketed(open, close byte) *Bracket {
	return &Bracket{Open: NewText(string([]byte{open})), Close: NewText(string([]byte{close}))}
}

// PassBlanks is the option of Delimited that spaces and tabs before a field, and
// after a closing quote, are no data.
func PassBlanks() *Blanks { return &Blanks{On: true} }

// CommentPrefix is the option that lines with a prefix are no records.
func CommentPrefix(prefixes ...string) *Comment { return &Comment{Prefixes: newTexts(prefixes)} }

// AfterBlanks makes lines comments where spaces and tabs stand before the prefix, too.
func (c *Comment) AfterBlanks() *Comment { return c.after("blanks") }

// AfterData makes the rest of a line a comment from where one of the texts stands outside
// of quotes. It goes with Delimited.
func (c *Comment) AfterData() *Comment { return c.after("data") }

func (c *Comment) after(what string) *Comment {
	c.After = &Word{Value: what}
	return c
}

// RecordEnd is the option of a text that ends records in place of the line end.
func RecordEnd(text string) *EOL { return &EOL{Text: NewText(text)} }

// LineEnds is the option of what ends a record: lf, crlf, cr or several of them, or any.
func LineEnds(kinds ...string) *EOL {
	e := &EOL{}
	for _, k := range kinds {
		e.Kinds = append(e.Kinds, &Word{Value: k})
	}
	return e
}

// Laxly is the option that what a strict reader refuses is accepted.
func Laxly() *Lax { return &Lax{On: true} }

// Lines says how lines end, and which are no records, where there is no Delimited:
// by CommentPrefix, LineEnds and Laxly.
func (b *FormatBuilder) Lines(options ...DelimitedOption) *FormatBuilder {
	return b.Add(&Lines{Options: options})
}

// Record makes every record match a template.
func (b *FormatBuilder) Record(template string) *FormatBuilder {
	return b.Add(&Record{Template: NewText(template)})
}

// RecordShape makes records of one shape match a template; several are alternatives.
func (b *FormatBuilder) RecordShape(shape, template string) *FormatBuilder {
	return b.Add(&Record{Shape: &Word{Value: shape}, Template: NewText(template)})
}

// FixedShape makes records of one shape, those that begin with a text, columns of so
// many bytes: FixedShape("header", "1", Bytes("type", 1), Bytes("date", 6)).
func (b *FormatBuilder) FixedShape(shape, begins string, columns ...*Width) *FormatBuilder {
	return b.Add(&Fixed{Shape: &Word{Value: shape}, When: NewText(begins), Columns: columns})
}

// Bytes is a column of so many bytes of a FixedShape.
func Bytes(name string, nbytes int) *Width {
	return &Width{Name: nameOf(name), Bytes: strconv.Itoa(nbytes)}
}

// ShapeColumn names the column that says which shape a record has.
func (b *FormatBuilder) ShapeColumn(name string) *FormatBuilder {
	return b.Add(&ShapeColumn{Name: nameOf(name)})
}

// AppendRecord adds to the template of the parent.
func (b *FormatBuilder) AppendRecord(template string) *FormatBuilder {
	return b.Add(&Record{Append: true, Template: NewText(template)})
}

// FixedColumn adds a column of so many bytes to a format of fixed width.
func (b *FormatBuilder) FixedColumn(name string, nbytes int) *FormatBuilder {
	w := &Width{Name: nameOf(name), Bytes: strconv.Itoa(nbytes)}
	for _, it := range b.format.Items {
		if f, ok := it.(*Fixed); ok {
			f.Columns = append(f.Columns, w)
			return b
		}
	}
	return b.Add(&Fixed{Columns: []*Width{w}})
}

// Binary makes records binary, all of one length; header is how many bytes come before the first, which
// begin with magic. The columns are given by Number and Padded.
func (b *FormatBuilder) Binary(header int, magic string, columns ...*BinaryColumn) *FormatBuilder {
	it := &Binary{Columns: columns}
	if header > 0 {
		it.Header = strconv.Itoa(header)
	}
	if magic != "" {
		it.Magic = NewText(magic)
	}
	return b.Add(it)
}

// Number is a number of a Binary, in a form as u32le, i64be or f32le.
func Number(name, form string) *BinaryColumn {
	return &BinaryColumn{Name: nameOf(name), Form: form}
}

// Padded is a text of so many bytes of a Binary; pad is the byte that fills it up at its end, "" if it is
// data as it stands.
func Padded(name string, nbytes int, pad string) *BinaryColumn {
	c := &BinaryColumn{Name: nameOf(name), Bytes: strconv.Itoa(nbytes)}
	if pad != "" {
		c.Pad = NewText(pad)
	}
	return c
}

// Table reads records by a dfa of that name, see Define.
func (b *FormatBuilder) Table(name string) *FormatBuilder {
	return b.Add(&TableUse{Name: nameOf(name)})
}

// SkipLines passes over the first nlines lines, whatever they hold.
func (b *FormatBuilder) SkipLines(nlines int) *FormatBuilder {
	return b.Add(&SkipItem{Lines: strconv.Itoa(nlines)})
}

// SkipPrefix passes over the lines at the head that begin with one of prefixes.
func (b *FormatBuilder) SkipPrefix(prefixes ...string) *FormatBuilder {
	return b.Add(&SkipItem{Prefixes: newTexts(prefixes)})
}

// SkipUntil passes over the lines before the first that begins with one of
// prefixes; there has to be one.
func (b *FormatBuilder) SkipUntil(prefixes ...string) *FormatBuilder {
	return b.Add(&SkipItem{Until: newTexts(prefixes)})
}

// StopAt says that the data end with the first line that begins with one of prefixes.
func (b *FormatBuilder) StopAt(prefixes ...string) *FormatBuilder {
	return b.Add(&Stop{Prefixes: newTexts(prefixes)})
}

// StopAtBlank says that the data end with the first empty line.
func (b *FormatBuilder) StopAtBlank() *FormatBuilder { return b.Add(&Stop{Blank: true}) }

// HeaderNames says that the record after the first nlines-1 lines names the
// columns.
func (b *FormatBuilder) HeaderNames(nlines int) *FormatBuilder { return b.header("names", nlines) }

// HeaderJoined says that the first nrecords records name the columns, with between between
// what they have of one.
func (b *FormatBuilder) HeaderJoined(nrecords int, between string) *FormatBuilder {
	return b.Add(&Header{Mode: &Word{Value: "names"}, Rows: strconv.Itoa(nrecords), Joined: NewText(between)})
}

// HeaderAfterBlank says that the first line names the columns, and each after an empty one.
func (b *FormatBuilder) HeaderAfterBlank() *FormatBuilder {
	return b.Add(&Header{Mode: &Word{Value: "names"}, After: &Word{Value: "blank"}})
}

// HeaderSkip passes over the first nlines lines.
func (b *FormatBuilder) HeaderSkip(nlines int) *FormatBuilder { return b.header("skip", nlines) }

func (b *FormatBuilder) header(mode string, nlines int) *FormatBuilder {
	return b.Add(&Header{Mode: &Word{Value: mode}, Rows: strconv.Itoa(nlines)})
}

// Field gives a column its type, written as in a spec: "u64", "dec(12, 2)".
func (b *FormatBuilder) Field(name, typ string, modifiers ...*Modifier) *FormatBuilder {
	f := b.typed(name, typ, modifiers)
	if f == nil {
		return b
	}
	if n := len(b.format.Items); n > 0 {
		if fields, ok := b.format.Items[n-1].(*Fields); ok {
			fields.List = append(fields.List, f)
			return b
		}
	}
	return b.Add(&Fields{List: []*Field{f}})
}

// typed is a column of a type, nil if that cannot be read.
func (b *FormatBuilder) typed(name, typ string, modifiers []*Modifier) *Field {
	x, err := parseType(typ)
	if err != nil {
		b.errs = append(b.errs, fmt.Errorf("type %q of column %q: %w", typ, name, err))
		return nil
	}
	return &Field{Name: nameOf(name), Type: x, Modifiers: modifiers}
}

// Required is the modifier of a column that is never null.
func Required() *Modifier { return &Modifier{Required: true} }

// Optional is the modifier of a column that a file need not have.
func Optional() *Modifier { return &Modifier{Optional: true} }

// NullTokens is the modifier that names tokens read as null.
func NullTokens(tokens ...string) *Modifier { return &Modifier{Nulls: newTexts(tokens)} }

// NullTokensBare is the modifier that names tokens read as null in fields that are not
// enclosed.
func NullTokensBare(tokens ...string) *Modifier {
	return &Modifier{Bare: true, Nulls: newTexts(tokens)}
}

// EmptyTokens is the modifier that names tokens of the empty value.
func EmptyTokens(tokens ...string) *Modifier { return &Modifier{Empties: newTexts(tokens)} }

// NullTokensAfterEscape is the modifier that names tokens that are null where a
// field decodes to them, however it was written.
func NullTokensAfterEscape(tokens ...string) *Modifier {
	return &Modifier{Decoded: true, Nulls: newTexts(tokens)}
}

// Default is the modifier that gives the text read in place of null.
func Default(text string) *Modifier { return &Modifier{Default: NewText(text)} }

// Trim is the modifier that spaces and tabs around a value do not count.
func Trim() *Modifier { return &Modifier{Trim: true} }

// In is the modifier that values are in one of some ranges, written as in a spec:
// "1..65535", "80", "0.5..".
func In(ranges ...string) *Modifier {
	m := &Modifier{}
	for _, s := range ranges {
		low, high, dots := strings.Cut(s, "..")
		m.In = append(m.In, &Range{Low: boundOf(low), Dots: dots, High: boundOf(high)})
	}
	return m
}

// boundOf is the node of a bound, nil if there is none.
func boundOf(s string) *Bound {
	if s == "" {
		return nil
	}
	if toks, fault := scan("", []byte(s)); fault == nil && len(toks) == 1 && tokenNames()[toks[0].Type] == "Number" {
		return &Bound{Number: s}
	}
	return &Bound{Text: NewText(s)}
}

// Months names the months, from January on, as %B reads them; MonthsShort as %b does.
func (b *FormatBuilder) Months(names ...string) *FormatBuilder {
	return b.Add(&Months{Names: nameNodes(names)})
}

// MonthsShort abbreviates the months, from January on.
func (b *FormatBuilder) MonthsShort(names ...string) *FormatBuilder {
	return b.Add(&Months{Short: true, Names: nameNodes(names)})
}

// Weekdays names the days of the week, from Monday on, as %A reads them; WeekdaysShort as
// %a does.
func (b *FormatBuilder) Weekdays(names ...string) *FormatBuilder {
	return b.Add(&Weekdays{Names: nameNodes(names)})
}

// WeekdaysShort abbreviates the days of the week, from Monday on.
func (b *FormatBuilder) WeekdaysShort(names ...string) *FormatBuilder {
	return b.Add(&Weekdays{Short: true, Names: nameNodes(names)})
}

// Zone gives the name of a zone, as %Z reads it, with its offset from UTC in minutes.
func (b *FormatBuilder) Zone(name string, minutes int) *FormatBuilder {
	z := &ZoneOffset{Name: nameOf(name), Plus: minutes >= 0}
	sign := ""
	if !z.Plus {
		sign, minutes = "-", -minutes
	}
	z.Hours, z.Minutes = fmt.Sprintf("%s%02d", sign, minutes/60), fmt.Sprintf("%02d", minutes%60)
	for _, it := range b.format.Items {
		if zones, ok := it.(*Zones); ok {
			zones.List = append(zones.List, z)
			return b
		}
	}
	return b.Add(&Zones{List: []*ZoneOffset{z}})
}

func nameNodes(names []string) []*Name {
	out := make([]*Name, len(names))
	for i, s := range names {
		out[i] = nameOf(s)
	}
	return out
}

// Null names tokens that are null in every column.
func (b *FormatBuilder) Null(tokens ...string) *FormatBuilder {
	return b.Add(&Null{Tokens: newTexts(tokens)})
}

// NullBare names tokens that are null in every column, in fields that are not enclosed.
func (b *FormatBuilder) NullBare(tokens ...string) *FormatBuilder {
	return b.Add(&Null{Bare: true, Tokens: newTexts(tokens)})
}

// Empty names tokens of the empty value, in every column that may have one.
func (b *FormatBuilder) Empty(tokens ...string) *FormatBuilder {
	return b.Add(&Empty{Tokens: newTexts(tokens)})
}

// NullAfterEscape names tokens that are null in every column where a field decodes
// to them, however it was written.
func (b *FormatBuilder) NullAfterEscape(tokens ...string) *FormatBuilder {
	return b.Add(&Null{Decoded: true, Tokens: newTexts(tokens)})
}

// OnError is the name of one of dfa.ErrorModes.
func (b *FormatBuilder) OnError(mode string) *FormatBuilder {
	return b.Add(&OnError{Mode: &Word{Value: mode}})
}

// Ragged is error, or pad, truncate or both.
func (b *FormatBuilder) Ragged(modes ...string) *FormatBuilder {
	return b.Add(&RaggedItem{Modes: modes})
}

// UTF8 is the name of one of dfa.UTF8Policies.
func (b *FormatBuilder) UTF8(mode string) *FormatBuilder {
	return b.Add(&UTF8{Mode: &Word{Value: mode}})
}

// Encoding is that of inputs, by a name that IANA has registered.
func (b *FormatBuilder) Encoding(name string) *FormatBuilder {
	return b.Add(&EncodingItem{Name: NewText(name)})
}

// Blank is skip or keep.
func (b *FormatBuilder) Blank(mode string) *FormatBuilder {
	return b.Add(&Blank{Mode: &Word{Value: mode}})
}

// MaxRecord bounds the bytes of a record.
func (b *FormatBuilder) MaxRecord(nbytes int) *FormatBuilder {
	return b.Add(&MaxRecord{Size: &Size{Value: strconv.Itoa(nbytes)}})
}

// Split takes the values of a column apart; what does not match is null, or,
// if strict, an error.
func (b *FormatBuilder) Split(column, template string, strict bool) *FormatBuilder {
	s := &Split{Column: nameOf(column), Template: NewText(template)}
	if strict {
		s.Else = &Word{Value: "error"}
	}
	return b.Add(s)
}

// SplitFromEnd is Split by a template whose texts are looked for from the end of the value.
func (b *FormatBuilder) SplitFromEnd(column, template string, strict bool) *FormatBuilder {
	b.Split(column, template, strict)
	b.format.Items[len(b.format.Items)-1].(*Split).FromEnd = true
	return b
}

// Keyed gives a key of a map, which is a column, a column of its own.
func (b *FormatBuilder) Keyed(column, key, typ string, modifiers ...*Modifier) *FormatBuilder {
	return b.key(column, nil, key, typ, modifiers)
}

// KeyedJSON is Keyed where the values of the map are texts of JSON.
func (b *FormatBuilder) KeyedJSON(column, key, typ string, modifiers ...*Modifier) *FormatBuilder {
	return b.key(column, &Word{Value: "json"}, key, typ, modifiers)
}

// KeyedPath is KeyedJSON for a path of keys with separator between them: the last is one of an
// object, which is what the key before it has.
func (b *FormatBuilder) KeyedPath(column, separator, path, typ string, modifiers ...*Modifier) *FormatBuilder {
	b.KeyedJSON(column, path, typ, modifiers...)
	for _, it := range b.format.Items {
		if k, ok := it.(*Keyed); ok && k.Column.String() == column {
			k.Path = NewText(separator)
		}
	}
	return b
}

func (b *FormatBuilder) key(column string, as *Word, key, typ string, modifiers []*Modifier) *FormatBuilder {
	f := b.typed(key, typ, modifiers)
	if f == nil {
		return b
	}
	for _, it := range b.format.Items {
		if k, ok := it.(*Keyed); ok && k.Column.String() == column {
			k.List = append(k.List, f)
			return b
		}
	}
	return b.Add(&Keyed{Column: nameOf(column), As: as, List: []*Field{f}})
}

// Directive gives lines with a prefix a meaning: schema, skip, metadata or separator.
func (b *FormatBuilder) Directive(prefix, action string) *FormatBuilder {
	return b.Add(&Directive{Prefix: NewText(prefix), Action: &Word{Value: action}})
}

// DirectiveIs says what lines with a prefix have to say.
func (b *FormatBuilder) DirectiveIs(prefix, value string) *FormatBuilder {
	return b.Add(&Directive{Prefix: NewText(prefix), Action: &Word{Value: "is"}, Value: NewText(value)})
}

// DirectiveType says that lines with a prefix name the types of columns, and what the name of
// one stands for.
func (b *FormatBuilder) DirectiveType(prefix, name, typ string, modifiers ...*Modifier) *FormatBuilder {
	f := b.typed(name, typ, modifiers)
	if f == nil {
		return b
	}
	for _, it := range b.format.Items {
		if d, ok := it.(*Directive); ok && d.Prefix.Value() == prefix && d.Action.Value == "types" {
			d.List = append(d.List, f)
			return b
		}
	}
	return b.Add(&Directive{Prefix: NewText(prefix), Action: &Word{Value: "types"}, List: []*Field{f}})
}

// MultilineStart says how the first line of a record begins.
func (b *FormatBuilder) MultilineStart(pattern string) *FormatBuilder {
	return b.Add(&Multiline{Options: []*MultilineOption{{Start: NewText(pattern)}}})
}

// MultilineContinue says how the other lines of a record begin.
func (b *FormatBuilder) MultilineContinue(prefixes ...string) *FormatBuilder {
	return b.Add(&Multiline{Options: []*MultilineOption{{Continue: newTexts(prefixes)}}})
}

// Rest names the column for all that follows the last one.
func (b *FormatBuilder) Rest(name string) *FormatBuilder { return b.Add(&Rest{Name: nameOf(name)}) }

// Test adds a test: what must come of an input, in order.
func (b *FormatBuilder) Test(name, input string, outcomes ...Outcome) *FormatBuilder {
	if len(outcomes) == 0 {
		outcomes = []Outcome{&Nothing{On: true}}
	}
	return b.Add(&Test{First: NewText(name), Second: NewText(input), Outcomes: outcomes})
}

// Expect is an expected row, given as column, value, column, value…; the value
// nil is null.
func Expect(columnsAndValues ...any) *Row {
	r := &Row{}
	for i := 0; i+1 < len(columnsAndValues); i += 2 {
		c := &Cell{Name: nameOf(fmt.Sprint(columnsAndValues[i]))}
		if v := columnsAndValues[i+1]; v == nil {
			c.Word = "null"
		} else {
			c.Text = NewText(fmt.Sprint(v))
		}
		r.Cells = append(r.Cells, c)
	}
	return r
}

// ExpectReject is an expected reject, with a part of its error text.
func ExpectReject(text string) *Rejected { return &Rejected{On: true, Text: NewText(text)} }

// Source is the format as the text of a spec file.
func (b *FormatBuilder) Source() string { return Print(b.file) }

// File is the tree, with positions in the text of Source; the file's name is
// that of the format.
func (b *FormatBuilder) File() (*File, error) {
	if len(b.errs) > 0 {
		return nil, errors.Join(b.errs...)
	}
	return Parse(b.format.Name.String(), []byte(b.Source()))
}

// Build checks the format and makes its Program, as Compile does.
func (b *FormatBuilder) Build(opts ...Option) (*Spec, error) {
	f, err := b.File()
	if err != nil {
		return nil, err
	}
	name := b.format.Name.String()
	specs, err := compileTree(name, f, append(opts, WithFormat(name)), lastOf)
	if err != nil {
		return nil, err
	}
	return specs[0], nil
}

func newTexts(values []string) []*Text {
	out := make([]*Text, len(values))
	for i, v := range values {
		out[i] = NewText(v)
	}
	return out
}

// nameOf is the node of a name: in quotes where a word will not do.
func nameOf(name string) *Name {
	if isWord(name) && !slices.Contains(modifierWords, name) && name != "eof" {
		return &Name{Word: name}
	}
	return &Name{Text: &Text{Token: quote(name)}}
}
