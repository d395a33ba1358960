package compile

import (
	"fmt"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/alecthomas/participle/v2/lexer"
)

// The tokens of the language. A backslash alone between quotes, '\', is a
// backslash: escape rules would be hard to read otherwise.
var tokens = sync.OnceValue(func() *lexer.StatefulDefinition {
	return lexer.MustSimple([]lexer.SimpleRule{
		{Name: "Comment", Pattern: `#[^\n]*`},
		{Name: "Space", Pattern: `[ \t\r\n]+`},
		{Name: "Char", Pattern: `'(?:[^'\\\n]|\\(?:[abfnrtv0\\'"]|x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}))'|'\\'`},
		{Name: "String", Pattern: `"(?:[^"\\\n]|\\.)*"`},
		{Name: "Raw", Pattern: "`[^`]*`"},
		{Name: "Size", Pattern: `[0-9]+(?:B|KiB|MiB|GiB)\b`},
		{Name: "Number", Pattern: `-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?`},
		{Name: "Ident", Pattern: `[\pL_][\pL\p{Nd}_]*(?:-[\pL\p{Nd}_]+)*`},
		{Name: "Punct", Pattern: `=>|\+=|[{}()|,:=!?+*.@-]`},
	})
})

var tokenNames = sync.OnceValue(func() map[lexer.TokenType]string { return lexer.SymbolsByRune(tokens()) })

// Text is a literal: a character, a string with escapes, or a raw string.
type Text struct {
	Pos   lexer.Position
	Token string `parser:"@(Char | String | Raw)"`
}

// NewText is the literal of a value.
func NewText(value string) *Text { return &Text{Token: quote(value)} }

// Value is the text that t stands for.
func (t *Text) Value() string {
	if t == nil {
		return ""
	}
	v, _, _ := unquote(t.Token)
	return v
}

// At is the position of byte i of the value of t.
func (t *Text) At(i int) lexer.Position {
	_, from, _ := unquote(t.Token)
	pos := t.Pos
	if pos.Line == 0 {
		return pos
	}
	pos.Advance(t.Token[:from[min(i, len(from)-1)]])
	return pos
}

// quote writes a value as a string literal, raw where that is easier to read.
func quote(value string) string {
	q := strconv.Quote(value)
	plain := !strings.ContainsAny(value, "`\r") && utf8.ValidString(value)
	for _, r := range value {
		plain = plain && (r == '\n' || r == '\t' || strconv.IsPrint(r))
	}
	if plain && len(q) > len(value)+2 {
		return "`" + value + "`"
	}
	return q
}

// unquote gives the value of a literal, where in the literal each byte of the
// value comes from (with one more entry for its end), and the offset and
// reason of the first fault, "" if there is none.
func unquote(token string) (value string, from []int, fault string) {
	body := token[1 : len(token)-1]
	if token[0] == '`' || token == `'\'` {
		var b strings.Builder
		for i := range len(body) {
			if token[0] == '`' && body[i] == '\r' {
				continue // as in Go: a spec reads the same with CRLF line ends
			}
			b.WriteByte(body[i])
			from = append(from, i+1)
		}
		return b.String(), append(from, len(body)+1), ""
	}
	var b []byte
	rest, at := body, 1
	for rest != "" {
		n := len(b)
		r, multibyte, tail, err := unquoteChar(rest)
		switch {
		case err != nil:
			if fault == "" {
				fault = fmt.Sprintf("unknown escape %s; the escapes are those of Go: \\n \\t \\r \\\\ \\\" \\x2c \\u00e9", clip(rest, 2))
			}
			b, tail = append(b, rest[0]), rest[1:]
		case r < utf8.RuneSelf || !multibyte:
			b = append(b, byte(r))
		default:
			b = utf8.AppendRune(b, r)
		}
		for range len(b) - n {
			from = append(from, at)
		}
		at += len(rest) - len(tail)
		rest = tail
	}
	return string(b), append(from, at), fault
}

// unquoteChar is strconv.UnquoteChar with either quote and \0.
func unquoteChar(s string) (rune, bool, string, error) {
	if len(s) > 1 && s[0] == '\\' {
		switch s[1] {
		case '\'', '"':
			return rune(s[1]), false, s[2:], nil
		case '0':
			if len(s) < 4 || strings.Trim(s[1:4], "01234567") != "" {
				return 0, false, s[2:], nil
			}
		}
	}
	return strconv.UnquoteChar(s, 0)
}

func clip(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}

// Limits of a spec file, so that a hostile one is refused before it is read.
const (
	maxFile    = 1 << 20 // bytes
	maxTokens  = 1 << 16
	maxNesting = 16 // braces and parentheses
)

// scan gives the tokens of src without comments and space, or the first thing
// in it that is no token.
func scan(file string, src []byte) ([]lexer.Token, *Fault) {
	start := lexer.Position{Filename: file, Line: 1, Column: 1}
	if len(src) > maxFile {
		return nil, faultf(start, "a spec of %d bytes; at most %d are read", len(src), maxFile)
	}
	if i := invalidUTF8(src); i >= 0 {
		pos := start
		pos.Advance(string(src[:i]))
		return nil, faultf(pos, "invalid UTF-8 (byte %#02x); write it as an escape, \"\\x%02x\"", src[i], src[i])
	}
	text := string(src)
	var out []lexer.Token
	depth := 0
	for end := start; end.Offset < len(text); {
		kind, n := tokenAt(text[end.Offset:])
		if n == 0 {
			return nil, badToken(end, src[end.Offset:])
		}
		t := lexer.Token{Type: tokenTypes()[kind], Value: text[end.Offset : end.Offset+n], Pos: end}
		end.Advance(t.Value)
		switch kind {
		case commentToken, spaceToken:
			continue
		case charToken, stringToken, rawToken:
			if _, _, fault := unquote(t.Value); fault != "" {
				return nil, faultf(t.Pos, "%s", fault)
			}
		}
		switch t.Value {
		case "{", "(":
			if depth++; depth > maxNesting {
				return nil, faultf(t.Pos, "braces and parentheses nested more than %d deep", maxNesting)
			}
		case "}", ")":
			depth--
		}
		if len(out) == maxTokens {
			return nil, faultf(t.Pos, "a spec of more than %d words, texts and signs", maxTokens)
		}
		out = append(out, t)
	}
	return out, nil
}

func invalidUTF8(src []byte) int {
	for i := 0; i < len(src); {
		r, n := utf8.DecodeRune(src[i:])
		if r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return -1
}

func badToken(pos lexer.Position, rest []byte) *Fault {
	switch r, _ := utf8.DecodeRune(rest); r {
	case '\'':
		return faultf(pos, "this is not one character: 'c', '\\n', '\\x01' or '\\'; longer texts are written \"…\" or `…`")
	case '"':
		return faultf(pos, "this string does not end on its line; \\n is a line end, and raw strings (`…`) may have several lines")
	case '`':
		return faultf(pos, "this raw string does not end: a closing ` is missing")
	default:
		return faultf(pos, "%q begins nothing in this language%s", r, noSign(r))
	}
}
