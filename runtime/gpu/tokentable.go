//go:build cuda

package gpu

import (
	"encoding/binary"
	"math/bits"
	"unsafe"
)

// tokenTable is a TokenTable of kernels/convert/tokens.cuh in the making: words
// and what they mean.
type tokenTable struct {
	tokens []string
	values []uint32
	index  map[string]bool
}

// add gives a token a value, unless it has one.
func (t *tokenTable) add(token string, value uint32) {
	if t.index[token] {
		return
	}
	if t.index == nil {
		t.index = map[string]bool{}
	}
	t.index[token] = true
	t.tokens, t.values = append(t.tokens, token), append(t.values, value)
}

// tokenHash is hash_of in tokens.cuh.
func tokenHash(token string, seed uint32) uint32 {
	h := seed
	for i := 0; i < len(token); i += 4 {
		var word [4]byte
		copy(word[:], token[i:])
		h = (h ^ binary.LittleEndian.Uint32(word[:])) * 0x9e3779b1
		h ^= h >> 15
	}
	return (h ^ uint32(len(token))) * 0x85ebca77
}

// image lays the table out with the seed, of some, by which most tokens have a
// slot of their own.
func (t *tokenTable) image() []byte {
	const header, seeds = uint32(unsafe.Sizeof(tokenHead{}) / 4), 64 // words; tried
	nbits := max(1, bits.Len(uint(2*len(t.tokens)-1)))
	var best uint32
	fewest := len(t.tokens) + 1
	for seed := uint32(1); seed <= seeds && fewest > 0; seed++ {
		taken, collisions := make([]bool, 1<<nbits), 0
		for _, s := range t.tokens {
			slot := tokenHash(s, seed) >> (32 - nbits)
			if taken[slot] {
				collisions++
			}
			taken[slot] = true
		}
		if collisions < fewest {
			best, fewest = seed, collisions
		}
	}

	words := make([]uint32, header+1<<nbits)
	longest := 0
	for i, s := range t.tokens {
		slot := tokenHash(s, best) >> (32 - nbits)
		for words[header+slot] != 0 {
			slot = (slot + 1) & (1<<nbits - 1)
		}
		words[header+slot] = uint32(len(words))
		words = append(words, uint32(len(s)), t.values[i])
		for k := 0; k < len(s); k += 4 {
			var word [4]byte
			copy(word[:], s[k:])
			words = append(words, binary.LittleEndian.Uint32(word[:]))
		}
		longest = max(longest, len(s))
	}
	*valueOf[tokenHead](bytesOf(words)) = tokenHead{Seed: best, Bits: uint32(nbits), Longest: uint32(longest)}
	image := make([]byte, 0, 4*len(words))
	for _, w := range words {
		image = binary.LittleEndian.AppendUint32(image, w)
	}
	return image
}
