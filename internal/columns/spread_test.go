package columns

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestSpread: rows between which nulls are put are what they were, and so are those before.
func TestSpread(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		form := &Form{Buffers: Lists, Children: []*Form{Text}}
		type row struct {
			null bool
			n    int
		}
		draw := rapid.Custom(func(rt *rapid.T) row {
			return row{rapid.IntRange(0, 4).Draw(rt, "null") == 0, rapid.IntRange(0, 3).Draw(rt, "elements")}
		})
		c := New(form)
		appendRow := func(r row) {
			last := c.Offsets[len(c.Offsets)-1]
			c.AppendValid(1)
			c.GrowOffsets(1)[0] = last + int32(r.n)
			if r.null {
				c.SetNull(c.Len - 1)
			}
		}
		before, last := rapid.SliceOfN(draw, 0, 20).Draw(rt, "before"), rapid.SliceOfN(draw, 0, 20).Draw(rt, "last")
		want := slices.Clone(before)
		for _, r := range before {
			appendRow(r)
		}
		var rows []int32
		for _, r := range last {
			appendRow(r)
			for rapid.IntRange(0, 2).Draw(rt, "gap") == 0 {
				want = append(want, row{null: true})
			}
			rows = append(rows, int32(len(want)-len(before)))
			want = append(want, r)
		}
		for range rapid.IntRange(0, 3).Draw(rt, "behind") {
			want = append(want, row{null: true})
		}
		c.Spread(len(before), rows, len(want)-len(before))
		nulls := 0
		for i, w := range want {
			if w.null {
				nulls++
			}
			if got := (row{!c.IsValid(i), int(c.Offsets[i+1] - c.Offsets[i])}); got != w {
				rt.Fatalf("row %d of %v is %v, want %v", i, want, got, w)
			}
		}
		if c.Len != len(want) || c.Nulls != nulls || len(c.Offsets) != len(want)+1 {
			rt.Fatalf("%d rows, %d nulls, %d offsets, want %d, %d", c.Len, c.Nulls, len(c.Offsets), len(want), nulls)
		}
	})
}
