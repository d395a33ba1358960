package convert

import (
	"fmt"
	"slices"
	"testing"
	"time"

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
		key := rapid.SampledFrom([]string{"a", "b", "c", "", "aa", "d", "e", "f", "g", "h", "i", "j"}[:rapid.SampledFrom([]int{5, fewKeys, 12}).Draw(rt, "keys")])
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
		for range rapid.IntRange(0, 16).Draw(rt, "outer") {
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
			for range rapid.IntRange(0, 40).Draw(rt, "inner") {
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

// TestKeysThatLookAlike: long keys that begin and end alike, and are as long, lie no closer in the table than others.
func TestKeysThatLookAlike(t *testing.T) {
	u := unique{levels: 1}
	u.forget()
	for i := range 1 << 12 {
		k := keyOf(fmt.Appendf(nil, "measured_%06d_by_somebody", i))
		if u.seen(&k) {
			t.Fatalf("key %d is said to be there", i)
		}
	}
	mask, furthest := len(u.slots)-1, 0
	for i, s := range u.slots {
		if s.of == u.of {
			furthest = max(furthest, (i-int(s.hash))&mask)
		}
	}
	if furthest > 500 {
		t.Errorf("a key is looked for in %d slots", furthest)
	}
}

// TestManyKeysOfInnerMaps: a map of maps with many keys is merged in time that grows as they do.
func TestManyKeysOfInnerMaps(t *testing.T) {
	const n = 1 << 17
	var value []byte
	pieces := []dfa.Piece{{}}
	for i := range n {
		from := uint32(len(value))
		value = fmt.Append(value, "k", max(1, i))
		pieces = append(pieces, dfa.Piece{Column: 1, Start: from, End: uint32(len(value))})
	}
	for _, policy := range []dfa.Duplicates{dfa.FirstDuplicate, dfa.LastDuplicate, dfa.ListDuplicates} {
		u, begin := unique{policy: policy, levels: 2}, time.Now()
		merged, _ := u.merge(slices.Clone(pieces), value, nil)
		want := n
		if policy == dfa.ListDuplicates {
			want++
		}
		if took := time.Since(begin); len(merged) != want || took > 5*time.Second {
			t.Errorf("%v: %d pieces in %v, want %d", policy, len(merged), took, want)
		}
	}
}
