package columns

import (
	"testing"
	"unsafe"

	"pgregory.net/rapid"
)

// TestRemove: without some of its rows a Column is as if only the others had been
// appended.
func TestRemove(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		f := rapid.SampledFrom(forms).Draw(rt, "form")
		if hasTokens(f) {
			return // tokens of removed rows stay
		}
		rows := rowsOf(rt, f, 1, 200)
		c := columnOf(f, rows)
		first := rapid.IntRange(0, len(rows)-1).Draw(rt, "first")
		odds := rapid.SampledFrom([]int{1, 2, 10, 100}).Draw(rt, "one in")
		nulls := rapid.Bool().Draw(rt, "all nulls too")
		var gone []int
		stay := append([]any{}, rows[:first]...)
		for i, row := range rows[first:] {
			if rapid.IntRange(1, odds).Draw(rt, "removed") == 1 || nulls && row == nil {
				gone = append(gone, i)
			} else {
				stay = append(stay, row)
			}
		}
		if rapid.Bool().Draw(rt, "packed") {
			r := &Removal{Rows: gone}
			r.Prepare(len(rows)-first, packed)
			c.RemoveAll(first, r)
		} else {
			c.Remove(first, gone)
		}
		check(t, c)
		if want := columnOf(f, stay); !same(c, want) {
			rt.Fatalf("%s of %d rows without rows %d from row %d on: %+v, want %+v", f.Arrow, len(rows), gone, first, c, want)
		}
		more := rowsOf(rt, f, 0, 20)
		addAll(c, more)
		check(t, c)
		if want := columnOf(f, append(stay, more...)); !same(c, want) {
			rt.Fatalf("%s, and %d rows more: %+v, want %+v", f.Arrow, len(more), c, want)
		}
	})
}

// packed is a Packer for whole sixteens.
func packed(values unsafe.Pointer, width int, stay []uint64, nrows int) (stayed, done int) {
	done = nrows &^ 15
	all := unsafe.Slice((*byte)(values), done*width)
	for i := range done {
		if stay[i>>6]>>(i&63)&1 != 0 {
			copy(all[stayed*width:], all[i*width:(i+1)*width])
			stayed++
		}
	}
	return stayed, done
}
