package infer

import (
	"bytes"
	"slices"

	"github.com/dfaparse/dfaparse/dfa"
)

// This file is about what stands around the records: the line in which Excel is told the
// separator, and footers.

// excelLine is a first line as in "sep=;", which tells the separator.
var excelLine = lazily(`^(\x{FEFF})?"?(?i:sep)=([^\r\n])"?\r?\n`)

// remarks reports whether all lines that are not empty begin with "#", and none is a row of names.
func remarks(sample []byte) bool {
	n := 0
	for line := range bytes.Lines(dfa.WithoutMark(sample)) {
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		if n++; line[0] != '#' || bytes.ContainsAny(line, ",;\t|") {
			return false
		}
	}
	return n > 0
}

// headings reports whether the lines that begin with "#" are several headings of Markdown: an empty line
// or the end is behind each of them.
func headings(sample []byte) bool {
	n := 0
	for rest := sample; len(rest) > 0; {
		var line []byte
		line, rest, _ = bytes.Cut(rest, []byte{'\n'})
		if !bytes.HasPrefix(line, []byte{'#'}) {
			continue
		}
		below, _, _ := bytes.Cut(rest, []byte{'\n'})
		if !heading.Match(line) || len(bytes.TrimSpace(below)) > 0 {
			return false
		}
		n++
	}
	return n > 1
}

// heading is a line that is one.
var heading = lazily(`^#{1,6} [^#]*[[:alnum:]]`)

// maxFooter is how many lines a footer has at most, and leastAbove how many rows stand above it at least.
const (
	maxFooter  = 16
	leastAbove = 3
)

// footing are words that a footer begins with.
var footing = lazily(`^(?i)\W*(\d+ (rows?|records?|lines?|zeilen|lignes)\b|\d+ [\w ]*\b(listed|selected|affected|found)\b|(grand |sub)?total|sum\b|summe|gesamt|end\b|ende\b|eof\b|source\b|quelle|note\b|generated|created|exported|printed|page \d|erstellt|stand\b|seite \d)|^(-{3,}|={3,}|\*{2,}|\\\.$)`)

// foot makes the lines from a place on, which are no records, a footer. from is the first line of
// the table.
func (r *Rating) foot(lines [][]byte, at, from int) {
	if r.ends = endings(lines, at, from, r.Quote); len(r.ends) > 0 {
		r.Foot, r.StopAt = r.ends[0].Lines, r.ends[0].stop
	}
}

// endings are ways to tell the footer that begins at a line from what is before it, from the line
// from on: by an empty line, or by the text that it begins with, which no other line does, unless that
// is the quote, with which records may begin.
func endings(lines [][]byte, at, from int, quote byte) (ends []*Footer) {
	end := len(lines)
	for end > at && len(bytes.TrimSpace(lines[end-1])) == 0 {
		end--
	}
	if at == end {
		return nil
	}
	blankLine := func(line []byte) bool { return len(line) == 0 }
	if blankLine(lines[at]) && !slices.ContainsFunc(lines[from:at], blankLine) {
		ends = append(ends, &Footer{Lines: end - at - 1, Stops: [][]byte{[]byte("\n\n"), []byte("\n\r\n")}})
	}
	for blankLine(lines[at]) {
		at++
	}
	text := lines[at]
	if quote != 0 && text[0] == quote {
		return ends
	}
	if i := bytes.IndexFunc(text, func(r rune) bool { return r >= '0' && r <= '9' }); i > 0 {
		text = text[:i]
	}
	for _, text := range [][]byte{text, lines[at]} {
		if !slices.ContainsFunc(lines[from:at], func(line []byte) bool { return bytes.HasPrefix(line, text) }) {
			ends = append(ends, &Footer{Lines: end - at, Stops: [][]byte{[]byte("\n" + string(text))}, stop: string(text)})
		}
	}
	return ends
}

// footer finds out whether the last of the rows are none: they have fewer fields than all
// others, and are something else, or stand behind a blank line. What may as well be a record
// that was cut off is one.
func (r *Rating) footer(sample []byte) {
	n := len(r.rows)
	for n > 0 && len(r.rows[n-1].fields) < r.Columns {
		n--
	}
	var lines [][]byte
	for line := range bytes.Lines(sample) {
		lines = append(lines, bytes.TrimRight(line, "\r\n"))
	}
	n = min(n, r.apart(lines))
	if n == len(r.rows) || len(r.rows)-n > maxFooter || n < leastAbove || r.Columns < 2 || r.LineEnd == "cr" || r.LineEnd == "any" {
		return
	}
	for _, row := range r.rows[:n] {
		if len(row.fields) != r.Columns {
			return
		}
	}
	first := &r.rows[n]
	if first.line >= len(lines) || first.line == 0 {
		return
	}
	at := first.line
	for at > 0 && len(lines[at-1]) == 0 {
		at--
	}
	if at == first.line && !footing.Match(lines[at]) && !r.misfits(first, n) {
		return
	}
	if r.ends = endings(lines, at, r.Skip, r.Quote); len(r.ends) > 0 {
		r.Foot, r.StopAt = r.ends[0].Lines, r.ends[0].stop
		r.rows = r.rows[:n]
		r.Short = false
	}
}

