package infer

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

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
	number  bool   // accepts takes what isUsualNumber
	marks   string // that stand in every value: those of the layout
	named   bool   // a word stands in every value, as of a month
	witness *witness
}

// may reports whether b has what stands in every value of the type.
func (c *candidate) may(b []byte) bool {
	switch c.typ.Kind {
	case dfa.Date, dfa.Timestamp, dfa.Time:
		if !slices.ContainsFunc(b, isDigit) || c.named && !slices.ContainsFunc(b, isLetter) {
			return false
		}
	}
	for i := range len(c.marks) {
		if bytes.IndexByte(b, c.marks[i]) < 0 {
			return false
		}
	}
	return true
}

// Types of numbers in which commas and points may mean other things: a decimal comma, and
// signs between thousands. Integers have these where somebody says so alone: "101,102" may
// be a list.
const (
	commaFloat        = "f64(point ',')"
	commasBetween     = "f64(thousands ',')"
	pointsBetween     = "f64(point ',', thousands '.')"
	commasBetweenInts = "i64(thousands ',')"
	pointsBetweenInts = "i64(thousands '.')"
	blanksBetween     = "f64(point ',', thousands ' ')" // as in French
	ticksBetween      = `f64(thousands '\'')`           // as in Switzerland
	blanksBetweenInts = "i64(thousands ' ')"
	ticksBetweenInts  = `i64(thousands '\'')`
)

// types are candidates, those that say more first: made when they are wanted, which they are not by most commands.
var types = sync.OnceValue(makeTypes)

