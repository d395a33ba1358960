package convert

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/gen"
)

// TestGather: the values of keys that repeat come side by side, in rows one behind the other, of few keys and of many,
// and where keys become the same only once what is no UTF-8 in them is replaced.
func TestGather(t *testing.T) {
	p, err := gen.Program("logfmt")
	if err != nil {
		t.Fatal(err)
	}
	lex := p.Columns[0].Type.Lex
	keys := []string{"a", "b", "c", "a_long_key", "a_long_kez", "é", "k\xff", "k\xfe", "k�"}
	rapid.Check(t, func(rt *rapid.T) {
		draw := func() *Fields {
			var text []byte
			key := rapid.SampledFrom(keys)
			for range rapid.IntRange(1, 6).Draw(rt, "rows") {
				n := rapid.IntRange(1, 6).Draw(rt, "keys")
				if rapid.IntRange(0, 7).Draw(rt, "many") == 0 {
					n = rapid.IntRange(mostKeys-3, 2*mostKeys).Draw(rt, "how many")
				}
				for i := range n {
					if i > 0 {
						text = append(text, ' ')
					}
					if n > len(keys) && rapid.IntRange(0, 3).Draw(rt, "known") > 0 {
						text = fmt.Appendf(text, "n%d=%d", i, i)
					} else {
						text = fmt.Appendf(text, "%s=%d", key.Draw(rt, "key"), i)
					}
				}
				text = append(text, '\n')
			}
			return fieldsOf(text, maskBlock)
		}
		typ := dfa.Type{Kind: dfa.Map, Lex: lex, Elem: &dfa.Type{}, Duplicates: dfa.ListDuplicates}
		compareMaps(rt, typ, draw)
	})
}
