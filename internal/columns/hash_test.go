package columns

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestHash: the hashes of tokens that differ in two bytes, wherever these are, begin as
// differently as those of any tokens, by most seeds.
func TestHash(t *testing.T) {
	defer func(seeds [2]uint64) { tokenSeeds = seeds }(tokenSeeds)
	random := rand.New(rand.NewPCG(1, 2))
	for first := range mostShort {
		for second := range first {
			var found [9]int
			for i := range found {
				tokenSeeds = [2]uint64{random.Uint64(), random.Uint64()}
				places := map[uint64]bool{}
				for a := range 32 {
					for b := range 32 {
						token := []byte("sixteen bytes in")
						token[first], token[second] = byte(8*a), byte(8*b)
						k := keyOf(token)
						places[k.hash()>>50] = true
					}
				}
				found[i] = len(places)
			}
			slices.Sort(found[:])
			if found[4] < 800 { // 993 are to be expected
				t.Errorf("bytes %d and %d: %d places", second, first, found)
			}
		}
	}
}
