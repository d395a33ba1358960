package infer

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// This file is about the times that records of logs begin with: a day and a clock in one of a few forms, in brackets,
// before a colon or bare, with an offset from UTC behind them or none.
//
//	2024-01-01 10:00:00,123 +0200
//	[01.02.2024 10:00:00 UTC]
//	2024-01-01T10:00:00+0200: and so on

// clock is a time as logs have it that no built-in format begins with.
type clock struct {
	form        pattern // with a group for each of zones
	like        string  // what lines that it is compiled for begin with, in brackets or not
	typ         string  // with %s where a layout has its zone
	width       int     // symbols up to the end of the seconds, or of what is always as long; 0 if nothing is
	open, close string  // the brackets that it stands in, as in a template
	colon       bool    // one follows
	tight       bool    // another bracket follows, with no blank between
	oneValue    bool    // a blank within it divides no values: it stands in brackets, or has a name before its day
}

// zone is how an offset from UTC stands behind a time.
type zone struct {
	form   string // as a regular expression
	layout string
	hole   string // behind {time} in the template, where not all times have it
	typ    string // of that column; "" if offsets says what it looks like
	apart  bool   // a blank is between them: without brackets it might belong to what follows
}

var zones = []zone{
	{` (?:Z|[+-]\d\d:?\d\d)`, " %z", "[{ }{offset:offset}]", "", true},
	{` (?:UTC|GMT)`, " %Z", "[{ }{offset}]", "enum(UTC GMT)", true},
	{`(?:Z|[+-]\d\d:?\d\d)`, "%z", "[{offset:offset}]", "", false},
}

// offsets is the form of an offset in a column of its own.
const offsets = `dfa offset {
  group                             S='+' '-' | Z='Z' | C=':' | L='0'-'5' | H='6'-'9' | X=*
  START "before an offset"        : H1 d      | END d | !     | !         | !         | !
  H1    "in the hours"            : !         | !     | !     | H2 d      | H2 d      | !
  H2    "in the hours"            : !         | !     | !     | H d       | H d       | !
  H     "behind the hours"        : !         | !     | M1 d  | M2 d      | !         | !
  M1    "in the minutes"          : !         | !     | !     | M2 d      | !         | !
  M2    "in the minutes"          : !         | !     | !     | END d     | END d     | !
  END   "behind an offset"        : !         | !     | !     | !         | !         | !
  eof : END r, START|H1|H2|H|M1|M2 !
}`

const (
	monthFirst = "%m.%d.%Y"
	// Who writes dates with slashes may mean either.
	dayBeforeSlash   = "%d/%m/%Y"
	monthBeforeSlash = "%m/%d/%Y"

	epoch = "ts(epoch(s))"
	ctime = `ts("%a %b %e %T %Y")` // as dmesg -T writes it
)

