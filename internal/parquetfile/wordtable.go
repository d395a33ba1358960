package parquetfile

import (
	"slices"
	"unsafe"
)

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

// golden is for multiplicative hashing: 2^64 by the golden ratio.
const golden = 0x9e3779b97f4a7c15

// place is where a key belongs.
func (t *wordTable[T]) place(key T) uint64 { return uint64(key) * golden >> t.shift }

// appendIndices appends the numbers of values, new ones included.
func (t *wordTable[T]) appendIndices(dst []uint32, values []T) []uint32 {
	dst = slices.Grow(dst, len(values))
	numbers := dst[len(dst):][:len(values)]
	slots, mask, shift := t.slots, uint64(len(t.slots)-1), t.shift
	for k, v := range values {
		s := &slots[uint64(v)*golden>>(shift&63)&mask]
		if s.key == v && s.at != 0 {
			numbers[k] = s.at - 1
			continue
		}
		numbers[k] = t.number(v)
		slots, mask, shift = t.slots, uint64(len(t.slots)-1), t.shift
	}
	return dst[:len(dst)+len(values)]
}

// number is the number of a value, a new one if it is new.
func (t *wordTable[T]) number(v T) uint32 {
	i, mask := t.place(v), uint64(len(t.slots)-1)
	for t.slots[i&mask].at != 0 && t.slots[i&mask].key != v {
		i++
	}
	s := &t.slots[i&mask]
	if s.at != 0 {
		return s.at - 1
	}
	t.keys = append(t.keys, v)
	*s = wordSlot[T]{v, uint32(len(t.keys))}
	if 2*len(t.keys) > len(t.slots) {
		t.grow()
	}
	return uint32(len(t.keys) - 1)
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
