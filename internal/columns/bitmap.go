package columns

import (
	"encoding/binary"
	"math/bits"
)

// Bitmaps as Arrow has them: bit i is bit i&7 of byte i>>3, and the bits after
// the last are 0.

// appendBits adds n equal bits to a bitmap of had bits.
func appendBits(b []byte, had, n int, bit bool) []byte {
	b = GrowBits(b, had, n)
	if bit {
		fillBits(b, had, n)
	}
	return b
}

// GrowBits adds n bits, all 0, to a bitmap of had bits.
func GrowBits(b []byte, had, n int) []byte {
	nbytes := (had + n + 7) >> 3
	was := len(b)
	b = grow(b, nbytes-was)
	clear(b[was:])
	return b
}

// fillBits sets the bits from through from+n-1, which are 0.
func fillBits(b []byte, from, n int) {
	if n == 0 {
		return
	}
	first, last := from>>3, (from+n-1)>>3
	head := byte(0xff) << (from & 7)
	tail := byte(0xff) >> (7 - (from+n-1)&7)
	if first == last {
		b[first] |= head & tail
		return
	}
	b[first] |= head
	i := first + 1
	for ; i+8 <= last; i += 8 {
		binary.LittleEndian.PutUint64(b[i:], 1<<64-1)
	}
	for ; i < last; i++ {
		b[i] = 0xff
	}
	b[last] |= tail
}

// appendBitRange adds the bits from through to-1 of src to a bitmap of had
// bits, and counts those that are 0.
func appendBitRange(b []byte, had int, src []byte, from, to int) ([]byte, int) {
	n := to - from
	b = GrowBits(b, had, n)
	zeros := n
	// Up to 57 bits at a time: what a word holds after a shift of up to 7.
	for n > 0 {
		k := min(n, loadable)
		w := loadBits(src, from) & (1<<k - 1)
		zeros -= bits.OnesCount64(w)
		orBits(b, had, w)
		from, had, n = from+k, had+k, n-k
	}
	return b, zeros
}

// loadable is how many bits loadBits gives at least.
const loadable = 56

// loadBits gives at least 56 bits from bit i on, fewer at the end of b.
func loadBits(b []byte, i int) uint64 {
	p := b[i>>3:]
	if len(p) >= 8 {
		return binary.LittleEndian.Uint64(p) >> (i & 7)
	}
	var w uint64
	for k, v := range p {
		w |= uint64(v) << (8 * k)
	}
	return w >> (i & 7)
}

// orBits sets the bits of w, at most 56, from bit i on.
func orBits(b []byte, i int, w uint64) {
	p := b[i>>3:]
	w <<= i & 7
	if len(p) >= 8 {
		binary.LittleEndian.PutUint64(p, binary.LittleEndian.Uint64(p)|w)
		return
	}
	for k := 0; w != 0; k++ {
		p[k] |= byte(w)
		w >>= 8
	}
}

// clearBits clears the bits of w, at most 56, from bit i on.
func clearBits(b []byte, i int, w uint64) {
	p := b[i>>3:]
	w <<= i & 7
	if len(p) >= 8 {
		binary.LittleEndian.PutUint64(p, binary.LittleEndian.Uint64(p)&^w)
		return
	}
	for k := 0; w != 0; k++ {
		p[k] &^= byte(w)
		w >>= 8
	}
}
