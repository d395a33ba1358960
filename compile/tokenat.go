package compile

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/alecthomas/participle/v2/lexer"
)

// This file reads the tokens of the language symbol by symbol. It says what the patterns
// of tokens say, of which the first that matches counts; to try them one after the other
// at each token took a third of the time in which a spec compiles. A test compares the two.

// kinds of tokens, as tokens lists them.
type tokenKind uint8

const (
	noToken tokenKind = iota
	commentToken
	spaceToken
	charToken
	stringToken
	rawToken
	sizeToken
	numberToken
	identToken
	punctToken
)

var tokenTypes = sync.OnceValue(func() (types [punctToken + 1]lexer.TokenType) {
	symbols := tokens().Symbols()
	for kind, name := range [...]string{commentToken: "Comment", spaceToken: "Space", charToken: "Char", stringToken: "String", rawToken: "Raw",
		sizeToken: "Size", numberToken: "Number", identToken: "Ident", punctToken: "Punct"} {
		types[kind] = symbols[name]
	}
	return types
})

// tokenAt is the token that s, which is not empty, begins with, and its length.
func tokenAt(s string) (tokenKind, int) {
	switch c := s[0]; {
	case c == '#':
		return commentToken, spanOf(s, func(r rune) bool { return r != '\n' })
	case isSpace(rune(c)):
		return spaceToken, spanOf(s, isSpace)
	case c == '\'':
		return found(charToken, charLength(s))
	case c == '"':
		return found(stringToken, stringLength(s))
	case c == '`':
		return found(rawToken, 2+strings.IndexByte(s[1:], '`'))
	case isDigit(rune(c)), c == '-' && len(s) > 1 && isDigit(rune(s[1])):
		return number(s)
	case strings.HasPrefix(s, "=>"), strings.HasPrefix(s, "+="):
		return punctToken, 2
	case strings.IndexByte("{}()|,:=!?+*.@-", c) >= 0:
		return punctToken, 1
	}
	return found(identToken, identLength(s))
}

// found is a token that may not be one.
func found(kind tokenKind, n int) (tokenKind, int) {
	if n < 2 && kind != identToken || n == 0 {
		return noToken, 0
	}
	return kind, n
}

func isSpace(r rune) bool { return r == ' ' || r == '\t' || r == '\r' || r == '\n' }
func isDigit(r rune) bool { return '0' <= r && r <= '9' }
func isHex(r rune) bool   { return isDigit(r) || 'a' <= r && r <= 'f' || 'A' <= r && r <= 'F' }

// spanOf is how many bytes s begins with that are such.
func spanOf(s string, is func(rune) bool) int {
	for i, r := range s {
		if !is(r) {
			return i
		}
	}
	return len(s)
}

// charLength is the length of the character that s begins with, 0 if it is none.
func charLength(s string) int {
	body := s[1:]
	n := 0
	switch r, width := utf8.DecodeRuneInString(body); {
	case body == "" || r == '\'' || r == '\n':
		return 0
	case r != '\\':
		n = width
	default:
		n = escapeLength(body)
	}
	switch {
	case n > 0 && strings.HasPrefix(body[n:], "'"):
		return n + 2
	case strings.HasPrefix(body, `\'`): // a backslash alone
		return 3
	}
	return 0
}

// escapeLength is the length of the escape that s begins with, 0 if it is none.
func escapeLength(s string) int {
	if len(s) < 2 {
		return 0
	}
	digits := 0
	switch c := s[1]; {
	case c == 'x':
		digits = 2
	case c == 'u':
		digits = 4
	case strings.IndexByte(`abfnrtv0\'"`, c) < 0:
		return 0
	}
	if n := 2 + digits; len(s) >= n && spanOf(s[2:n], isHex) == digits {
		return n
	}
	return 0
}

// stringLength is the length of the string in quotes that s begins with, 0 if it does
// not end on its line.
func stringLength(s string) int {
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '"':
			return i + 1
		case '\n':
			return 0
		case '\\':
			if i++; i < len(s) && s[i] == '\n' {
				return 0
			}
		}
	}
	return 0
}

// number is the number or the size that s begins with.
func number(s string) (tokenKind, int) {
	sign := 0
	if s[0] == '-' {
		sign = 1
	}
	digits := func(at int) int { return at + spanOf(s[at:], isDigit) }
	n := digits(sign)
	if sign == 0 {
		for _, unit := range [...]string{"B", "KiB", "MiB", "GiB"} {
			if strings.HasPrefix(s[n:], unit) && !inASCIIWord(s[n+len(unit):]) {
				return sizeToken, n + len(unit)
			}
		}
	}
	if n < len(s) && s[n] == '.' {
		if end := digits(n + 1); end > n+1 {
			n = end
		}
	}
	if n < len(s) && (s[n] == 'e' || s[n] == 'E') {
		at := n + 1
		if at < len(s) && (s[at] == '+' || s[at] == '-') {
			at++
		}
		if end := digits(at); end > at {
			n = end
		}
	}
	return numberToken, n
}

// inASCIIWord reports whether s begins with a symbol of a word, as \b of patterns has it.
func inASCIIWord(s string) bool {
	return s != "" && (s[0] == '_' || isDigit(rune(s[0])) || 'a' <= s[0]|0x20 && s[0]|0x20 <= 'z')
}

// identLength is the length of the identifier that s begins with, 0 if it is none.
func identLength(s string) int {
	inside := func(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.Is(unicode.Nd, r) }
	if r, _ := utf8.DecodeRuneInString(s); r != '_' && !unicode.IsLetter(r) {
		return 0
	}
	n := spanOf(s, inside)
	for n < len(s) && s[n] == '-' {
		more := spanOf(s[n+1:], inside)
		if more == 0 {
			break
		}
		n += 1 + more
	}
	return n
}
