package convert

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/lower"
)

// setsAndGo runs test with each set of instructions that there is, and without any.
func setsAndGo(t *testing.T, test func(t *testing.T)) {
	sets(t, func(t *testing.T, _ func(func())) { test(t) })
	t.Run("Go", func(t *testing.T) {
		defer noInstructions()()
		test(t)
	})
}

// TestKeysInNoOrder: keys are told apart batch after batch, whether they are expected behind another one or looked for
// by their symbols: those of one slot, of the same ends and size, those that another one begins with, and more than
// are kept.
func TestKeysInNoOrder(t *testing.T) {
	alike := func(middle string) string { return "the_same" + middle + "ends_too" }
	columns := []string{"a", "aa", "a\x00", "", "é", "\xff", "eight_of", "eight_of_", "q\"k", `l\k`, alike("1"), alike("2"), alike(strings.Repeat("x", longestKept)), "k7", "k4000"}
	others := append([]string{"b", "eight_o", alike(""), alike("3"), alike(strings.Repeat("x", longestKept-1)), alike(strings.Repeat("y", longestKept))}, columns...)
	lookedFor, expected := 0, 0
	setsAndGo(t, func(t *testing.T) {
		rapid.Check(t, func(rt *rapid.T) {
			m := &lower.Map{Pair: lower.Separator{Text: []byte(" ")}, KeyValue: []byte("="), Quote: '"', Escape: &lower.Escape{Lead: '\\', Other: lower.DropLead}}
			if rapid.Bool().Draw(rt, "brackets") {
				m.Open, m.Close = '{', '}'
			}
			a, err := lower.BuildMap(m)
			if err != nil {
				rt.Fatal(err)
			}
			col := keyedColumn(dfa.Type{Kind: dfa.Map, Lex: a, Elem: &dfa.Type{}, Duplicates: dfa.Duplicates(rapid.IntRange(0, 2).Draw(rt, "policy"))}, false, columns...)
			s, plain := NewSplitter(col), NewPlainSplitter(col)
			parts, want := make([]Fields, len(columns)), make([]Fields, len(columns))
			if rapid.IntRange(0, 3).Draw(rt, "all are kept already") == 0 {
				for i := range mostNextKeys {
					s.keys.batches.named(fmt.Append(nil, "n", i))
				}
			}
			key := func() string {
				if rapid.IntRange(0, 3).Draw(rt, "numbered") == 0 {
					return fmt.Sprint("k", rapid.IntRange(0, 2*mostNextKeys).Draw(rt, "number"))
				}
				return rapid.SampledFrom(others).Draw(rt, "key")
			}
			usual := rapid.SliceOfN(rapid.SampledFrom(others), 1, 9).Draw(rt, "usual")
			for range rapid.IntRange(1, 40).Draw(rt, "batches") {
				ordered := rapid.IntRange(0, 2).Draw(rt, "in order") > 0
				var text []byte
				for range rapid.IntRange(1, 4).Draw(rt, "rows") {
					var pairs []string
					for i := range rapid.IntRange(0, len(usual)).Draw(rt, "keys") {
						k := usual[i]
						if !ordered {
							k = key()
						}
						pairs = append(pairs, k+rapid.SampledFrom([]string{"=1", "=", "", `="x y"`, `="\"\\"`}).Draw(rt, "value"))
					}
					row := strings.Join(pairs, " ")
					if m.Open != 0 {
						row = "{" + row + "}"
					}
					text = append(append(text, row...), '\n')
				}
				f := fieldsOf(text, rapid.SampledFrom([]int{0, 100, 200}).Draw(rt, "behind"))
				if s.keys.batches.varied > 0 {
					lookedFor++
				} else {
					expected++
				}
				misfits, wantMisfits := s.Split(f, parts), plain.Split(f, want)
				if !slices.Equal(misfits, wantMisfits) {
					rt.Fatalf("%q: misfits %v, want %v", text, misfits, wantMisfits)
				}
				for k := range parts {
					for i := range f.Len() {
						got, ok := parts[k].At(i)
						if value, is := want[k].At(i); ok != is || string(got) != string(value) {
							row, _ := f.At(i)
							rt.Fatalf("%q: %q is %q, %t; want %q, %t", row, columns[k], got, ok, value, is)
						}
					}
				}
			}
		})
	})
	if lookedFor == 0 || expected == 0 {
		t.Errorf("keys of %d batches were looked for, of %d expected: none of one", lookedFor, expected)
	}
}

// TestPlacesOfPairs: the masks of a batch have as many places as it has pairs, since that is the room for what is made
// of them: so those of rows without pairs are empty, whatever was found there before.
func TestPlacesOfPairs(t *testing.T) {
	setsAndGo(t, func(t *testing.T) {
		batches := 0
		rapid.Check(t, func(rt *rapid.T) {
			a := drawPairs(rt)
			typ := dfa.Type{Kind: dfa.Map, Lex: a, Elem: &dfa.Type{}}
			c, err := NewConverter(&dfa.Column{Name: "c", Type: typ}, Options{})
			if err != nil {
				rt.Fatal(err)
			}
			n := c.impl.(*nested)
			x := n.pairs
			for range 3 {
				f := drawMaps(rt, a.Table())
				for _, p := range []*nested{nil, n} {
					for i := 0; i < f.Len(); i += max(1, len(x.ends)) {
						pairs, blocks := x.mark(p, c, f, i, f.Len())
						if len(x.ends) == 0 {
							continue
						}
						batches++
						for k := range x.blocks.places {
							places := 0
							for _, m := range x.blocks.places[k][:blocks] {
								places += bits.OnesCount64(m)
							}
							if places != pairs || int(x.ends[len(x.ends)-1]) != pairs {
								rt.Fatalf("rows from %d on of %q: %d places %d of %d pairs, the last of which ends at %d", i, f.Src, places, k, pairs, x.ends[len(x.ends)-1])
							}
						}
					}
				}
			}
		})
		if batches == 0 {
			t.Error("no batch")
		}
	})
}
