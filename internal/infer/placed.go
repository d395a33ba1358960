package infer

import (
	"bytes"
	"slices"
)

// This file is about tables whose columns stand at the same place in every line, and can be told by
// it alone: where a cell is empty, or holds blanks, or a name does, as in what docker ps, netstat
// and lsblk print.

// span is where a column stands in each line, from and up to where.
type span struct{ from, to int }

// of is what stands there in a line.
func (s span) of(line []byte) []byte {
	return line[min(s.from, len(line)):min(s.to, len(line))]
}

// leastPlaced are the columns of such a table. In few rows, of less than severalRows, all columns but
// one begin or end at one place, in more at least half of them.
const (
	leastPlaced = 3
	mostPlaced  = 100
	severalRows = 3
)

// inPlaces finds such a table, if the sample is all of the input: nothing tells how wide the columns
// are further on.
func inPlaces(sample []byte, whole bool) (*Rating, bool) {
	if !whole || bytes.IndexByte(sample, '\t') >= 0 || slices.ContainsFunc(sample, func(c byte) bool { return c >= 0x80 }) {
		return nil, false
	}
	var lines [][]byte
	var ends []int
	end := 0
	for line := range bytes.Lines(sample) {
		if len(lines) == maxSampleRows {
			return nil, false
		}
		end += len(line)
		lines, ends = append(lines, bytes.TrimRight(line, "\r\n")), append(ends, end)
	}
	for len(lines) > 0 && len(lines[len(lines)-1]) == 0 {
		lines = lines[:len(lines)-1]
	}
	words := &Dialect{Separator: ' ', Run: true}
	for at := range min(len(lines)-1, maxPreamble) {
		if len(lines[at]) == 0 || isUnderline(lines[at]) || bytes.Contains(lines[at], []byte("--")) { // groups of columns, as those of vmstat
			continue
		}
		names := words.rowsOf(lines[at : at+1])
		if len(names) == 0 || len(names[0].fields) < leastPlaced || hasFigures(names[0].fields) || isDigit(names[0].fields[0].text[0]) {
			continue
		}
		if r, ok := placedBelow(lines, at); ok {
			for i := range r.rows {
				r.rows[i].end = ends[r.rows[i].line]
			}
			return r, true
		}
	}
	return nil, false
}

// placedTable is a table in the making.
type placedTable struct {
	names   []byte   // the line of the names
	below   [][]byte // the rows
	all     [][]byte // both, with the line that is drawn between them
	ruled   bool     // there is such a line,
	drawn   bool     // which shows where the columns are
	foot    int      // lines behind, with the empty one that they stand behind, or a line that is drawn
	stop    []byte   // the latter
	after   [][]byte // these lines
	columns []span
}

// placedBelow is the table below the names in a line.
func placedBelow(lines [][]byte, at int) (*Rating, bool) {
	t, ok := placedRows(lines, at)
	if !ok || !t.findColumns() || !t.needsPlaces() {
		return nil, false
	}
	n := len(t.columns)
	for i := range t.columns[:n-1] {
		t.columns[i].to = t.columns[i+1].from // with the blanks behind it
	}
	t.columns[0].from = 0
	for _, line := range t.all {
		t.columns[n-1].to = max(t.columns[n-1].to, len(line))
	}
	return t.rating(at), true
}

// placedRows is what lies below the names in a line, and what stands behind it.
func placedRows(lines [][]byte, at int) (*placedTable, bool) {
	t := &placedTable{names: lines[at]}
	if n := slices.IndexFunc(lines[at:], func(line []byte) bool { return len(bytes.TrimSpace(line)) == 0 }); n > 0 {
		t.foot = len(lines) - at - n
	}
	t.below = lines[at+1 : len(lines)-t.foot]
	if t.ruled = len(t.below) > 1 && isUnderline(t.below[0]); t.ruled {
		if n := slices.IndexFunc(t.below[1:], isUnderline); n > 0 && bytes.Equal(t.below[1+n], t.below[0]) {
			t.foot, t.stop = t.foot+len(t.below)-1-n, t.below[0]
			t.below = t.below[:1+n]
		}
		t.below = t.below[1:]
	}
	if bytes.ContainsAny(t.names, ",;|") || t.names[0] == '#' || t.foot > maxFooter || len(t.below) == 0 {
		return nil, false
	}
	t.after = lines[len(lines)-t.foot:]
	t.all = lines[at : len(lines)-t.foot]
	return t, true
}

// findColumns finds where the columns stand; false: the table is none, or what is behind it is another one.
func (t *placedTable) findColumns() bool {
	all := spans(t.all)
	if t.ruled {
		if drawn := spans(t.all[1:2]); len(drawn) > 1 && fit(drawn, t.all) {
			all, t.drawn = drawn, true
		}
	}
	if len(all) > 2*mostPlaced {
		return false
	}
	if t.stop == nil && t.foot > 1 && !footing.Match(bytes.TrimSpace(t.after[1])) && fit(all, t.after) {
		return false // another table
	}
	empty := func(s span) bool {
		return !slices.ContainsFunc(t.below, func(line []byte) bool { return len(bytes.TrimSpace(s.of(line))) > 0 })
	}
	apart := namesApart(t.names, func(at int) bool {
		return slices.ContainsFunc(all, func(s span) bool { return s.from == at && empty(s) })
	})
	var columns []span
	words := false // of one name, which stand apart from those of others
	for _, s := range all {
		name, n := bytes.TrimSpace(s.of(t.names)), len(columns)
		switch {
		case n > 0 && len(name) == 0:
			columns[n-1].to = s.to // more of its values
		case n > 0 && s.from == columns[n-1].to+1 && (apart || name[0]-'a' < 26) && empty(s):
			columns[n-1].to, words = s.to, words || apart // more of its name, as in "Mounted on"
		default:
			columns = append(columns, s)
		}
	}
	t.columns = columns
	n := len(columns)
	return (n >= leastPlaced || words && n > 1) && n <= mostPlaced
}

