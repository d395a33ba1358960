package convert

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/drawn"
	"github.com/dfaparse/dfaparse/internal/lower"
)

// drawList draws the form of a list.
func drawList(rt *rapid.T) *lower.List {
	l := &lower.List{Separator: rapid.SampledFrom([]lower.Separator{
		{Text: []byte(",")}, {Text: []byte(" "), Run: true}, {Text: []byte(", ")}, {Text: []byte("; ")}}).Draw(rt, "separator")}
	brackets := rapid.SampledFrom([]string{"", "[]", "||"}).Draw(rt, "brackets")
	if brackets != "" {
		l.Open, l.Close = brackets[0], brackets[1]
	}
	switch rapid.IntRange(0, 3).Draw(rt, "special") {
	case 0:
		l.Quote, l.Doubled = '"', rapid.Bool().Draw(rt, "doubled")
	case 2:
		l.Quote, l.Escape = '"', &lower.Escape{Lead: '\\', Other: lower.DropLead}
	case 1:
		l.Escape = &lower.Escape{Lead: '\\', Other: lower.DropLead}
	}
	return l
}

// drawLists draws rows of lists of a form, most of them whole.
func drawLists(rt *rapid.T, l *lower.List) *Fields {
	sep := string(l.Separator.Text)
	element := rapid.OneOf(rapid.SampledFrom([]string{"", "1", "22", "-7", "x", "a text", "é", "\xff", ",", " ", ", ", ";", "[", "]", "a]", "|", strings.Repeat("1", 62), strings.Repeat("2", 70)}),
		rapid.SampledFrom([]string{"1", "2", "333"}), rapid.SampledFrom([]string{`"`, `"a"`, `"a,b"`, `\`, `\,`, `a\"b`}))
	row := func() []byte {
		all := rapid.SliceOfN(element, 0, rapid.SampledFrom([]int{3, 6, 60}).Draw(rt, "most")).Draw(rt, "elements")
		if rapid.IntRange(0, 2).Draw(rt, "plain") > 0 {
			for i := range all {
				all[i] = rapid.SampledFrom([]string{"1", "22", "-333", "4444", "0"}).Draw(rt, "number")
			}
		}
		if rapid.IntRange(0, 2).Draw(rt, "enclosed") == 0 {
			for i := range all {
				if rapid.IntRange(0, 3).Draw(rt, "is") > 0 {
					all[i] = `"` + all[i] + rapid.SampledFrom([]string{"", "", "]", ",", ", ", "[", `\`, `""`}).Draw(rt, "in quotes") + `"`
				}
			}
		}
		s := strings.Join(all, sep)
		if l.Open != 0 && rapid.IntRange(0, 3).Draw(rt, "bare") > 0 {
			s = string(l.Open) + s + string(l.Close)
		}
		switch rapid.IntRange(0, 20).Draw(rt, "end") {
		case 0:
			s += sep
		case 1:
			s += sep[:1]
		case 2:
			s = s[:rapid.IntRange(0, len(s)).Draw(rt, "cut")]
		case 3:
			s = sep + s
		}
		return []byte(s)
	}
	return drawRows(rt, row)
}

// TestListings: lists that are read by masks are what they are symbol by symbol.
func TestListings(t *testing.T) {
	kinds := []dfa.Type{{}, {Kind: dfa.Int32}, {Kind: dfa.Dictionary}, {Kind: dfa.Bool}, {Kind: dfa.Float64}}
	test := func(t *testing.T, _ func(func())) {
		byMasks := 0
		drawn.Check(t, "no list is read by masks", func() bool { return byMasks > 0 }, func(rt *rapid.T) {
			l := drawList(rt)
			a, err := lower.BuildList(l)
			if err != nil {
				rt.Fatal(err)
			}
			if newListing(a.Table()) == nil {
				rt.Fatalf("no masks for %v", l)
			}
			typ := dfa.Type{Kind: dfa.List, Lex: a, Elem: &kinds[rapid.IntRange(0, len(kinds)-1).Draw(rt, "kind")]}
			if n := compareMaps(rt, typ, func() *Fields { return drawLists(rt, l) }); n != nil {
				byMasks += len(n.lists.start)
			}
		})
	}
	sets(t, test)
	t.Run("Go", func(t *testing.T) {
		defer noInstructions()()
		test(t, func(f func()) { f() })
	})
}

// TestListingsOfOtherAutomata: an automaton that differs in one transition is not read by
// masks, or as masks have it.
func TestListingsOfOtherAutomata(t *testing.T) {
	var taken, all int
	for range 5 {
		rapid.Check(t, func(rt *rapid.T) {
			l := drawList(rt)
			built, err := lower.BuildList(l)
			if err != nil {
				rt.Fatal(err)
			}
			a := *built
			a.Next, a.Emit, a.AtEOF = slices.Clone(a.Next), slices.Clone(a.Emit), slices.Clone(a.AtEOF)
			if !change(rt, &a) {
				return
			}
			if all++; newListing(a.Table()) == nil {
				return
			}
			taken++
			compareMaps(rt, dfa.Type{Kind: dfa.List, Lex: &a, Elem: &dfa.Type{}}, func() *Fields { return drawLists(rt, l) })
		})
	}
	t.Logf("%d of %d are read by masks", taken, all)
}
