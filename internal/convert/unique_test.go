package convert

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/dfaparse/dfaparse/dfa"
)

// Whatever keys come, in maps and in maps of maps, no key is left twice, and
// what is kept is what a table of keys has that is filled in order.
func TestUnique(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		levels := rapid.IntRange(1, 2).Draw(rt, "levels")
		policy := dfa.Duplicates(rapid.IntRange(1, 3).Draw(rt, "policy"))
		u := unique{policy: policy, levels: levels}
		var value []byte
		var pieces []dfa.Piece
		push := func(column int32, text string) {
			from := uint32(len(value))
			value = append(value, text...)
			pieces = append(pieces, dfa.Piece{Column: column, Start: from, End: uint32(len(value))})
		}
		key := rapid.SampledFrom([]string{"a", "b", "c", "", "aa"})
		type inner map[string][]string // values; "-" is none
		want := map[string]inner{}
		duplicate := false
		put := func(m inner, k, v string) {
			if _, there := m[k]; there {
				duplicate = true
				switch policy {
				case dfa.FirstDuplicate:
					return
				case dfa.LastDuplicate:
					m[k] = nil
				}
			}
			m[k] = append(m[k], v)
		}
		for range rapid.IntRange(0, 4).Draw(rt, "outer") {
			m, outer := want[""], ""
			if levels == 2 {
				outer = key.Draw(rt, "key")
				push(0, outer)
				m = want[outer]
				if _, there := want[outer]; there {
					duplicate = true
					if policy != dfa.ListDuplicates {
						m = nil
					}
				}
			}
			if m == nil {
				m = inner{}
			}
			for range rapid.IntRange(0, 20).Draw(rt, "inner") {
				k, v := key.Draw(rt, "key"), "-"
				push(int32(levels-1), k)
				if rapid.Bool().Draw(rt, "with a value") {
					v = fmt.Sprint(len(value))
					push(int32(levels), v)
				}
				put(m, k, v)
			}
			if _, there := want[outer]; !there || levels == 1 || policy != dfa.FirstDuplicate {
				want[outer] = m
			}
		}
		if got := u.repeats(pieces, value, nil); got != duplicate {
			rt.Fatalf("%v: keys repeat: %v, want %v", pieces, got, duplicate)
		}
		if !duplicate {
			return
		}
		tree, anew := u.mergeTree(pieces, value, nil)
		merged, again := u.merge(slices.Clone(pieces), value, nil)
		if !slices.Equal(merged, tree) || again != nil && !slices.Equal(again, anew) || again == nil && slices.Contains(anew, true) {
			rt.Fatalf("%v: %v, want %v", pieces, merged, tree)
		}
		got, m, outer, k := map[string]inner{}, inner{}, "", ""
		for i := range merged {
			text := string(merged[i].Of(value, nil))
			switch {
			case int(merged[i].Column) == levels:
				m[k][len(m[k])-1] = text
			case int(merged[i].Column) < levels-1:
				outer, m = text, inner{}
				if _, twice := got[outer]; twice {
					rt.Fatalf("the key %q is left twice", outer)
				}
			default:
				if _, twice := m[text]; twice != anew[i] {
					rt.Fatalf("the key %q is left twice, or is not", text)
				}
				k = text
				m[k] = append(m[k], "-")
			}
			got[outer] = m
		}
		for outer, m := range want {
			if len(m) == 0 && levels == 1 {
				continue
			}
			if len(got[outer]) != len(m) {
				rt.Fatalf("%q: %v, want %v", outer, got, want)
			}
			for k, values := range m {
				if !slices.Equal(got[outer][k], values) {
					rt.Fatalf("%q %q: %v, want %v", outer, k, got[outer][k], values)
				}
			}
		}
	})
}
