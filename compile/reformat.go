package compile

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"
)

// Reformat lays a spec file out anew: indented by its braces, the columns of fields and the
// cells of tables under each other, one blank line at most. Lines, words, texts and comments
// stay what they are, and so do gaps between words that somebody has put under each other; a
// file with a fault of its grammar is refused.
func Reformat(file string, src []byte) ([]byte, error) {
	if _, err := Parse(file, src); err != nil {
		return nil, err
	}
	src = bytes.ReplaceAll(src, []byte("\r\n"), []byte("\n"))
	var out strings.Builder
	lines := specLines(string(src))
	for i := range lines {
		lines[i].inColumns = lines[i].inColumns && lines[i].isAlone()
	}
	for i := 0; i < len(lines); {
		n := 1
		switch l := &lines[i]; {
		case l.isRow():
			for i+n < len(lines) && lines[i+n].isRow() {
				n++
			}
			alignTable(lines[i : i+n])
		case l.inColumns:
			for i+n < len(lines) && lines[i+n].inColumns {
				n++
			}
			alignColumns(lines[i : i+n])
		}
		i += n
	}
	blank := true // at the start of the file
	for i := range lines {
		l := &lines[i]
		text := l.text()
		if text == "" && (blank || i+1 == len(lines)) {
			continue
		}
		blank = text == ""
		out.WriteString(text + "\n")
	}
	return []byte(strings.TrimRight(out.String(), "\n") + "\n"), nil
}

// specLine is a line of a spec: the words that begin on it, of which a raw text may have
// several lines.
type specLine struct {
	words     []specWord
	comment   string
	indent    int
	inTable   bool // in a dfa
	inColumns bool // it is one column, in the braces of fields or keyed
}

// specWord is a token and how many spaces stand before it.
type specWord struct {
	text string
	gap  int
}

// specLines takes a text apart that has been parsed.
func specLines(text string) []specLine {
	lines := []specLine{{}}
	var blocks []braces // that are open
	var since []string  // words since the last brace
	gap, tests := 0, 0  // tests: how what a test expects is indented
	for at := 0; at < len(text); {
		kind, n := tokenAt(text[at:])
		token := text[at : at+n]
		at += n
		l := &lines[len(lines)-1]
		switch kind {
		case spaceToken:
			gap = len(token) - 1 - strings.LastIndexByte(token, '\n')
			for range strings.Count(token, "\n") {
				lines = append(lines, specLine{})
			}
			continue
		case commentToken:
			if l.comment = strings.TrimRight(token, " \t"); len(l.words) == 0 {
				l.indent = 2 * len(blocks)
			}
			continue
		}
		if len(l.words) == 0 {
			l.begin(token, blocks, tests)
		}
		if token == "=>" {
			tests = 5
			if len(l.words) == 0 {
				tests = l.indent + 3
			}
		}
		l.add(token, gap)
		gap = 0
		switch token {
		case "{", "(":
			blocks, since = append(blocks, blockOf(token, since)), nil
		case "}", ")":
			blocks, since = blocks[:len(blocks)-1], nil
		default:
			since = append(since, token)
		}
	}
	return lines
}

// braces are what they are of.
type braces uint8

const (
	anyBlock    braces = iota
	columnBlock        // columns, each with its type
	tableBlock         // a dfa
	rowBlock           // what a test expects
)

// blockOf is what a brace opens after some words since the one before it.
func blockOf(brace string, since []string) braces {
	n := len(since)
	switch {
	case brace == "(":
		return anyBlock
	case n == 0 || since[n-1] == "=>" || since[n-1] == "reject" || since[n-1] == "none":
		return rowBlock
	case since[n-1] == "fields" || since[n-1] == "types" || slices.Contains(since[max(0, n-5):], "keyed"):
		return columnBlock
	case slices.Contains(since[max(0, n-2):], "dfa"):
		return tableBlock
	}
	return anyBlock
}

// begin says how a line lies that begins with a token.
func (l *specLine) begin(token string, blocks []braces, tests int) {
	depth := len(blocks)
	if token == "}" || token == ")" {
		depth--
	}
	l.indent = 2 * depth
	switch {
	case token == "=>":
		l.indent += 2
	case depth == 1 && (token == "{" || token == "reject" || token == "none"): // more that a test expects
		l.indent = tests
	case depth > 0 && blocks[depth-1] == rowBlock:
		l.indent = tests + 2
	}
	if depth == len(blocks) && depth > 0 {
		l.inTable, l.inColumns = blocks[depth-1] == tableBlock, blocks[depth-1] == columnBlock
	}
}

