package cpu

import "github.com/dfaparse/dfaparse/dfa"

//go:generate sh -c "cd asm && go run . -out ../kernels_amd64.s -stubs ../kernels_stub_amd64.go -pkg cpu"

// blockSize is the number of symbols that a mask has bits for.
const blockSize = 64

// nibbles is a set of symbols as the vector code looks it up.
type nibbles struct {
	low, high [16]byte // by low nibble: the high nibbles 0..7, 8..15 as bits
	bits      [16]byte // by high nibble: its bit
	nibble    byte     // 0x0F
	_         [15]byte
	set       dfa.Set
	words     *inWords // the set as code in Go looks it up
}

func newNibbles(set dfa.Set) *nibbles {
	n := &nibbles{nibble: 0x0F, set: set, words: newInWords(set)}
	for b := range 256 {
		n.bits[b>>4] = 1 << (b >> 4 & 7)
		if !set.Has(byte(b)) {
			continue
		}
		row := &n.low[b&15]
		if b >= 128 {
			row = &n.high[b&15]
		}
		*row |= 1 << (b >> 4 & 7)
	}
	return n
}

// members sets dst[i] to a bit for each symbol of block i of src that is in
// the set, the first symbol being bit 0. The last block may be short; dst has
// room for it.
func members(dst []uint64, src []byte, set *nibbles) {
	whole := len(src) / blockSize
	membersBlocks(dst[:whole], src, set)
	if rest := src[whole*blockSize:]; len(rest) > 0 {
		var last [blockSize]byte
		copy(last[:], rest)
		membersBlocks(dst[whole:whole+1], last[:], set)
		dst[whole] &= 1<<len(rest) - 1
	}
}

// membersGeneric is members for len(dst) whole blocks, in Go.
func membersGeneric(dst []uint64, src []byte, set *nibbles) { set.words.findOften(dst, src) }
