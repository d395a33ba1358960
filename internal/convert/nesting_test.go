package convert

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/drawn"
	"github.com/dfaparse/dfaparse/internal/gen"
)

// structuredData is the automaton of RFC 5424's structured data, which a nesting reads.
func structuredData(t *testing.T) *dfa.Automaton {
	p, err := gen.Program("syslog_rfc5424")
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(p.Columns, func(c dfa.Column) bool { return c.Type.Kind == dfa.Map })
	return p.Columns[i].Type.Lex
}

// drawNesting draws an automaton like a: other symbols may be the signs, and what ends a map may be
// data in values.
func drawNesting(rt *rapid.T, a *dfa.Automaton) *dfa.Automaton {
	b := *a
	b.Next, b.Emit, b.AtEOF = slices.Clone(a.Next), slices.Clone(a.Emit), slices.Clone(a.AtEOF)
	if rapid.Bool().Draw(rt, "brackets in values") {
		x := newNesting(a.Table())
		at := int(a.Group[x.signs[signClose]])*a.NStates() + int(x.within)
		like := int(a.Group['z'])*a.NStates() + int(x.within)
		b.Next[at], b.Emit[at] = b.Next[like], b.Emit[like]
	}
	for _, pair := range []string{" ,", "=:", "\"'", "[(", "])", `\^`} {
		if rapid.IntRange(0, 3).Draw(rt, "other sign") == 0 {
			b.Group[pair[0]], b.Group[pair[1]] = b.Group[pair[1]], b.Group[pair[0]]
		}
	}
	return &b
}

// drawGroups draws rows of maps of maps, most of them whole.
func drawGroups(rt *rapid.T, a *dfa.Automaton) *Fields {
	x := newNesting(a.Table())
	sep, sign, quote := string(x.signs[signSep]), string(x.signs[signKey]), string(x.signs[signQuote])
	lead, open, end := string(x.signs[signLead]), string(x.signs[signOpen]), string(x.signs[signClose])
	key := rapid.SampledFrom([]string{"a", "b", "c", "key", "a_key_of_16_byte", strings.Repeat("k", 70), strings.Repeat("k", 62), "a" + open, lead, "-"})
	value := rapid.SampledFrom([]string{"", "1", "-7", "a text", sep + sign + open, lead + quote, lead + lead, lead + end, lead + lead + lead + quote + "z", strings.Repeat("w ", 50), strings.Repeat("v", 59)})
	odd := rapid.SampledFrom([]string{"", sep, sign, quote, lead, open, end, "\xff", "é", "x", lead + "n"})
	row := func() []byte {
		var words []string
		for range rapid.IntRange(1, 4).Draw(rt, "maps") {
			words = append(words, open, key.Draw(rt, "outer key"))
			for range rapid.IntRange(0, 6).Draw(rt, "pairs") {
				words = append(words, sep, key.Draw(rt, "key"), sign, quote, value.Draw(rt, "value"), quote)
			}
			words = append(words, end)
		}
		if rapid.IntRange(0, 3).Draw(rt, "whole") == 0 {
			at := rapid.IntRange(0, len(words)-1).Draw(rt, "at")
			switch o := odd.Draw(rt, "odd"); rapid.IntRange(0, 2).Draw(rt, "how") {
			case 0:
				words[at] = o
			case 1:
				words = slices.Insert(words, at, o)
			case 2:
				words = words[:at]
			}
		}
		return []byte(strings.Join(words, ""))
	}
	if rapid.Bool().Draw(rt, "keys that differ") {
		n := 0
		of := key
		key = rapid.Custom(func(rt *rapid.T) string {
			n++
			return of.Draw(rt, "of") + string(rune('A'+n%26)) + string(rune('a'+n/26%26))
		})
	}
	return drawRows(rt, row)
}

