package columns

import (
	"bytes"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestSpread: rows between which nulls are put are what they were, and so are those before.
func TestSpread(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		width := rapid.SampledFrom([]int{0, 1, 2, 4, 8, 12, 16}).Draw(rt, "width")
		form := &Form{Width: width}
		if width == 0 {
			form = rapid.SampledFrom([]*Form{Text, {Buffers: Bits}, {Buffers: Lists, Children: []*Form{Text}}}).Draw(rt, "form")
		}
		type row struct {
			null bool
			n    int
		}
		draw := rapid.Custom(func(rt *rapid.T) row { // what it is, as far as it has that in its form
			r := row{rapid.IntRange(0, 4).Draw(rt, "null") == 0, rapid.IntRange(0, 3).Draw(rt, "value")}
			if form.Buffers == Bits {
				r.n &= 1
			}
			return r
		})
		c := New(form)
		appendRow := func(r row) {
			switch form.Buffers {
			case Bits:
				c.Fixed = GrowBits(c.Fixed, c.Len, 1)
				c.Fixed[c.Len>>3] |= byte(r.n) << (c.Len & 7)
			case Values:
				c.Fixed = append(c.Fixed, bytes.Repeat([]byte{byte(r.n)}, width)...)
			default:
				last := c.Offsets[len(c.Offsets)-1]
				c.GrowOffsets(1)[0] = last + int32(r.n)
			}
			c.AppendValid(1)
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
			for range rapid.SampledFrom([]int{0, 0, 0, 1, 2, 7, 40, 100}).Draw(rt, "gap") {
				want = append(want, row{null: true})
			}
			rows = append(rows, int32(len(want)-len(before)))
			want = append(want, r)
		}
		for range rapid.SampledFrom([]int{0, 1, 3, 70}).Draw(rt, "behind") {
			want = append(want, row{null: true})
		}
		c.Spread(len(before), rows, len(want)-len(before))
		nulls := 0
		for i, w := range want {
			if w.null {
				nulls++
			}
			got := row{null: !c.IsValid(i)}
			switch form.Buffers {
			case Bits:
				got.n = int(c.Fixed[i>>3] >> (i & 7) & 1)
			case Values:
				value := c.Fixed[i*width:][:width]
				if got.n = int(value[0]); !bytes.Equal(value, bytes.Repeat(value[:1], width)) {
					rt.Fatalf("row %d is %v", i, value)
				}
			default:
				got.n = int(c.Offsets[i+1] - c.Offsets[i])
			}
			if got != w {
				rt.Fatalf("row %d of %v is %v, want %v", i, want, got, w)
			}
		}
		if c.Len != len(want) || c.Nulls != nulls || c.Offsets != nil && len(c.Offsets) != len(want)+1 || len(c.Fixed) != len(want)*width && form.Buffers == Values {
			rt.Fatalf("%d rows, %d nulls, %d offsets, want %d, %d", c.Len, c.Nulls, len(c.Offsets), len(want), nulls)
		}
	})
}
