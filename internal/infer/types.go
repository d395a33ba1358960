package infer

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"

	"github.com/apache/arrow/go/v17/arrow/array"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/columns"
	"github.com/dfaparse/dfaparse/internal/convert"
)

// candidate is a type that a column may have. Every value is converted as the
// engine will do it; accepts says of values that convert whether they would be what
// they were.
type candidate struct {
	text    string // as in a spec; "dec" without what follows from the values
	typ     dfa.Type
	accepts func(b []byte) bool
	meaning string // of candidates with the same text here no more than one may fit
}

// candidates of types, those that say more first.
var types = func() []candidate {
	all := []candidate{
		{text: "bool", typ: dfa.Type{Kind: dfa.Bool}, accepts: isTruth},
		{text: "i64", typ: dfa.Type{Kind: dfa.Int64}, accepts: isPlainInteger},
		{text: "u64", typ: dfa.Type{Kind: dfa.Uint64}, accepts: isPlainInteger},
		{text: "f64", typ: dfa.Type{Kind: dfa.Float64}, accepts: isExactFloat},
		{text: "dec", typ: dfa.Type{Kind: dfa.Decimal, Precision: 38}, accepts: isDecimal},
		{text: "f64(point ',')", typ: dfa.Type{Kind: dfa.Float64, Point: ','}, accepts: isCommaFloat},
	}
	dates := []struct{ layout, meaning string }{
		{"%Y-%m-%d", ""}, {"%Y/%m/%d", ""}, {"%Y.%m.%d", ""},
		{"%d.%m.%Y", "d.d.Y"}, {"%m.%d.%Y", "d.d.Y"}, {"%d/%m/%Y", "d/d/Y"}, {"%m/%d/%Y", "d/d/Y"}, {"%d-%m-%Y", "d-d-Y"}, {"%m-%d-%Y", "d-d-Y"},
		{"%d.%m.%y", "d.d.d"}, {"%m.%d.%y", "d.d.d"}, {"%y.%m.%d", "d.d.d"},
		{"%d/%m/%y", "d/d/d"}, {"%m/%d/%y", "d/d/d"}, {"%y/%m/%d", "d/d/d"},
		{"%d-%m-%y", "d-d-d"}, {"%m-%d-%y", "d-d-d"}, {"%y-%m-%d", "d-d-d"},
		{"%d %b %Y", ""}, {"%d-%b-%Y", ""}, {"%d-%b-%y", ""}, {"%d %B %Y", ""}, {"%b %d, %Y", ""}, {"%B %d, %Y", ""},
	}
	all = append(all, candidate{text: "date", typ: dfa.Type{Kind: dfa.Date}})
	for _, d := range dates {
		all = append(all, candidate{text: fmt.Sprintf("date(%q)", d.layout), typ: dfa.Type{Kind: dfa.Date, Layout: d.layout}, meaning: d.meaning})
	}
	stamp := func(layout, meaning string) candidate {
		return candidate{text: fmt.Sprintf("ts(%q)", layout), typ: dfa.Type{Kind: dfa.Timestamp, Unit: dfa.Microsecond, Layout: layout}, meaning: meaning}
	}
	all = append(all, candidate{text: "ts", typ: dfa.Type{Kind: dfa.Timestamp, Unit: dfa.Microsecond}},
		candidate{text: "ts(tz none)", typ: dfa.Type{Kind: dfa.Timestamp, Unit: dfa.Microsecond, NoZone: true}, accepts: hasClock})
	for _, between := range []string{" ", "T"} {
		for _, clock := range []string{"%H:%M:%S", "%H:%M:%S.%f"} {
			for _, zone := range []string{"%z", " %z", " %Z"} {
				all = append(all, stamp("%Y-%m-%d"+between+clock+zone, ""))
			}
		}
	}
	for _, d := range dates {
		for _, clock := range []string{" %H:%M:%S", " %H:%M:%S.%f", " %H:%M", "T%H:%M:%S", " %I:%M:%S %p", " %I:%M %p"} {
			meaning := d.meaning
			if meaning != "" {
				meaning += clock
			}
			all = append(all, stamp(d.layout+clock, meaning))
		}
	}
	return append(all, stamp("%d/%b/%Y:%H:%M:%S %z", ""),
		candidate{text: "time", typ: dfa.Type{Kind: dfa.Time, Unit: dfa.Microsecond}},
		candidate{text: `time("%H:%M")`, typ: dfa.Type{Kind: dfa.Time, Unit: dfa.Microsecond, Layout: "%H:%M"}},
	)
}()

