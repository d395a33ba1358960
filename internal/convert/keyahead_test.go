package convert

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/drawn"
	"github.com/dfaparse/dfaparse/internal/gen"
	"github.com/dfaparse/dfaparse/internal/lower"
)

// drawAhead draws the form of a map whose pairs end before a key only.
func drawAhead(rt *rapid.T) dfa.Type {
	m := &lower.Map{Pair: lower.Separator{Text: []byte(rapid.SampledFrom([]string{" ", ","}).Draw(rt, "separator")), Run: rapid.Bool().Draw(rt, "run")},
		KeyValue: []byte(rapid.SampledFrom([]string{"=", ":"}).Draw(rt, "key sign"))}
	k := &dfa.KeyAhead{Pair: m.Pair.Text[0], Sign: m.KeyValue[0], Run: m.Pair.Run}
	switch rapid.IntRange(0, 3).Draw(rt, "escape") {
	case 1:
		m.Escape = &lower.Escape{Lead: '\\', Other: lower.DropLead}
	case 2:
		m.Escape = &lower.Escape{Lead: '\\', To: map[byte]byte{'n': '\n', '=': '=', '\\': '\\', ' ': ' '}, Hex: 'x'}
	case 3:
		m.Escape = &lower.Escape{Lead: '\\', Other: lower.KeepBoth}
	}
	if m.Escape != nil {
		k.Lead = m.Escape.Lead
	}
	a, err := lower.BuildMap(m)
	if err != nil {
		rt.Fatal(err)
	}
	return dfa.Type{Kind: dfa.Map, Lex: a, Ahead: k, Duplicates: dfa.Duplicates(rapid.IntRange(0, 3).Draw(rt, "policy"))}
}

// compareAhead compares what a column of such maps becomes with keys looked for and symbol by symbol,
// and gives how many rows have been read by signs.
func compareAhead(rt *rapid.T, typ dfa.Type) (bySigns int) {
	pair, sign := string(typ.Ahead.Pair), string(typ.Ahead.Sign)
	piece := rapid.OneOf(rapid.SampledFrom([]string{pair, pair, pair + pair, sign, "a" + sign, pair + "b" + sign, pair + "key_1" + sign, pair + "[x]" + sign, `\`, `\` + sign, `\` + pair, `\` + pair + "c" + sign, `\` + pair + pair + "d" + sign, `\\`, `\n`, `\x41`, `\x`, "é", "\xff", "k", "a text", "-"}),
		rapid.Custom(func(rt *rapid.T) string {
			return strings.Repeat(rapid.SampledFrom([]string{"x", "yz", pair, sign, `\`}).Draw(rt, "of"), rapid.IntRange(0, 70).Draw(rt, "times"))
		}))
	n := compareMaps(rt, typ, func() *Fields {
		return drawRows(rt, func() []byte {
			b := []byte(rapid.SampledFrom([]string{"", "a" + sign, "a" + sign + "b", pair}).Draw(rt, "begin"))
			for range rapid.IntRange(0, 12).Draw(rt, "pieces") {
				b = append(b, piece.Draw(rt, "piece")...)
			}
			return b
		})
	})
	if n != nil && n.keysAhead != nil && len(n.keysAhead.signs) > 0 {
		bySigns++
	}
	return bySigns
}

// TestKeyAhead: maps whose pairs end before a key only are what they are symbol by symbol, whatever values,
// escapes, errors and nulls there are.
func TestKeyAhead(t *testing.T) {
	kinds := []dfa.Type{{}, {Kind: dfa.Int32}, {Kind: dfa.Dictionary}}
	bySigns := 0
	drawn.Check(t, "no map is read by its signs", func() bool { return bySigns > 0 }, func(rt *rapid.T) {
		typ := drawAhead(rt)
		typ.Elem = &kinds[rapid.IntRange(0, len(kinds)-1).Draw(rt, "kind")]
		if newKeyAhead(&typ) == nil {
			rt.Fatalf("no signs for %v", typ.Lex)
		}
		bySigns += compareAhead(rt, typ)
	})
}

// TestKeyAheadOfOtherAutomata: an automaton that differs in one transition is not read by signs, or as
// signs have it.
func TestKeyAheadOfOtherAutomata(t *testing.T) {
	taken := 0
	for range 5 {
		rapid.Check(t, func(rt *rapid.T) {
			typ := drawAhead(rt)
			if typ.Lex = changed(rt, typ.Lex); typ.Lex == nil {
				return
			}
			typ.Elem = &dfa.Type{}
			taken += compareAhead(rt, typ)
		})
	}
	t.Logf("%d are read by signs", taken)
}

// TestFormatsWithKeysAhead: the maps of these formats are read by their signs.
func TestFormatsWithKeysAhead(t *testing.T) {
	for _, name := range []string{"cef"} {
		p, err := gen.Program(name)
		if err != nil {
			t.Fatal(err)
		}
		for i := range p.Columns {
			if typ := &p.Columns[i].Type; typ.Ahead != nil && newKeyAhead(typ) == nil {
				t.Errorf("%s, column %s: symbol by symbol", name, p.Columns[i].Name)
			}
		}
	}
}
