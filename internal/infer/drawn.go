package infer

import (
	"bytes"
	"slices"
	"unicode/utf8"
)

// ruleLine is a line that is drawn between names and records: dashes, with bars or crosses
// between columns.
var ruleLine = lazily(`^[ \t]*[|+]?([ \t]*:?-+:?[ \t]*[|+])*[ \t]*:?-+:?[ \t]*[|+]?[ \t]*$`)

// leastDashes are those of a line that is drawn, and mostDrawn all of its symbols at most.
const (
	leastDashes = 3
	mostDrawn   = 1 << 16
)

func isRule(line []byte) bool {
	return len(line) <= mostDrawn && bytes.Count(line, []byte{'-'}) >= leastDashes && ruleLine.Match(line)
}

// drawn finds a table that is drawn with bars and dashes, as psql, MySQL and Markdown have
// it: names, a line under them, and records with bars between fields.
func drawn(sample []byte, whole bool) (*Rating, bool) {
	var lines [][]byte
	for line := range bytes.Lines(sample) {
		lines = append(lines, bytes.TrimRight(line, "\r\n"))
		if len(lines) == maxSampleRows {
			whole = false
		}
	}
	if !whole && len(lines) > 0 {
		lines = lines[:len(lines)-1]
	}
	at := slices.IndexFunc(lines[:min(len(lines), maxPreamble)], func(line []byte) bool {
		return isRule(line) && bytes.ContainsAny(line, "|+")
	})
	listing := at < 0 // lines of nothing but dashes around what has bars, as SAP prints it
	if listing {
		at = slices.IndexFunc(lines[:min(len(lines), maxPreamble)], isDashes)
	}
	if at < 0 || listing && !isListing(lines[at:]) {
		return nil, false
	}
	r := &Rating{Dialect: Dialect{Separator: '|', Header: true, Names: 2, Padded: true, Rule: true}, Score: 1}
	names, first := at-1, at+1 // lines
	if lines[at][0] == '+' || listing {
		names, first = at+1, at+3
		r.Skip, r.Names, r.Comment = at, 3, "+"
		if listing {
			r.Comment = "---"
		}
	} else {
		r.Skip = names
	}
	if names < 0 || first >= len(lines) || !isRule(lines[first-1]) {
		return nil, false
	}
	if bytes.Contains(sample, []byte(`\|`)) {
		r.Escape = '\\'
	}
	cutLine := func(i int) row {
		rows, _, _ := cut(lines[i], &r.Dialect, true)
		if len(rows) == 0 {
			return row{}
		}
		rows[0].line, rows[0].end = i, endOf(sample, i)
		return rows[0]
	}
	r.rows = []row{cutLine(names)}
	r.Columns = len(r.rows[0].fields)
	bars := bytes.Count(lines[first-1], []byte{'|'}) + bytes.Count(lines[first-1], []byte{'+'})
	if r.Columns < 2 || bars != r.Columns-1 && !listing {
		return nil, false
	}
	rest := first
	for ; rest < len(lines); rest++ {
		if r.Comment != "" && isRule(lines[rest]) && bytes.HasPrefix(lines[rest], []byte(r.Comment)) {
			continue
		}
		row := cutLine(rest)
		if len(row.fields) != r.Columns {
			break
		}
		r.rows = append(r.rows, row)
	}
	for _, line := range lines[rest:] {
		if bytes.IndexByte(line, '|') >= 0 || r.Comment != "" && bytes.HasPrefix(line, []byte(r.Comment)) {
			return nil, false // there is more than a footer
		}
	}
	if len(r.rows) < 2 || r.Comment != "" && bytes.Count(sample, []byte("\n"+r.Comment)) != rulesOf(lines, r.Comment) {
		return nil, false
	}
	r.foot(lines, rest, r.Skip)
	return r, true
}

// leastBoxed are the lines that show what is drawn with signs for lines.
const leastBoxed = 2

