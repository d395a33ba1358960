package infer

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/apache/arrow/go/v17/arrow/array"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/convert"
)

// Column is what is known of the values of a column.
type Column struct {
	Name   string
	Type   string   // as in a spec
	Given  bool     // it is what somebody said
	Nulls  []string // that came among values
	Values int64    // that are not null
	Why    string   // where it is no more than text: why; else ""
	Two    bool     // it is text since its values may be meant in two ways
	Other  string   // a type that fits every value, too, where Type is a guess; else ""
	Misfit *Misfit  // the first value that does not fit what the first rows have, nil: all do

	given     *Given
	json      bool // values are texts of JSON
	quoted    int8 // of these the first is a string: 1, or not: -1; 0: there is none
	begun     bool
	rows      int64
	live      []*trial
	lead      *trial // of the first rows: others are not tried any more, unless it fails
	Blanks    bool   // around values, which are no text
	dropped   drop   // of the first value, if it is of no type
	drops     []drop // what candidates did not fit, the first of each
	nulls     []null // tokens that came among values
	blankRow  int64  // the first with blanks around its value, from 1; 0 for none
	thousands bool   // its points may stand between thousands, and nothing shows that they stand before fractions
	halved    bool   // AM or PM stands in the next column
	decided   bool   // a comma has been met that cannot stand between thousands
	grouped   bool   // a number has been met that has thousands and a fraction
	pairs     bool   // commas may stand between two numbers, as in 8,1 for a device, unless values or a % in the name tell
	fraction  bool   // a value has been met that tells
	even      int    // digits behind each comma so far: 0 before the first one, -1 where they differ

	whole, scale int // digits before and after the point, at most

	fields convert.Fields // scratch
	at     []int32        // the rows of fields, if some are not among them
	odd    []int32        // of the numbers of lead: those of fields that are not isUsualWord
}

// Misfit is a value that is not of the type that the rows before it have.
type Misfit struct {
	Column string
	Type   string // of the rows before
	Row    int64  // from 1, as rows are delivered
	Value  string
	Doubt  string // why the type, which the value has, may not be meant; "" if it has another one
}

func (m *Misfit) Error() string {
	if m.Doubt != "" {
		return fmt.Sprintf("row %d: column %q: %q shows that %s; all rows before it are read as %s", m.Row, m.Column, clip(m.Value), m.Doubt, m.Type)
	}
	return fmt.Sprintf("row %d: column %q: %q is no %s, which all rows before it are", m.Row, m.Column, clip(m.Value), m.Type)
}

// begin finds the candidates that the first value of the column is of. The first field is in row
// or behind it.
func (c *Column) begin(f *convert.Fields, row int64) error {
	p := probes.Get().(*probe)
	defer probes.Put(p)
	first, _ := f.At(0)
	for i := range types() {
		of := &types()[i]
		if c.given.excluded(of) || c.quoted > 0 && of.bare() || of.may(first) && c.versioned(of) {
			continue
		}
		if of.may(first) && (of.accepts == nil || of.accepts(first)) {
			t, err := p.of(i)
			if err != nil {
				return err
			}
			if of.text == "dec" || !t.refuses(f) {
				own, err := newTrial(of)
				if err != nil {
					return err
				}
				own.shown = c.shows(of)
				c.live = append(c.live, own)
				continue
			}
		}
		c.dropped = drop{of, row + int64(c.rowOf(0)), string(first)}
	}
	c.begun = true
	return nil
}

// choosingRows is how many rows of the first batch choose the type that others are held
// against; blockRows is how many are looked at together, so that they stay in the cache.
const (
	choosingRows = 1000
	blockRows    = 4096
)

// take takes in values of the column, and if it shall settle, does so early.
func (c *Column) take(a *array.String, settle bool) error {
	for from, rows := 0, choosingRows; from < a.Len(); from, rows = from+rows, blockRows {
		some := array.NewSlice(a, int64(from), int64(min(from+rows, a.Len()))).(*array.String)
		err := c.add(some)
		some.Release()
		if err != nil {
			return err
		}
		if settle {
			c.settle()
		}
	}
	return nil
}

// add takes in values of the column.
func (c *Column) add(a *array.String) error {
	if c.done() {
		c.pass(a.Len())
		return nil
	}
	row := c.rows
	c.rows += int64(a.Len())
	c.values(a, row)
	f := &c.fields
	c.Values += int64(f.Len())
	if f.Len() == 0 {
		return nil
	}
	if !c.begun {
		if err := c.begin(f, row); err != nil {
			return err
		}
	}
	if c.lead != nil {
		if bad := c.lead.misfit(c, f); bad >= 0 {
			b, _ := f.At(bad)
			c.Misfit = &Misfit{Column: c.Name, Type: c.lead.name(c), Row: row + int64(c.rowOf(bad)) + 1, Value: string(b)}
			c.live = nil
		}
		return nil
	}
	c.live = slices.DeleteFunc(c.live, func(t *trial) bool {
		bad := t.misfit(c, f)
		if bad >= 0 {
			b, _ := f.At(bad)
			c.addDrop(drop{t.candidate, row + int64(c.rowOf(bad)), string(b)})
		}
		return bad >= 0
	})
	return nil
}

