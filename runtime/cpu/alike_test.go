package cpu

import (
	"math/rand/v2"
	"testing"
)

// TestAlike: records of as many fields are counted up to the first that has another number, by
// vectors as by Go.
func TestAlike(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		n := uint32(1 + rng.IntN(5))
		records := []uint32{rng.Uint32N(100)}
		other := 1 + rng.IntN(70)
		for range rng.IntN(70) {
			width := n
			if len(records) == other {
				width = rng.Uint32N(7)
			}
			records = append(records, records[len(records)-1]+width)
		}
		want := 1
		for want < len(records) && records[want]-records[want-1] == n {
			want++
		}
		if got := alike(records[:len(records):len(records)], n); got != want {
			t.Fatalf("%d of %v, want %d", got, records, want)
		}
		if got := alikeGeneric(records, n); got != want {
			t.Fatalf("in Go %d of %v, want %d", got, records, want)
		}
	}
}
