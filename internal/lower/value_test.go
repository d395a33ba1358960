package lower

import (
	"strings"
	"testing"

	"github.com/dfaparse/dfaparse/dfa"
)

// cases is a table of inputs and what reading each gives, as show lays it out.
type cases []struct{ in, want string }

func (cs cases) run(t *testing.T, a *dfa.Automaton, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cs {
		restarts(t, a, c.in)
		if got := strings.TrimSuffix(show(a, c.in), "\n"); got != c.want {
			t.Errorf("%q\n got %s\nwant %s", c.in, got, c.want)
		}
	}
}

func one(s string) Separator { return Separator{Text: []byte(s)} }
func run(s string) Separator { return Separator{Text: []byte(s), Run: true} }

var backslash = &Escape{Lead: '\\', To: map[byte]byte{'"': '"', '\\': '\\', 'n': '\n', ']': ']'}}

func TestList(t *testing.T) {
	a, err := BuildList(&List{Separator: one(";"), Quote: '"', Doubled: true, Open: '[', Close: ']'})
	cases{
		{"", ""},
		{"a", "a"},
		{"a;b;;c", "a|b||c"},
		{"a;", "a|"},
		{`"x;y";"q""r"`, `x;y|q"r`},
		{"[]", ""},
		{"[a;b]", "a|b"},
		{"[a;]", "a|"},
		{`["]"]`, "]"},
		{"a]", "a]"},
		{"[a", `! 2 the list that '[' opens is never closed by ']'`},
		{"[a]b", `! 3 nothing may follow the closing ']'`},
		{"a\nb;c", `a\nb|c`},
		{`"a`, `! 0 a field that '"' opens is never closed by '"'`},
	}.run(t, a, err)

	a, err = BuildList(&List{Separator: run(" \t")})
	cases{
		{"a b", "a|b"},
		{"  a \t b  ", "a|b"},
		{"   ", ""},
	}.run(t, a, err)

	a, err = BuildList(&List{Separator: one(", "), Escape: backslash})
	cases{
		{`a, b,c,, d\n`, `a|b,c,|d\n`},
		{`a\x`, `! 2 after '\\' only one of "\"\\]n" is an escape`},
	}.run(t, a, err)
}

func TestMap(t *testing.T) {
	a, err := BuildMap(&Map{Pair: run(" "), KeyValue: []byte("="), Quote: '"', Escape: backslash})
	cases{
		{"", ""},
		{"a=1", "a|1"},
		{"a=1 b=2", "a|1|0=b|2"},
		{"  a=1   b=2  ", "a|1|0=b|2"},
		{"a b=2 c", "a|0=b|2|0=c"},
		{"a= b=", "a||0=b|"},
		{"a=b=c", "a|b=c"},
		{`msg="x \"y\" z" k="" j=1`, `msg|x "y" z|0=k||0=j|1`},
		{`a="x`, `! 2 a value that '"' opens is never closed`},
		{`a="x"b`, `! 5 " " or the end must follow the closing '"'`},
		{`=1`, `! 0 expected a key before "="`},
	}.run(t, a, err)

	a, err = BuildMap(&Map{Pair: one("; "), KeyValue: []byte(": "), Open: '{', Close: '}'})
	cases{
		{"a: 1; b: 2", "a|1|0=b|2"},
		{"{a: 1; b: 2}", "a|1|0=b|2"},
		{"{a: 1; b: 2; }", "a|1|0=b|2"},
		{"{a: 1; }", "a|1"},
		{"{}", ""},
		{"a: 1; ", "a|1"},
		{"a:1; b: x;y", "a:1|0=b|x;y"},
		{"{a: 1", `! 5 '{' is never closed by '}'`},
	}.run(t, a, err)
}

func TestGroups(t *testing.T) {
	a, err := BuildMap(&Map{Pair: one(" "), KeyValue: []byte("="), Quote: '"', Escape: backslash, Open: '[', Close: ']', Groups: true, Nil: '-'})
	cases{
		{"-", ""},
		{`[id k="v"]`, "id|k|v"},
		{`[a k="v" l="]\]"][b m="w"]`, "a|k|v|1=l|]]|0=b|m|w"},
		{"[a][b]", "a|0=b"},
		{"[a] [b]", `! 3 nothing may follow the closing ']'`},
		{"x", `! 0 expected '['`},
		{"[]", "! 1 expected the name of a group"},
	}.run(t, a, err)
}