// rowOf is the row of a field, among those of the values taken last.
func (c *Column) rowOf(field int) int {
	if len(c.at) > 0 {
		return int(c.at[field])
	}
	return field
}

// done reports whether no value can make a difference any more.
func (c *Column) done() bool { return c.Given || c.begun && len(c.live) == 0 }

// pass counts rows that make no difference.
func (c *Column) pass(rows int) {
	c.rows += int64(rows)
	c.Values += int64(rows)
}

// values gives the values of a that are not null, without blanks around them. The first row
// of a is that of the input, from 0.
func (c *Column) values(a *array.String, row int64) {
	text, offsets := a.ValueBytes(), a.ValueOffsets()
	f := &c.fields
	f.Reset(text)
	f.Start, f.End = slices.Grow(f.Start, a.Len())[:a.Len()], slices.Grow(f.End, a.Len())[:a.Len()]
	c.at, c.odd = c.at[:0], c.odd[:0]
	n := 0
	base, nulls, numbers := offsets[0], a.NullN() > 0, c.lead != nil && c.lead.number
	for i, end := range offsets[1:] {
		from, to := offsets[i]-base, end-base
		if c.json && to > from {
			from, to = c.bareJSON(text, from, to)
		}
		if numbers && !(nulls && a.IsNull(i)) && isUsualWord(text, from, to) {
			f.Start[n], f.End[n] = uint32(from), uint32(to)
			if n++; n <= i {
				c.at = append(c.at, int32(i))
			}
			continue
		}
		// Most begin with a digit, and do not end in a blank: there is nothing to find out.
		if to <= from || !isDigit(text[from]) || blank(text[to-1]) || nulls && a.IsNull(i) {
			var ok bool
			if from, to, ok = c.value(text, from, to, nulls && a.IsNull(i), row+int64(i)+1); !ok {
				if len(c.at) == 0 {
					c.at = c.rowsUpTo(n)
				}
				continue
			}
		}
		if numbers {
			c.odd = append(c.odd, int32(n))
		}
		f.Start[n], f.End[n] = uint32(from), uint32(to)
		if n++; n <= i {
			c.at = append(c.at, int32(i))
		}
	}
	f.Start, f.End = f.Start[:n], f.End[:n]
}

// rowsUpTo are the first n rows.
func (c *Column) rowsUpTo(n int) []int32 {
	rows := c.at[:0]
	for i := range n {
		rows = append(rows, int32(i))
	}
	return rows
}

// value is where a value lies without blanks around it, and whether it is one.
func (c *Column) value(text []byte, from, to int32, null bool, row int64) (int32, int32, bool) {
	b := text[from:to]
	if n := len(b); n > 0 && (blank(b[0]) || blank(b[n-1])) {
		c.blankRow = least(c.blankRow, row)
		b = bytes.TrimLeft(b, " \t")
		from = to - int32(len(b))
		b = bytes.TrimRight(b, " \t")
		to = from + int32(len(b))
	}
	if len(b) == 0 || null {
		return 0, 0, false
	}
	if len(b) <= longestNull && !isDigit(b[0]) && c.isNull(b) {
		c.addNull(b, row)
		return 0, 0, false
	}
	return from, to, true
}

func (c *Column) isNull(b []byte) bool { return c.given.Nulls == nil && isNull(b) }

// longestNull is how long a null token of isNull is.
const longestNull = 7

// settle goes on with the type that all values so far have alone, if it is one.
func (c *Column) settle() {
	if c.lead != nil || len(c.live) == 0 {
		return
	}
	t := c.live[0]
	if c.rival(t) == nil && c.doubt(t) == "" && !c.paired(t) {
		c.lead, c.live = t, c.live[:1]
	}
}

// rival is a candidate that fits as well as t, and means something else; nil if there
// is none.
func (c *Column) rival(t *trial) *trial {
	for _, o := range c.live {
		if o != t && t.meaning != "" && o.meaning == t.meaning {
			return o
		}
	}
	return nil
}

// doubt is why the numbers of t may be meant otherwise, "" if they cannot be.
func (c *Column) doubt(t *trial) string {
	switch {
	case t.text == commaFloat && !c.decided && c.given.Point == "":
		return "the commas may stand between thousands or before fractions"
	case t.groups() && !c.grouped && c.given.Thousands == "":
		return "the signs may stand between thousands, or between numbers"
	case c.halved && (t.typ.Kind == dfa.Time || t.typ.Kind == dfa.Timestamp):
		return "AM or PM of its times stands in the next column"
	case c.thousands:
		return "the points may stand between thousands, as commas stand before fractions in another column"
	case c.paired(t) && c.even < leastFraction:
		return "the commas may stand before fractions, or between two numbers"
	case c.questions(t):
		return t.witness.doubt(t.shown)
	}
	return ""
}