func makeTypes() []candidate {
	usual := []candidate{
		{text: "bool", typ: dfa.Type{Kind: dfa.Bool}, accepts: isTruth},
		{text: "i64", typ: dfa.Type{Kind: dfa.Int64}, accepts: isPlainInteger, number: true},
		{text: "u64", typ: dfa.Type{Kind: dfa.Uint64}, accepts: isPlainInteger, number: true},
		{text: "f64", typ: dfa.Type{Kind: dfa.Float64}, accepts: isExactFloat, number: true},
		{text: "dec", typ: dfa.Type{Kind: dfa.Decimal, Precision: 38}, accepts: isDecimal},
		{text: commaFloat, typ: dfa.Type{Kind: dfa.Float64, Point: ','}, accepts: isCommaFloat},
		{text: commasBetweenInts, typ: dfa.Type{Kind: dfa.Int64, Thousands: ','}, accepts: func(b []byte) bool { return isGrouped(b, ',', 0) }},
		{text: commasBetween, typ: dfa.Type{Kind: dfa.Float64, Thousands: ','}, accepts: func(b []byte) bool { return isGrouped(b, ',', '.') }},
		{text: pointsBetweenInts, typ: dfa.Type{Kind: dfa.Int64, Thousands: '.'}, accepts: func(b []byte) bool { return isGrouped(b, '.', 0) }},
		{text: pointsBetween, typ: dfa.Type{Kind: dfa.Float64, Point: ',', Thousands: '.'}, accepts: func(b []byte) bool { return isGrouped(b, '.', ',') }},
		{text: blanksBetweenInts, typ: dfa.Type{Kind: dfa.Int64, Thousands: ' '}, accepts: func(b []byte) bool { return isGrouped(b, ' ', 0) }},
		{text: ticksBetweenInts, typ: dfa.Type{Kind: dfa.Int64, Thousands: '\''}, accepts: func(b []byte) bool { return isGrouped(b, '\'', 0) }},
		{text: blanksBetween, typ: dfa.Type{Kind: dfa.Float64, Point: ',', Thousands: ' '}, accepts: func(b []byte) bool { return isGrouped(b, ' ', ',') }},
		{text: ticksBetween, typ: dfa.Type{Kind: dfa.Float64, Thousands: '\''}, accepts: func(b []byte) bool { return isGrouped(b, '\'', '.') }},
	}
	const about = 576 // are all
	all := append(make([]candidate, 0, about), usual...)
	dates := []struct{ layout, meaning string }{
		{"%Y-%m-%d", ""}, {"%Y/%m/%d", ""}, {"%Y.%m.%d", ""},
		{"%d.%m.%Y", "d.d.Y"}, {"%m.%d.%Y", "d.d.Y"}, {"%d/%m/%Y", "d/d/Y"}, {"%m/%d/%Y", "d/d/Y"}, {"%d-%m-%Y", "d-d-Y"}, {"%m-%d-%Y", "d-d-Y"},
		{"%d.%m.%y", "d.d.d"}, {"%m.%d.%y", "d.d.d"}, {"%y.%m.%d", "d.d.d"},
		{"%d/%m/%y", "d/d/d"}, {"%m/%d/%y", "d/d/d"}, {"%y/%m/%d", "d/d/d"},
		{"%d-%m-%y", "d-d-d"}, {"%m-%d-%y", "d-d-d"}, {"%y-%m-%d", "d-d-d"},
		{"%d %b %Y", ""}, {"%d-%b-%Y", ""}, {"%d-%b-%y", ""}, {"%d %B %Y", ""}, {"%b %d, %Y", ""}, {"%B %d, %Y", ""}, {"%b %d %Y", ""},
		{"%d%b%Y", ""}, // as SAS writes it
	}
	all = append(all, candidate{text: "date", typ: dfa.Type{Kind: dfa.Date}})
	for _, d := range dates {
		all = append(all, candidate{text: fmt.Sprintf("date(%q)", d.layout), typ: dfa.Type{Kind: dfa.Date, Layout: d.layout}, meaning: d.meaning})
	}
	// Of what may have digits behind the seconds, that of microseconds stands before that of nanoseconds.
	units := func(c candidate, nanoseconds string) {
		if all = append(all, c); nanoseconds == "" {
			return
		}
		if c.text, c.typ.Unit = nanoseconds, dfa.Nanosecond; c.meaning != "" {
			c.meaning += " ns" // which is no rival of microseconds
		}
		all = append(all, c)
	}
	clocked := func(kind dfa.TypeKind, layout, meaning string) {
		name := "ts"
		if kind == dfa.Time {
			name = "time"
		}
		name += `("` + layout + `"`
		nanoseconds := ""
		if strings.Contains(layout, "%f") {
			nanoseconds = name + ", unit ns)"
		}
		units(candidate{text: name + ")", typ: dfa.Type{Kind: kind, Unit: dfa.Microsecond, Layout: layout}, meaning: meaning}, nanoseconds)
	}
	units(candidate{text: "ts", typ: dfa.Type{Kind: dfa.Timestamp, Unit: dfa.Microsecond}}, "ts(unit ns)")
	units(candidate{text: "ts(tz none)", typ: dfa.Type{Kind: dfa.Timestamp, Unit: dfa.Microsecond, NoZone: true}, accepts: hasClock}, "ts(unit ns, tz none)")
	for _, between := range []string{" ", "T"} {
		for _, clock := range []string{"%H:%M:%S", "%H:%M:%S.%f", "%H:%M", "%H:%M:%S,%f"} {
			for _, zone := range []string{"", "%z", " %z", " %Z"} {
				if zone != "" || strings.HasSuffix(clock, ",%f") { // others are ISO's, or dates with a clock
					clocked(dfa.Timestamp, "%Y-%m-%d"+between+clock+zone, "")
				}
			}
		}
	}
	for _, d := range dates {
		for _, clock := range []string{" %H:%M:%S", " %H:%M:%S.%f", " %H:%M:%S,%f", " %H:%M", "T%H:%M:%S", "T%H:%M:%S.%f", "T%H:%M:%S,%f", "T%H:%M", " %I:%M:%S %p", " %I:%M:%S.%f %p", " %I:%M %p"} {
			if d.layout == "%Y-%m-%d" && strings.HasSuffix(clock, ",%f") {
				continue // it stands above
			}
			meaning := d.meaning
			if meaning != "" {
				meaning += clock
			}
			clocked(dfa.Timestamp, d.layout+clock, meaning)
		}
	}
	for _, d := range dates {
		switch d.layout {
		case "%d.%m.%Y", "%m.%d.%Y", "%d/%m/%Y", "%m/%d/%Y":
			for _, clock := range []string{", %H:%M:%S", ", %H:%M", ", %I:%M:%S %p", ", %I:%M %p"} { // as browsers write them
				clocked(dfa.Timestamp, d.layout+clock, d.meaning+clock)
			}
		}
	}
	// Java leaves seconds out that are 0.
	for _, forms := range [][]dfa.ClockForm{{{}, {Layout: "%Y-%m-%dT%H:%M%z"}}, {{Layout: "%Y-%m-%dT%H:%M:%S"}, {Layout: "%Y-%m-%dT%H:%M:%S.%f"}, {Layout: "%Y-%m-%dT%H:%M"}}} {
		typ := dfa.Type{Kind: dfa.Timestamp, Unit: dfa.Microsecond, Layout: forms[0].Layout, Or: forms[1:]}
		text := convert.Name(&typ)
		units(candidate{text: text, typ: typ}, strings.TrimSuffix(text, ")")+", unit ns)")
	}
	for _, layout := range []string{
		"%d/%b/%Y:%H:%M:%S %z", "%d/%b/%Y:%H:%M:%S.%f %z", // web servers
		"%a %b %e %H:%M:%S %Y", "%a %b %e %H:%M:%S %Z %Y", "%a %b %e %H:%M:%S %z %Y", // ctime, date, Ruby
		"%a, %d %b %Y %H:%M:%S %z", "%a, %d %b %Y %H:%M:%S %Z", "%d %b %Y %H:%M:%S %z", "%d %b %Y %H:%M:%S %Z", // RFC 5322
		"%d-%b-%y %I.%M.%S %p", "%d-%b-%y %I.%M.%S.%f %p", // Oracle
		"%d%b%Y:%H:%M:%S", "%d%b%Y:%H:%M:%S.%f", // SAS
	} {
		clocked(dfa.Timestamp, layout, "")
	}
	units(candidate{text: "time", typ: dfa.Type{Kind: dfa.Time, Unit: dfa.Microsecond}}, "time(unit ns)")
	for _, layout := range []string{"%H:%M:%S,%f", "%H:%M", "%I:%M %p", "%I:%M:%S %p", "%I:%M:%S.%f %p"} {
		clocked(dfa.Time, layout, "")
	}
	var marks []byte
	for i := range all {
		marks = marks[:0]
		for layout := all[i].typ.Layout; layout != ""; layout = layout[1:] {
			switch layout[0] {
			case '%':
				layout = layout[1:]
				all[i].named = all[i].named || strings.IndexByte("aAbBpZ", layout[0]) >= 0
			case '-', '/', '.', ':', ',', ' ':
				marks = append(marks, layout[0])
			}
		}
		all[i].marks = string(marks)
		switch c := &all[i]; {
		case c.accepts != nil:
		case strings.Contains(c.typ.Layout, ".%S"):
			c.accepts = noDottedLeapSecond
		case c.typ.Kind == dfa.Time && !strings.Contains(c.typ.Layout, "%p"):
			c.accepts = isClock
		case c.typ.Kind == dfa.Timestamp, c.typ.Kind == dfa.Time:
			c.accepts = noLeapSecond
		}
		all[i].witness = witnessOf(&all[i])
	}
	return all
}

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

