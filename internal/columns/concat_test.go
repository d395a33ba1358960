package columns

import (
	"testing"

	"pgregory.net/rapid"
)

// TestConcat: rows of several Columns are those that AppendRows gathers, in whatever order what is
// left is done.
func TestConcat(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		f := rapid.SampledFrom(forms).Draw(rt, "form")
		first := rowsOf(rt, f, 0, 40)
		got, want := columnOf(f, first), columnOf(f, first)
		var parts []*Column
		for range rapid.IntRange(0, 5).Draw(rt, "columns") {
			c := columnOf(f, rowsOf(rt, f, 0, 80))
			parts = append(parts, c)
			want.AppendRows(c, 0, c.Len)
		}
		left := got.Concat(parts)
		for _, i := range rapid.Permutation(upTo(len(left))).Draw(rt, "order") {
			left[i]()
		}
		check(t, got)
		if !same(got, want) {
			rt.Fatalf("%s: %+v, want %+v", f.Arrow, got, want)
		}
	})
}

func upTo(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}