// add adds a token before which gap spaces stood.
func (l *specLine) add(token string, gap int) {
	if n := len(l.words); n > 0 {
		switch last := l.words[n-1].text; {
		case n == 1 && last == "format":
			gap = 1
		case token == ",", last == "(", token == ")":
			gap = 0
		case last == "{", token == "}", last == ",":
			gap = max(gap, 1)
		}
	}
	l.words = append(l.words, specWord{token, gap})
}

// isRow reports whether a line is a row of a table, its groups among them.
func (l *specLine) isRow() bool {
	if !l.inTable || len(l.words) == 0 {
		return false
	}
	first := l.words[0].text
	return first == "group" || first != "eof" && first != "recover" && first != "}" &&
		slices.ContainsFunc(l.words, func(w specWord) bool { return w.text == ":" })
}

// text is the line as it is written.
func (l *specLine) text() string {
	var b strings.Builder
	for i, w := range l.words {
		if i > 0 {
			b.WriteString(strings.Repeat(" ", w.gap))
		}
		b.WriteString(w.text)
	}
	if l.comment != "" {
		if b.Len() > 0 {
			b.WriteString("  ")
		}
		b.WriteString(l.comment)
	}
	if b.Len() == 0 {
		return ""
	}
	return strings.Repeat(" ", l.indent) + b.String()
}

func widthOf(words []specWord) int {
	width := 0
	for i, w := range words {
		if i > 0 {
			width += w.gap
		}
		width += utf8.RuneCountInString(w.text)
	}
	return width
}

// alignColumns puts the types of columns under each other, where each has its line.
func alignColumns(lines []specLine) {
	width, gap := 0, 1
	for i := range lines {
		w := lines[i].words
		if n := utf8.RuneCountInString(w[0].text); n >= width {
			width, gap = n, min(max(w[1].gap, 1), 2)
		}
	}
	for i := range lines {
		w := lines[i].words
		w[1].gap = width - utf8.RuneCountInString(w[0].text) + gap
	}
}

// isAlone reports whether a line of columns has one.
func (l *specLine) isAlone() bool {
	depth := 0
	for i, w := range l.words {
		switch {
		case w.text == "(":
			depth++
		case w.text == ")":
			depth--
		case i > 1 && depth == 0 && (w.gap > 1 || l.words[i-1].text == ","):
			return false
		}
	}
	return len(l.words) > 1 && l.words[len(l.words)-1].text != "}"
}

// alignTable puts the cells of a table under each other.
func alignTable(lines []specLine) {
	rows := make([][][]specWord, len(lines))
	var widths []int
	for i := range lines {
		rows[i] = cellsOf(lines[i].words)
		for k, cell := range rows[i] {
			if k == len(widths) {
				widths = append(widths, 0)
			}
			widths[k] = max(widths[k], widthOf(cell))
		}
	}
	for i := range lines {
		var words []specWord
		pad := 0
		for k, cell := range rows[i] {
			if k > 1 {
				words = append(words, specWord{"|", pad + 1})
				pad = 0
			} else if k == 1 && lines[i].words[0].text != "group" {
				words = append(words, specWord{":", pad + 1})
				pad = 0
			} else if k == 1 {
				pad += 2
			}
			for j, w := range cell {
				if j == 0 {
					w.gap = pad + 1
				}
				words = append(words, w)
			}
			pad = widths[k] - widthOf(cell)
		}
		lines[i].words = words
	}
}

// cellsOf are the name of a row, and its cells.
func cellsOf(words []specWord) [][]specWord {
	cells := [][]specWord{nil}
	group := words[0].text == "group"
	for i, w := range words {
		switch {
		case w.text == "|", w.text == ":" && len(cells) == 1 && !group:
			cells = append(cells, nil)
			continue
		case i == 1 && group:
			cells = append(cells, nil)
		}
		last := &cells[len(cells)-1]
		if len(*last) > 0 {
			w.gap = min(w.gap, 1)
		}
		*last = append(*last, w)
	}
	return cells
}