// isUsualNumber reports by the first symbols that a number without an exponent is written
// plainly and keeps all its digits as an f64, as nearly all do.
func isUsualNumber(b []byte) bool {
	if len(b) > exactDigits {
		return false
	}
	for _, c := range b {
		if c > '9' { // an exponent: 1e-400 is too small
			return false
		}
	}
	if b[0] == '-' {
		return len(b) > 1 && b[1]-'1' < 9
	}
	return b[0]-'1' < 9 || b[0] == '0' && (len(b) == 1 || b[1] == '.')
}

// isUsualWord reports it of a number in a text, of at most eight symbols, which most have:
// its first digit is not followed by others if it is zero, and all symbols are from '-' to
// '9', so that no blank is around it.
func isUsualWord(text []byte, from, to int32) bool {
	n := uint(to - from)
	if n-1 >= 8 || int(from)+8 > len(text) {
		return false
	}
	first := binary.LittleEndian.Uint64(text[from:])
	word := first<<(64-8*n) | zeros>>(8*n)
	if ((word+aboveDigits)|(word-fromMinus)|word)&highBits != 0 {
		return false
	}
	digit := byte(first) - '0'
	return digit-1 < 9 || digit == 0 && (n == 1 || byte(first>>8) == '.')
}

const (
	ones        = 0x0101010101010101
	highBits    = 0x80 * ones
	aboveDigits = (0x7f - '9') * ones // takes what is above '9' beyond 0x7f
	fromMinus   = '-' * ones
	zeros       = uint64('0' * ones)
)

func isDigit(c byte) bool { return c-'0' < 10 }

// exactDigits is how many digits of a decimal number every f64 keeps, unless it is too
// small: one of normalLength symbols without an exponent is not.
const (
	exactDigits  = 15
	normalLength = 300
)

