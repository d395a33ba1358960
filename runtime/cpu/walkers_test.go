package cpu

import (
	"testing"

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
