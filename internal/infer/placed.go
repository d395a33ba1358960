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

// placedBelow is the table below the names in a line.
func placedBelow(lines [][]byte, at int) (*Rating, bool) {
	foot := 0 // lines, with the empty one that they stand behind, or a line that is drawn
	if n := slices.IndexFunc(lines[at:], func(line []byte) bool { return len(bytes.TrimSpace(line)) == 0 }); n > 0 {
		foot = len(lines) - at - n
	}
	names, below := lines[at], lines[at+1:len(lines)-foot]
	ruled := len(below) > 1 && isUnderline(below[0])
	var stop []byte
	if ruled {
		if n := slices.IndexFunc(below[1:], isUnderline); n > 0 && bytes.Equal(below[1+n], below[0]) {
			foot, stop = foot+len(below)-1-n, below[0]
			below = below[:1+n]
		}
		below = below[1:]
	}
	if bytes.ContainsAny(names, ",;|") || names[0] == '#' || foot > maxFooter || len(below) == 0 {
		return nil, false
	}
	after := lines[len(lines)-foot:]
	lines = lines[:len(lines)-foot]
	all := spans(lines[at:])
	isDrawn := false
	if drawn := spans(lines[at+1 : at+2]); ruled && len(drawn) > 1 && fit(drawn, lines[at:]) {
		all, isDrawn = drawn, true
	}
	if len(all) > 2*mostPlaced {
		return nil, false
	}
	if stop == nil && foot > 0 && !footing.Match(bytes.TrimSpace(after[1])) && fit(all, after) {
		return nil, false // another table
	}
	empty := func(s span) bool {
		return !slices.ContainsFunc(below, func(line []byte) bool { return len(bytes.TrimSpace(s.of(line))) > 0 })
	}
	apart := namesApart(names, func(at int) bool {
		return slices.ContainsFunc(all, func(s span) bool { return s.from == at && empty(s) })
	})
	var columns []span
	words := false // of one name, which stand apart from those of others
	for _, s := range all {
		name, n := bytes.TrimSpace(s.of(names)), len(columns)
		switch {
		case n > 0 && len(name) == 0:
			columns[n-1].to = s.to // more of its values
		case n > 0 && s.from == columns[n-1].to+1 && (apart || name[0]-'a' < 26) && empty(s):
			columns[n-1].to, words = s.to, words || apart // more of its name, as in "Mounted on"
		default:
			columns = append(columns, s)
		}
	}
	n := len(columns)
	if n < leastPlaced && !(words && n > 1) || n > mostPlaced {
		return nil, false
	}
	needed, edges := isDrawn && foot > 0, 0
	open, figured := false, false // blanks in the last column, figures alone in another one
	for i, s := range columns {
		figured = figured || i < n-1 && !slices.ContainsFunc(below, func(line []byte) bool { return !isFigure(bytes.TrimSpace(s.of(line))) })
		for j, line := range lines[at:] {
			cell := bytes.TrimSpace(s.of(line))
			needed = needed || len(cell) == 0 && (i > 0 || j == 0) || bytes.IndexByte(cell, ' ') >= 0 && i < n-1
			open = open || bytes.IndexByte(cell, ' ') >= 0
		}
		if bytes.Contains(bytes.TrimSpace(s.of(names)), []byte("  ")) {
			return nil, false
		}
		if isDrawn || edged(s, lines[at:]) {
			edges++
		}
	}
	needed = needed || open && !figured && edges >= n-1 && bytes.IndexByte(bytes.TrimSpace(columns[n-1].of(names)), ' ') < 0 // figures below figures show a last column that is open, see openEnd
	if !needed || edges < n-1 && (len(below) < severalRows || 2*edges < n) || foot > 0 && !isDrawn && (edges < n-1 || len(below) < severalRows) {
		return nil, false
	}
	for _, line := range below {
		cells := 0
		for _, s := range columns {
			if len(bytes.TrimSpace(s.of(line))) > 0 {
				cells++
			}
		}
		if 2*cells < n {
			return nil, false
		}
	}
	for i := range columns[:n-1] {
		columns[i].to = columns[i+1].from // with the blanks behind it
	}
	columns[0].from = 0
	for _, line := range lines[at:] {
		columns[n-1].to = max(columns[n-1].to, len(line))
	}
	r := &Rating{Dialect: Dialect{Placed: true, Padded: true, Skip: at, Header: true}, Columns: n, Score: 1, named: true}
	for _, s := range columns {
		r.names = append(r.names, string(bytes.TrimSpace(s.of(names))))
		r.widths = append(r.widths, s.to-s.from)
	}
	if ruled {
		r.Rule, r.Names = true, 2
	}
	if foot > 0 {
		r.Foot, r.StopAt = foot-1, ""
		if stop != nil {
			r.Foot, r.StopAt = foot, string(stop)
		}
	}
	for i, line := range lines[at:] {
		if ruled && i == 1 {
			continue
		}
		row := row{line: at + i}
		for _, s := range columns {
			row.fields = append(row.fields, field{text: bytes.TrimSpace(s.of(line))})
		}
		r.rows = append(r.rows, row)
	}
	return r, true
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
