package infer

import (
	"bytes"
	"slices"
	"unicode/utf8"
)

// Bounds of what makes the last column of an aligned table one that holds blanks.
const (
	leastOpen  = 3 // columns
	mostJoined = 2 // words more than columns, which the last name has
)

// openEnd finds a table that is aligned by blanks, whose last column holds some too, as what
// ps, df and ls write: it gives its rows with that column as one field, from the one that
// names the columns on, if there is one. Other columns have to show that they stand in
// place: figures are below figures.
func openEnd(rows []row) (out []row, header, ok bool) {
	for i := range min(len(rows)-1, maxPreamble+1) {
		names, width := rows[i].fields, leastWidth(rows[i+1:])
		if hasFigures(names) || len(names) < leastOpen || rows[i+1].line > rows[i].line+1 {
			continue
		}
		apart := i > 0 && rows[i].line > rows[i-1].line+1 // as the table of top is
		if n := len(names); n <= width && !unnamed(rows[i+1:], n) && (n < widest(rows[i+1:]) || apart && n == width) || n > width && n <= width+mostJoined && width >= leastOpen {
			if out := closed(rows[i:], min(n, width)); measured(out[1:]) && below(out) {
				return out, true, true
			}
		}
	}
	width, _, _ := table(rows)
	for i := range min(len(rows)-1, maxPreamble+1) {
		if n := len(rows[i].fields); n < width || width < leastOpen {
			continue
		}
		if leastWidth(rows[i:]) == width && (widest(rows[i:]) > width || areFiles(rows[i:])) {
			if out := closed(rows[i:], width); figured(out) >= 2 {
				return out, false, true
			}
		}
		break
	}
	return nil, false, false
}

// openLog gives the rows of a log whose messages hold what separates its fields, with the message as one field; nil
// if rows are none: all begin with a time, most have the fewest fields, and no backslash stands before a separator,
// which it may escape.
func openLog(rows []row) []row {
	width, fewest := leastWidth(rows), 0
	for _, r := range rows {
		if !date.Match(bytes.Trim(r.fields[0].text, "[] ")) || slices.ContainsFunc(r.fields[:len(r.fields)-1], func(f field) bool { return bytes.HasSuffix(f.text, []byte{'\\'}) }) {
			return nil
		}
		if len(r.fields) == width {
			fewest++
		}
	}
	if width < leastOpen || width == widest(rows) || 2*fewest <= len(rows) {
		return nil
	}
	return closed(rows, width)
}

// levelled reports whether a column of rows but the last holds a level in all of them, alone or in brackets.
func levelled(rows []row) bool {
	for i := range len(rows[0].fields) - 1 {
		if !slices.ContainsFunc(rows, func(r row) bool {
			return !slices.Contains(levels, string(bytes.ToLower(bytes.Trim(r.fields[i].text, "[] "))))
		}) {
			return true
		}
	}
	return false
}

// below reports whether fields stand below their names, each column's in some row at least, where the names have
// been put in place: with more than one blank between some.
func below(rows []row) bool {
	if !bytes.Contains(bytes.TrimSpace(rows[0].raw), []byte("  ")) {
		return true
	}
	for i := range len(rows[0].fields) - 1 {
		from, to := rows[0].span(i)
		if !slices.ContainsFunc(rows[1:], func(r row) bool {
			begin, end := r.span(i)
			return begin < to && end > from
		}) {
			return false
		}
	}
	return true
}

// inLine reports whether all words of rows begin below those of the first one, with more than one blank between some of
// these: what programs print as a table.
func inLine(rows []row) bool {
	if len(rows) < severalRows || !bytes.Contains(bytes.TrimSpace(rows[0].raw), []byte("  ")) {
		return false
	}
	places := beginnings(rows[0].raw)
	return !slices.ContainsFunc(rows[1:], func(r row) bool { return !slices.Equal(beginnings(r.raw), places) })
}

// beginnings are where words begin in a line, in characters.
func beginnings(line []byte) (at []int) {
	before := ' '
	for i, c := range []rune(string(line)) {
		if c != ' ' && before == ' ' {
			at = append(at, i)
		}
		before = c
	}
	return at
}

// span is where a field that no quotes are around stands in its line, in characters.
func (r *row) span(i int) (from, to int) {
	text := r.fields[i].text
	at := cap(r.raw) - cap(text) // which is that of the sample behind both
	from = utf8.RuneCount(r.raw[:at])
	return from, from + utf8.RuneCount(text)
}

