package infer

import (
	"bytes"

	"github.com/dfaparse/dfaparse/dfa"
)

// What a field of a table is made of. The more it says, the more it counts: text of
// several words is what is left when a line was cut at the wrong places.
var kinds = []struct {
	is    pattern
	of    dfa.Set // what it is made of, and nothing else
	needs dfa.Set // one of these it has
	worth float64
}{
	{lazily(`^[+-]?(\d{1,3}([ ,.']\d{3})+|\d+)?([.,]\d+)?([eEdD][+-]?\d+)?\s?[%€$£]?$`), made("+-,.'eEdD%$", digitSet, spaceSet, beyondSet), dfa.All(), 1}, // numbers, Fortran's too
	{lazily(`^[€$£]\s?-?\d[\d,. ]*$`), made("$-,.", digitSet, spaceSet, beyondSet), digitSet, 1},
	{lazily(`^\d{1,4}([-/.])\d{1,2}([-/.])\d{1,4}([ T]\d{1,2}:\d{2}(:\d{2}([.,]\d+)?)?\s?([AaPp][Mm])?\s?(Z|UTC|[+-]\d{2}:?\d{0,2})?)?$`), made("+-/.,:ZUTCAaPpMm", digitSet, spaceSet), made("-/."), 1},
	{lazily(`^\d{1,2}:\d{2}(:\d{2}([.,]\d+)?)?\s?([AaPp][Mm])?$`), made(".,:AaPpMm", digitSet, spaceSet), made(":"), 1},
	{lazily(`^[A-Za-z]{3,9}\.? \d{1,2},? \d{4}|\d{1,2}[- ][A-Za-z]{3,9}\.?[- ]\d{2,4}$`), dfa.All(), digitSet, 1},
	{lazily(`^([A-Za-z]{3},? )?(\d{1,2}[- ]?[A-Za-z]{3}[- ]?\d{2,4}|[A-Za-z]{3} [ \d]\d)[ :]\d{1,2}[:.]\d{2}([:.]\d{2}([.,]\d+)?)?( [AaPp][Mm])?( UTC| GMT| Z| [+-]\d{2}:?\d{2})?( \d{4})?$`), made("+-,.: ", letterSet, digitSet), made(":."), 1}, // times with the name of a month
	{lazily(`^(?i:true|false|yes|no|null|none|na|n/a|nan|\\n|-)$`), made(`/\-`, letterSet, beyondSet), dfa.All(), 1},
	{lazily(`^(https?|ftp)://\S+$|^[\w.+-]+@[\w-]+(\.[\w-]+)+$|^(\d{1,3}\.){3}\d{1,3}$|^/?([\w.-]+/)+[\w.-]*$`), dfa.All().Minus(spaceSet), made("/@."), 1},
	{lazily(`^[\p{L}_][\p{L}\d_]*$`), wordSet, dfa.All(), 1},                                          // a word, a name
	{lazily(`^[\w.#@:/+-]+$`), made(".#@:/+-", wordSet).Minus(beyondSet), dfa.All(), 0.9},             // a code
	{lazily(`^[\p{L}\d_.'()&/-]+( [\p{L}\d_.'()&/-]+)+$`), made(" .'()&/-", wordSet), made(" "), 0.9}, // some words
	{lazily(`^[\p{L}\d][^\t|;]*$`), dfa.All().Minus(made("\t|;")), dfa.All(), 0.5},                    // a sentence
}

var (
	digitSet  = dfa.Range('0', '9')
	letterSet = dfa.Range('a', 'z').Union(dfa.Range('A', 'Z'))
	spaceSet  = made(" \t\n\f\r")
	beyondSet = dfa.Range(0x80, 0xFF) // ASCII
	wordSet   = made("_", letterSet, digitSet, beyondSet)
)

// made are some symbols, and those of sets.
func made(symbols string, sets ...dfa.Set) dfa.Set {
	all := dfa.Bytes([]byte(symbols)...)
	for _, s := range sets {
		all = all.Union(s)
	}
	return all
}

// setOf is what a text is made of.
func setOf(text []byte) (s dfa.Set) {
	for _, c := range text {
		s[c>>6] |= 1 << (c & 63)
	}
	return s
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
		has := setOf(text)
		for i := range kinds {
			if k := &kinds[i]; has.Minus(k.of).Empty() && !has.And(k.needs).Empty() && k.is.Match(text) {
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
