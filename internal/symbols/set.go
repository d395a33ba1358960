package symbols

import "github.com/dfaparse/dfaparse/dfa"

// Block is the number of symbols that a mask has bits for.
const Block = 64

// Set is a set of symbols.
type Set struct {
	Symbols dfa.Set
	rows    rows
	words   *Words // the set as code in Go looks it up
}

// rows is a set as AVX2 looks it up.
type rows struct {
	low, high [16]byte // by low nibble: the high nibbles 0..7, 8..15 as bits
	bits      [16]byte // by high nibble: its bit
}

// NewSet makes a set to be looked for.
func NewSet(set dfa.Set) *Set {
	s := &Set{Symbols: set, words: NewWords(set)}
	for b := range 256 {
		s.rows.bits[b>>4] = 1 << (b >> 4 & 7)
		if !set.Has(byte(b)) {
			continue
		}
		row := &s.rows.low[b&15]
		if b >= 128 {
			row = &s.rows.high[b&15]
		}
		*row |= 1 << (b >> 4 & 7)
	}
	return s
}

// Find sets dst[i] to a bit for each symbol of block i of src that is in the set, the
// first symbol being bit 0. The last block may be short; dst has room for it.
func (s *Set) Find(dst []uint64, src []byte) {
	whole := len(src) / Block
	s.FindBlocks(dst[:whole], src)
	if rest := src[whole*Block:]; len(rest) > 0 {
		var last [Block]byte
		copy(last[:], rest)
		s.FindBlocks(dst[whole:whole+1], last[:])
		dst[whole] &= 1<<len(rest) - 1
	}
}

// FindBlocks is Find for the first len(dst) blocks of src, which are whole.
func (s *Set) FindBlocks(dst []uint64, src []byte) {
	if len(dst) == 0 {
		return
	}
	_ = src[len(dst)*Block-1]
	switch {
	case hasAVX2:
		findSetAVX2(&dst[0], &src[0], len(dst), &s.rows)
	case has16:
		s.words.find16(dst, src)
	default:
		s.words.findOften(dst, src)
	}
}
