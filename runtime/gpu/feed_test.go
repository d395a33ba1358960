//go:build cuda

package gpu

import "testing"

// TestBlocks: blocks have what there is, none more than a piece, the first and
// the last ones less than those between.
func TestBlocks(t *testing.T) {
	for _, piece := range []int{1, 48, leastBlock, leastBlock + 1, DefaultPiece, 1 << 30} {
		for _, n := range []int{1, 47, 48, 49, 1000, leastBlock - 1, leastBlock, leastBlock + 1, 3 * leastBlock, DefaultPiece, 10*DefaultPiece + 5, 2_000_000_000} {
			if n/piece > 1e5 {
				continue
			}
			f := &feed{p: &parser{piece: piece}}
			var sizes []int
			for i, left := 0, n; left > 0; i++ {
				size := f.size(i, left)
				if size < 1 || size > min(piece, left) {
					t.Fatalf("piece %d: block %d has %d of %d", piece, i, size, left)
				}
				sizes, left = append(sizes, size), left-size
			}
			if least := min(piece, leastBlock, n); sizes[0] != least {
				t.Errorf("piece %d of %d: the first block has %d", piece, n, sizes[0])
			}
			if last := sizes[len(sizes)-1]; last > min(piece, leastBlock) {
				t.Errorf("piece %d of %d: the last block has %d", piece, n, last)
			}
			if most := (n+piece-1)/piece + 16; len(sizes) > most {
				t.Errorf("piece %d of %d: %d blocks", piece, n, len(sizes))
			}
		}
	}
}
