package convert

import (
	"unicode"
	"unicode/utf8"

	"github.com/dfaparse/dfaparse/dfa"
)

// timeName is a name of a month, a weekday or a zone, and what it means: its number, from 1,
// or its offset in seconds.
type timeName struct {
	text  string
	value int
}

// wordsOf are the words that a directive reads, nil if they are the usual ones.
func wordsOf(names *dfa.TimeNames, directive byte) (words []timeName) {
	for i, s := range names.Of(directive) {
		words = append(words, timeName{s, i + 1})
	}
	if directive == 'Z' && len(names.Zones) > 0 {
		for _, z := range names.Zones {
			words = append(words, timeName{z.Name, z.Offset})
		}
		words = append(words, timeName{"UTC", 0}, timeName{"GMT", 0}, timeName{"Z", 0})
	}
	return words
}

// readWord takes the longest of o's words from the front of b, in any case.
func (m *moment) readWord(o *op, b []byte) (rest []byte, ok bool) {
	most, value := 0, 0
	for i := range o.words {
		word := o.words[i].text
		if len(b) > 0 && len(word) > 0 && b[0]|word[0] < utf8.RuneSelf && (b[0]^word[0])&^' ' != 0 {
			continue // not even in another case
		}
		if n := foldPrefix(b, word); n > most {
			most, value = n, o.words[i].value
		}
	}
	switch o.directive {
	case 'b', 'B':
		m.month = value
	case 'Z':
		m.hasOffset, m.offset = true, value
	}
	return b[most:], most > 0
}

// foldPrefix is how many bytes of b are s, in any case; 0 if b does not begin with it.
func foldPrefix(b []byte, s string) (n int) {
	for _, want := range s {
		if n == len(b) {
			return 0
		}
		got, size := rune(b[n]), 1
		if got >= utf8.RuneSelf {
			got, size = utf8.DecodeRune(b[n:])
		}
		if got != want && smaller(got) != smaller(want) {
			return 0
		}
		n += size
	}
	return n
}

// smaller is unicode.ToLower, soon for ASCII.
func smaller(c rune) rune {
	switch {
	case c >= utf8.RuneSelf:
		return unicode.ToLower(c)
	case 'A' <= c && c <= 'Z':
		return c | ' '
	}
	return c
}
