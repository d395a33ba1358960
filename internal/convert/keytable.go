package convert

import (
	"bytes"
	"math/bits"

	"github.com/dfaparse/dfaparse/internal/columns"
)

// keyTable compares the keys of one row of a column with one another. A slot has the row's
// number, in the high half, and that of a key in it: so nothing is cleared between rows.
type keyTable struct {
	slots [1 << keyBits]uint64
	of    uint32
}

// A row has at most so many keys that they fill an eighth of the table.
const (
	keyBits  = 10
	mostKeys = 1 << (keyBits - 3)
)

// distinct reports whether no key is twice among rows s of keys; it may not find that out.
func (t *keyTable) distinct(keys *columns.Column, s span) bool {
	offsets := keys.Offsets[s.from : s.to+1]
	data := keys.Data[:cap(keys.Data)]
	last := len(offsets) - 1
	if last > mostKeys || int(offsets[last])+8 > len(data) {
		return false
	}
	if t.of++; t.of == 0 {
		clear(t.slots[:])
		t.of = 1
	}
	src := eights{data}
	row, at := uint64(t.of)<<32, uint32(offsets[0])
	for k, end := range offsets[1:] {
		end := uint32(end)
		size := end - at
		h := src.at(at)
		if size < 8 {
			h &= 1<<(8*size&63) - 1
		} else {
			h ^= bits.RotateLeft64(src.at(end-8), 29)
		}
		i := (h ^ uint64(size)) * 0x9e3779b97f4a7c15 >> (64 - keyBits)
		slot := &t.slots[i]
		for *slot >= row { // of this row: those of rows before have lower numbers
			if j := uint32(*slot); bytes.Equal(data[offsets[j]:offsets[j+1]], data[at:end]) {
				return false
			}
			i = (i + 1) & (1<<keyBits - 1)
			slot = &t.slots[i]
		}
		*slot = row | uint64(k)
		at = end
	}
	return true
}

// differing is unique.differing for at most mostKeys keys, which lie in src with eight symbols behind each.
func (t *keyTable) differing(numbers []int32, keys *Fields, from, to int32, last bool) []int32 {
	if t.of++; t.of == 0 {
		clear(t.slots[:])
		t.of = 1
	}
	src := eights{keys.Src}
	row := uint64(t.of) << 32
	starts, ends := keys.Start[:to], keys.End[:to]
next:
	for i := range to - from {
		k := from + i
		if last {
			k = to - 1 - i
		}
		s, e := starts[k], ends[k]
		size := e - s
		h := src.at(s)
		if size < 8 {
			h &= 1<<(8*size&63) - 1
		} else {
			h ^= bits.RotateLeft64(src.at(e-8), 29)
		}
		at := (h ^ uint64(size)) * 0x9e3779b97f4a7c15 >> (64 - keyBits)
		slot := &t.slots[at]
		for *slot >= row { // of this row
			if j := from + int32(uint32(*slot)); bytes.Equal(keys.Src[starts[j]:ends[j]], keys.Src[s:e]) {
				continue next
			}
			at = (at + 1) & (1<<keyBits - 1)
			slot = &t.slots[at]
		}
		*slot = row | uint64(k-from)
		numbers = append(numbers, k)
	}
	return numbers
}
