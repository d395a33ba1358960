package aggregate

import (
	"encoding/binary"
	"hash/maphash"
	"math/bits"
	"math/rand/v2"
	"unsafe"
)

// seed makes hashes those of one aggregation, so that nobody can write an input whose
// keys collide.
type seed struct {
	low, high uint64
	long      maphash.Seed
	rounds    [5][16]byte // of shortAES and longAES
	aes       bool        // which make the hashes
}

func newSeed() seed {
	s := seed{low: rand.Uint64(), high: rand.Uint64() | 1, long: maphash.MakeSeed(), aes: hasKernels}
	for i := range s.rounds {
		binary.LittleEndian.PutUint64(s.rounds[i][:], rand.Uint64())
		binary.LittleEndian.PutUint64(s.rounds[i][8:], rand.Uint64())
	}
	return s
}

// hash is that of a key, whose first 16 bytes are low and high.
func (s *seed) hash(low, high uint64, key []byte) uint64 {
	switch {
	case s.aes && len(key) > 16:
		return longAES(&s.rounds, &key[0], len(key))
	case len(key) > 16:
		return maphash.Bytes(s.long, key)
	case s.aes:
		return shortAES(&s.rounds, low, high)
	}
	return s.short(low, high)
}

// short is the hash of a key of 16 bytes at most where there is no AES: of products that are folded, by words that
// nobody knows. Sums of products of 64 bits would be less work, but the last bytes of both words
// would be in few bits of them: keys that differ in nothing else would collide, whatever the seed.
func (s *seed) short(low, high uint64) uint64 {
	a, b := bits.Mul64(low^s.low, high^s.high)
	a, b = bits.Mul64(a^b^s.low, s.high)
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
	for i := 0; i < len(groups); i++ {
		if i += findFirst(t, data, offsets[i:], groups[i:]); i < len(groups) {
			groups[i] = t.find(data[offsets[i]:offsets[i+1]])
		}
	}
}

// findFirst is findTexts up to a key for which that takes longer: one that lies at the end of data, is not where
// it is looked for, by Go first, and by assembly up to the end of the slots, or by Go has more than 16 bytes. It
// gives how many there are before.
func findFirst(t *table, data []byte, offsets []int32, groups []uint32) int {
	from := int(offsets[0])
	offsets = offsets[1:][:len(groups)]
	last := len(data) - 16
	if t.seed.aes && last >= 0 {
		return findAES(&t.seed.rounds, &data[0], last, from, &offsets[0], &t.slots[0], uint64(len(t.slots)-1), unsafe.SliceData(t.keys), &t.ends[0], &groups[0], len(groups))
	}
	seed, slots := &seed{low: t.seed.low, high: t.seed.high}, t.slots
	for i := range groups {
		to := int(offsets[i])
		n := uint(to - from)
		if n > 16 || from > last {
			return i
		}
		b, m := (*[16]byte)(data[from:]), &masks[n]
		low, high := binary.LittleEndian.Uint64(b[:8])&m[0], binary.LittleEndian.Uint64(b[8:])&m[1]
		s := &slots[seed.short(low, high)&uint64(len(slots)-1)]
		if (s.low^low)|(s.high^high)|(uint64(s.size)^uint64(n)) != 0 || s.group == 0 { // which is seldom
			return i
		}
		groups[i] = s.group - 1
		from = to
	}
	return len(groups)
}
