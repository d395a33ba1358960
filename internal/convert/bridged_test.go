package convert

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/drawn"
	"github.com/dfaparse/dfaparse/internal/gen"
	"github.com/dfaparse/dfaparse/internal/lower"
)

// drawQuotedKeys draws the form of a map whose keys may be in quotes.
func drawQuotedKeys(rt *rapid.T) *lower.Map {
	m := &lower.Map{
		Pair:     lower.Separator{Text: []byte(rapid.SampledFrom([]string{" ", ",", ", ", " | "}).Draw(rt, "separator"))},
		KeyValue: []byte(rapid.SampledFrom([]string{"=", ":", ": ", "=>"}).Draw(rt, "key sign")),
		Quote:    '"', QuotedKeys: rapid.IntRange(0, 4).Draw(rt, "quoted") > 0, Doubled: rapid.Bool().Draw(rt, "doubled"),
	}
	m.Pair.Run = len(m.Pair.Text) == 1 && rapid.Bool().Draw(rt, "run")
	switch rapid.IntRange(0, 3).Draw(rt, "escape") {
	case 1:
		m.Escape = &lower.Escape{Lead: '\\', Other: lower.DropLead}
	case 2:
		m.Escape = &lower.Escape{Lead: '\\', To: map[byte]byte{'n': '\n', '"': '"', '\\': '\\'}, Hex: 'x'}
	}
	if rapid.Bool().Draw(rt, "brackets") {
		m.Open, m.Close = '{', '}'
	}
	return m
}

// bridgedRows draws rows of such maps with few sequences of keys.
func bridgedRows(rt *rapid.T, separator, sign, open, end string, values []string) *Fields {
	key := rapid.OneOf(rapid.SampledFrom([]string{`"a"`, `"b c"`, `"key"`, `"é"`, "\"\xff\"", `"\u0061"`, `"q\"k"`, `"q""k"`, `""`, "bare", `"a_key_of_many_symbols"`, `"k"x`}),
		rapid.Custom(func(rt *rapid.T) string {
			return `"` + strings.Repeat("x", rapid.IntRange(0, 300).Draw(rt, "times")) + `"`
		}))
	sequences := rapid.SliceOfN(rapid.SliceOfN(key, 1, 12), 1, 3).Draw(rt, "sequences")
	value := rapid.SampledFrom(values)
	return drawRows(rt, func() []byte {
		b := []byte(open)
		for i, k := range rapid.SampledFrom(sequences).Draw(rt, "sequence") {
			if i > 0 {
				b = append(b, separator...)
			}
			switch rapid.IntRange(0, 30).Draw(rt, "other") {
			case 0:
				k = key.Draw(rt, "key")
			case 1:
				b = append(b, k...)
				continue
			}
			b = append(append(append(b, k...), sign...), value.Draw(rt, "value")...)
		}
		b = append(b, end...)
		switch rapid.IntRange(0, 20).Draw(rt, "end") {
		case 0:
			b = append(b, separator...)
		case 1:
			b = b[:rapid.IntRange(0, len(b)).Draw(rt, "cut")]
		case 2:
			b = append(b, end...)
		}
		return b
	})
}

var bridgedValues = []string{"", "1", "-22", `"x"`, `""`, `"a text, with: signs"`, `"" `, `"he said \"no\""`, `"he said ""no"""`, "null", "true", "\"\xff\"", `"é"`, `"\x41\n"`, `"` + strings.Repeat("long ", 30) + `"`, `{"in": [1, "}"]}`, `"cut`, "x y", "x=y"}

// TestBridgedMaps: maps whose pairs are found by bridges are what they are symbol by symbol, whatever keys, values,
// escapes, errors and nulls there are; so are those that lack some keys.
func TestBridgedMaps(t *testing.T) {
	kinds := []dfa.Type{{}, {}, {Kind: dfa.Int32}, {Kind: dfa.Dictionary}}
	jsonl, err := gen.Program("jsonl")
	if err != nil {
		t.Fatal(err)
	}
	bridged := 0
	drawn.Check(t, "no map is bridged", func() bool { return bridged > 0 }, func(rt *rapid.T) {
		typ := dfa.Type{Elem: &kinds[rapid.IntRange(0, len(kinds)-1).Draw(rt, "kind")], Duplicates: dfa.Duplicates(rapid.IntRange(0, 3).Draw(rt, "policy"))}
		rows := func() *Fields {
			return bridgedRows(rt, rapid.SampledFrom([]string{",", ", "}).Draw(rt, "separator"), rapid.SampledFrom([]string{":", ": "}).Draw(rt, "sign"), "{", "}", bridgedValues)
		}
		if typ.Kind, typ.Lex = dfa.Map, jsonl.Columns[0].Type.Lex; rapid.Bool().Draw(rt, "spec") {
			m := drawQuotedKeys(rt)
			if typ.Lex, err = lower.BuildMap(m); err != nil {
				rt.Fatal(err)
			}
			rows = func() *Fields {
				open, end := "", ""
				if m.Open != 0 {
					open, end = string(m.Open), string(m.Close)
				}
				return bridgedRows(rt, string(m.Pair.Text), string(m.KeyValue), open, end, bridgedValues)
			}
		}
		n := compareMaps(rt, typ, rows)
		if n != nil && n.bridges != nil && n.bridges.npairs > 0 {
			bridged++
		}
	})
}

