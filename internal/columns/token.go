package columns

import "hash/maphash"

// Token is the index of one of c's tokens, -1 if it is not there.
func (c *Column) Token(b []byte) int32 {
	i, _ := c.dict.find(c.Children[0], b)
	return i
}

// Intern is the index of a token in c, which it adds if need be and there is room.
func (c *Column) Intern(b []byte) (i int32, ok bool) {
	tokens := c.Children[0]
	i, hash := c.dict.find(tokens, b)
	if i >= 0 {
		return i, true
	}
	if len(tokens.Data)+len(b) > MaxData || tokens.Len == MaxData {
		return 0, false
	}
	tokens.AppendText(b)
	c.dict.add(tokens, hash)
	return int32(tokens.Len - 1), true
}

// tokenTable finds tokens: open addressing, at most half
// full.
type tokenTable struct {
	slots []tokenSlot // a power of two of them
}

type tokenSlot struct {
	hash  uint32
	token int32 // its index plus one; 0: the slot is free
}

// tokenSeed differs from run to run, so that no input can be made to collide.
// What is found does not depend on it.
var tokenSeed = maphash.MakeSeed()

// find gives the index of b in tokens, -1 if it is not there, and its hash.
func (t *tokenTable) find(tokens *Column, b []byte) (int32, uint32) {
	hash := uint32(maphash.Bytes(tokenSeed, b))
	if len(t.slots) == 0 {
		return -1, hash
	}
	mask := uint32(len(t.slots) - 1)
	for i := hash & mask; ; i = (i + 1) & mask {
		s := t.slots[i]
		if s.token == 0 {
			return -1, hash
		}
		if s.hash == hash {
			if k := s.token - 1; string(tokens.Data[tokens.Offsets[k]:tokens.Offsets[k+1]]) == string(b) {
				return k, hash
			}
		}
	}
}

// add enters the last one of tokens, which is not there yet.
func (t *tokenTable) add(tokens *Column, hash uint32) {
	if 2*tokens.Len > len(t.slots) {
		old := t.slots
		t.slots = make([]tokenSlot, max(64, 4*len(old)))
		for _, s := range old {
			if s.token != 0 {
				t.put(s)
			}
		}
	}
	t.put(tokenSlot{hash, int32(tokens.Len)})
}

func (t *tokenTable) put(s tokenSlot) {
	mask := uint32(len(t.slots) - 1)
	i := s.hash & mask
	for t.slots[i].token != 0 {
		i = (i + 1) & mask
	}
	t.slots[i] = s
}

// reset forgets all tokens, of which there were n. A table that one round made
// large is not cleared again and again for small ones.
func (t *tokenTable) reset(n int) {
	if len(t.slots) > 64*max(n, 64) {
		t.slots = nil
	}
	clear(t.slots)
}
