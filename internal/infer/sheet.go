package infer

import (
	"bytes"
	"slices"
)

// This file is about what spreadsheets write: titles above a table, filled up with separators like
// all rows, and names that stand above several columns.

// mostTitled are the cells of a title, as in "Created: | 2024-01-01".
const mostTitled = 2

// isTitle reports whether a row of a table is none: it begins with a few cells, or has one anywhere,
// and no others.
func isTitle(r row, columns int) bool {
	if len(r.fields) != columns || columns <= mostTitled {
		return false
	}
	first, last, n := -1, -1, 0
	for i, f := range r.fields {
		if len(bytes.TrimSpace(f.text)) > 0 {
			if first < 0 {
				first = i
			}
			last = i
			n++
		}
	}
	return n < 2 || n <= mostTitled && 2*n < columns && first == 0 && last == n-1
}

// titled is how many of rows stand above the one that names the columns, 0 if no title does.
func titled(rows []row, columns int) (n int) {
	for n < min(len(rows), maxPreamble) && isTitle(rows[n], columns) {
		n++
	}
	if n == 0 || len(rows)-n < 2 {
		return 0
	}
	below := rows[n:]
	sparse := 0
	for _, r := range below[1:] {
		if isTitle(r, columns) {
			sparse++
		}
	}
	if 2*sparse >= len(below)-1 {
		return 0
	}
	has, sure := hasHeader(below, columns)
	whole := !slices.ContainsFunc(below[0].fields, func(f field) bool { return len(bytes.TrimSpace(f.text)) == 0 })
	if has && (sure || whole && len(below) > severalRows) || merged(below, columns) != nil || twoLines(below, columns, true) || unitsBelow(below, columns) || yearsBelow(below, columns) {
		return n
	}
	return 0
}

// merged gives the names of columns where one that is above several stands above the first of these
// alone: the names below it are there more than once.
func merged(rows []row, columns int) []string {
	if len(rows) < 4 || columns < 3 || len(rows[0].fields) != columns || len(rows[1].fields) != columns {
		return nil
	}
	isName := func(text []byte) bool { return len(text) == 0 || word.Match(text) || year(text) > 0 }
	var names []string
	seen := map[string]bool{}
	over := "" // of the columns that follow
	again, typed := false, 0
	below := map[string]bool{}
	for i := range columns {
		a, b := bytes.TrimSpace(rows[0].fields[i].text), bytes.TrimSpace(rows[1].fields[i].text)
		if !isName(a) || !isName(b) || isNull(b) || truth.Match(b) || len(a)+len(b) == 0 {
			return nil
		}
		name := string(b)
		switch {
		case len(b) == 0:
			name, over = string(a), ""
		case len(a) > 0:
			over = string(a)
			fallthrough
		case over != "":
			again = again || below[name]
			below[name] = true
			name = over + " " + name
		}
		if seen[name] {
			return nil
		}
		seen[name] = true
		names = append(names, name)
		if !slices.ContainsFunc(rows[2:], func(r row) bool {
			if i >= len(r.fields) {
				return false
			}
			text := bytes.TrimSpace(r.fields[i].text)
			return len(text) > 0 && !isNull(text) && !isFigure(text)
		}) {
			typed++
		}
	}
	if !again || 2*typed <= columns {
		return nil
	}
	return names
}

// sheetEnd leaves out the end of a sheet, as totals or remarks behind an empty row: the rows from the
// first that is empty on are few, and none is a record like those above.
func (r *Rating) sheetEnd() {
	empty := slices.IndexFunc(r.rows, isEmpty)
	if empty < severalRows || len(r.rows)-empty > maxFooter || r.Columns <= mostTitled || r.Separator == 0 {
		return
	}
	at := empty + slices.IndexFunc(r.rows[empty:], func(row row) bool { return !isEmpty(row) })
	if at < empty {
		return
	}
	for _, row := range r.rows[empty:] {
		if !row.inOneLine() || !isTitle(row, r.Columns) && !(len(row.fields) == r.Columns && totalling.Match(bytes.TrimSpace(row.fields[0].text))) {
			return
		}
	}
	first := r.rows[at].fields[0]
	if first.quoted || len(first.text) == 0 || slices.ContainsFunc(r.rows[:at], func(row row) bool { return bytes.HasPrefix(row.fields[0].text, first.text) }) {
		return
	}
	foot := &Footer{Lines: len(r.rows) - at, Stops: [][]byte{[]byte("\n" + string(first.text))}, stop: string(first.text)}
	r.ends = []*Footer{foot}
	r.Foot, r.StopAt, r.rows = foot.Lines, foot.stop, r.rows[:at]
}

// isEmpty reports whether a row has nothing in it.
func isEmpty(r row) bool {
	return !slices.ContainsFunc(r.fields, func(f field) bool { return f.quoted || len(bytes.TrimSpace(f.text)) > 0 })
}
