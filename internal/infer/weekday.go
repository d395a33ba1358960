package infer

import (
	"bytes"
	"fmt"
	"slices"
)

// This file is about dates and times that the separator of the input divides, as nothing quotes them: those of mails at
// the comma behind the weekday, those of twelve hours at the blank.
//
//	1,Mon, 02 Jan 2006 15:04:05 -0700,ann
//	01/31/2025 03:04:05 PM started

var (
	weekday       = lazily(`^ ?(?i:Mon|Tues?|Wed(?:nes)?|Thu(?:rs)?|Fri|Sat(?:ur)?|Sun)(?i:day)?$`)
	behindWeekday = lazily(`^ (?i:\d{1,2}[ -](?:` + monthNames + `)|(?:` + monthNames + `)[a-z]* \d{1,2}\b)`)
)

var halfOfDay = lazily(`^(?i:[ap]\.?m\.?)$`)

// halved marks the columns of clocks behind each of which, in the records that are shown, AM or PM stands in a column of
// its own: none of their values is a time of day alone.
func (t *Table) halved() {
	rows := t.first
	if t.Header && len(rows) > 0 {
		rows = rows[1:]
	}
	for i := range len(t.Columns) - 1 {
		t.Columns[i].halved = len(rows) > 0 && !slices.ContainsFunc(rows, func(r row) bool {
			return i+1 >= len(r.fields) || !halfOfDay.Match(r.fields[i+1].text)
		})
	}
}

// weekdayHint says that a date is cut behind its weekday in all of the records; "" if none is. Some may be names.
func weekdayHint(rows []row, separator byte, header bool) string {
	if header && len(rows) > 0 {
		rows = rows[1:]
	}
	if separator != ',' || len(rows) == 0 {
		return ""
	}
	for i := range len(rows[0].fields) - 1 {
		n := 0
		for ; n < len(rows) && cutAt(&rows[n], i); n++ {
		}
		if n == len(rows) {
			return fmt.Sprintf(`columns %d and %d look like one date, which the comma behind the weekday divides, as nothing quotes it: a spec with a template, as record "{a},{date},{b}", keeps it`, i+1, i+2)
		}
	}
	return ""
}

// cutDates reports whether the records of two columns below one name are dates that the comma behind the weekday divides.
func (o *outline) cutDates() bool {
	return o.Separator == ',' && o.Columns == 2 && o.Skip == 1 && len(o.rows) > 0 && oneName.Match(o.above) &&
		!slices.ContainsFunc(o.rows, func(r row) bool { return len(r.fields) != 2 || !cutAt(&r, 0) })
}

// cutAt reports whether field i of a record is a weekday, and the next one the day.
func cutAt(r *row, i int) bool {
	return i+1 < len(r.fields) && !r.fields[i].quoted && !r.fields[i+1].quoted &&
		bytes.HasPrefix(r.fields[i+1].text, []byte{' '}) && weekday.Match(r.fields[i].text) && behindWeekday.Match(r.fields[i+1].text)
}
