package columns

import (
	"encoding/binary"
	"hash/maphash"
	"math/bits"
	"unsafe"
)

// Token is the index of one of c's tokens, -1 if it is not there.
func (c *Column) Token(b []byte) int32 {
	key := keyOf(b)
	if x := c.lexicon; x != nil {
		if i := x.dict.find(x.tokens, b, &key); i >= 0 {
			return i
		}
	}
	if i := c.dict.find(c.Children[0], b, &key); i >= 0 {
		return c.known() + i
	}
	return -1
}

// Intern is the index of a token in c, which it adds if need be and there is room.
func (c *Column) Intern(b []byte) (i int32, ok bool) {
	if i := c.Token(b); i >= 0 {
		return i, true
	}
	tokens := c.Children[0]
	if len(tokens.Data)+len(b) > MaxData || int(c.known())+tokens.Len == MaxData {
		return 0, false
	}
	tokens.AppendText(b)
	key := keyOf(b)
	c.dict.add(&key, tokens.Len)
	return c.known() + int32(tokens.Len-1), true
}

// FindTokens gives rows that lie in src the indices of their tokens, up to a row for which
// that takes longer: one that lies elsewhere, is long, or no token yet.
func (c *Column) FindTokens(out []int32, src []byte, start, end []uint32) (n int) {
	common, own, known := &c.dict, (*tokenTable)(nil), int32(0)
	if c.lexicon != nil {
		common, own, known = &c.lexicon.dict, &c.dict, c.known()
	}
	if uint64(len(src)) < mostShort || len(common.short) == 0 && (own == nil || len(own.short) == 0) {
		return 0
	}
	last := uint32(min(uint64(len(src))-mostShort, 1<<31-1))
	start, end = start[:len(out)], end[:len(out)]
	slots, shift := common.short, common.shift&63
	if len(slots) == 0 {
		slots, shift = noSlots[:], 63
	}
	text, place := unsafe.Pointer(unsafe.SliceData(src)), unsafe.Pointer(unsafe.SliceData(slots))
	seed0, seed1 := tokenSeeds[0], tokenSeeds[1]
	for i, s := range start {
		size := end[i] - s
		if s > last || size > mostShort {
			return i
		}
		b, mask := (*[mostShort]byte)(unsafe.Add(text, s)), &keep[size] // s is not beyond last
		lo, hi := binary.LittleEndian.Uint64(b[:8])&mask[0], binary.LittleEndian.Uint64(b[8:])&mask[1]
		hash := folded(lo^seed0, hi^seed1)
		// There are as many slots as the first bits of a hash say.
		if slot := (*shortSlot)(unsafe.Add(place, hash>>shift*uint64(unsafe.Sizeof(shortSlot{})))); (slot.lo^lo)|(slot.hi^hi)|uint64(slot.size^size) == 0 && slot.token != 0 {
			out[i] = slot.token - 1 // as nearly always
			continue
		}
		k := tokenKey{lo, hi, size}
		token := common.findShort(&k)
		if token < 0 && own != nil {
			if token = own.findShort(&k); token >= 0 {
				token += known
			}
		}
		if token < 0 {
			return i
		}
		out[i] = token
	}
	return len(out)
}

// noSlots is a table without tokens.
var noSlots [2]shortSlot

// mostShort is how long tokens are that are found by what they are, rather than by a
// hash of it.
const mostShort = 16

// keep[n] has the bytes of the first n of two words.
var keep = func() (masks [mostShort + 1][2]uint64) {
	for n := range masks {
		for i := range n {
			masks[n][i/8] |= 0xff << (i % 8 * 8)
		}
	}
	return masks
}()

// tokenKey is what a token is found by: its bytes, followed by zeros; or, of a long one,
// a hash.
type tokenKey struct {
	lo, hi uint64
	size   uint32
}

// tokenSeeds differ from run to run, so that no input can be made to collide.
// What is found does not depend on them.
var (
	tokenSeed  = maphash.MakeSeed()
	tokenSeeds = [2]uint64{maphash.Bytes(tokenSeed, []byte{0}) | 1, maphash.Bytes(tokenSeed, []byte{1}) | 1}
)

