package compile

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/dfaparse/dfaparse/dfa"
)

// TestWorkIsBounded: what needs more than a file may take is refused by a limit
// that says so.
func TestWorkIsBounded(t *testing.T) {
	many := func(n int, format string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, format, i)
		}
		return b.String()
	}
	long := strings.Repeat("x", 3000)
	for name, test := range map[string]struct{ src, want string }{
		"separator": {"format x { delimited { sep \"" + strings.Repeat(";", 60000) + "\" } fields { a str } }", "separator: 60000 bytes, at most 4096"},
		"list":      {"format x { delimited { sep ',' } fields { a list(str, sep \"" + strings.Repeat(";", 60000) + "\") } }", "list: separator: 60000 bytes, at most 4096"},
		"map":       {"format x { delimited { sep ',' } fields { a map(str, kv \"" + strings.Repeat("=", 60000) + "\") } }", "map: separators: 60001 bytes, at most 4096"},
		"comments":  {"format x { delimited { sep ',' comment " + many(900, "\"#%d!!!!\" ") + "} fields { a str } }", "comment: all prefixes together have more than 4096 bytes"},
		"formats":   {many(9, "format f%d { record `{a}"+long+"` } "), "the automata of the file need more than 8192 states before they are minimised"},
		"many":      {"format f { delimited { sep ',' } fields { a str } } " + many(1500, "format f%d extends f { } "), "the automata of the file need more than 8192 states before they are minimised"},
		"lists":     {"format x { delimited { sep ',' } fields { " + many(9, "a%d list(str, sep \""+long+"%[1]d\") ") + "} }", "the automata of the file need more than 8192 states before they are minimised"},
		"tests":     {"format x { delimited { sep ',' } fields { " + many(3000, "a%d u8 ") + "} " + many(50, "test \"%d\" => reject ") + "}", "50 tests of 3000 columns are too many"},
	} {
		_, err := Compile("x.dfp", []byte(test.src))
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %.300v, want %s", name, err, test.want)
		} else if n := strings.Count(err.Error(), "before they are minimised"); n > 1 {
			t.Errorf("%s: it is said %d times", name, n)
		}
	}
}

// TestLikeValuesAreOne: lists and maps that are written alike have one automaton.
func TestLikeValuesAreOne(t *testing.T) {
	spec, err := Compile("x.dfp", []byte(`escape e = '\\' { 'n' = '\n' other drop }
		format x { delimited { sep ',' } fields {
			a list(str, sep ';')  b list(i64, sep ';')  c list(str, sep '|')  d map(str)  e map(i32)  f map(str, kv ':')
			g list(str, sep ';' , escape e)  h list(str, sep ';', escape e) } }`))
	if err != nil {
		t.Fatal(err)
	}
	lex := func(i int) *dfa.Automaton { return spec.Program.Columns[i].Type.Lex }
	for _, same := range [][2]int{{0, 1}, {3, 4}, {6, 7}} {
		if lex(same[0]) != lex(same[1]) {
			t.Errorf("columns %d and %d have an automaton each", same[0], same[1])
		}
	}
	for _, differ := range [][2]int{{0, 2}, {3, 5}, {0, 6}, {0, 3}} {
		if lex(differ[0]) == lex(differ[1]) {
			t.Errorf("columns %d and %d have one automaton", differ[0], differ[1])
		}
	}
}

// TestContextEndsCompiling: where it ends, at any place, the error is its own.
func TestContextEndsCompiling(t *testing.T) {
	src := []byte("format x { record `{a}" + strings.Repeat("x", 3000) + "` test 'a' => reject }")
	for after := range 5 {
		ctx, cancel := context.WithCancel(context.Background())
		asked := &countdown{ctx, 1000 * after, cancel}
		_, err := Compile("x.dfp", src, WithContext(asked), WithVerifier(func(*dfa.Program, []dfa.Example) error { return nil }))
		if !errors.Is(err, context.Canceled) && asked.left <= 0 || err == nil && after < 3 {
			t.Errorf("after %d times: %v", after, err)
		}
		cancel()
	}
}

// countdown is a context that ends when it has been asked so many times.
type countdown struct {
	context.Context
	left   int
	cancel func()
}

func (c *countdown) Err() error {
	if c.left--; c.left < 0 {
		c.cancel()
	}
	return c.Context.Err()
}