// needsPlaces reports whether places alone tell the columns, and the rows have values in most.
func (t *placedTable) needsPlaces() bool {
	n := len(t.columns)
	needed, edges := t.drawn && t.foot > 0, 0
	open, figured := false, false // blanks in the last column, figures alone in another one
	for i, s := range t.columns {
		figured = figured || i < n-1 && !slices.ContainsFunc(t.below, func(line []byte) bool { return !isFigure(bytes.TrimSpace(s.of(line))) })
		for j, line := range t.all {
			cell := bytes.TrimSpace(s.of(line))
			needed = needed || len(cell) == 0 && (i > 0 || j == 0) || bytes.IndexByte(cell, ' ') >= 0 && i < n-1
			open = open || bytes.IndexByte(cell, ' ') >= 0
		}
		if bytes.Contains(bytes.TrimSpace(s.of(t.names)), []byte("  ")) {
			return false
		}
		if t.drawn || edged(s, t.all) {
			edges++
		}
	}
	needed = needed || open && !figured && edges >= n-1 && bytes.IndexByte(bytes.TrimSpace(t.columns[n-1].of(t.names)), ' ') < 0 // figures below figures show a last column that is open, see openEnd
	few := len(t.below) < severalRows
	if !needed || edges < n-1 && (few || 2*edges < n) || t.foot > 0 && !t.drawn && (edges < n-1 || few) {
		return false
	}
	for _, line := range t.below {
		cells := 0
		for _, s := range t.columns {
			if len(bytes.TrimSpace(s.of(line))) > 0 {
				cells++
			}
		}
		if 2*cells < n {
			return false
		}
	}
	return true
}

// rating is the table, whose names are in line at.
func (t *placedTable) rating(at int) *Rating {
	r := &Rating{Dialect: Dialect{Placed: true, Padded: true, Skip: at, Header: true}, Columns: len(t.columns), Score: 1, named: true}
	for _, s := range t.columns {
		r.names = append(r.names, string(bytes.TrimSpace(s.of(t.names))))
		r.widths = append(r.widths, s.to-s.from)
	}
	if t.ruled {
		r.Rule, r.Names = true, 2
	}
	switch {
	case t.foot == 0:
	case t.stop != nil:
		r.Foot, r.StopAt = t.foot, string(t.stop)
	default:
		r.Foot = t.foot - 1
	}
	for i, line := range t.all {
		if t.ruled && i == 1 {
			continue
		}
		row := row{line: at + i}
		for _, s := range t.columns {
			row.fields = append(row.fields, field{text: bytes.TrimSpace(s.of(line))})
		}
		r.rows = append(r.rows, row)
	}
	return r
}

// namesApart reports whether two blanks or more are between any names: where one is, nothing is below what follows.
func namesApart(names []byte, empty func(at int) bool) bool {
	for i := 1; i < len(names)-1; i++ {
		if names[i] == ' ' && names[i-1] != ' ' && names[i+1] != ' ' && !empty(i+1) {
			return false
		}
	}
	return true
}

// isUnderline reports whether a line is one drawn under names: dashes, or equals signs, and blanks.
func isUnderline(line []byte) bool {
	return len(bytes.Trim(line, "- ")) == 0 && bytes.Count(line, []byte{'-'}) >= leastDashes ||
		len(bytes.Trim(line, "= ")) == 0 && bytes.Count(line, []byte{'='}) >= leastDashes
}

// fit reports whether nothing stands between columns in any of lines.
func fit(columns []span, lines [][]byte) bool {
	for i := range columns[:len(columns)-1] {
		between := span{columns[i].to, columns[i+1].from}
		if slices.ContainsFunc(lines, func(line []byte) bool { return len(bytes.TrimSpace(between.of(line))) > 0 }) {
			return false
		}
	}
	return true
}

// spans are the places at which something stands in any of lines, with blanks between them in all.
func spans(lines [][]byte) (all []span) {
	var filled []bool
	for _, line := range lines {
		for i, c := range line {
			if i == len(filled) {
				filled = append(filled, false)
			}
			filled[i] = filled[i] || c != ' '
		}
	}
	for i, is := range filled {
		switch {
		case !is:
		case i == 0 || !filled[i-1]:
			all = append(all, span{i, i + 1})
		default:
			all[len(all)-1].to = i + 1
		}
	}
	return all
}

// edged reports whether what stands in a column begins at one place in all lines, or ends at one.
func edged(s span, lines [][]byte) bool {
	begin, end := true, true
	for _, line := range lines {
		cell := s.of(line)
		if len(bytes.TrimSpace(cell)) == 0 {
			continue
		}
		begin = begin && cell[0] != ' '
		end = end && len(cell) == s.to-s.from && cell[len(cell)-1] != ' '
	}
	return begin || end
}