// compareNesting compares what a reads by masks and symbol by symbol, and gives how many rows the last
// batch by masks had.
func compareNesting(rt *rapid.T, a *dfa.Automaton) (byMasks int) {
	if newNesting(a.Table()) == nil {
		return 0
	}
	values := &dfa.Type{}
	typ := dfa.Type{Kind: dfa.Map, Lex: a, Duplicates: dfa.Duplicates(rapid.IntRange(0, int(dfa.ListDuplicates)).Draw(rt, "policy"))}
	if typ.Duplicates == dfa.ListDuplicates {
		values = &dfa.Type{Kind: dfa.List, Elem: values}
	}
	typ.Elem = &dfa.Type{Kind: dfa.Map, Elem: values}
	if n := compareMaps(rt, typ, func() *Fields { return drawGroups(rt, a) }); n != nil {
		byMasks = len(n.packer.(*nesting).ends)
	}
	return byMasks
}

// TestNesting: maps of maps that are read by masks are what they are symbol by symbol.
func TestNesting(t *testing.T) {
	of := structuredData(t)
	sets(t, func(t *testing.T, _ func(func())) {
		byMasks := 0
		drawn.Check(t, "no map is read by masks", func() bool { return byMasks > 0 }, func(rt *rapid.T) {
			a := drawNesting(rt, of)
			if newNesting(a.Table()) == nil {
				rt.Fatalf("no masks for %v", a)
			}
			byMasks += compareNesting(rt, a)
		})
	})
}

// TestNestingOfManyRows: where batches end, and how many of their rows are null, makes no difference.
func TestNestingOfManyRows(t *testing.T) {
	of := structuredData(t)
	typ := dfa.Type{Kind: dfa.Map, Lex: of, Duplicates: dfa.ListDuplicates, Elem: &dfa.Type{Kind: dfa.Map, Elem: &dfa.Type{Kind: dfa.List, Elem: &dfa.Type{}}}}
	maps := []string{`[a]`, `[a b="1"]`, `[a b="1" c="two"][d]`, `[a][b][c][d][e][f][g][h][i][j][k]`, `[origin ip="192.0.2.1" software="a \"b\""]`, "[" + strings.Repeat("k", 90) + ` v="` + strings.Repeat("w", 300) + `"]`}
	odd := []string{"", `[a b="1" b="2"]`, `[a][a]`, `[a b="\n"]`, `[a`, "[a b=\"\xff\"]", `-a`}
	test := func(t *testing.T, _ func(func())) {
		rapid.Check(t, func(rt *rapid.T) {
			r := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 0))
			nulls, odds := rapid.SampledFrom([]float64{0, 0.1, 0.6, 0.99, 1}).Draw(rt, "nulls"), rapid.SampledFrom([]float64{0, 0, 0.002, 0.1}).Draw(rt, "odds")
			compareMaps(rt, typ, func() *Fields {
				f := &Fields{}
				for range rapid.SampledFrom([]int{1, 63, 64, 65, 128, 129, 300, 511, 512, 513, 1500}).Draw(rt, "rows") {
					text := maps[r.IntN(len(maps))]
					if r.Float64() < odds {
						text = odd[r.IntN(len(odd))]
					}
					if r.Float64() < nulls {
						if text = "-"; r.IntN(3) == 0 {
							f.PushAbsent()
							continue
						}
					}
					at := uint32(len(f.Src))
					f.Src = append(f.Src, text...)
					f.Push(at, uint32(len(f.Src)))
					f.Src = append(f.Src, ' ')
				}
				f.Src = append(f.Src, make([]byte, rapid.SampledFrom([]int{0, 200}).Draw(rt, "behind"))...)
				return f
			})
		})
	}
	sets(t, test)
	t.Run("Go", func(t *testing.T) {
		defer noInstructions()()
		test(t, func(f func()) { f() })
	})
}

// TestNestingOfOtherAutomata: an automaton that differs in one transition is not read by masks, or as
// masks have it.
func TestNestingOfOtherAutomata(t *testing.T) {
	of := structuredData(t)
	var taken, all int
	for range 5 {
		rapid.Check(t, func(rt *rapid.T) {
			a := drawNesting(rt, of)
			if !change(rt, a) {
				return
			}
			all++
			if compareNesting(rt, a) > 0 {
				taken++
			}
		})
	}
	t.Logf("%d of %d are read by masks", taken, all)
}
