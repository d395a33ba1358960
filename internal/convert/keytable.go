package convert

import (
	"bytes"
	"math/bits"
	"unsafe"

	"github.com/dfaparse/dfaparse/internal/columns"
)

// keyTable compares the keys of one row of a column with one another. A slot has the row's
// number, and below it that of a key in it: so nothing is cleared between rows.
type keyTable struct {
	slots [1 << keyBits]uint32
	of    uint32 // below 1<<rowBits

	rows   [keySets][2]keyRow
	missed int // rows that were none of these, less some that were
	pass   int // so many more are not compared with them
}

// A row has at most so many keys that they fill little of the table.
const (
	keyBits  = 11
	rowShift = 7
	mostKeys = 1 << rowShift
	rowBits  = 32 - rowShift
)

// keyRow is a row whose keys differ. Records of a kind have the same keys in the same order, and these
// are sooner compared than put into a table.
type keyRow struct {
	n    int
	ends [memoKeys]int32 // relative to the first key
	data [memoBytes]byte
}

// The rows that are kept have at most so many keys, of so many bytes. One is in the set that its first and last keys
// give it, before the one that was there. Where few rows are among them, so many are not looked for.
const (
	keySets   = 16
	memoKeys  = 32
	memoBytes = 256
	memoPass  = 1023
)

// distinct reports whether no key is twice among rows s of keys; it may not find that out.
func (t *keyTable) distinct(keys *columns.Column, s span) bool {
	offsets := keys.Offsets[s.from : s.to+1]
	data := keys.Data[:cap(keys.Data)]
	last := len(offsets) - 1
	return last <= mostKeys && int(offsets[last])+8 <= len(data) && t.distinctTexts(offsets, data)
}

// distinctRows is how many rows have no key twice, up to the first that has one, or of which it is not found out. Their
// keys are those of keys from row from on, and end at ends, relative to that. If recur, rows often have the keys of one before.
func (t *keyTable) distinctRows(keys *columns.Column, from int, first int32, ends []int32, recur bool) int {
	offsets := keys.Offsets[from : from+int(ends[len(ends)-1])+1]
	data := keys.Data[:cap(keys.Data)]
	if int(offsets[len(offsets)-1])+8 > len(data) {
		return 0
	}
	all := !recur || t.pass > 0
	if recur && all {
		t.pass -= len(ends)
	}
	for i := 0; i < len(ends); i++ {
		if hasVBMI {
			if n := distinctKeys(offsets, first, ends[i:], data); n > 0 {
				if i += n; i == len(ends) {
					break
				}
				first = ends[i-1]
			}
		}
		end := ends[i]
		row := offsets[first : end+1]
		switch n := int(end - first); {
		case n > mostKeys:
			return i
		case all && !t.distinctTexts(row, data):
			return i
		case !all && n > 1 && !t.known(row, data):
			return i
		}
		first = end
	}
	return len(ends)
}

// known reports whether the keys that end at offsets in data are those of a row before, or else whether
// they differ.
func (t *keyTable) known(offsets []int32, data []byte) bool {
	first, last := offsets[0], offsets[len(offsets)-1]
	fits := len(offsets)-1 <= memoKeys && last-first <= memoBytes
	set := &t.rows[eights{data}.slot(uint32(first), uint32(last))%keySets]
	if fits && (set[0].is(offsets, data[first:last]) || set[1].is(offsets, data[first:last])) {
		t.missed /= 2
		t.pass = t.missed / 2
		return true
	}
	t.missed = min(2*t.missed+1, memoPass)
	t.pass = t.missed / 2
	if !t.distinctTexts(offsets, data) {
		return false
	}
	if fits {
		set[1] = set[0]
		set[0].be(offsets, data[first:last])
	}
	return true
}