// clocks tell one from another by their form. Which of two numbers is the month only values above 12 say.
var clocks = sync.OnceValue(func() (all []*clock) {
	for _, c := range []struct{ day, layout, like string }{
		{`\d{4}-\d\d-\d\d `, "%F %T", "2006-01-02 15:04:05"},
		{`\d{4}-\d\d-\d\dT`, "%FT%T", "2006-01-02T15:04:05"},
		{`\d{4}/\d\d/\d\d `, "%Y/%m/%d %T", "2006/01/02 15:04:05"},
		{`\d\d\.\d\d\.\d{4} `, "%d.%m.%Y %T", "02.01.2006 15:04:05"},
		{`\d\d/\d\d/\d{4} `, dayBeforeSlash + " %T", "02/01/2006 15:04:05"},
		{`[12]\d{7} `, "%Y%m%d %T", "20060102 15:04:05"},
		{`[12]\d{7}-`, "%Y%m%d-%T", "20060102-15:04:05"},
		{`\d\d (?:` + monthNames + `) \d{4} `, "%d %b %Y %T", "02 Jan 2006 15:04:05"},
		{`(?:` + monthNames + `) \d\d, \d{4} `, "%b %d, %Y %T", "Jan 02, 2006 15:04:05"},
		{weekdayForm + ` \d{4}-\d\d-\d\d `, "%a %F %T", "Mon 2006-01-02 15:04:05"},
		{`\d\d/(?:` + monthNames + `)/\d{4} `, "%d/%b/%Y %T", "02/Jan/2006 15:04:05"},
		{`\d\d/(?:` + monthNames + `)/\d{4}:`, "%d/%b/%Y:%T", "02/Jan/2006:15:04:05"},
		{`\d\d-(?:` + monthNames + `)-\d{4} `, "%d-%b-%Y %T", "02-Jan-2006 15:04:05"},
		{`(?:` + monthNames + `) [ \d]\d `, "%b %e %T", "Jan _2 15:04:05"},
		{``, "%T", "15:04:05"},
	} {
		kind, behind := "ts", zoneForms()
		switch {
		case c.day == "":
			kind, behind = "time", ""
		case strings.HasSuffix(c.layout, "%e %T"): // the year is that of the file, which is nothing beside an offset
			behind = ""
		}
		day := strings.TrimSuffix(c.layout, "%T")
		typ := fmt.Sprintf(`%s("%s%%T" | "%[2]s%%T.%%f" | "%[2]s%%T,%%f")`, kind, day)
		form := c.day + `\d\d:\d\d:\d\d(?:[.,]\d+)?` + behind
		all = append(all, halfDays(kind, c.day, day, strings.TrimSuffix(c.like, "15:04:05"), behind)...)
		all = append(all, clocksOf(form, typ, c.like)...)
		if kind == "ts" { // a clock before a colon may be a key
			all = append(all, &clock{form: compiled(`^` + form + `:(?: |$)`), like: c.like, typ: typ, width: len(c.like), colon: true})
		}
	}
	all = append(all, clocksOf(weekdayForm+` (?:`+monthNames+`) [ \d]\d \d\d:\d\d:\d\d \d{4}`, ctime, "Mon Jan _2 15:04:05")...)
	seconds := clocksOf(`1\d{9}(?:\.\d+)?`, epoch, "1136214245")
	for _, c := range seconds {
		c.width = 0
	}
	return append(all, seconds...)
})

// halfDays are clocks of twelve hours behind a day of a form, of kind ts or time, whose hour has one digit or two. Where a day is
// written with slashes, or behind the name of its month, who writes so leaves the zeros of its numbers out, too.
func halfDays(kind, form, day, like, behind string) []*clock {
	width := len(like)
	switch day {
	case "":
		like = "1"
	case dayBeforeSlash + " ":
		form, like, width = `\d\d?/\d\d?/\d{4} `, "1", 0
	case "%b %d, %Y ":
		form, like, width = strings.Replace(form, `\d\d,`, `\d\d?,`, 1), "Jan ", len("Jan ")
	}
	typ := fmt.Sprintf(`%s("%s%%-I:%%M:%%S %%p" | "%[2]s%%-I:%%M:%%S.%%f %%p" | "%[2]s%%-I:%%M:%%S,%%f %%p")`, kind, day)
	all := clocksOf(form+`\d\d?:\d\d:\d\d(?:[.,]\d+)? [AaPp][Mm]`+behind, typ, like)
	for _, c := range all {
		c.width = width
	}
	return all
}

const weekdayForm = `(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)`

// clocksOf are those of a form without brackets, in them, and in them before other brackets.
func clocksOf(form, typ, like string) []*clock {
	width := len(like)
	return []*clock{
		{form: compiled(`^` + form + `(?: |$)`), like: like, typ: typ, width: width, oneValue: form[0] == '(' || strings.HasPrefix(form, `\d\d (`)},
		{form: compiled(`^\[` + form + `\](?: |$)`), like: "[" + like, typ: typ, width: width, open: "{[}", close: "{]}", oneValue: true},
		{form: compiled(`^\[` + form + `\]\[`), like: "[" + like, typ: typ, width: width, open: "{[}", close: "{]}", oneValue: true, tight: true},
	}
}

// compiled is an expression that is compiled when a line looks like it.
func compiled(expr string) pattern {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}

// begins reports whether a line begins with such a time.
func (c *clock) begins(line []byte) bool { return c.looksLike(line) && c.form.Match(line) }

// looksLike reports whether digits and letters stand in a line where such a time has them.
func (c *clock) looksLike(line []byte) bool {
	if len(line) < len(c.like) {
		return false
	}
	seen, want := timeShape(line[:len(c.like)]), timeShape([]byte(c.like))
	for i := range want {
		if seen[i] != want[i] && (want[i] != '_' || seen[i] != ' ' && seen[i] != '0') {
			return false
		}
	}
	return true
}