func isTruth(b []byte) bool {
	return bytes.EqualFold(b, []byte("true")) || bytes.EqualFold(b, []byte("false"))
}

// isPlainInteger reports whether an integer is written as integers are: 007, +7 and
// -0 are numbers of articles, of telephones, or what else.
func isPlainInteger(b []byte) bool {
	n, _, ok := plain(b)
	return ok && (b[0] != '-' || n > 0)
}

// plain counts the digits of a decimal number from the first that is not zero on, and
// reports whether it is written without a plus sign, and no zero stands before others.
func plain(b []byte) (ndigits int, exponent, ok bool) {
	if len(b) > 0 && b[0] == '-' {
		b = b[1:]
	}
	if len(b) == 0 || b[0] == '+' || b[0] == '0' && len(b) > 1 && isDigit(b[1]) {
		return 0, false, false
	}
	for _, c := range b {
		switch {
		case isDigit(c) && (c != '0' || ndigits > 0):
			ndigits++
		case c == 'e' || c == 'E':
			return ndigits, true, true
		}
	}
	return ndigits, false, true
}

func isDigit(c byte) bool { return c-'0' < 10 }

// exactDigits is how many digits of a decimal number every f64 keeps.
const exactDigits = 15

// isExactFloat reports whether a number is the same as an f64: of more digits than
// all keep, whether it is the shortest text of one.
func isExactFloat(b []byte) bool {
	n, _, ok := plain(b)
	if !ok || n <= exactDigits {
		return ok
	}
	v, err := strconv.ParseFloat(string(b), 64)
	return err == nil && bytes.Equal(digits(strconv.AppendFloat(nil, v, 'e', -1, 64)), digits(b))
}

// digits are those of a number between the first and the last that are not zero.
func digits(b []byte) []byte {
	var out []byte
	for _, c := range b {
		if c == 'e' || c == 'E' {
			break
		}
		if isDigit(c) {
			out = append(out, c)
		}
	}
	return bytes.Trim(out, "0")
}

// decimal counts the digits before and after the point, and reports whether b is
// nothing but these, a sign and a point, as plain numbers are.
func decimal(b []byte) (whole, part int, ok bool) {
	if len(b) > 0 && b[0] == '-' {
		b = b[1:]
	}
	if len(b) > 1 && b[0] == '0' && isDigit(b[1]) {
		return 0, 0, false
	}
	for i, c := range b {
		switch {
		case isDigit(c):
		case c == '.' && part == 0 && whole == 0:
			whole, part = i, len(b)-i-1
		default:
			return 0, 0, false
		}
	}
	if part == 0 && whole == 0 {
		whole = len(b)
	}
	return whole, part, whole > 0
}

func isDecimal(b []byte) bool {
	_, _, ok := decimal(b)
	return ok
}

// isCommaFloat reports whether b is a number with a decimal comma, or without one.
func isCommaFloat(b []byte) bool {
	n, _, ok := plain(b)
	return ok && bytes.IndexByte(b, '.') < 0 && n <= exactDigits
}

// hasClock: with less it is a date.
func hasClock(b []byte) bool { return len(b) > len("2006-01-02") }

// isNull reports whether b is what people write for nothing. An empty field is nothing
// in any column but one of text.
func isNull(b []byte) bool {
	switch string(b) {
	case "NULL", "null", "Null", "NA", "N/A", "n/a", `\N`, "None", "none", "-", "--", "?", ".", "#N/A":
		return true
	}
	return false
}

// Column is what is known of the values of a column.
type Column struct {
	Name   string
	Type   string   // as in a spec
	Nulls  []string // that came among values
	Values int64    // that are not null
	Why    string   // where it is no more than text: why; else ""

	live    []*trial
	Blanks  bool   // around values, which are no text
	dropped string // a value that is not of the type that others had
	decided bool   // a comma has been met that cannot stand between thousands

	whole, scale int // digits before and after the point, at most
}

// trial is a candidate that fits so far.
type trial struct {
	*candidate
	converter *convert.Converter
	column    *columns.Column
}

func newColumn(name string) (*Column, error) {
	c := &Column{Name: name}
	for i := range types {
		t := &types[i]
		converter, err := convert.NewConverter(&dfa.Column{Name: name, Type: t.typ}, convert.Options{})
		if err != nil {
			return nil, err
		}
		c.live = append(c.live, &trial{t, converter, convert.NewColumn(&t.typ)})
	}
	return c, nil
}

