package cpu

import (
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/dfaparse/dfaparse/runtime"
)

// TestByRecord: problems that come column by column are sorted by record, and those of one record
// stay in their order.
func TestByRecord(t *testing.T) {
	w := &worker{}
	rapid.Check(t, func(t *rapid.T) {
		w.nrows, w.omitted = rapid.IntRange(0, 90).Draw(t, "rows"), make([]int, rapid.IntRange(1, 9).Draw(t, "omitted"))
		first := rapid.IntRange(0, 1000).Draw(t, "first")
		var own []runtime.Problem
		for range rapid.IntRange(0, 300).Draw(t, "problems") {
			own = append(own, runtime.Problem{Row: first + rapid.IntRange(0, w.nrows+len(w.omitted)-1).Draw(t, "row"), Output: len(own)})
		}
		if rapid.Bool().Draw(t, "two that are sorted") {
			byRow := func(a, b runtime.Problem) int { return a.Row - b.Row }
			n := rapid.IntRange(0, len(own)).Draw(t, "first of the second")
			slices.SortStableFunc(own[:n], byRow)
			slices.SortStableFunc(own[n:], byRow)
			for i := range own {
				own[i].Output = i
			}
		}
		want := slices.Clone(own)
		slices.SortStableFunc(want, func(a, b runtime.Problem) int { return a.Row - b.Row })
		if w.byRecord(own, first); !reflect.DeepEqual(own, want) {
			t.Fatalf("%v, want %v", own, want)
		}
	})
}