func keyOf(b []byte) tokenKey {
	if len(b) > mostShort {
		return tokenKey{lo: maphash.Bytes(tokenSeed, b), size: mostShort + 1}
	}
	var text [mostShort]byte
	copy(text[:], b)
	return tokenKey{binary.LittleEndian.Uint64(text[:]), binary.LittleEndian.Uint64(text[8:]), uint32(len(b))}
}

// hash is that of a short token: its first bits are the place. It is a product by words that
// nobody knows, folded, so that tokens that differ in a few bytes alone, wherever these are, do
// not collide.
func (k *tokenKey) hash() uint64 {
	return folded(k.lo^tokenSeeds[0], k.hi^tokenSeeds[1])
}

// folded is the product of two words, its high word laid over its low one.
func folded(a, b uint64) uint64 {
	high, low := bits.Mul64(a, b)
	return high ^ low
}

// fewTokens is how many tokens may have sparse tables.
const fewTokens = 1 << 12

// tokenTable finds tokens: open addressing, at most half full.
type tokenTable struct {
	short  []shortSlot // a power of two of them, 2 to the power of 64-shift
	shift  uint8
	nshort int
	long   []longSlot // likewise
	nlong  int
}

type shortSlot struct {
	lo, hi uint64
	size   uint32
	token  int32 // its index plus one; 0: the slot is free
}

type longSlot struct {
	hash  uint32
	token int32
}

// find gives the index of b in tokens, -1 if it is not there.
func (t *tokenTable) find(tokens *Column, b []byte, k *tokenKey) int32 {
	if k.size <= mostShort {
		return t.findShort(k)
	}
	if len(t.long) == 0 {
		return -1
	}
	hash := uint32(k.lo)
	mask := uint32(len(t.long) - 1)
	for i := hash & mask; ; i = (i + 1) & mask {
		s := t.long[i]
		if s.token == 0 {
			return -1
		}
		if s.hash == hash {
			if k := s.token - 1; string(tokens.Data[tokens.Offsets[k]:tokens.Offsets[k+1]]) == string(b) {
				return k
			}
		}
	}
}

func (t *tokenTable) findShort(k *tokenKey) int32 {
	if len(t.short) == 0 {
		return -1
	}
	mask := uint64(len(t.short) - 1)
	for i := k.hash() >> t.shift; ; i = (i + 1) & mask {
		s := &t.short[i]
		if s.lo == k.lo && s.hi == k.hi && s.size == k.size || s.token == 0 {
			return s.token - 1
		}
	}
}

// add enters a token, the number of which is token from 1, and which is not there yet.
func (t *tokenTable) add(k *tokenKey, token int) {
	if k.size > mostShort {
		if t.nlong++; 2*t.nlong > len(t.long) {
			old := t.long
			t.long = make([]longSlot, max(64, 4*len(old)))
			for _, s := range old {
				if s.token != 0 {
					t.putLong(s)
				}
			}
		}
		t.putLong(longSlot{uint32(k.lo), int32(token)})
		return
	}
	t.nshort++
	sparse := 8 // few tokens: next to none is looked for in a second place
	if t.nshort > fewTokens {
		sparse = 4
	}
	if sparse*t.nshort > len(t.short) {
		old := t.short
		t.short = make([]shortSlot, max(128, 4*len(old)))
		t.shift = uint8(64 - bits.TrailingZeros(uint(len(t.short))))
		for _, s := range old {
			if s.token != 0 {
				t.putShort(s)
			}
		}
	}
	t.putShort(shortSlot{k.lo, k.hi, k.size, int32(token)})
}

func (t *tokenTable) putLong(s longSlot) {
	mask := uint32(len(t.long) - 1)
	i := s.hash & mask
	for t.long[i].token != 0 {
		i = (i + 1) & mask
	}
	t.long[i] = s
}

func (t *tokenTable) putShort(s shortSlot) {
	mask := uint64(len(t.short) - 1)
	k := tokenKey{s.lo, s.hi, s.size}
	i := k.hash() >> t.shift
	for t.short[i].token != 0 {
		i = (i + 1) & mask
	}
	t.short[i] = s
}

// reset forgets all tokens. A table that one round made large is not cleared again and
// again for small ones.
func (t *tokenTable) reset() {
	if len(t.short) > 64*max(t.nshort, 64) {
		t.short = nil
	}
	if len(t.long) > 64*max(t.nlong, 64) {
		t.long = nil
	}
	clear(t.short)
	clear(t.long)
	t.nshort, t.nlong = 0, 0
}