// questions reports whether values that are of type t may be something else: numbers of JSON are numbers.
func (c *Column) questions(t *trial) bool { return t.witness != nil && !(c.json && t.bare()) }

// ask looks at what values show of t, as long as that makes a difference.
func (c *Column) ask(t *trial, f *convert.Fields) {
	if !c.questions(t) {
		return
	}
	for i := 0; i < f.Len() && !t.witness.sure(t.shown); i++ {
		b, _ := f.At(i)
		t.shown |= t.witness.look(b)
	}
}

// leastFraction is how many digits stand behind every comma where none but these say that they are fractions.
const leastFraction = 2

// paired reports whether no value of t tells that its commas stand before fractions.
func (c *Column) paired(t *trial) bool {
	return t.text == commaFloat && c.pairs && !c.fraction && c.given.Point == ""
}

// commas looks at a number with a comma: no second number of a pair has a zero in front of other digits, and no
// first one a minus sign.
func (c *Column) commas(b []byte) {
	comma := bytes.IndexByte(b, ',')
	if comma < 0 {
		return
	}
	after := b[comma+1:]
	c.fraction = c.fraction || b[0] == '-' || len(after) > 1 && after[0] == '0'
	c.evenly(len(after))
}

// evenly takes in how many digits stand behind a comma.
func (c *Column) evenly(digits int) {
	switch c.even {
	case 0:
		c.even = digits
	case digits:
	default:
		c.even = -1
	}
}

// first is the type that the values of the column have first of all; nil if they are text.
func (c *Column) first() *trial {
	if c.lead == nil && len(c.live) > 0 {
		return c.live[0]
	}
	return c.lead
}

// hasFractions reports whether values of the column have a decimal comma for sure.
func (c *Column) hasFractions() bool {
	t := c.first()
	return t != nil && t.typ.Kind == dfa.Float64 && t.typ.Point == ',' && c.doubt(t) == "" && !c.paired(t)
}

func blank(c byte) bool { return c == ' ' || c == '\t' }

// decide gives the column its type.
func (c *Column) decide() {
	if c.Given {
		return
	}
	before := int64(math.MaxInt64)
	if c.Misfit != nil && c.lead != nil { // not all rows behind it were looked at
		before = c.Misfit.Row
	}
	c.Blanks = c.blankRow > 0 && c.blankRow < before
	slices.SortFunc(c.nulls, func(a, b null) int { return cmp.Compare(a.row, b.row) })
	for _, n := range c.nulls {
		if n.row < before {
			c.Nulls = append(c.Nulls, n.text)
		}
	}
	c.Type, c.Two, c.Other = "str", false, ""
	if c.Values == 0 {
		c.Why = "no value"
		c.Nulls = nil
		return
	}
	t := c.first()
	if t != nil {
		other, doubt := c.rival(t), ""
		if c.Misfit == nil || c.lead == nil { // else it is the type of the first rows, which had none
			doubt = c.doubt(t)
		}
		switch {
		case doubt != "":
			c.Two, c.Why = true, doubt
		case other != nil && strings.HasPrefix(t.typ.Layout, dayFirst):
			c.Type, c.lead, c.Other = t.name(c), t, other.text
			return
		case other != nil:
			c.Two, c.Why = true, fmt.Sprintf("%s and %s both fit every value", t.text, other.text)
		default:
			c.Type, c.lead = t.name(c), t
			return
		}
	}
	c.lead = nil
	if c.Why == "" {
		last := drop{value: c.dropped.value, row: -1}
		for _, d := range c.drops {
			if d.row > last.row {
				last = d
			}
		}
		var text string
		if c.quoted > 0 && json.Unmarshal([]byte(last.value), &text) == nil {
			last.value = text
		}
		c.Why = fmt.Sprintf("for example %q", clip(last.value))
	}
	c.Nulls, c.Blanks = nil, false // they may be text as well
}

// dayFirst is how a date with dots begins, as nearly all who write it so mean it, where no value tells days from
// months.
const dayFirst = "%d.%m.%Y"

// clip is as much of s as a comment has room for.
func clip(s string) string {
	if r := []rune(s); len(r) > 40 {
		return string(r[:39]) + "…"
	}
	return s
}

// bareJSON is where the value of a text of JSON lies: a string without its quotes, and nothing for
// null. A string in which something is escaped keeps them, and so does one among what is none: it is
// of no type then but text.
func (c *Column) bareJSON(text []byte, from, to int32) (int32, int32) {
	string := text[from] == '"'
	if !string && bytes.Equal(text[from:to], jsonNull) {
		return from, from
	}
	if c.quoted == 0 {
		if c.quoted = -1; string {
			c.quoted = 1
		}
	}
	if string && c.quoted > 0 && to-from >= 2 && bytes.IndexByte(text[from:to], '\\') < 0 {
		return from + 1, to - 1
	}
	return from, to
}

var jsonNull = []byte("null")
