package aggregate

import "testing"

// Keys that differ in a few bytes, wherever these are, have hashes of their own, and these
// have their own first and last bits about as often as those of any keys.
func TestHashes(t *testing.T) {
	s := newSeed()
	t.Run("as they are", func(t *testing.T) { testHashes(t, s) })
	s.aes = false
	t.Run("without AES", func(t *testing.T) { testHashes(t, s) })
}

func testHashes(t *testing.T, s seed) {
	for first := range 16 {
		for second := range first {
			all, parts, slots := map[uint64]bool{}, map[uint64]bool{}, map[uint64]bool{}
			for a := range 64 {
				for b := range 64 {
					key := []byte("sixteen bytes in")
					key[first], key[second] = byte(4*a), byte(4*b)
					low, high := head(key)
					h := s.hash(low, high, key)
					all[h], parts[h>>48], slots[h&(1<<16-1)] = true, true, true
				}
			}
			if len(all) < 4096 || min(len(parts), len(slots)) < 3600 { // 3,969 are to be expected
				t.Errorf("bytes %d and %d: %d hashes, %d first bits, %d last", second, first, len(all), len(parts), len(slots))
			}
		}
	}
}
