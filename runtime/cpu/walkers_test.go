package cpu

import (
	"slices"
	"testing"
	"unsafe"

	"pgregory.net/rapid"
)

// TestWalkers compares the ways to move records from one set to another.
func TestWalkers(t *testing.T) {
	onEach(t, func(t *testing.T) {
		rapid.Check(t, func(rt *rapid.T) {
			draw := func(name string, lefts []uint32) (w walkers) {
				w.n = rapid.IntRange(0, maxAbreast).Draw(rt, name)
				for r := range w.n {
					x := uint32(r)
					w.record[r], w.at[r], w.place[r], w.value[r], w.ended[r] = x, 3*x, 5*x, 7*x, 11*x
					w.left[r] = rapid.SampledFrom(lefts).Draw(rt, "left")
				}
				return w
			}
			one := newAbreast()
			one.walkers = draw("walkers", []uint32{onWay, onWay, 3, 70})
			if rapid.Bool().Draw(rt, "strays before") {
				one.strays = draw("strays", []uint32{3, 4, 70})
				one.strays.n = min(one.strays.n, maxAbreast-one.walkers.n)
				for r := range one.strays.n {
					one.ran[r] = uint8(rapid.IntRange(0, maxPaths-1).Draw(rt, "ran"))
				}
			}
			two := *one
			same := func(what string) {
				for _, x := range [][2]*walkers{{&one.walkers, &two.walkers}, {&one.strays, &two.strays}} {
					a, b := x[0], x[1]
					if a.n != b.n {
						rt.Fatalf("%s: %d, want %d", what, a.n, b.n)
					}
					for r := range a.n {
						if a.record[r] != b.record[r] || a.left[r] != b.left[r] || a.at[r] != b.at[r] || a.place[r] != b.place[r] || a.value[r] != b.value[r] || a.ended[r] != b.ended[r] {
							rt.Fatalf("%s: number %d differs", what, r)
						}
					}
				}
				if n := one.strays.n; string(one.ran[:n]) != string(two.ran[:n]) {
					rt.Fatalf("%s: paths differ", what)
				}
			}
			if a, b := one.numberLeft(70), two.numberLeftGeneric(70); min(a, manyLeft) != min(b, manyLeft) {
				rt.Fatalf("%d have left, want %d", a, b)
			}
			one.letGo(1, 70)
			two.letGoGeneric(1, 70)
			same("let go")
			one.strayed(2)
			two.straysGeneric(2)
			same("strayed")
			one.walkers.n, two.walkers.n = 0, 0
			paths := rapid.Uint32Range(0, 1<<maxPaths-1).Draw(rt, "paths")
			one.recallStrays(3, paths)
			two.recallGeneric(3, paths)
			same("recalled")
		})
	})
}

// TestTake compares the ways to end records, and to go to their line ends.
func TestTake(t *testing.T) {
	onEach(t, func(t *testing.T) {
		rapid.Check(t, func(rt *rapid.T) {
			one := newAbreast()
			one.whole, one.n = true, rapid.IntRange(0, maxAbreast).Draw(rt, "records")
			one.records = one.n
			for r := range maxAbreast {
				one.record[r], one.start[r], one.first[r], one.end[r], one.place[r] = uint32(r), 10*uint32(r), 4*uint32(r), noEnd, 4*uint32(r)+rapid.Uint32Range(0, 8).Draw(rt, "place")
				one.left[r] = rapid.SampledFrom([]uint32{onWay, onWay, onWay, 3, waits + 7}).Draw(rt, "left")
				one.at[r] = one.start[r] + rapid.SampledFrom([]uint32{10, 10, 10, 9, 20}).Draw(rt, "at")
				one.ended[r] = one.start[r] + rapid.SampledFrom([]uint32{8, 9, 9, 1 << 30}).Draw(rt, "ended")
				one.further[r] = rapid.SampledFrom([]furtherLines{noLines, noLines, joinedLines, otherLines}).Draw(rt, "further")
			}
			one.start[maxAbreast], one.first[maxAbreast] = 10*maxAbreast, 4*maxAbreast
			two, class := *one, rapid.Uint8().Draw(rt, "class")
			less, before := rapid.Uint32Range(0, 20).Draw(rt, "less"), one.place // there may be fewer before the first
			one.toLineEnd(less)
			two.toLineEndGeneric(less)
			for r, place := range two.place {
				if place > max(before[r], one.first[r+1]) {
					rt.Fatalf("number %d, whose line ends at place %d less %d, is sent from %d to %d", r, one.first[r+1], less, before[r], place)
				}
			}
			a, b := one.take(9, class), two.takeGeneric(9, class)
			n := (one.n + 15) / 16
			if one.place != two.place || a != b || one.end != two.end || one.shape != two.shape || !slices.Equal(one.others[:n], two.others[:n]) {
				rt.Fatalf("%d have ended, want %d: %v, want %v", a, b, one, &two)
			}
			if all := func(b *abreast) string { return unsafe.String((*byte)(unsafe.Pointer(b)), unsafe.Sizeof(*b)) }; all(one) != all(&two) {
				rt.Fatal("something else has been written")
			}
		})
	})
}
