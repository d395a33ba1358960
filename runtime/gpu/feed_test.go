//go:build cuda

package gpu

import "testing"

// TestBlocks: blocks have what there is, none more than a flight has, the first and
// the last ones less than those between.
func TestBlocks(t *testing.T) {
	for _, most := range []int{1, 48, leastBlock, leastBlock + 1, DefaultFlight, 1 << 30} {
		for _, n := range []int{1, 47, 48, 49, 1000, leastBlock - 1, leastBlock, leastBlock + 1, 3 * leastBlock, DefaultFlight, 10*DefaultFlight + 5, 2_000_000_000} {
			if n/most > 1e5 {
				continue
			}
			f := &feed{p: &parser{flightSize: most}}
			var sizes []int
			for i, left := 0, n; left > 0; i++ {
				size := f.size(i, left)
				if size < 1 || size > min(most, left) {
					t.Fatalf("flights of %d: block %d has %d of %d", most, i, size, left)
				}
				sizes, left = append(sizes, size), left-size
			}
			if least := min(most, leastBlock, n); sizes[0] != least {
				t.Errorf("flights of %d, %d in all: the first block has %d", most, n, sizes[0])
			}
			if last := sizes[len(sizes)-1]; last > min(most, leastBlock) {
				t.Errorf("flights of %d, %d in all: the last block has %d", most, n, last)
			}
			if bound := (n+most-1)/most + 16; len(sizes) > bound {
				t.Errorf("flights of %d, %d in all: %d blocks", most, n, len(sizes))
			}
		}
	}
}
