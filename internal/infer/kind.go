package infer

import (
	"bytes"
	"regexp"
)

// What a field of a table is made of. The more it says, the more it counts: text of
// several words is what is left when a line was cut at the wrong places.
var kinds = []struct {
	is    *regexp.Regexp
	worth float64
}{
	{regexp.MustCompile(`^[+-]?(\d{1,3}([ ,.']\d{3})+|\d+)?([.,]\d+)?([eEdD][+-]?\d+)?\s?[%€$£]?$`), 1}, // numbers, Fortran's too
	{regexp.MustCompile(`^[€$£]\s?-?\d[\d,. ]*$`), 1},
	{regexp.MustCompile(`^\d{1,4}([-/.])\d{1,2}([-/.])\d{1,4}([ T]\d{1,2}:\d{2}(:\d{2}([.,]\d+)?)?\s?([AaPp][Mm])?\s?(Z|UTC|[+-]\d{2}:?\d{0,2})?)?$`), 1},
	{regexp.MustCompile(`^\d{1,2}:\d{2}(:\d{2}([.,]\d+)?)?\s?([AaPp][Mm])?$`), 1},
	{regexp.MustCompile(`^[A-Za-z]{3,9}\.? \d{1,2},? \d{4}|\d{1,2}[- ][A-Za-z]{3,9}\.?[- ]\d{2,4}$`), 1},
	{regexp.MustCompile(`^(?i:true|false|yes|no|null|none|na|n/a|nan|\\n|-)$`), 1},
	{regexp.MustCompile(`^(https?|ftp)://\S+$|^[\w.+-]+@[\w-]+(\.[\w-]+)+$|^(\d{1,3}\.){3}\d{1,3}$|^/?([\w.-]+/)+[\w.-]*$`), 1},
	{regexp.MustCompile(`^[\p{L}_][\p{L}\d_]*$`), 1},                        // a word, a name
	{regexp.MustCompile(`^[\w.#@:/+-]+$`), 0.9},                             // a code
	{regexp.MustCompile(`^[\p{L}\d_.'()&/-]+( [\p{L}\d_.'()&/-]+)+$`), 0.9}, // some words
	{regexp.MustCompile(`^[\p{L}\d][^\t|;]*$`), 0.5},                        // a sentence
}

// longest is how much of a field is looked at.
const longest = 200

// kindOf is how much a field is something in particular, 0 to 1.
func (m worths) kindOf(f *field, separator byte) float64 {
	text := f.text
	if !f.quoted {
		text = bytes.Trim(text, " \t")
	}
	if len(text) == 0 {
		return 1
	}
	if f.quoted && separator != 0 {
		return 1 // it says itself where it ends
	}
	if len(text) > longest {
		text = text[:longest]
	}
	if c := text[0]; (c == '"' || c == '\'') && !f.quoted {
		return 0.1
	}
	if worth, ok := plainKind(text); ok {
		return worth
	}
	if separator == 0 && glued(text) {
		return gluedWorth
	}
	known, ok := m[string(text)]
	if !ok {
		known = unknownWorth
		for i := range kinds {
			if kinds[i].is.Match(text) {
				known = kinds[i].worth
				break
			}
		}
		m[string(text)] = known
	}
	if f.quoted && known == unknownWorth {
		return 0.9
	}
	return known
}

// unknownWorth is for what is nothing in particular.
const unknownWorth = 0.1

// gluedWorth is for lines of words with nothing but commas between, taken as one field.
const gluedWorth = 0.3

// glued reports whether text has commas, and letters around them: a comma of a sentence has
// a blank behind it.
func glued(text []byte) bool {
	commas := 0
	for i, c := range text {
		switch {
		case blank(c):
			return false
		case c == ',':
			if i == 0 || i == len(text)-1 || !isLetter(text[i+1]) {
				return false
			}
			commas++
		}
	}
	return commas > 0
}

// worths are those of fields that have been met: dialects cut many fields alike.
type worths map[string]float64

// plainKind is what kinds has for the fields that most are: numbers and words of ASCII.
func plainKind(text []byte) (worth float64, ok bool) {
	if isLetter(text[0]) || text[0] == '_' {
		for _, c := range text {
			if !isLetter(c) && !isDigit(c) && c != '_' {
				return 0, false
			}
		}
		return 1, true // a word, a name
	}
	if isMoment(text) {
		return 1, true
	}
	digits, points := text, 0
	if c := text[0]; c == '-' || c == '+' {
		digits = text[1:]
	}
	for i, c := range digits {
		switch {
		case isDigit(c):
		case c == '.' && i < len(digits)-1:
			points++
		default:
			return 0, false
		}
	}
	return 1, points < 2 && len(digits) > 0
}

// isMoment reports whether text is a date, or a date and a time of day, as most write it.
func isMoment(text []byte) bool {
	const shape = "dddd-dd-dd dd:dd:dd"
	if len(text) != len(shape) && len(text) != len("dddd-dd-dd") {
		return false
	}
	for i, c := range text {
		if shape[i] == 'd' && !isDigit(c) || shape[i] != 'd' && shape[i] != c && !(i == 10 && c == 'T') {
			return false
		}
	}
	return true
}

func isLetter(c byte) bool { return (c|0x20)-'a' < 26 }