// isExactFloat reports whether a number is the same as an f64: of more digits than
// all keep, and of one that may be too small to keep them, whether it is the shortest
// text of one.
func isExactFloat(b []byte) bool {
	n, exponent, ok := plain(b)
	if !ok || n <= exactDigits && !exponent && len(b) <= normalLength {
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
	n, exponent, ok := plain(b)
	switch {
	case !ok || bytes.IndexByte(b, '.') >= 0 || bytes.HasSuffix(b, []byte(",")): // which stands behind a number
		return false
	case exponent || n > exactDigits || len(b) > normalLength:
		return isExactFloat(bytes.Replace(b, []byte(","), []byte("."), 1))
	}
	return true
}

// isGrouped reports whether b is a plain number whose digits before the point are in groups
// of three, which all f64 keep; point is 0 for none.
func isGrouped(b []byte, sign, point byte) bool {
	n, exponent, ok := plain(b)
	if !ok || exponent || n > exactDigits || len(b) > normalLength {
		return false
	}
	b = bytes.TrimPrefix(b, []byte("-"))
	whole, fraction, pointed := bytes.Cut(b, []byte{point})
	if pointed && (point == 0 || len(fraction) == 0 || bytes.ContainsFunc(fraction, notDigit)) {
		return false
	}
	for first, more := true, true; more; first = false {
		var group []byte
		group, whole, more = bytes.Cut(whole, []byte{sign})
		if len(group) > 3 || !first && len(group) < 3 || len(group) == 0 || bytes.ContainsFunc(group, notDigit) || more && first && group[0] == '0' {
			return false
		}
	}
	return true
}

func notDigit(r rune) bool { return r < '0' || r > '9' }

// groups reports whether numbers of the type are in groups for sure only if some show it.
func (c *candidate) groups() bool { return c.typ.Kind == dfa.Float64 && c.typ.Thousands != 0 }

// showsGroups reports whether a number that isGrouped shows it: it has both signs.
func (c *candidate) showsGroups(b []byte) bool {
	return bytes.IndexByte(b, c.typ.Thousands) >= 0 && bytes.IndexByte(b, cmp.Or(c.typ.Point, '.')) >= 0
}

// excluded reports whether a candidate is not what somebody has said of numbers.
func (g *Given) excluded(c *candidate) bool {
	point, between := cmp.Or(c.typ.Point, '.'), c.typ.Thousands
	switch {
	case c.text != "dec" && c.typ.Kind != dfa.Float64 && between == 0:
		return false
	case between == 0:
		return g.Point != "" && g.Point[0] != point || g.Thousands != "" && g.Thousands[0] == point
	case c.typ.Kind == dfa.Int64:
		return g.Thousands != string(between)
	}
	return g.Point != "" && g.Point[0] != point || g.Thousands != "" && g.Thousands != string(between)
}

// hasClock: with less it is a date.
func hasClock(b []byte) bool { return len(b) > len("2006-01-02") && noLeapSecond(b) }

// noLeapSecond: 23:59:60 would be the same value as the 00:00:00 after it.
func noLeapSecond(b []byte) bool {
	const seconds = len("2006-01-02 15:04:")
	if len(b) == seconds+2 && b[seconds-1] == ':' { // as most are written
		return b[seconds] != '6'
	}
	return !bytes.Contains(b, []byte(":60"))
}

// noDottedLeapSecond is noLeapSecond of a time of day with points, behind a date and a blank.
func noDottedLeapSecond(b []byte) bool {
	_, clock, _ := bytes.Cut(b, []byte{' '})
	parts := bytes.FieldsFunc(clock, notDigit)
	return len(parts) > 2 && string(parts[2]) != "60"
}

// isClock: with one digit of hours, as in 1:02, it may as well be how long something took, and with one of minutes,
// as in 16:9, it is something else.
func isClock(b []byte) bool {
	return len(b) >= len("15:04") && b[2] == ':' && isDigit(b[4]) && noLeapSecond(b)
}

// isNull reports whether b is what people write for nothing. An empty field is nothing
// in any column but one of text.
func isNull(b []byte) bool {
	switch string(b) {
	case "NULL", "null", "Null", "(null)", "(NULL)", "[NULL]", "<null>", "<NULL>", "nil", "NaT", "NA", "N/A", "n/a", `\N`, "None", "none", "-", "--", "?", ".", "#N/A",
		"<NA>", "n.a.", "k.A.", "#NA", "#DIV/0!", "#REF!", "#VALUE!", "#NAME?", "#NUM!", "#NULL!", // the last six are Excel's
		"#NV", "#BEZUG!", "#WERT!", "#ZAHL!": // and these its German ones
		return true
	}
	return false
}

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

	given    *Given
	json     bool // values are texts of JSON
	quoted   int8 // of these the first is a string: 1, or not: -1; 0: there is none
	begun    bool
	rows     int64
	live     []*trial
	lead     *trial // of the first rows: others are not tried any more, unless it fails
	Blanks   bool   // around values, which are no text
	dropped  drop   // of the first value, if it is of no type
	drops    []drop // what candidates did not fit, the first of each
	nulls    []null // tokens that came among values
	blankRow int64  // the first with blanks around its value, from 1; 0 for none
	decided  bool   // a comma has been met that cannot stand between thousands
	grouped  bool   // a number has been met that has thousands and a fraction
	pairs    bool   // commas may stand between two numbers, as in 8,1 for a device, unless values or a % in the name tell
	fraction bool   // a value has been met that tells
	even     int    // digits behind each comma so far: 0 before the first one, -1 where they differ

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

// trial is a candidate that fits so far.
type trial struct {
	*candidate
	converter *convert.Converter
	column    *columns.Column
	shown     shown // by the values so far
}

func newTrial(of *candidate) (*trial, error) {
	converter, err := convert.NewConverter(&dfa.Column{Type: of.typ}, convert.Options{})
	if err != nil {
		return nil, err
	}
	return &trial{candidate: of, converter: converter, column: convert.NewColumn(&of.typ)}, nil
}

// probes are trials of all candidates, by which the first value of a column is looked at.
var probes = sync.Pool{New: func() any { return &probe{make([]*trial, len(types()))} }}

type probe struct{ all []*trial }

// of is the trial of a candidate, which is made when it is wanted: most never are.
func (p *probe) of(i int) (t *trial, err error) {
	if p.all[i] == nil {
		p.all[i], err = newTrial(&types()[i])
	}
	return p.all[i], err
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

// hasFractions reports whether values of the column have a decimal comma for sure.
func (c *Column) hasFractions() bool {
	t := c.lead
	if t == nil && len(c.live) > 0 {
		t = c.live[0]
	}
	return t != nil && t.typ.Kind == dfa.Float64 && t.typ.Point == ',' && c.doubt(t) == "" && !c.paired(t)
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

// misfit is the first of fields that is not of the type, -1 if all are.
func (t *trial) misfit(c *Column, f *convert.Fields) int {
	c.ask(t, f)
	switch {
	case t.text == "dec":
		return t.misfitDecimal(c, f)
	case t.text == commaFloat && (!c.decided || c.pairs && !c.fraction):
		for i := range f.Len() {
			b, _ := f.At(i)
			c.decided = c.decided || bytes.IndexByte(b, ',') >= 0 && !thousands(b)
			c.commas(b)
		}
	case t.groups() && !c.grouped:
		for i := range f.Len() {
			b, _ := f.At(i)
			c.grouped = c.grouped || t.showsGroups(b)
		}
	}
	bad := -1
	if t.number && t == c.lead {
		for _, i := range c.odd {
			if b, _ := f.At(int(i)); !isUsualNumber(b) && !t.accepts(b) {
				bad = int(i)
				break
			}
		}
	} else if t.accepts != nil {
		for i, from := range f.Start {
			if !t.accepts(f.Src[from:f.End[i]]) {
				bad = i
				break
			}
		}
	}
	t.column.Reset()
	if errs := t.converter.Append(t.column, f, nil); len(errs) > 0 && (bad < 0 || errs[0].Row < bad) {
		bad = errs[0].Row
	}
	for i := 0; bad < 0 && t.column.Nulls > 0; i++ { // a value that was taken for none
		if !t.column.IsValid(i) {
			bad = i
		}
	}
	return bad
}

// misfitDecimal finds out how many digits decimals have.
func (t *trial) misfitDecimal(c *Column, f *convert.Fields) int {
	for i := range f.Len() {
		b, _ := f.At(i)
		whole, part, ok := decimal(b)
		if !ok || max(c.whole, whole)+max(c.scale, part) > t.typ.Precision {
			return i
		}
		c.whole, c.scale = max(c.whole, whole), max(c.scale, part)
	}
	return -1
}

// refuses reports whether the first of fields is not of the type.
func (t *trial) refuses(f *convert.Fields) bool {
	var one convert.Fields
	f.Slice(&one, 0, 1)
	t.column.Reset()
	return len(t.converter.Append(t.column, &one, nil)) > 0 || t.column.Nulls > 0
}

// name is the type as in a spec.
func (t *trial) name(c *Column) string {
	if t.text == "dec" {
		return fmt.Sprintf("dec(%d, %d)", c.whole+c.scale, c.scale)
	}
	return t.text
}

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
	t := c.lead
	if t == nil && len(c.live) > 0 {
		t = c.live[0]
	}
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

// bare reports whether the type is one of what JSON writes without quotes.
func (c *candidate) bare() bool {
	switch c.typ.Kind {
	case dfa.Bool, dfa.Int64, dfa.Uint64, dfa.Float64, dfa.Decimal:
		return true
	}
	return false
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