// apart is the first of the rows that stand behind the only empty line and begin with text, where all
// others begin with numbers or dates: as a balance does below bookings. It is the number of rows if
// there are none.
func (r *Rating) apart(lines [][]byte) int {
	at := len(r.rows)
	for i := 1; i < len(r.rows); i++ {
		if line := r.rows[i].line; line < len(lines) && len(lines[line-1]) == 0 {
			if at < len(r.rows) {
				return len(r.rows)
			}
			at = i
		}
	}
	if at < leastAbove || len(r.rows)-at > maxFooter {
		return len(r.rows)
	}
	for i := range r.rows[at:] {
		if !r.misfits(&r.rows[at+i], at) {
			return len(r.rows)
		}
	}
	return at
}

// misfits reports whether a row begins with what no record before it does: text below
// numbers or dates.
func (r *Rating) misfits(of *row, n int) bool {
	text := bytes.TrimSpace(of.fields[0].text)
	if len(text) == 0 || isFigure(text) || isNull(text) {
		return false
	}
	for _, row := range r.rows[1:n] {
		if !isFigure(bytes.TrimSpace(row.fields[0].text)) {
			return false
		}
	}
	return true
}

// totalling begins records of totals.
var totalling = lazily(`^(?i)(grand |sub-?|sub )?(totals?|sum|summe|gesamt|gesamtsumme|insgesamt|zusammen|totale|totaal|suma|somme)\W*$`)

// endsInTotals reports whether the last of rows is likely one of totals: it says so, or it begins with
// nothing, and a number in it is the sum of those above.
func endsInTotals(rows []row, width int, header bool) bool {
	if header {
		rows = rows[1:]
	}
	if len(rows) < 3 || width < 2 {
		return false
	}
	last, above := rows[len(rows)-1].fields, rows[:len(rows)-1]
	if len(last) != width {
		return false
	}
	sums := false
	for i := range last {
		text := bytes.TrimSpace(last[i].text)
		if i < 2 && totalling.Match(text) && !slices.ContainsFunc(above, func(r row) bool { return i < len(r.fields) && totalling.Match(bytes.TrimSpace(r.fields[i].text)) }) {
			return true
		}
		sums = sums || isSum(text, above, i)
	}
	begins := func(r row) bool { return len(r.fields) > 0 && len(bytes.TrimSpace(r.fields[0].text)) > 0 }
	return sums && !begins(rows[len(rows)-1]) && slices.ContainsFunc(above, begins)
}

// isSum reports whether text is the sum of a column of rows, all of them plain numbers, and several no zeros.
func isSum(text []byte, rows []row, column int) bool {
	scaled := func(b []byte) (v int64, ok bool) {
		_, p, ok := decimal(b)
		if !ok || p > 6 || len(b) > 12 {
			return 0, false
		}
		sign := int64(1)
		for _, c := range b {
			switch {
			case c == '-':
				sign = -1
			case isDigit(c):
				v = v*10 + int64(c-'0')
			}
		}
		for ; p < 6; p++ {
			v *= 10
		}
		return sign * v, true
	}
	want, ok := scaled(text)
	sum, summands := int64(0), 0
	for _, r := range rows {
		if column >= len(r.fields) {
			return false
		}
		v, valid := scaled(bytes.TrimSpace(r.fields[column].text))
		if !valid {
			return false
		}
		if sum += v; v != 0 {
			summands++
		}
	}
	return ok && summands > 1 && want != 0 && sum == want
}

// Footer is what stands at the end of an input that is no record.
type Footer struct {
	At    int      // where it begins in the end of the input that was looked at
	Stops [][]byte // what would end the reading if it came before
	Lines int
	stop  string
}

// MayHaveFooter reports whether lines with fewer fields than all records may stand behind these.
func (t *Table) MayHaveFooter() bool {
	return t.Keyed == nil && !t.Placed && !t.Given.Exact && !t.Given.Lax && t.Foot == 0 && !t.Short && !t.Copied && !t.Open && t.Width >= 2
}

// ForEach makes the table one of several inputs, each of which may have a footer of its own: nothing in it
// tells where those of others begin.
func (t *Table) ForEach() {
	first := &Footer{Lines: t.Foot, stop: t.StopAt}
	if t.Rule && !t.isDrawn() || !t.ended {
		return
	}
	if t.Foot, t.StopAt = 0, ""; t.MayHaveFooter() {
		t.OwnEnds = first
		return
	}
	t.LeaveOut(first)
}

