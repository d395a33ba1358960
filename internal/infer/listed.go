package infer

import (
	"bytes"
	"strconv"
)

// This file is about lines that begin alike and go on with a text, which may hold what
// separates the fields before it: the last column takes all that is left of the line.

var (
	// places are what grep -n and compilers print before a text: a file, if there are several,
	// a line of it, and perhaps a column. There is nothing in it that separates other tables.
	places = lazily(`^(?:([^\s:,;|"'={}()\[\]]+):)?([1-9]\d*):(?:([1-9]\d*):)?`)
	// counts are whole numbers in columns of their own, as uniq -c and wc print them.
	counts = lazily(`^ *\d+(?: +\d+)* +`)
	// codes are hashes of files and of changes, as md5sum and git log print them.
	codes = lazily(`^([0-9a-f]{7,128}) `)
	// labels say what a value is, with a colon and a blank behind them.
	labels = lazily(`^[ \t]*[\pL_%][^:,;|"={}<>\[\]\t]{0,63}[ \t]*:(?:[ \t]|$)`)

	twoDigits = lazily(`^\d\d(\D|$)`)
	aLetter   = lazily(`\pL`)
)

// The lines that show such a table. Labels stand in texts, too.
const (
	leastListed = 2
	leastLabels = 3
)

// listed finds a table whose lines begin alike, and go on with a text.
func listed(sample []byte, whole bool) (*Rating, bool) {
	var lines [][]byte
	var at []row // where they are
	line, end := 0, 0
	for text := range bytes.Lines(sample) {
		if len(lines) == maxSampleRows || !whole && text[len(text)-1] != '\n' {
			break
		}
		line, end = line+1, end+len(text)
		if text = bytes.TrimRight(text, "\r\n"); len(text) > 0 {
			lines, at = append(lines, text), append(at, row{line: line - 1, end: end})
		}
	}
	if len(lines) < leastListed {
		return nil, false
	}
	for _, find := range []func([][]byte) (*Rating, bool){located, counted, coded, labelled} {
		if r, ok := find(lines); ok {
			r.Open, r.unnamed, r.Score = true, true, 1
			for i := range r.rows {
				r.rows[i].line, r.rows[i].end = at[i].line, at[i].end
			}
			return r, true
		}
	}
	return nil, false
}

// rowsOf cuts lines, each of which is a row.
func (d *Dialect) rowsOf(lines [][]byte) (rows []row) {
	for _, line := range lines {
		cells, _, _ := cut(line, d, true)
		if len(cells) != 1 {
			return nil
		}
		rows = append(rows, cells[0])
	}
	return rows
}

// located: a file, a line, a column, a text. The lines of a file go up, and what is no file and
// no column may be a time of day.
func located(lines [][]byte) (*Rating, bool) {
	var file []byte
	last, words, times, files, columns := 0, 0, 0, 0, 0
	for i, line := range lines {
		m := places().FindSubmatch(line)
		if m == nil {
			return nil, false
		}
		n, err := strconv.Atoi(string(m[2]))
		same := i > 0 && bytes.Equal(m[1], file)
		if err != nil || same && (n < last || n == last && m[3] == nil) {
			return nil, false
		}
		file, last = m[1], n
		text := line[len(m[0]):]
		if m[1] != nil {
			files++
		}
		if m[3] != nil {
			columns++
		}
		if twoDigits.Match(text) {
			times++
		}
		if bytes.IndexByte(text, ' ') >= 0 || bytes.ContainsAny(m[1], "./") {
			words++
		}
	}
	n := len(lines)
	if times == n || words == 0 || files != 0 && files != n || columns == n && files == 0 {
		return nil, false
	}
	r := &Rating{Dialect: Dialect{Separator: ':'}, Columns: 2, sure: true}
	for _, count := range []int{files, columns} {
		if count == n {
			r.Columns++
		}
	}
	r.rows = closed(r.rowsOf(lines), r.Columns)
	return r, true
}

// counted: numbers that end below each other, and a text.
func counted(lines [][]byte) (*Rating, bool) {
	var ends []int // of the numbers that all lines have
	apart := []bool{true}
	indented, worded := false, 0
	for i, line := range lines {
		begin := counts().Find(line)
		if len(begin) == 0 || len(begin) == len(line) {
			return nil, false
		}
		indented = indented || line[0] == ' '
		var own []int
		for at := range begin {
			if isDigit(line[at]) && !isDigit(line[at+1]) {
				own = append(own, at)
			}
		}
		if i == 0 {
			ends, apart = own, make([]bool, len(own))
		}
		same := 0
		for same < min(len(ends), len(own)) && ends[same] == own[same] {
			same++
		}
		if ends = ends[:same]; same == 0 {
			return nil, false
		}
		for n := range ends[1:] {
			apart[n+1] = apart[n+1] || bytes.Contains(line[ends[n]:ends[n+1]], []byte("  "))
		}
		if aLetter.Match(line[len(begin):]) {
			worded++
		}
	}
	n := 1
	for n < len(ends) && apart[n] {
		n++
	}
	r := &Rating{Dialect: Dialect{Separator: ' ', Run: true}, Columns: n + 1, sure: true}
	rows := r.rowsOf(lines)
	if !indented || 2*worded < len(lines) || rows == nil {
		return nil, false
	}
	if width := leastWidth(rows); width > n+1 && (width == widest(rows) || figured(closed(rows, width)) > n) {
		return nil, false // there are more columns
	}
	r.rows = closed(rows, n+1)
	return r, true
}

// coded: hashes of one kind, and a text.
func coded(lines [][]byte) (*Rating, bool) {
	const (
		short  = 32 // symbols: what is shorter may be as long as is needed to tell one from another
		differ = 2
	)
	letters, digits, least, most := 0, 0, len(lines[0]), 0
	for _, line := range lines {
		m := codes().FindSubmatch(line)
		if m == nil || len(bytes.TrimSpace(line)) == len(m[1]) {
			return nil, false
		}
		least, most = min(least, len(m[1])), max(most, len(m[1]))
		if bytes.ContainsAny(m[1], "abcdef") {
			letters++
		}
		if bytes.ContainsAny(m[1], "0123456789") {
			digits++
		}
	}
	r := &Rating{Dialect: Dialect{Separator: ' ', Run: true}, Columns: 2}
	rows := r.rowsOf(lines)
	if least != most && (most >= short || most-least > differ) || 2*letters < len(lines) || 2*digits < len(lines) || rows == nil {
		return nil, false
	}
	if width := leastWidth(rows); width > 2 && width == widest(rows) {
		return nil, false
	}
	r.rows = closed(rows, 2)
	return r, true
}

// labelled: names and values.
func labelled(lines [][]byte) (*Rating, bool) {
	r := &Rating{Dialect: Dialect{Separator: ':', Padded: true}, Columns: 2}
	rows := r.rowsOf(lines)
	if len(lines) < leastLabels || rows == nil || leastWidth(rows) > 2 {
		return nil, false
	}
	numbers := true
	for i, line := range lines {
		if !labels.Match(line) {
			return nil, false
		}
		value, _, _ := bytes.Cut(bytes.TrimSpace(rows[i].fields[1].text), []byte{' '})
		numbers = numbers && isFigure(value)
	}
	if numbers {
		return nil, false // units may stand behind them, below each other
	}
	r.rows = closed(rows, 2)
	return r, true
}