// TestManyBridgedKeys: so are those of more keys than have numbers, some of them twice.
func TestManyBridgedKeys(t *testing.T) {
	jsonl, err := gen.Program("jsonl")
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(rt *rapid.T) {
		typ := dfa.Type{Kind: dfa.Map, Lex: jsonl.Columns[0].Type.Lex, Elem: &dfa.Type{}, Duplicates: dfa.Duplicates(rapid.IntRange(0, 3).Draw(rt, "policy"))}
		compareMaps(rt, typ, func() *Fields {
			return drawRows(rt, func() []byte {
				var b []byte
				for k := range rapid.IntRange(1, 2*mostNumbers).Draw(rt, "keys") {
					b = fmt.Appendf(b, `,"k%d":%d`, k, k)
				}
				if rapid.Bool().Draw(rt, "twice") {
					b = fmt.Appendf(b, `,"k%d":"again"`, rapid.IntRange(0, 2*mostNumbers).Draw(rt, "key"))
				}
				return append(append([]byte("{"), b[1:]...), '}')
			})
		})
	})
}

// TestBridgedOfDrawnAutomata: so are those of any automaton.
func TestBridgedOfDrawnAutomata(t *testing.T) {
	const alphabet = "az=;\" "
	bridged := 0
	for range 10 {
		rapid.Check(t, func(rt *rapid.T) {
			a := drawValueAutomaton(rt, alphabet)
			if a.Validate() != nil || a.ValidateValue() != nil {
				return
			}
			typ := dfa.Type{Kind: dfa.Map, Lex: a, Elem: &dfa.Type{}, Duplicates: dfa.Duplicates(rapid.IntRange(0, 3).Draw(rt, "policy"))}
			some := rapid.SliceOfN(rapid.StringOfN(rapid.RuneFrom([]rune(alphabet)), 0, 30, -1), 1, 3).Draw(rt, "lines")
			n := compareMaps(rt, typ, func() *Fields {
				return drawRows(rt, func() []byte {
					return []byte(rapid.SampledFrom(some).Draw(rt, "line") + rapid.StringOfN(rapid.RuneFrom([]rune(alphabet)), 0, 4, -1).Draw(rt, "rest"))
				})
			})
			if n != nil && n.bridges != nil && n.bridges.npairs > 0 {
				bridged++
			}
		})
	}
	t.Logf("%d are bridged", bridged)
}

// TestTakenKeys: a map of which some keys have columns lacks these, whichever way it is read.
func TestTakenKeys(t *testing.T) {
	for _, name := range []string{"logfmt", "ltsv", "jsonl"} {
		p, err := gen.Program(name)
		if err != nil {
			t.Fatal(err)
		}
		rapid.Check(t, func(rt *rapid.T) {
			typ := p.Columns[0].Type
			typ.Duplicates = dfa.Duplicates(rapid.IntRange(0, 2).Draw(rt, "policy"))
			col := keyedColumn(typ, name == "jsonl" && rapid.Bool().Draw(rt, "json"), rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"a", "b c", "key", "bare", "none", `"a"`, `"b`, `"key"`, `"a_key_of_many_symbols"`}), 1, 4, rapid.ID).Draw(rt, "keys")...)
			bridged, err := NewConverter(col, Options{})
			if err != nil {
				rt.Fatal(err)
			}
			plain, err := NewConverter(col, Options{})
			if err != nil {
				rt.Fatal(err)
			}
			bridged.taking(col)
			plain.taking(col)
			if n := bridged.impl.(*nested); n.bridges == nil && n.pairs == nil {
				rt.Fatal("symbol by symbol")
			}
			n := plain.impl.(*nested)
			n.bridges, n.pairs, n.fast = nil, nil, nil
			for range 2 {
				var f *Fields
				switch name {
				case "jsonl":
					f = bridgedRows(rt, ", ", ": ", "{", "}", bridgedValues)
				case "ltsv":
					f = bridgedRows(rt, "\t", ":", "", "", bridgedValues)
				default:
					f = bridgedRows(rt, " ", "=", "", "", bridgedValues)
				}
				got, want := NewColumn(&typ), NewColumn(&typ)
				gotErrs, wantErrs := bridged.Append(got, f, nil), plain.Append(want, f, nil)
				if !slices.Equal(gotErrs, wantErrs) || !sameColumn(got, want) {
					rt.Fatalf("%q:\n%v\n%+v\n%v, want %v\n%+v\n%v", f.Src, gotErrs, got, got.Children, wantErrs, want, want.Children)
				}
			}
		})
	}
}