// add takes in values of the column.
func (c *Column) add(a *array.String) {
	if len(c.live) == 0 {
		c.Values += int64(a.Len())
		return
	}
	text := a.ValueBytes()
	offsets := a.ValueOffsets()
	base := offsets[0]
	fields := convert.Fields{Src: text, Start: make([]uint32, 0, a.Len()), End: make([]uint32, 0, a.Len())}
	for i := range a.Len() {
		from, to := offsets[i]-base, offsets[i+1]-base
		b := text[from:to]
		if n := len(b); n > 0 && (blank(b[0]) || blank(b[n-1])) {
			c.Blanks = true
			b = bytes.TrimLeft(b, " \t")
			from = to - int32(len(b))
			b = bytes.TrimRight(b, " \t")
			to = from + int32(len(b))
		}
		switch {
		case a.IsNull(i) || len(b) == 0:
			continue
		case isNull(b):
			if !slices.Contains(c.Nulls, string(b)) {
				c.Nulls = append(c.Nulls, string(b))
			}
			continue
		}
		if bytes.IndexByte(b, ',') >= 0 {
			c.decided = c.decided || !thousands(b)
		}
		fields.Push(uint32(from), uint32(to))
	}
	c.Values += int64(fields.Len())
	c.live = slices.DeleteFunc(c.live, func(t *trial) bool { return !t.fits(c, &fields) })
}

func blank(c byte) bool { return c == ' ' || c == '\t' }

// thousands reports whether the commas of b may be those between thousands.
func thousands(b []byte) bool {
	parts := bytes.Split(bytes.TrimPrefix(b, []byte("-")), []byte(","))
	for i, p := range parts {
		if i > 0 && len(p) != 3 || i == 0 && len(p) > 3 {
			return false
		}
	}
	return true
}

// fits reports whether all of fields are of the type.
func (t *trial) fits(c *Column, f *convert.Fields) bool {
	if f.Len() == 0 {
		return true
	}
	first, _ := f.At(0)
	if t.accepts != nil && !t.accepts(first) || t.text != "dec" && t.refuses(f) {
		if c.dropped == "" {
			c.dropped = string(first)
		}
		return false
	}
	if t.text == "dec" {
		return t.fitsDecimal(c, f)
	}
	if t.accepts != nil {
		for i := range f.Len() {
			if b, _ := f.At(i); !t.accepts(b) {
				c.dropped = string(b)
				return false
			}
		}
	}
	t.column.Reset()
	if errs := t.converter.Append(t.column, f, nil); len(errs) > 0 {
		b, _ := f.At(errs[0].Row)
		c.dropped = string(b)
		return false
	}
	return t.column.Nulls == 0
}

// fitsDecimal finds out how many digits decimals have.
func (t *trial) fitsDecimal(c *Column, f *convert.Fields) bool {
	for i := range f.Len() {
		b, _ := f.At(i)
		whole, part, ok := decimal(b)
		c.whole, c.scale = max(c.whole, whole), max(c.scale, part)
		if !ok || c.whole+c.scale > t.typ.Precision {
			c.dropped = string(b)
			return false
		}
	}
	return true
}

// refuses reports whether the first of fields is not of the type, before all are tried.
func (t *trial) refuses(f *convert.Fields) bool {
	var one convert.Fields
	f.Slice(&one, 0, 1)
	t.column.Reset()
	return len(t.converter.Append(t.column, &one, nil)) > 0 || t.column.Nulls > 0
}

// decide gives the column its type.
func (c *Column) decide() {
	c.Type = "str"
	if c.Values == 0 {
		c.Why = "no value"
		c.Nulls = nil
		return
	}
	if len(c.live) > 0 {
		t := c.live[0]
		other := slices.IndexFunc(c.live[1:], func(o *trial) bool { return t.meaning != "" && o.meaning == t.meaning })
		switch {
		case other >= 0:
			c.Why = fmt.Sprintf("%s and %s both fit every value", t.text, c.live[other+1].text)
		case t.text == "f64(point ',')" && !c.decided:
			c.Why = "the commas may stand between thousands or before fractions"
		case t.text == "dec":
			c.Type = fmt.Sprintf("dec(%d, %d)", c.whole+c.scale, c.scale)
			return
		default:
			c.Type = t.text
			return
		}
	}
	if c.Why == "" {
		c.Why = fmt.Sprintf("for example %q", clip(c.dropped))
	}
	c.Nulls = nil // they may be text as well
}

// clip is as much of s as a comment has room for.
func clip(s string) string {
	if r := []rune(s); len(r) > 40 {
		return string(r[:39]) + "…"
	}
	return s
}