// boxed finds what is drawn with signs for lines and corners, as trees and as boxes: it has one
// column, for what a sign means only its place tells.
func boxed(sample []byte, whole bool) (*Rating, bool) {
	d := Dialect{}
	for bytes.IndexByte(sample, d.Filler) >= 0 {
		if d.Filler++; d.Filler == ' ' {
			return nil, false
		}
	}
	rows, _, _ := cut(sample, &d, whole)
	drawn := 0
	for _, r := range rows {
		if begin, _ := utf8.DecodeRune(bytes.TrimLeft(r.fields[0].text, " ")); begin >= '─' && begin <= '╿' {
			drawn++
		}
	}
	if drawn < leastBoxed {
		return nil, false
	}
	return &Rating{Dialect: d, Columns: 1, Score: singleColumn, rows: rows, unnamed: true}, true
}

// underlined reports whether the first of rows has names of all columns, and the second a
// line of dashes or equals signs below each, as pip, conda and PowerShell draw them.
func underlined(rows []row, columns int) bool {
	if columns < 2 || len(rows) < 3 || len(rows[0].fields) != columns || len(rows[1].fields) != columns || hasFigures(rows[0].fields) {
		return false
	}
	for _, f := range rows[1].fields {
		if len(f.text) < 2 || len(bytes.Trim(f.text, "-")) > 0 && len(bytes.Trim(f.text, "=")) > 0 {
			return false
		}
	}
	return true
}

// isDashes reports whether a line is one of dashes alone.
func isDashes(line []byte) bool { return len(line) >= leastDashes && len(bytes.Trim(line, "-")) == 0 }

// isListing reports whether lines begin with dashes, names between bars as wide as these, dashes again, and
// a record of that kind.
func isListing(lines [][]byte) bool {
	const least = 4
	barred := func(line []byte) bool { return len(line) > 2 && line[0] == '|' && line[len(line)-1] == '|' }
	return len(lines) >= least && barred(lines[1]) && bytes.Equal(lines[2], lines[0]) && barred(lines[3])
}

// rulesOf counts the lines behind the first that are drawn, and begin with a sign.
func rulesOf(lines [][]byte, sign string) (n int) {
	for i, line := range lines {
		if i > 0 && isRule(line) && bytes.HasPrefix(line, []byte(sign)) {
			n++
		}
	}
	return n
}

// padded reports whether blanks stand on both sides of each bar between fields, in all of rows, or fill all fields of
// a column between tabs up to one width, so that they are no data.
func padded(d *Dialect, rows []row) bool {
	if d.Separator == '\t' {
		return filledUp(rows)
	}
	if d.Separator != '|' || d.Wide != "" || d.Names > 1 || len(rows) < 2 {
		return false
	}
	for _, r := range rows {
		for i, f := range r.fields {
			n := len(f.text)
			if f.quoted || n == 0 || i > 0 && f.text[0] != ' ' || i < len(r.fields)-1 && f.text[n-1] != ' ' {
				return false
			}
		}
	}
	return true
}

// filledUp reports whether all fields of each column but the last have one width, those of two columns or more with
// blanks behind what some of them hold, and none with blanks before it.
func filledUp(rows []row) bool {
	if len(rows) < 2 {
		return false
	}
	first := rows[0].fields
	filled := make([]bool, len(first))
	for _, r := range rows {
		if len(r.fields) != len(first) {
			return false
		}
		for i, f := range r.fields {
			n := len(f.text)
			if f.quoted || n == 0 || f.text[0] == ' ' && len(bytes.TrimSpace(f.text)) > 0 || i < len(first)-1 && utf8.RuneCount(f.text) != utf8.RuneCount(first[i].text) {
				return false
			}
			filled[i] = filled[i] || f.text[n-1] == ' ' && i < len(first)-1
		}
	}
	n := 0
	for _, is := range filled {
		if is {
			n++
		}
	}
	return n > 1
}

// endOf is where line i of sample ends, behind its line end.
func endOf(sample []byte, i int) (end int) {
	for line := range bytes.Lines(sample) {
		end += len(line)
		if i == 0 {
			break
		}
		i--
	}
	return end
}
