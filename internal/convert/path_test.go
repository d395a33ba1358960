package convert

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/dfaparse/dfaparse/dfa"
)

// TestExpectedKeys: what is found in objects is the same whatever objects came before.
func TestExpectedKeys(t *testing.T) {
	parts := rapid.SampledFrom([]string{`{"b":`, `"b":`, `"c":`, `"c" :`, `"\u0062":`, `"e\"":`, `"x":`, `"b`, `{`, `}`, `{"d":1}`, `{"d":"}"}`, `"text"`, `"a\"b\\"`, `"eight or more"`, `12`, `null`,
		`,`, ` `, `"`, `\`, `:`, `[1,2]`, `{"b":1,"c":{"d":"x"}}`, `{"c":{"d":2},"b":"y"}`, `{"b":"12345678","b":2}`, ``})
	pairs := rapid.SampledFrom([]string{`"b":1`, `"b" :2`, `"bb":3`, `"":4`, `"c":{"d":5}`, `"c":{"dd":6,"d":7}`, `"cc":8`, `"c\"":9`, `"e\"":10`, `"ee":11`, `"x1":12`, `"x2":13`, `"x3":14`, `"x":15`})
	col := &dfa.Column{Split: &dfa.Split{Path: ".", Columns: []dfa.Column{{Name: "a.b"}, {Name: "a.c.d"}, {Name: `a.e"`}}}}
	newKeys := func(policy dfa.Duplicates) *keys {
		k := &keys{json: true, policy: policy}
		k.findPaths(col)
		return k
	}
	found := func(k *keys, text string) (of string) {
		k.of++
		ok := k.within(k.paths["a"], []byte(text), func(column int, text []byte) bool {
			of += fmt.Sprintf("%d: %q, %t\n", column, text, text == nil)
			return true
		})
		return of + fmt.Sprint(ok, k.twice)
	}
	rapid.Check(t, func(t *rapid.T) {
		policy := rapid.SampledFrom([]dfa.Duplicates{dfa.NoDuplicates, dfa.FirstDuplicate, dfa.LastDuplicate}).Draw(t, "policy")
		k := newKeys(policy)
		for range rapid.SampledFrom([]int{1, 2, 3, 6, 30}).Draw(t, "objects") {
			text := strings.Join(rapid.SliceOfN(parts, 1, 9).Draw(t, "parts"), "")
			if rapid.Bool().Draw(t, "sound") {
				text = "{" + strings.Join(rapid.SliceOfN(pairs, 0, 4).Draw(t, "pairs"), ",") + "}"
			}
			if got, want := found(k, text), found(newKeys(policy), text); got != want {
				t.Fatalf("%s: %s\nwant %s", text, got, want)
			}
		}
	})
}

// TestJSONStringEnd: a string ends at the first quote that nothing escapes.
func TestJSONStringEnd(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := []byte(strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{`"`, `\`, `\"`, "a", "abcdefgh", "\x00", "\xa2", "\xdc", "#", "]"}), 0, 12).Draw(t, "parts"), ""))
		from := rapid.IntRange(0, len(text)).Draw(t, "from")
		want := from
		for ; want < len(text) && text[want] != '"'; want++ {
			if text[want] == '\\' {
				want++
			}
		}
		if got := jsonStringEnd(text, from); got != want {
			t.Fatalf("%q from %d: %d, want %d", text, from, got, want)
		}
	})
}

// TestExpectedAreFew: of keys that are all different, and some of them long, few are remembered, and no long ones.
func TestExpectedAreFew(t *testing.T) {
	k := &keys{json: true}
	k.findPaths(&dfa.Column{Split: &dfa.Split{Path: ".", Columns: []dfa.Column{{Name: "a.b"}}}})
	o, none := k.paths["a"], func(int, []byte) bool { return true }
	for i := range 100 {
		var text []byte
		for j := range 40 {
			text = fmt.Appendf(text, `,"%d %d%s":1`, i, j, strings.Repeat("x", 1000*(i%2)))
		}
		text[0] = '{'
		if !k.within(o, append(text, '}'), none) {
			t.Fatalf("%s is not read", text)
		}
	}
	if len(o.came) != mostExpected {
		t.Errorf("%d places", len(o.came))
	}
	for i, came := range o.came {
		if len(came.keys) != mostKinds {
			t.Errorf("place %d has %d keys", i, len(came.keys))
		}
		for _, e := range came.keys {
			if len(e.text) > longestExpected {
				t.Errorf("place %d has a key of %d symbols", i, len(e.text))
			}
		}
	}
}
