package runtime

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestGone: rows that are added are those that are gone, however they are asked for.
func TestGone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var g Gone
		var want []int
		first := 0
		for range rapid.IntRange(0, 5).Draw(t, "sets") {
			first += rapid.IntRange(0, 200).Draw(t, "first")
			set := rapid.Uint64().Draw(t, "set")
			g.Add(first, set)
			for i := range 64 {
				if set>>i&1 != 0 {
					want = append(want, first+i)
				}
			}
			first += 64
		}
		if got := slices.Collect(g.All()); !slices.Equal(got, want) || g.Len() != len(want) {
			t.Fatalf("%d: %d are gone, want %d", g.Len(), got, want)
		}
		for row := range first + 100 {
			before, has := slices.BinarySearch(want, row)
			if g.Before(row) != before || g.Has(row) != has {
				t.Fatalf("row %d of %d: gone %t, %d before", row, want, g.Has(row), g.Before(row))
			}
		}
	})
}
