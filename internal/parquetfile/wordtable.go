package parquetfile

import "unsafe"

// wordTable numbers distinct words in the order of their first occurrence.
type wordTable[T word] struct {
	keys  []T
	slots []wordSlot[T] // open addressing, a power of two, at most half full
	shift uint          // 64 - log2(len(slots))
}

type wordSlot[T word] struct {
	key T
	at  uint32 // 1 + number of the key; 0: free
}

func newWordTable[T word]() *wordTable[T] {
	const bits = 8
	return &wordTable[T]{slots: make([]wordSlot[T], 1<<bits), shift: 64 - bits}
}

// place is where a key belongs: multiplicative hashing by the golden ratio.
func (t *wordTable[T]) place(key T) uint64 {
	return uint64(key) * 0x9e3779b97f4a7c15 >> t.shift
}

// appendIndices appends the numbers of values, new ones included.
func (t *wordTable[T]) appendIndices(dst []uint32, values []T) []uint32 {
	slots, mask := t.slots, uint64(len(t.slots)-1)
	for _, v := range values {
		i := t.place(v)
		for slots[i&mask].at != 0 && slots[i&mask].key != v {
			i++
		}
		s := &slots[i&mask]
		if s.at == 0 {
			t.keys = append(t.keys, v)
			s.key, s.at = v, uint32(len(t.keys))
			dst = append(dst, s.at-1)
			if 2*len(t.keys) > len(slots) {
				t.grow()
				slots, mask = t.slots, uint64(len(t.slots)-1)
			}
			continue
		}
		dst = append(dst, s.at-1)
	}
	return dst
}

func (t *wordTable[T]) grow() {
	t.slots = make([]wordSlot[T], 4*len(t.slots))
	t.shift -= 2
	mask := uint64(len(t.slots) - 1)
	for n, key := range t.keys {
		i := t.place(key)
		for t.slots[i&mask].at != 0 {
			i++
		}
		t.slots[i&mask] = wordSlot[T]{key, uint32(n + 1)}
	}
}

// bytesOf is words as they are in memory, which is little-endian on every
// platform that dfaparse is built for.
func bytesOf[T word](v []T) []byte {
	if len(v) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&v[0])), len(v)*int(unsafe.Sizeof(v[0])))
}