// is reports whether the row is the keys that end at offsets in text.
func (r *keyRow) is(offsets []int32, text []byte) bool {
	n := len(offsets) - 1
	if r.n != n || int(r.ends[n-1]) != len(text) {
		return false
	}
	first, other := offsets[0], uint64(0)
	two := uint64(first)<<32 | uint64(first)
	ends, kept := unsafe.Pointer(unsafe.SliceData(offsets[1:])), unsafe.Pointer(&r.ends)
	i := 0
	for ; i+1 < n; i += 2 { // none is smaller than the first, so that two do not disturb each other
		other |= *(*uint64)(unsafe.Add(ends, 4*i)) - two ^ *(*uint64)(unsafe.Add(kept, 4*i))
	}
	if i < n {
		other |= uint64(offsets[n] - first ^ r.ends[i])
	}
	return other == 0 && string(r.data[:len(text)]) == string(text)
}

func (r *keyRow) be(offsets []int32, text []byte) {
	r.n = len(offsets) - 1
	for i, end := range offsets[1:] {
		r.ends[i] = end - offsets[0]
	}
	copy(r.data[:], text)
}

// next begins a row, and gives its number in slots.
func (t *keyTable) next() uint32 {
	if t.of++; t.of == 1<<rowBits {
		clear(t.slots[:])
		t.of = 1
	}
	return t.of << rowShift
}

// distinctTexts reports whether no key is twice among those that end at offsets in data.
func (t *keyTable) distinctTexts(offsets []int32, data []byte) bool {
	src := eights{data}
	row, at := t.next(), uint32(offsets[0])
	for k, end := range offsets[1:] {
		end := uint32(end)
		i := src.slot(at, end)
		for t.slots[i] >= row {
			if j := t.slots[i] - row; bytes.Equal(data[offsets[j]:offsets[j+1]], data[at:end]) {
				return false
			}
			i = (i + 1) % (1 << keyBits)
		}
		t.slots[i] = row | uint32(k)
		at = end
	}
	return true
}

// slot is where the key from at up to end belongs, by its first and last eight symbols and its size. Eight
// symbols can be read behind it.
func (w eights) slot(at, end uint32) uint16 {
	size := uint64(end - at)
	h := w.at(at)
	if size < 8 {
		h &= 1<<(8*size&63) - 1
	} else {
		h ^= bits.RotateLeft64(w.at(end-8), 29)
	}
	return uint16((h ^ size) * 0x9e3779b97f4a7c15 >> (64 - keyBits))
}

// numbers appends which of those that differ each key from one up to another is, and says how many differ. There are at
// most mostKeys, which lie in src with eight symbols behind each.
func (t *keyTable) numbers(numbers []int32, keys *Fields, from, to int32) (_ []int32, differ int32) {
	src, row := eights{keys.Src}, t.next()
	starts, ends := keys.Start[from:to], keys.End[from:to]
next:
	for k, s := range starts {
		e := ends[k]
		at := src.slot(s, e)
		for t.slots[at] >= row { // of this row
			if j := t.slots[at] - row; bytes.Equal(keys.Src[starts[j]:ends[j]], keys.Src[s:e]) {
				numbers = append(numbers, numbers[j])
				continue next
			}
			at = (at + 1) % (1 << keyBits)
		}
		t.slots[at] = row | uint32(k)
		numbers = append(numbers, differ)
		differ++
	}
	return numbers, differ
}

// differing is unique.differing for at most mostKeys keys, which lie in src with eight symbols behind each.
func (t *keyTable) differing(numbers []int32, keys *Fields, from, to int32, last bool) []int32 {
	src, row := eights{keys.Src}, t.next()
	starts, ends := keys.Start[:to], keys.End[:to]
next:
	for i := range to - from {
		k := from + i
		if last {
			k = to - 1 - i
		}
		s, e := starts[k], ends[k]
		at := src.slot(s, e)
		for t.slots[at] >= row { // of this row
			if j := from + int32(t.slots[at]-row); bytes.Equal(keys.Src[starts[j]:ends[j]], keys.Src[s:e]) {
				continue next
			}
			at = (at + 1) % (1 << keyBits)
		}
		t.slots[at] = row | uint32(k-from)
		numbers = append(numbers, k)
	}
	return numbers
}