func (t *Table) separator() []byte {
	if t.Wide != "" {
		return []byte(t.Wide)
	}
	return []byte{t.Separator}
}

// isDrawn reports whether the table is drawn with bars and dashes.
func (t *Table) isDrawn() bool { return t.Rule && t.Separator == '|' }

// MayEndIn reports whether the end of an input may have a footer, by a glance at its last lines.
func (t *Table) MayEndIn(end []byte) bool {
	if bytes.Contains(end, slices.Concat([]byte{'\n'}, bytes.Repeat(t.separator(), t.Width-1))) {
		return true // there is an empty row of a sheet
	}
	last := bytes.TrimRight(end, " \r\n")
	last = last[bytes.LastIndexByte(last, '\n')+1:]
	return t.Run || bytes.Count(last, t.separator()) < t.Width-1 || t.Recorded(end) < len(end)
}

// Recorded is how much of text are records: lines at its end that have fewer fields than these, and
// are none for sure where no quote stands in them, may be a footer.
func (t *Table) Recorded(text []byte) int {
	separator := t.separator()
	end := len(text)
	for i, lines := end, 0; lines < maxFooter && i > 0; lines++ { // what stands apart may be a footer, too
		i = bytes.LastIndexByte(text[:i], '\n')
		if line := bytes.TrimPrefix(text[i+1:], []byte{'\r'}); len(line) > 1 && line[0] == '\n' {
			if behind := bytes.TrimLeft(line, "\r\n"); len(behind) > 0 && !isDigit(behind[0]) && (t.Quote == 0 || behind[0] != t.Quote) {
				end = i + 1
			}
			break
		}
	}
	for end > 0 {
		begin := bytes.LastIndexByte(text[:end-1], '\n') + 1
		line := text[begin:end]
		if t.Quote != 0 && bytes.IndexByte(line, t.Quote) >= 0 {
			break
		}
		if t.Run {
			line = bytes.Join(bytes.FieldsFunc(line, func(r rune) bool { return r == rune(t.Separator) }), separator)
		}
		if bytes.Count(line, separator) >= t.Width-1 {
			break
		}
		end = begin
	}
	return end
}

// FootersIn finds the footer of a large input in its end, which begins with a line, with the ways to
// tell it, of which the first that holds for all of the input is to be taken; none if there is no
// footer. Then totals says that the last record is likely one of totals. Any number of goroutines may
// ask, each of an input of its own.
func (t *Table) FootersIn(end []byte) (footers []*Footer, totals bool) {
	if !t.MayHaveFooter() {
		return nil, false
	}
	if t.isDrawn() {
		return t.drawnEnd(end), false
	}
	r := Rating{Dialect: t.Dialect, Columns: t.Width}
	r.Skip = 0
	r.rows, _, _ = cut(end, &r.Dialect, true)
	if r.footer(end); r.Foot == 0 {
		r.sheetEnd()
	}
	if r.Foot == 0 {
		return nil, endsInTotals(r.rows, t.Width, false)
	}
	for _, f := range r.ends {
		f.At = len(bytes.TrimRight(end, " \t\r\n"))
		lines := f.Lines
		if f.stop == "" {
			lines++ // the empty one
		}
		for ; lines > 0; lines-- {
			f.At = bytes.LastIndexByte(end[:max(f.At-1, 0)], '\n') + 1
		}
	}
	return r.ends, false
}

// drawnEnd finds the footer of a table that is drawn: the lines behind its last one that are not.
func (t *Table) drawnEnd(end []byte) []*Footer {
	at, lines := len(bytes.TrimRight(end, " \t\r\n")), 0
	for at > 0 {
		begin := bytes.LastIndexByte(end[:at-1], '\n') + 1
		line := end[begin:at]
		if bytes.IndexByte(line, '|') >= 0 || isRule(bytes.TrimRight(line, "\r\n")) {
			break
		}
		at, lines = begin, lines+1
	}
	if lines == 0 || lines > maxFooter || at == 0 {
		return nil
	}
	first, _, _ := bytes.Cut(end[at:], []byte{'\n'})
	stop := string(bytes.TrimRight(first, "\r"))
	return []*Footer{{At: at, Lines: lines, Stops: [][]byte{[]byte("\n" + stop)}, stop: stop}}
}

// LeaveOut ends the table before a footer.
func (t *Table) LeaveOut(f *Footer) { t.Foot, t.StopAt = f.Lines, f.stop }

// RecordsFrom is a place in the sample behind which there are records alone, up to a footer.
func (t *Table) RecordsFrom() int64 {
	if len(t.first) == 0 {
		return 0
	}
	return int64(max(t.first[0].end-1, 0))
}
