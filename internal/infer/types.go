package infer

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/convert"
)

// This file is about the types that a column may have, and about the values of which one may be lost
// or changed by being read as such a type.

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
		case c == '.' && i > 0 && part == 0 && whole == 0:
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

// bare reports whether the type is one of what JSON writes without quotes.
func (c *candidate) bare() bool {
	switch c.typ.Kind {
	case dfa.Bool, dfa.Int64, dfa.Uint64, dfa.Float64, dfa.Decimal:
		return true
	}
	return false
}
