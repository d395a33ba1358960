package infer

import (
	"bytes"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// manyLines is how many line ends no name has.
const manyLines = 3

// codeDigits are more than names of columns have, as a rule.
const codeDigits = 6

func digitsIn(text []byte) (n int) {
	for _, c := range text {
		if '0' <= c && c <= '9' {
			n++
		}
	}
	return n
}

// hasHeader reports whether the first of rows names the columns: it is of another
// kind than what is below it. It is not sure where all are words.
func hasHeader(rows []row, columns int) (has, sure bool) {
	if len(rows) == 0 || len(rows[0].fields) != columns {
		return false, true
	}
	if spreadOut(rows) || numbered(rows) {
		return true, true
	}
	first := rows[0].fields
	seen := make(map[string]bool)
	if !slices.ContainsFunc(first, func(f field) bool { return !standsForNone(bytes.TrimSpace(f.text)) }) {
		return false, true
	}
	names := true // all are there, and differ
	for i := range first {
		name := string(bytes.TrimSpace(first[i].text))
		if _, err := netip.ParseAddr(name); err == nil || number().MatchString(name) && !percentile(rows, i) || date().MatchString(name) {
			return false, true
		}
		names = names && name != "" && !seen[name] && len(name) <= longest && strings.Count(name, "\n") < manyLines
		seen[name] = true
	}
	if len(rows) == 1 {
		return names && named(first), true
	}
	typed, words, again := 0, 0, 0
	for c := range first {
		name := bytes.TrimSpace(first[c].text)
		numbers, truths, values := 0, 0, 0
		same, alike, length := false, true, -1 // alike: all values are of one length
		coded := digitsIn(name) >= codeDigits  // so are the name and all values: hashes, addresses
		sized := size.Match(name)              // so are the name and all values: 4.0K
		timed := worded.Match(name)            // so are the name and all values: 31 Jan 2024
		for _, r := range rows[1:] {
			if c >= len(r.fields) {
				continue
			}
			text := bytes.TrimSpace(r.fields[c].text)
			if len(text) == 0 || isNull(text) {
				continue
			}
			values++
			alike = alike && (length < 0 || length == len(text))
			length = len(text)
			coded = coded && digitsIn(text) >= codeDigits
			sized = sized && (size.Match(text) || number.Match(text))
			timed = timed && worded.Match(text)
			switch {
			case isLetter(text[0]):
				if truth.Match(text) {
					numbers, truths = numbers+1, truths+1
				}
			case figures(text) || isMoment(text) || number.Match(text) || date.Match(text):
				numbers++
			}
			same = same || bytes.Equal(text, name)
		}
		if timed && values > 0 {
			return false, true
		}
		switch {
		case same, coded && values > 1, sized && values > 0, truths > 0 && truths == values && truth.Match(name):
			again++
		case standsForNone(name): // as in a record that lacks a number
		case values > 0 && numbers == values:
			typed++
		case values > 1 && alike && length != len(name):
			words++ // of one length, which the name has not
		}
	}
	switch {
	case typed > 0 && (names || typed > again):
		return !truth.Match(bytes.TrimSpace(first[0].text)) || columns > 1, true
	case again > 0 || !names, columns == 1 && bytes.Count(bytes.TrimSpace(first[0].text), []byte{' '}) >= severalBlanks:
		return false, true // a sentence is no name
	}
	return words > 0 || named(first) || columns > 1, words > 0
}

// standsForNone reports whether text stands where a number is missing, or is none.
func standsForNone(text []byte) bool { return isNull(text) || noNumber.Match(text) }

// percentile reports whether the name of a column is a share, as 95%, above numbers that are none.
func percentile(rows []row, column int) bool {
	isShare := func(r row) bool {
		return column < len(r.fields) && bytes.HasSuffix(bytes.TrimSpace(r.fields[column].text), []byte("%"))
	}
	isNumber := func(r row) bool {
		return column < len(r.fields) && number.Match(bytes.TrimSpace(r.fields[column].text))
	}
	return isShare(rows[0]) && !slices.ContainsFunc(rows[1:], isShare) && slices.ContainsFunc(rows[1:], isNumber)
}

// size is one with a unit, as du and ls print it.
var size = lazily(`^\d[\d.,]*[KMGTP]i?B?$`)

// numbered reports whether the first of rows numbers the columns, from 0 or 1 on, but for the first one, which has no
// name, and values in all rows: as what was written with an index, or of a plate of samples.
func numbered(rows []row) bool {
	first := rows[0].fields
	if len(first) < 3 || len(rows) < 3 || len(first[0].text) > 0 {
		return false
	}
	from, err := strconv.Atoi(string(first[1].text))
	if err != nil || from != 0 && from != 1 {
		return false
	}
	for i, f := range first[1:] {
		if string(f.text) != strconv.Itoa(from+i) {
			return false
		}
	}
	return !slices.ContainsFunc(rows[1:], func(r row) bool { return len(r.fields[0].text) == 0 })
}

// spreadOut reports whether the first of rows names columns by years or dates, as tables do in
// which a value is spread over them: words, then years in a row, or dates, above what is
// neither.
func spreadOut(rows []row) bool {
	first := rows[0].fields
	words := 0
	for words < len(first) && word.Match(bytes.TrimSpace(first[words].text)) {
		words++
	}
	if words == 0 || len(first)-words < 2 || len(rows) < 2 {
		return false
	}
	years, dates := true, true
	for i, f := range first[words:] {
		text := bytes.TrimSpace(f.text)
		years = years && year(text) > 0 && (i == 0 || year(text)-year(first[words+i-1].text) == year(first[words+1].text)-year(first[words].text) && year(text) != year(first[words].text))
		dates = dates && date.Match(text) && !bytes.Equal(text, first[words+(i+1)%(len(first)-words)].text)
	}
	if !years && !dates {
		return false
	}
	values := 0
	for _, r := range rows[1:] {
		for i := words; i < min(len(r.fields), len(first)); i++ {
			text := bytes.TrimSpace(r.fields[i].text)
			if dates && date.Match(text) || years && year(text) > 0 {
				return false
			}
			if len(text) > 0 {
				values++
			}
		}
	}
	return values > 0
}

// year is what a text of four digits says that is likely one, else 0.
func year(text []byte) int {
	n, err := strconv.Atoi(string(bytes.TrimSpace(text)))
	if err != nil || n < 1900 || n > 2100 {
		return 0
	}
	return n
}

// twoLines reports whether the first two of rows are a header: words above words, with
// numbers or dates in most columns below, and in no record words alone. In the first there
// are gaps, where a name is that of several columns, or none: then the second has units.
func twoLines(rows []row, columns int, gaps bool) bool {
	if len(rows) < 4 || columns < 2 || len(rows[0].fields) != columns || len(rows[1].fields) != columns {
		return false
	}
	empty, typed := 0, 0
	for i := range columns {
		above, below := bytes.TrimSpace(rows[0].fields[i].text), bytes.TrimSpace(rows[1].fields[i].text)
		if len(above) == 0 {
			empty++
		} else if !word.Match(above) {
			return false
		}
		if !word.Match(below) || isNull(below) || truth.Match(below) || bytes.Equal(above, below) {
			return false
		}
		all := true
		for _, r := range rows[2:] {
			if i < len(r.fields) {
				text := bytes.TrimSpace(r.fields[i].text)
				all = all && (len(text) == 0 || isNull(text) || number.Match(text) || date.Match(text))
			}
		}
		if all {
			typed++
		}
	}
	return gaps == (empty > 0) && empty < columns && typed > 1 && 2*typed > columns
}

// unitsBelow reports whether the first two of rows are a header in which units stand below some of
// the names, and nothing below the others: where a unit stands, there are numbers or dates in
// all records. Names that are there twice go on below as any words.
func unitsBelow(rows []row, columns int) bool {
	if len(rows) < 4 || columns < 2 || len(rows[0].fields) != columns || len(rows[1].fields) != columns || !named(rows[0].fields) {
		return false
	}
	times := map[string]int{}
	for i := range columns {
		times[string(bytes.TrimSpace(rows[0].fields[i].text))]++
	}
	units := 0
	whole := map[string]bool{}
	for i := range columns {
		above, below := bytes.TrimSpace(rows[0].fields[i].text), bytes.TrimSpace(rows[1].fields[i].text)
		if whole[string(above)+" "+string(below)] {
			return false
		}
		whole[string(above)+" "+string(below)] = true
		if len(below) == 0 {
			continue
		}
		if isNull(below) || truth.Match(below) || bytes.Equal(above, below) || !isUnit(below) && !(times[string(above)] > 1 && word.Match(below)) {
			return false
		}
		values := 0
		for _, r := range rows[2:] {
			if i >= len(r.fields) {
				continue
			}
			if text := bytes.TrimSpace(r.fields[i].text); len(text) > 0 && !isNull(text) {
				if !number.Match(text) && !date.Match(text) {
					return false
				}
				values++
			}
		}
		if values < 2 {
			return false
		}
		units++
	}
	return units > 0
}

// isUnit reports whether text may be a unit: it is short, in brackets, or has a sign that units have.
func isUnit(text []byte) bool {
	n := utf8.RuneCount(text)
	switch first, last := text[0], text[len(text)-1]; {
	case number.Match(text) || date.Match(text):
		return false
	case first == '[' && last == ']', first == '(' && last == ')':
		return n > 2
	case bytes.ContainsAny(text, "/%°€$£²³µ"):
		return n <= 16
	}
	return n <= 5 && word.Match(text)
}

// yearsBelow reports whether the first two of rows are a header in which years stand below
// names of several columns each, and words before them below nothing.
func yearsBelow(rows []row, columns int) bool {
	if len(rows) < 4 || columns < 3 || len(rows[0].fields) != columns || len(rows[1].fields) != columns {
		return false
	}
	years, seen := 0, map[string]bool{}
	for i := range columns {
		above, below := bytes.TrimSpace(rows[0].fields[i].text), bytes.TrimSpace(rows[1].fields[i].text)
		switch {
		case year(below) > 0:
			if len(above) > 0 && !word.Match(above) || seen[string(above)+" "+string(below)] {
				return false
			}
			years++
			seen[string(above)+" "+string(below)] = true
		case years > 0 || len(above) > 0 || !word.Match(below):
			return false
		}
		for _, r := range rows[2:] {
			if i < len(r.fields) && year(r.fields[i].text) > 0 {
				return false
			}
		}
	}
	return years > 1 && years < columns
}

var (
	number = lazily(`^[+-]?(\d[\d,.]*|\.\d+)([eEdD][+-]?\d+)?%?$`)
	date   = lazily(`^\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}([ T].*)?$|^\d{1,2}:\d{2}(:\d{2}.*)?$`)
	// A date, maybe with a time of day, that has the name of a month, or a comma behind it.
	worded = lazily(`^([A-Za-z]{3,9},? )?(\d{1,2}[- ]?` + months + `[- ]?\d{2,4}|` + months + ` {1,2}\d{1,2}(,? \d{4})?)([T :].*)?$|^\d{1,2}[./]\d{1,2}[./]\d{4}, \d.*$`)
	// A number that may have commas between thousands, and one that has nothing else.
	inGroups      = lazily(`^[+-]?\d{1,3}(,\d{3})+(\.\d+)?$|^[+-]?\d+(\.\d+)?$`)
	surelyGrouped = lazily(`^[+-]?\d{1,3}((,\d{3})+\.\d+|(,\d{3}){2,})$`)
	threeDigits   = lazily(`^\d{3}([.,]\d+)?$`)
	noNumber      = lazily(`^[+-]?(?i:nan|inf|infinity)$`)
	truth         = lazily(`^(?i:true|false)$`)
	word          = lazily(`^(%\p{L}|[\p{L}_#])[\p{L}\d _.()/%#+-]*$`)
)

const (
	monthNames = `Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec` // the short ones

	// months are how their names begin, in three letters or more.
	months = `(?i:` + monthNames + `)[a-z]{0,6}`
)

// figures reports whether text is a number of digits, with points or commas in it, as
// the expression says too.
func figures(text []byte) bool {
	for i, c := range text {
		if !isDigit(c) && (i == 0 || c != '.' && c != ',') {
			return false
		}
	}
	return true
}

// named reports whether all fields may be names.
func named(fields []field) bool {
	for i := range fields {
		if !word.Match(bytes.TrimSpace(fields[i].text)) {
			return false
		}
	}
	return true
}
