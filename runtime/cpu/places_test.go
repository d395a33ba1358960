package cpu

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestPlaces compares lists of places with the symbols one by one.
func TestPlaces(t *testing.T) { onEach(t, testPlaces) }

func testPlaces(t *testing.T) {
	rng := rand.New(rand.NewPCG(25, 26))
	slotted := 0
	for range 300 {
		var group [256]uint8
		alike, ngroups := rng.IntN(3) > 0, 1+rng.IntN(40)
		for c := range group {
			if group[c] = uint8(rng.IntN(ngroups)); c > 128 && alike {
				group[c] = group[128]
			}
		}
		listed := rng.Uint64() & rng.Uint64()
		if rng.IntN(2) == 0 {
			listed &= rng.Uint64() & rng.Uint64()
		}
		if rng.IntN(2) == 0 { // so few that they have slots, or hardly more
			clear(group[:])
			listed &^= 1
			for range 1 + rng.IntN(18) {
				group[rng.IntN(129)] = uint8(rng.IntN(ngroups))
			}
		}
		src := make([]byte, blockSize*(1+rng.IntN(200)))
		most := []int{256, 40, 3}[rng.IntN(3)]
		for i := range src {
			src[i] = byte(rng.IntN(most))
		}
		sought := rng.Uint64() & rng.Uint64() & rng.Uint64()
		var table placeTable
		table.set(&group, listed, sought)
		table.dense = rng.IntN(2) == 0
		if table.many = rng.IntN(4) > 0; table.slotted && table.many {
			slotted++
		}
		var want []uint32
		none := true
		for i, c := range src {
			none = none && table.sought>>group[c]&1 == 0
			if g := group[c]; listed>>g&1 != 0 {
				want = append(want, (placeMark|uint32(g))<<placeGroup|uint32(i))
			}
		}
		places := make([]uint32, len(src)+blockSize+1)
		n, noneSought := listPlaces(places, src, &group, &table)
		if !slices.Equal(places[:n], want) {
			t.Fatalf("%d symbols: %x, want %x", len(src), places[:n], want)
		}
		if noneSought && !none {
			t.Fatal("a symbol that was sought has come, and is said not to have")
		}
	}
	if slotted < 50 {
		t.Errorf("symbols had slots %d times", slotted)
	}
}