// zoneForms is a group for each of zones, one of which may be there.
func zoneForms() string {
	forms := make([]string, len(zones))
	for i, z := range zones {
		forms[i] = "(" + z.form + ")"
	}
	return "(?:" + strings.Join(forms, "|") + ")?"
}

// enclosed reports whether something tells where the time ends, its offset from UTC included.
func (c *clock) enclosed() bool { return c.close != "" || c.colon }

// start is the template of the time, which stands in a hole.
func (c *clock) start(hole string) string { return c.open + hole + c.close }

// hole is that of the time, with one of its offset where not all times have one.
func (l *Log) hole() string {
	if l.SomeOffsets {
		return "{time}" + l.zone.hole
	}
	return "{time}"
}

// stamp is what a line has that begins with a time.
type stamp struct {
	time, message string // the time with what encloses it and its zone
	zone          *zone  // nil if it has none
	behind        string // the message with what stands behind the seconds
}

// stamp reads a line; nil if it begins with no such time.
func (c *clock) stamp(line []byte) *stamp {
	if !c.looksLike(line) {
		return nil
	}
	at := c.form().FindSubmatchIndex(line)
	if at == nil {
		return nil
	}
	end := at[1]
	if c.tight {
		end--
	}
	s := &stamp{time: string(line[:end]), message: string(line[end:])}
	s.behind = s.message
	for i := range len(at)/2 - 1 {
		if from := at[2*i+2]; from >= 0 {
			s.zone, s.behind = &zones[i], strings.TrimPrefix(string(line[from:]), " ")
		}
	}
	return s
}

// zoneOfSome is the zone that some of the times have, where the others have none; nil if it is not so.
func zoneOfSome(stamps []*stamp) (of *zone) {
	without := false
	for _, s := range stamps {
		switch {
		case s.zone == nil:
			without = true
		case of != nil && of != s.zone:
			return nil
		default:
			of = s.zone
		}
	}
	if !without {
		return nil
	}
	return of
}

// dayOf is typ, of the times of a sample, by which of two numbers is above 12; "" if both are. If none is, that
// the first is the day is a guess, and none with slashes, where typ is "".
func dayOf(typ string, stamps []*stamp) (as string, guess bool) {
	const last = "12" // month
	slashes := strings.Contains(typ, dayBeforeSlash)
	if !slashes && !strings.Contains(typ, dayFirst) {
		return typ, false
	}
	var first, second bool // no month
	for _, s := range stamps {
		numbers := strings.FieldsFunc(strings.TrimPrefix(s.time, "["), func(r rune) bool { return r == '.' || r == '/' })
		above := func(number string) bool { return len(number) == len(last) && number > last }
		first, second = first || above(numbers[0]), second || above(numbers[1])
	}
	switch {
	case first && second, slashes && !first && !second:
		return "", false
	case second:
		return strings.NewReplacer(dayFirst, monthFirst, dayBeforeSlash, monthBeforeSlash).Replace(typ), false
	}
	return typ, !first
}

// followed is a type of times with more, as the layout of a zone, behind each of its own.
func followed(typ, more string) string {
	return strings.NewReplacer(`" `, more+`" `, `")`, more+`")`).Replace(typ)
}

// MostTime are the bytes up to the end of a time that a record of a log begins with, at most, and one more.
const MostTime = 32

// CutInTime reports whether what stands at the end of a log, behind its last line end, is the beginning of a time as its
// first line begins with, too short to begin a record.
func CutInTime(first, last []byte) bool {
	i := slices.IndexFunc(clocks(), func(c *clock) bool { return c.begins(first) })
	if i < 0 || len(last) == 0 {
		return false
	}
	width := clocks()[i].width
	if clocks()[i].open != "" {
		width++
	}
	return len(last) < width && bytes.HasPrefix(timeShape(first[:width]), timeShape(last))
}

// timeShape is a time in which all digits are alike, and all capital and all small letters.
func timeShape(text []byte) []byte {
	return bytes.Map(func(r rune) rune {
		switch {
		case '0' <= r && r <= '9':
			return '0'
		case 'a' <= r && r <= 'z':
			return 'a'
		case 'A' <= r && r <= 'Z':
			return 'A'
		}
		return r
	}, text)
}
