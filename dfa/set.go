package dfa

import (
	"fmt"
	"strconv"
	"strings"
)

// FormatSymbol is a symbol as people write it: 'a', '\n', '\x80'.
func FormatSymbol(b byte) string {
	if b < 0x80 {
		return strconv.QuoteRune(rune(b))
	}
	return fmt.Sprintf(`'\x%02x'`, b)
}

// FormatSet is a set of symbols in words, for error texts: "'\"' or ','",
// "'0' to '9'", "any symbol but '\n'".
func FormatSet(s Set) string {
	switch n := s.Len(); {
	case n == 0:
		return "no symbol"
	case n == 256:
		return "any symbol"
	case n > 128:
		return "any symbol but " + joinWords(setWords(All().Minus(s), " to "), "and")
	}
	return joinWords(setWords(s, " to "), "or")
}

// setWords is the symbols of s in order; three or more in a row are a range.
func setWords(s Set, to string) (words []string) {
	for lo := 0; lo < 256; lo++ {
		if !s.Has(byte(lo)) {
			continue
		}
		hi := lo
		for hi < 255 && s.Has(byte(hi+1)) {
			hi++
		}
		if hi < lo+2 {
			words = append(words, FormatSymbol(byte(lo)))
			continue
		}
		words = append(words, FormatSymbol(byte(lo))+to+FormatSymbol(byte(hi)))
		lo = hi
	}
	return words
}

// joinWords is "a, b or c".
func joinWords(words []string, last string) string {
	if n := len(words); n > 1 {
		return strings.Join(words[:n-1], ", ") + " " + last + " " + words[n-1]
	}
	return strings.Join(words, "")
}

// Expected is what state s accepts, in words, for errors: "',' or end of line".
// Symbols that lead to an error, at once or where they end a record, are not
// accepted. Where every symbol is, so that only the end of the input can have
// been wrong, it is what gets on from s: the closing quote of a quoted field.
func (a *Automaton) Expected(s StateID) string {
	var accepted, onward Set
	for symbol := range 256 {
		next, e := a.Step(s, byte(symbol))
		if e.Code != 0 {
			continue
		}
		accepted = accepted.Union(Bytes(byte(symbol)))
		if next != s || e.Kind != Data && e.Kind != Skip {
			onward = onward.Union(Bytes(byte(symbol)))
		}
	}
	if accepted == All() && !onward.Empty() {
		accepted = onward
	}
	end := a.EOF(s).Code == 0
	lines := Bytes('\n', '\r')
	switch {
	case accepted.Empty() && end:
		return "end of input"
	case accepted.Len() > 128 || accepted.Minus(lines).Empty():
		return FormatSet(accepted)
	}
	var words []string
	if accepted.Has('\n') {
		words = append(setWords(accepted.Minus(lines), " to "), "end of line")
	} else if words = setWords(accepted, " to "); end {
		words = append(words, "end of input")
	}
	return joinWords(words, "or")
}
