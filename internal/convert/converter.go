package convert

import (
	"bytes"
	"fmt"
	"time"
	"unicode/utf8"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/columns"
)

// Options are what conversion needs beside the column.
type Options struct {
	UTF8 dfa.UTF8Policy
	// BaseTime gives the year of time stamps that have none, see Type.Year.
	BaseTime time.Time
	// Look sees fields that are converted, null or not, but those of 64-bit numbers and time
	// stamps that are certainly written as most are: without zeros before other digits, plus
	// signs, exponents, a sign before an integer 0, more than 15 digits of a float, and leap
	// seconds. What it is given holds only until it returns. nil: nobody looks.
	Look func(*Fields)
	// Plain has each field converted by itself, by the code that defines what it means: no rows are
	// taken together, and no kernel takes any. What the other ways give is compared with that.
	Plain bool
}

// Converter converts the fields of one column. It holds scratch memory: one
// goroutine uses it at a time. Any number may exist for one dfa.Column.
type Converter struct {
	// TakenOut says that rows with errors are taken out of the column: until then they may have any value.
	TakenOut bool

	typ         *dfa.Type
	plain       bool // see Options
	trim        bool
	required    bool
	emptyIsNull bool
	nulls       []string
	empties     []string
	tokens      tokenSet        // of nulls
	def         *columns.Column // one row: what comes in place of null; nil if null does
	impl        appender
	look        func(*Fields) // see Options; nil while the default is converted
	replaced    int64
	cut         Fields // of trimmed
	empty       Fields // of emptied
	sparse      sparse
	leads       []byte // of escapes in elements, once it is asked for them
}

// appender is one kind's loop over the rows of a round.
type appender interface {
	append(c *Converter, dst *columns.Column, f *Fields, errs []FieldError) []FieldError
}

// NewConverter compiles what col says. It fails where a layout, a zone or a
// number option makes no sense, and where the default does not convert.
func NewConverter(col *dfa.Column, opt Options) (*Converter, error) {
	t := &col.Type
	if err := t.Validate(); err != nil {
		return nil, fmt.Errorf("column %q: %w", col.Name, err)
	}
	c, err := newConverter(t, opt)
	if err != nil {
		return nil, fmt.Errorf("column %q: %w", col.Name, err)
	}
	if col.HasDefault {
		// Before nulls, trim and the default itself are in force: the text is
		// the value.
		var f Fields
		f.PushDecoded([]byte(col.Default))
		def := NewColumn(t)
		if errs := c.Append(def, &f, nil); len(errs) != 0 {
			code := errs[0].Code
			return nil, fmt.Errorf("column %q: default %q: %s, expected %s", col.Name, col.Default, code, code.Expected(t))
		}
		c.def, c.replaced = def, 0
	}
	c.taking(col)
	c.trim, c.required, c.nulls, c.empties = col.Trim, col.Required, col.NullTokens(), col.Empties
	c.tokens = newTokenSet(c.nulls)
	c.emptyIsNull, c.look = !table[t.Kind].Empty, opt.Look
	if o, ok := c.impl.(optimist); ok {
		o.prepare(c)
	}
	return c, nil
}

// newConverter is a Converter of values of type t that takes every field, an
// empty one too, for a value.
func newConverter(t *dfa.Type, opt Options) (*Converter, error) {
	impl, err := table[t.Kind].Reader(t, opt)
	if err == nil && len(t.In) > 0 {
		impl, err = impl.(ordered).within(t)
	}
	if p, ok := impl.(rounds); ok && opt.Plain {
		p.giveUp()
	}
	return &Converter{typ: t, plain: opt.Plain, impl: impl}, err
}

// rounds is an appender that takes rows together until it is to give that up.
type rounds interface{ giveUp() }

// FieldError says that the field of a row was not converted; the row is null.
type FieldError struct {
	Row  int // of the Column
	Code Code
}

// optimist is an appender that tries rows before it asks whether they are null.
type optimist interface {
	// prepare is told the converter's null tokens before the first round.
	prepare(c *Converter)
}

// Append converts all rows of f to the end of dst. A row that fails is
// appended as null and reported, in row order, at the end of errs.
func (c *Converter) Append(dst *columns.Column, f *Fields, errs []FieldError) []FieldError {
	if len(c.empties) > 0 {
		f = c.emptied(f)
		defer func() { c.empty.Src = nil }()
	}
	if p, ok := c.impl.(interface{ looks() bool }); c.look != nil && !(ok && p.looks()) {
		c.look(f)
	}
	if _, is := c.impl.(*nested); is || c.plain || c.look != nil { // rows of lists and maps have numbers, and nulls of their own
		return c.appendAll(dst, f, errs)
	}
	return c.appendRows(dst, f, errs)
}

