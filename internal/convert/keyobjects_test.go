package convert

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/drawn"
)

// TestObjectsByKey: keys of objects that have columns, and what paths have in their values, are what they are symbol by
// symbol, whether escapes, nulls or faults are among the rows of a batch; so is the map of all other keys.
func TestObjectsByKey(t *testing.T) {
	automata := objects(t)
	setsAndGo(t, func(t *testing.T) {
		easy, odd := 0, 0
		met := func() bool { return !hasVBMI || easy > 0 && odd > 0 }
		drawn.Check(t, "no batch has odd rows, or none has others", met, func(rt *rapid.T) {
			policies := []dfa.Duplicates{dfa.NoDuplicates, dfa.FirstDuplicate, dfa.LastDuplicate}
			typ := dfa.Type{Kind: dfa.Map, Lex: rapid.SampledFrom(automata).Draw(rt, "automaton"), Elem: &dfa.Type{},
				Duplicates: rapid.SampledFrom(policies).Draw(rt, "policy")}
			names := []string{"", "a", "b", "key", `"`, "é", "\xff", "none"}
			col := keyedColumn(typ, true, rapid.SliceOfNDistinct(rapid.SampledFrom(names), 1, 5, rapid.ID).Draw(rt, "keys")...)
			if rapid.IntRange(0, 2).Draw(rt, "paths") == 0 {
				col.Split.Path = "."
				for _, path := range rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"a.b", "a.key.a", "b.", "key.é", "key.a"}), 1, 4, rapid.ID).Draw(rt, "path") {
					col.Split.Columns = append(col.Split.Columns, dfa.Column{Name: path})
				}
			}
			if rapid.IntRange(0, 3).Draw(rt, "null") == 0 {
				col.Split.Columns[0].Nulls = []string{"0"}
			}
			f := drawObjects(rt)
			compareSplit(rt, col, f)

			s, parts := NewSplitter(col), make([]Fields, len(col.Split.Columns))
			fast, err := NewConverter(col, Options{})
			if err != nil {
				rt.Fatal(err)
			}
			plain, err := NewConverter(col, Options{Plain: true})
			if err != nil {
				rt.Fatal(err)
			}
			fast.TakeOthers(s)
			for range 2 {
				s.Forget()
				s.Split(f, parts)
				got, want := NewColumn(&col.Type), NewColumn(&col.Type)
				errs, wantErrs := fast.Append(got, f, nil), plain.Append(want, f, nil)
				if !sameColumn(got, want) || !slices.Equal(errs, wantErrs) {
					rt.Fatal(roundDifference(f, got, want, errs, wantErrs))
				}
			}
			if x := s.keys.batches; x != nil && len(x.pairs.ends) > 0 {
				if slices.Contains(x.odd[:len(x.pairs.ends)], true) {
					odd++
				} else {
					easy++
				}
			}
		})
	})
}
