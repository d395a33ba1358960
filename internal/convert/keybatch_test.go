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

// TestKeysInNoOrder: keys are told apart batch after batch: those of one slot, of the same ends and size, those that another
// one begins with, and more than are kept.
func TestKeysInNoOrder(t *testing.T) {
	alike := func(middle string) string { return "the_same" + middle + "ends_too" }
	columns := []string{"a", "aa", "a\x00", "", "é", "\xff", "eight_of", "eight_of_", "q\"k", `l\k`, alike("1"), alike("2"), alike(strings.Repeat("x", longestKept)), "k7", "k4000"}
	others := append([]string{"b", "eight_o", alike(""), alike("3"), alike(strings.Repeat("x", longestKept-1)), alike(strings.Repeat("y", longestKept))}, columns...)
	for _, n := range []int{7, 15, 16, 17} { // up to 32 symbols are compared at once
		columns = append(columns, alike(strings.Repeat("m", n)))
		others = append(others, alike(strings.Repeat("m", n)))
		for _, at := range []int{0, n / 2, n - 1} { // what differs
			others = append(others, alike(strings.Repeat("m", at)+"n"+strings.Repeat("m", n-1-at)))
		}
	}
	easy, odd := 0, 0
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
				for i := range mostKnownKeys {
					s.keys.batches.known.named(fmt.Append(nil, "n", i))
				}
			}
			key := func() string {
				if rapid.IntRange(0, 3).Draw(rt, "numbered") == 0 {
					return fmt.Sprint("k", rapid.IntRange(0, 2*mostKnownKeys).Draw(rt, "number"))
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
				misfits, wantMisfits := s.Split(f, parts), plain.Split(f, want)
				if slices.Contains(s.keys.batches.odd[:], true) {
					odd++
				} else {
					easy++
				}
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
	if easy == 0 || odd == 0 {
		t.Errorf("%d batches with odd rows, %d without: none of one", odd, easy)
	}
}

// TestKnownKeys: a key has its column however many others have been met, and those that belong to one slot drive no more of
// each other away than have room beside it.
func TestKnownKeys(t *testing.T) {
	text, keys := []byte(nil), Fields{}
	for i := range 2 * mostKnownKeys {
		at := uint32(len(text))
		text = fmt.Appendf(text, "key%d", i)
		keys.Push(at, uint32(len(text)))
	}
	keys.Src = text // the last keys are near the end of the input
	asked := 0
	x := newKnownKeys(func(key []byte) (column int) {
		asked++
		if _, err := fmt.Sscanf(string(key), "key%d", &column); err != nil || column%3 == 0 {
			return -1
		}
		return column
	})
	check := func(n int) {
		t.Helper()
		some := Fields{Src: keys.Src, Start: keys.Start[:n], End: keys.End[:n]}
		for i, column := range x.columns(nil, &some, 0) {
			if want := int32(i); column != want && (i%3 != 0 || column != -1) {
				t.Fatalf("key%d has column %d", i, column)
			}
		}
	}
	check(60)
	inSlots := 0
	for i := range x.slots {
		inSlots += asBit(x.slots[i].size != noKey)
	}
	if check(60); asked != 60 || inSlots != 60 {
		t.Errorf("%d of 60 keys are in slots, and %d were looked up", inSlots, asked)
	}
	check(keys.Len())
	check(60)
	if len(x.all) != mostKnownKeys {
		t.Errorf("%d keys are kept", len(x.all))
	}
}

// TestKeysOfOneSlot: keys that belong to one slot and begin or end alike, or do both and differ in size, are told apart.
func TestKeysOfOneSlot(t *testing.T) {
	of := map[string][]string{} // by what they have in common and their slot
	add := func(alike, key string) {
		x := newKnownKeys(func([]byte) int { return 0 })
		x.columns(nil, &Fields{Src: []byte(key), Start: []uint32{0}, End: []uint32{uint32(len(key))}}, 0)
		slot := slices.IndexFunc(x.slots, func(s keySlot) bool { return s.size != noKey })
		of[fmt.Sprint(alike, slot)] = append(of[fmt.Sprint(alike, slot)], key)
	}
	for n := range 500 {
		add("first", fmt.Sprint("beginning", 100+n))
		add("last", fmt.Sprint(100+n, "the_end_"))
	}
	for symbol := range 256 {
		for n := range longestFound {
			add(fmt.Sprint("size of ", symbol, "s in "), strings.Repeat(string([]byte{byte(symbol)}), n+1))
		}
	}
	pairs := map[string]int{}
	for alike, keys := range of {
		for _, other := range keys[1:] {
			pairs[alike[:3]]++
			x := newKnownKeys(func(key []byte) int { return asBit(string(key) == other) })
			n := uint32(len(keys[0]))
			f := Fields{Src: []byte(keys[0] + other + "........"), Start: []uint32{0, n, 0, n}, End: []uint32{n, n + uint32(len(other)), n, n + uint32(len(other))}}
			if got := x.columns(nil, &f, 0); !slices.Equal(got, []int32{0, 1, 0, 1}) {
				t.Errorf("%q and %q have columns %v", keys[0], other, got)
			}
		}
	}
	if len(pairs) < 3 {
		t.Errorf("pairs of one slot: %v", pairs)
	}
}

// TestKeepMarked compares what leaves out fields with its twin, also where it does so in place.
func TestKeepMarked(t *testing.T) {
	setsAndGo(t, func(t *testing.T) {
		rapid.Check(t, func(rt *rapid.T) {
			n := rapid.SampledFrom([]int{0, 1, 15, 16, 17, 255, 256, 257, 300, 1000}).Draw(rt, "n")
			marks, src := make([]int32, n), make([]uint32, n, n+keptRoom)
			for i := range marks {
				marks[i] = rapid.Int32Range(-1, 1).Draw(rt, "mark")
				src[i] = uint32(i) * 0x9e3779b1
			}
			want, got := make([]uint32, n), make([]uint32, n+keptRoom)
			want = want[:keepMarkedGeneric(want, src, marks)]
			if got = got[:keepMarked(got, src, marks)]; !slices.Equal(got, want) {
				rt.Fatalf("%v of %d", got, n)
			}
			if got = src[:keepMarked(src[:n+keptRoom], src, marks)]; !slices.Equal(got, want) {
				rt.Fatalf("%v of %d in place", got, n)
			}
		})
	})
}

// TestEscapesInTheRest: pairs that a Splitter has met are taken from it, but for those of rows in which one has an escape.
func TestEscapesInTheRest(t *testing.T) {
	setsAndGo(t, func(t *testing.T) {
		m := &lower.Map{Pair: lower.Separator{Text: []byte(" ")}, KeyValue: []byte("="), Quote: '"', Escape: &lower.Escape{Lead: '\\', Other: lower.DropLead}}
		a, err := lower.BuildMap(m)
		if err != nil {
			t.Fatal(err)
		}
		col := keyedColumn(dfa.Type{Kind: dfa.Map, Lex: a, Elem: &dfa.Type{}}, false, "a")
		got, want := NewColumn(&col.Type), NewColumn(&col.Type)
		fast, plain := newTestConverter(t, col, Options{}), newTestConverter(t, col, Options{Plain: true})
		s, parts := NewSplitter(col), make([]Fields, 1)
		if fast.TakeOthers(s); s.others == nil {
			t.Fatal("nothing is taken")
		}
		f := fieldsOf([]byte("a=1 b=2 c=3\na=1 b=\"x\\\"y\" c\nb=4 a=5\n"), 200)
		s.Split(f, parts)
		errs, wantErrs := fast.Append(got, f, nil), plain.Append(want, f, nil)
		if !sameColumn(got, want) || !slices.Equal(errs, wantErrs) {
			t.Error(roundDifference(f, got, want, errs, wantErrs))
		}
		if n := len(s.others.rows); n != 2 {
			t.Errorf("%d rows are noted, want 2", n)
		}
	})
}

func newTestConverter(t *testing.T, col *dfa.Column, opt Options) *Converter {
	c, err := NewConverter(col, opt)
	if err != nil {
		t.Fatal(err)
	}
	return c
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