// appendAll is Append for rows as they are.
func (c *Converter) appendAll(dst *columns.Column, f *Fields, errs []FieldError) []FieldError {
	if !c.trim || c.plain {
		return c.impl.append(c, dst, f, errs)
	}
	// All rows at once, so that those may be easy that are easy without blanks.
	c.trim = false
	defer func() { c.trim, c.cut.Src = true, nil }()
	return c.impl.append(c, dst, c.trimmed(f), errs)
}

// Replaced is how many bytes of invalid UTF-8 have been replaced so far.
func (c *Converter) Replaced() int64 { return c.replaced }

// EachReplaced calls yield with the rows of f in which bytes are replaced, in
// order, and how many; f is what Append was given last. Where these rows are not known from there, it
// converts them again, one by one, so it is for rounds of which Replaced says that there are some,
// and Replaced may grow again.
func (c *Converter) EachReplaced(f *Fields, yield func(row int, nbytes int64)) {
	var rows []replacedRow
	known := true
	switch p := c.impl.(type) {
	case *text:
		rows = p.replaced
	case *nested:
		rows, known = p.replaced, p.notes
	default:
		known = false
	}
	if known {
		for _, r := range rows {
			yield(r.row, r.nbytes)
		}
		return
	}
	scratch, one := NewColumn(c.typ), Fields{}
	for i := range f.Len() {
		if b, ok := f.At(i); !ok || !c.mayReplace(b) {
			continue
		}
		f.Slice(&one, i, i+1)
		at := c.replaced
		c.Append(scratch, &one, nil)
		if n := c.replaced - at; n > 0 {
			yield(i, n)
		}
		scratch.Reset()
	}
}

// mayReplace reports whether bytes may be replaced in a field that is b. Those of elements may be escaped, and
// an element may begin within what b has as a sequence.
func (c *Converter) mayReplace(b []byte) bool {
	if c.typ.Elem == nil && c.typ.Kind != dfa.Map {
		return !utf8.Valid(b)
	}
	if c.plain || !isASCII(b) {
		return true
	}
	if c.leads == nil {
		c.leads = elementLeads(c.typ)
	}
	for _, lead := range c.leads {
		if bytes.IndexByte(b, lead) >= 0 {
			return true
		}
	}
	return false
}

// elementLeads is the symbols with which escapes begin in elements of values of type t; not nil.
func elementLeads(t *dfa.Type) []byte {
	var leads [256]bool
	for ; t != nil; t = t.Elem {
		if t.Lex == nil {
			continue
		}
		table := t.Lex.Table()
		seen := make([]bool, len(table.AtEOF)) // states outside of escapes
		seen[table.Start] = true
		for todo := []dfa.StateID{table.Start}; len(todo) > 0; {
			row := table.Row(todo[len(todo)-1])
			todo = todo[:len(todo)-1]
			for symbol := range leads {
				e := table.Entries[row|uint32(symbol)]
				if table.Emission(e).Coded() {
					leads[symbol] = true
				} else if !seen[e.Next()] {
					seen[e.Next()] = true
					todo = append(todo, e.Next())
				}
			}
		}
	}
	all := []byte{}
	for symbol, is := range leads {
		if is {
			all = append(all, byte(symbol))
		}
	}
	return all
}

// value is the field of row i, trimmed, and whether it is not null.
func (c *Converter) value(f *Fields, i int) ([]byte, bool) {
	b, ok := f.At(i)
	if !ok {
		return nil, false
	}
	if len(f.Literal) > 0 {
		if l := f.literal(i); l != nil {
			return b, l.Empty || len(b) > 0 || !c.emptyIsNull
		}
	}
	if c.trim {
		b = trimBlanks(b)
	}
	if len(b) == 0 && c.emptyIsNull {
		return nil, false
	}
	for _, token := range c.nulls {
		if string(b) == token {
			return nil, false
		}
	}
	return b, true
}

// isNull reports whether a field with a value that is b as it stands is null.
func (c *Converter) isNull(b []byte) bool {
	if len(b) == 0 && c.emptyIsNull {
		return true
	}
	return c.tokens.length(uint32(min(len(b), 63))) && c.tokens.null(c, b)
}

func trimBlanks(b []byte) []byte {
	for len(b) > 0 && blank(b[0]) {
		b = b[1:]
	}
	for len(b) > 0 && blank(b[len(b)-1]) {
		b = b[:len(b)-1]
	}
	return b
}
