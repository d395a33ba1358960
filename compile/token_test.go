package compile

import (
	"strings"
	"testing"

	"github.com/alecthomas/participle/v2/lexer"
	"pgregory.net/rapid"
)

func TestTextValues(t *testing.T) {
	for token, want := range map[string]string{
		`'a'`: "a", `'\n'`: "\n", `'\''`: "'", `'"'`: `"`, `'\\'`: `\`, `'\'`: `\`, `'\x01'`: "\x01", `'\0'`: "\x00", `'é'`: "é", `'\xff'`: "\xff",
		`"a\tb"`: "a\tb", `"\u00e9\"'"`: "é\"'", "`a\\n`": `a\n`, "`a\r\nb`": "a\nb", `""`: "", `"\101"`: "A",
	} {
		toks, fault := scan("x", []byte(token))
		if fault != nil || len(toks) != 1 {
			t.Errorf("%s: %d tokens, %v", token, len(toks), fault)
			continue
		}
		if got := (&Text{Token: token}).Value(); got != want {
			t.Errorf("%s is %q, want %q", token, got, want)
		}
	}
}

// Faults inside a text are reported where they stand in the file.
func TestTextPositions(t *testing.T) {
	for _, c := range []struct {
		token     string
		at        int
		line, col int
	}{
		{`"ab"`, 0, 3, 6}, {`"ab"`, 1, 3, 7}, {`"ab"`, 2, 3, 8},
		{`"\t\x41b"`, 1, 3, 8}, {`"\t\x41b"`, 2, 3, 12},
		{`"éb"`, 2, 3, 7}, {"`a\nbc`", 3, 4, 2}, {"`a\r\nbc`", 3, 4, 2}, {`'\'`, 0, 3, 6},
	} {
		text := &Text{Pos: lexer.Position{Filename: "x", Offset: 20, Line: 3, Column: 5}, Token: c.token}
		if pos := text.At(c.at); pos.Line != c.line || pos.Column != c.col {
			t.Errorf("%s, byte %d: %d:%d, want %d:%d", c.token, c.at, pos.Line, pos.Column, c.line, c.col)
		}
		bad := &faults{}
		p := &templateParser{bad: bad, token: c.token, pos: text.Pos}
		p.src, p.from, _ = unquote(c.token)
		if pos := p.position(c.at); pos != text.At(c.at) {
			t.Errorf("%s, byte %d: the template parser says %v, want %v", c.token, c.at, pos, text.At(c.at))
		}
	}
}

func TestQuoteRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.OneOf(rapid.String(), rapid.StringMatching("[`\"'\\\\\r\n\ta]{0,6}"), rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) })).Draw(t, "value")
		text := NewText(value)
		if got := text.Value(); got != value {
			t.Fatalf("%q is written %s, which is %q", value, text.Token, got)
		}
		toks, fault := scan("x", []byte(text.Token))
		if fault != nil || len(toks) != 1 {
			t.Fatalf("%q is written %s: %d tokens, %v", value, text.Token, len(toks), fault)
		}
	})
}

func TestSuggest(t *testing.T) {
	for _, c := range []struct{ word, known, want string }{
		{"statsu", "status host", `; did you mean "status"?`},
		{"Status", "status host", `; did you mean "status"?`},
		{"stat", "status host", "; known: status, host"},
		{"a", "b c", "; known: b, c"},
		{"x", strings.Repeat("abcdef ", 30), ""},
		{"x", "", ""},
	} {
		if got := suggest(c.word, strings.Fields(c.known)); got != c.want {
			t.Errorf("%s of %s: %q, want %q", c.word, c.known, got, c.want)
		}
	}
}

// TestTokensByHand: what tokenAt reads is what the patterns of the language say.
func TestTokensByHand(t *testing.T) {
	compare := func(t interface{ Errorf(string, ...any) }, src string) {
		if invalidUTF8([]byte(src)) >= 0 {
			return
		}
		lex, err := tokens().LexString("x", src)
		if err != nil {
			t.Errorf("%q: %v", src, err)
			return
		}
		for pos := (lexer.Position{Filename: "x", Line: 1, Column: 1}); ; {
			want, err := lex.Next()
			if pos.Offset == len(src) {
				if !want.EOF() {
					t.Errorf("%q: after all of it the patterns give %v, %v", src, want, err)
				}
				return
			}
			kind, n := tokenAt(src[pos.Offset:])
			got := lexer.Token{Type: tokenTypes()[kind], Value: src[pos.Offset : pos.Offset+n], Pos: pos}
			if err != nil && n == 0 {
				return
			}
			if err != nil || got != want {
				t.Errorf("%q at %d: %s %q, and by the patterns %s %q, %v", src, pos.Offset, tokenNames()[got.Type], got.Value, tokenNames()[want.Type], want.Value, err)
				return
			}
			pos.Advance(got.Value)
		}
	}
	for _, src := range []string{
		"", "'", "''", "'''", `'\'`, `'\''`, `'\'x`, `'\x4'`, `'\x41'`, `'\u00e9'`, `'\u00e'`, `'\q'`, "'\n'", "'é'", "'ab'", `'\\'`, `'\\`, `'\`,
		`"`, `""`, `"a\"b"c"`, "\"a\nb\"", "\"a\\\nb\"", `"a\`, "``", "`a\nb`", "`a", "# c\n#d", "#", " \t\r\n x",
		"1", "-1", "-", "--1", "1.5", "1.", "1.e5", "1e5", "1e+5", "1e", "1e-x", "1E5", "64MiB", "64MiBs", "64KiB_", "64B", "64Bé", "64B5", "-64B", "64M", "1.5GiB", "1KiB.",
		"a-b", "a-", "a--b", "_x9-9_", "é-ж٣", "9a", "٣", "a.b", "=>", "+=", "=", "+", ">", "a=>b", "&", "{}()|,:=!?+*.@-",
	} {
		compare(t, src)
	}
	rapid.Check(t, func(t *rapid.T) {
		compare(t, rapid.OneOf(rapid.String(), rapid.StringMatching("(['\"\\\\`#\n 0-9a-fnxuBKMGiB_é.eE+=>{|-]|'\\\\|MiB){0,12}")).Draw(t, "source"))
	})
}
