package aggregate

import (
	"encoding/binary"
	"hash/maphash"
	"math/bits"
	"math/rand/v2"
)

// seed makes hashes those of one aggregation, so that nobody can write an input whose
// keys collide.
type seed struct {
	low, high uint64
	long      maphash.Seed
}

func newSeed() seed { return seed{rand.Uint64(), rand.Uint64() | 1, maphash.MakeSeed()} }

// hash is that of a key, whose first 16 bytes are low and high.
func (s *seed) hash(low, high uint64, key []byte) uint64 {
	if len(key) > 16 {
		return maphash.Bytes(s.long, key)
	}
	return s.short(low, high, len(key))
}

// short is the hash of a key of n bytes, 16 at most: a product of two words, of which nobody
// knows either, folded.
func (s *seed) short(low, high uint64, n int) uint64 {
	a, b := bits.Mul64(low^s.low, high^s.high^uint64(n)<<56)
	return a ^ b
}

// masks are those of the first 16 bytes of a text of 0 to 16.
var masks = func() (m [17][2]uint64) {
	for n := range m {
		m[n][0] = 1<<(8*min(n, 8)) - 1 // a shift by 64 gives 0, and so all ones
		m[n][1] = 1<<(8*max(n-8, 0)) - 1
	}
	return m
}()

// head is the first 16 bytes of a key, zeros behind.
func head(key []byte) (low, high uint64) {
	if len(key) >= 16 {
		return binary.LittleEndian.Uint64(key), binary.LittleEndian.Uint64(key[8:])
	}
	var b [16]byte
	copy(b[:], key)
	return binary.LittleEndian.Uint64(b[:]), binary.LittleEndian.Uint64(b[8:])
}

// findTexts looks up the keys in data that lie between offsets.
func findTexts(t *table, data []byte, offsets []int32, groups []uint32) {
	offsets = offsets[:len(groups)+1]
	last := len(data) - 16
	slots, seed := t.slots, t.seed
	to := uint32(offsets[0])
	for i := range groups {
		from := to
		to = uint32(offsets[i+1])
		n := to - from
		if n <= 16 && int(from) <= last {
			b, m := data[from:][:16], &masks[n]
			low, high := binary.LittleEndian.Uint64(b)&m[0], binary.LittleEndian.Uint64(b[8:])&m[1]
			hash := seed.short(low, high, int(n))
			s := &slots[hash&uint64(len(slots)-1)]
			if s.low^low|s.high^high|uint64(s.size^n) == 0 && s.group != 0 { // as nearly always
				groups[i] = s.group - 1
				continue
			}
		}
		groups[i] = t.find(data[from:to])
		slots = t.slots
	}
}
