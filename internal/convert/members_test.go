package convert

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/drawn"
	"github.com/dfaparse/dfaparse/internal/gen"
)

// objects are the automata of formats of JSON's objects, which members read.
func objects(t *testing.T) (all []*dfa.Automaton) {
	for _, name := range []string{"jsonl", "json"} {
		p, err := gen.Program(name)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, p.Columns[0].Type.Lex)
	}
	return all
}

// membersOf is nil if a is not read by members.
func membersOf(a *dfa.Automaton) *members {
	lex := a.Table()
	return newMembers(lex, newLexer(lex))
}

// drawObjects draws rows of objects, most of them whole, of which few have other keys.
func drawObjects(rt *rapid.T) *Fields {
	white := rapid.SampledFrom([]string{"", "", "", " ", "\t ", "\n", strings.Repeat(" ", 63), strings.Repeat(" ", 70)})
	around := rapid.SampledFrom([]func(string) string{
		func(s string) string { return s },
		func(s string) string { return s + " " },
		func(s string) string { return white.Draw(rt, "before") + s + white.Draw(rt, "behind") },
	}).Draw(rt, "white space")
	text := rapid.SampledFrom([]string{"", "a", "b", "key", "}{][,: \t", `\"`, `\\`, `\\\"`, `\u0061`, `\n`, "\xff", "é", "a\tb", "a\x01", "a\nb", `\`, strings.Repeat("w ", 29), strings.Repeat("v", 61), strings.Repeat("u", 62), strings.Repeat(`\"`, 40), strings.Repeat("t", 63), strings.Repeat("s", 190)})
	word := rapid.SampledFrom([]string{"0", "1", "-22.5e+3", "null", "true", strings.Repeat("7", 61), strings.Repeat("8", 64), strings.Repeat("9", 140)})
	var value func(deep int) string
	list := func(open, end, sign string, deep int) string {
		var b strings.Builder
		b.WriteString(around(open))
		for i := range rapid.IntRange(0, 3).Draw(rt, "values") {
			if i > 0 {
				b.WriteString(around(","))
			}
			if sign != "" {
				b.WriteString(`"` + text.Draw(rt, "key") + `"` + around(sign))
			}
			b.WriteString(value(deep + 1))
		}
		b.WriteString(end)
		return b.String()
	}
	value = func(deep int) string {
		switch kind := rapid.IntRange(0, 9).Draw(rt, "value"); {
		case kind == 0 && deep < 3:
			return list("{", "}", ":", deep)
		case kind == 1 && deep < 3:
			return list("[", "]", "", deep)
		case kind == 2 && deep == 0:
			n := rapid.IntRange(1, 27).Draw(rt, "deep")
			return strings.Repeat("[", n) + text.Draw(rt, "inside") + strings.Repeat("]", n)
		case kind < 6:
			return `"` + text.Draw(rt, "text") + `"`
		}
		return word.Draw(rt, "word")
	}
	sequences := rapid.SliceOfN(rapid.SliceOfN(text, 0, 6), 1, 3).Draw(rt, "sequences")
	odd := rapid.SampledFrom([]string{"", `"`, `\`, "{", "}", "[", "]", ",", ":", " ", "x", "\x00", "\x7f", "\xff", `""`, `"a":1,`})
	return drawRows(rt, func() []byte {
		var words []string
		for i, key := range rapid.SampledFrom(sequences).Draw(rt, "sequence") {
			if i > 0 {
				words = append(words, around(","))
			}
			words = append(words, `"`+key+`"`, around(":"), value(0))
		}
		words = append(append([]string{white.Draw(rt, "before"), around("{")}, words...), around("}"))
		if rapid.IntRange(0, 3).Draw(rt, "whole") == 0 {
			at := rapid.IntRange(0, len(words)-1).Draw(rt, "at")
			switch o := odd.Draw(rt, "odd"); rapid.IntRange(0, 3).Draw(rt, "how") {
			case 0:
				words[at] = o
			case 1:
				words = slices.Insert(words, at, o)
			case 2:
				words = words[:at]
			case 3:
				k := rapid.IntRange(0, len(words[at])).Draw(rt, "in")
				words[at] = words[at][:k] + o + words[at][k:]
			}
		}
		return []byte(strings.Join(words, ""))
	})
}

// compareMembers compares what a reads by masks and symbol by symbol, and gives how many rows the last batch by masks
// had.
func compareMembers(rt *rapid.T, a *dfa.Automaton, draw func() *Fields) (byMasks int) {
	typ := dfa.Type{Kind: dfa.Map, Lex: a, Elem: &dfa.Type{}, Duplicates: dfa.Duplicates(rapid.IntRange(0, 3).Draw(rt, "policy"))}
	if n := compareMaps(rt, typ, draw); n != nil && n.packer != nil && n.packer.(*pairing).members != nil {
		byMasks = len(n.packer.(*pairing).ends)
	}
	return byMasks
}

// TestMembers: objects that are read by masks are what they are symbol by symbol, whatever white space, values, nesting,
// errors and nulls there are.
func TestMembers(t *testing.T) {
	all := objects(t)
	sets(t, func(t *testing.T, _ func(func())) {
		for _, a := range all {
			if membersOf(a) == nil {
				t.Fatal("no masks")
			}
			byMasks := 0
			drawn.Check(t, "no object is read by masks", func() bool { return byMasks > 0 }, func(rt *rapid.T) {
				byMasks += compareMembers(rt, a, func() *Fields { return drawObjects(rt) })
			})
		}
	})
}

// TestPlaceMembers: rows with runs of leads, wherever blocks end, are placed at once, as they are one by one.
func TestPlaceMembers(t *testing.T) {
	if !hasVBMI {
		t.Skip("this machine has no AVX-512 with VBMI")
	}
	m := membersOf(objects(t)[0])
	for size := range 2*maskBlock + 1 {
		for leads := range 2 * maskBlock {
			text := strings.Repeat("t", size) + strings.Repeat(`\\`, leads) + `\"`
			row := `"` + text + `":"` + text + `","k":["` + text + `"]`
			f := &Fields{Src: []byte(row + " " + row + strings.Repeat(" ", maskBlock))}
			start, end := []uint32{0, uint32(len(row)) + 1}, []uint32{uint32(len(row)), 2*uint32(len(row)) + 1}
			blocks := blocksOf(uint32(len(row)))
			x, y := new(pairBlocks), new(pairBlocks)
			findKinds(m, x, f.Src, start, end)
			*y = *x
			if done := placeMembers(x, 0, 2*blocks); done < 2*blocks {
				t.Fatalf("%s: up to block %d of %d", row, done, 2*blocks)
			}
			for from := 0; from < 2*blocks; from += blocks {
				if pairs, ok := m.places(y, from, from+blocks); !ok || pairs != 2 {
					t.Fatalf("%s: %d pairs, %t", row, pairs, ok)
				}
			}
			for k := range x.places {
				if !slices.Equal(x.places[k][:2*blocks], y.places[k][:2*blocks]) {
					t.Fatalf("%s: places %d: %x, want %x", row, k, x.places[k][:2*blocks], y.places[k][:2*blocks])
				}
			}
		}
	}
}

// TestMembersOfManyRows: where batches and blocks end makes no difference.
func TestMembersOfManyRows(t *testing.T) {
	a := objects(t)[0]
	sets(t, func(t *testing.T, _ func(func())) {
		rapid.Check(t, func(rt *rapid.T) {
			odd := rapid.SampledFrom([]string{"", `{"a":`, `{"a":1,"a":2}`, `[[{"a":1}]]`, "{} x", `{"a":"\`}).Draw(rt, "odd")
			every := rapid.SampledFrom([]int{2, 5, 50, 1000}).Draw(rt, "every")
			compareMembers(rt, a, func() *Fields {
				f := &Fields{}
				size := rapid.IntRange(0, 150).Draw(rt, "size")
				for i := range rapid.SampledFrom([]int{1, 127, 128, 129, 300, 1500}).Draw(rt, "rows") {
					at := uint32(len(f.Src))
					switch {
					case i%every == every-1:
						f.Src = append(f.Src, odd...)
					case i%3 == 0:
						f.Src = append(f.Src, `{"n":{"a":["`+strings.Repeat("x", (size+i)%140)+`"]},"z":-1}`...)
					default:
						f.Src = append(f.Src, `{"`+strings.Repeat("k", (size+i)%70)+`": "`+strings.Repeat(`\"`, (size+i)%75)+`", "n": 12}`...)
					}
					f.Push(at, uint32(len(f.Src)))
					f.Src = append(f.Src, '\n')
				}
				return f
			})
		})
	})
}

// TestMembersOfOtherAutomata: an automaton that differs in one transition is not read by masks, or as masks have it.
func TestMembersOfOtherAutomata(t *testing.T) {
	var taken, all int
	for _, of := range objects(t) {
		rapid.Check(t, func(rt *rapid.T) {
			a := changed(rt, of)
			if a == nil {
				return
			}
			all++
			if compareMembers(rt, a, func() *Fields { return drawObjects(rt) }) > 0 {
				taken++
			}
		})
	}
	t.Logf("%d of %d are read by masks", taken, all)
}

// TestMembersThatTouch: keys of objects that no symbol parts from their values are as the automaton has them.
func TestMembersThatTouch(t *testing.T) {
	for _, a := range objects(t) {
		rapid.Check(t, func(rt *rapid.T) {
			compareMembers(rt, touching(a), func() *Fields { return drawObjects(rt) })
		})
	}
}

// TestStrictMembers: what masks do not take of the objects of these formats is an error.
func TestStrictMembers(t *testing.T) {
	if !hasAVX2 {
		t.Skip("this machine has no AVX2")
	}
	for _, a := range objects(t) {
		if !membersOf(a).strict {
			t.Error("not strict")
		}
	}
}

// TestMembersOfText: objects of text, without much else, are left to bridges, but for a few now and then.
func TestMembersOfText(t *testing.T) {
	if !hasAVX2 {
		t.Skip("this machine has no AVX2")
	}
	for text, left := range map[string]bool{strings.Repeat("some words ", 200): true, strings.Repeat(`a line\n`, 200): false, "a word": false} {
		typ := dfa.Type{Kind: dfa.Map, Lex: objects(t)[0], Elem: &dfa.Type{}}
		c, err := NewConverter(&dfa.Column{Name: "c", Type: typ}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		f := &Fields{}
		for range 2000 {
			at := uint32(len(f.Src))
			f.Src = append(f.Src, `{"a":1,"b":"`+text+`"}`...)
			f.Push(at, uint32(len(f.Src)))
		}
		f.Src = append(f.Src, make([]byte, maskBlock)...)
		c.Append(NewColumn(&typ), f, nil)
		if n := c.impl.(*nested); n.unpack > 1 != left {
			t.Errorf("%.20s: %d rows are converted otherwise where one is left", text, n.unpack)
		}
	}
}