// unnamed reports whether all rows have more columns than there are names, of figures: the names are
// not theirs.
func unnamed(rows []row, names int) bool {
	width := leastWidth(rows)
	return width > names && width == widest(rows) && !slices.ContainsFunc(rows, func(r row) bool {
		return slices.ContainsFunc(r.fields[names-1:], func(f field) bool { return !isFigure(f.text) })
	})
}

func leastWidth(rows []row) int {
	n := len(rows[0].fields)
	for _, r := range rows {
		n = min(n, len(r.fields))
	}
	return n
}

func widest(rows []row) (n int) {
	for _, r := range rows {
		n = max(n, len(r.fields))
	}
	return n
}

// closed is rows in which what follows the first fields is one field.
func closed(rows []row, width int) []row {
	out := make([]row, len(rows))
	for i, r := range rows {
		out[i] = r
		if len(r.fields) > width {
			last := r.fields[width-1]
			var texts [][]byte
			for _, f := range r.fields[width-1:] {
				texts = append(texts, f.text)
			}
			last.text = bytes.Join(texts, []byte{' '})
			out[i].fields = append(append([]field{}, r.fields[:width-1]...), last)
		}
	}
	return out
}

// figured counts the columns but the last that are figures in every row.
func figured(rows []row) (columns int) {
	for c := range len(rows[0].fields) - 1 {
		all := true
		for _, r := range rows {
			all = all && isFigure(r.fields[c].text)
		}
		if all {
			columns++
		}
	}
	return columns
}

// measure is a number that may have a unit.
var measure = lazily(`^\d[\d.,:]*[A-Za-z%]{0,2}$`)

// measured reports whether a column but the last is figures in every row, perhaps with units.
func measured(rows []row) bool {
	for c := range len(rows[0].fields) - 1 {
		if !slices.ContainsFunc(rows, func(r row) bool { return !isFigure(r.fields[c].text) && !measure.Match(r.fields[c].text) }) {
			return true
		}
	}
	return false
}

// sumsUp reports whether the first of rows is what ls prints above the files, as in "total 12": a
// word and a number, and all other rows have far more fields.
func sumsUp(rows []row, width int) bool {
	first := rows[0].fields
	return len(first) == 2 && width > 2*len(first) && leastWidth(rows[1:]) == width && word.Match(first[0].text) && isFigure(first[1].text)
}

// areFiles reports whether rows begin with the permissions of files, as those of ls do, of which
// any may have a name with blanks.
func areFiles(rows []row) bool {
	return !slices.ContainsFunc(rows, func(r row) bool { return !permissions.Match(r.fields[0].text) })
}

var permissions = lazily(`^[-bcdlps]([r-][w-][-xsStT]){3}[.+@]?$`)

func hasFigures(fields []field) bool {
	for i := range fields {
		if isFigure(fields[i].text) {
			return true
		}
	}
	return false
}

func isFigure(text []byte) bool { return number.Match(text) || date.Match(text) }

// shifted reports whether the fields of most columns begin with digits in some rows and with something
// else in others: where fields are missing in the middle of rows, or hold blanks, and all behind
// them stand in other columns.
func shifted(rows []row, width int) bool {
	mixed := 0
	for i := range width {
		digits, others := false, false
		for n := range rows {
			if i < len(rows[n].fields) && len(rows[n].fields[i].text) > 0 {
				digit := isDigit(rows[n].fields[i].text[0])
				digits, others = digits || digit, others || !digit
			}
		}
		if digits && others {
			mixed++
		}
	}
	return width > 3 && 2*mixed > width
}

// quotes reports whether a field is in quotes.
func quotes(rows []row) bool {
	return slices.ContainsFunc(rows, func(r row) bool {
		return slices.ContainsFunc(r.fields, func(f field) bool { return f.quoted })
	})
}

// Measures reports whether a table that blanks divide has names above numbers that are no dates and times, and the same
// number of fields in all records.
func (t *Table) Measures() bool {
	if t.Separator != ' ' && !t.Placed || t.Width <= 2 || !t.Header || t.Unsure || t.Short || t.Open || t.Skip > 0 || len(t.first) < 2 || !named(t.first[0].fields) {
		return false
	}
	for i := range t.first[0].fields {
		if !slices.ContainsFunc(t.first[1:], func(r row) bool { return i >= len(r.fields) || !number.Match(r.fields[i].text) }) {
			return true
		}
	}
	return false
}
