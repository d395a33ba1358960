package aggregate

import (
	"bytes"
	"encoding/binary"
	"math"

	"github.com/axiomhq/hyperloglog"
)

// table has the groups that one worker has met. A group is a number; its key lies
// among keys, its state among states.
type table struct {
	*grouping
	seed    seed
	slots   []slot // open addressing
	keys    []byte
	ends    []int    // the key of group g is keys[ends[g]:ends[g+1]]
	hashes  []uint64 // by group, of the key, without its first byte if it is raw
	states  []uint64 // by group, words each
	bytes   []byte   // what states refer to
	null    uint32   // of raw keys: the group of null, + 1
	scratch scratch

	sketches  []*hyperloglog.Sketch // of states, see sketchTally; nil: it is bytes by now
	nSketches int                   // that are there
}

// slot is a group in the hash table. Keys of up to 16 bytes are in it, so that
// most groups are found without looking elsewhere.
type slot struct {
	low, high uint64 // the key's first 16 bytes, zeros behind
	size      uint32 // of the key; the largest number stands for more
	tag       uint32 // the hash's upper half
	group     uint32 // its number + 1; 0: the slot is free
	_         uint32
}

// maxGroups is how many groups a table may have.
const maxGroups = math.MaxUint32 - 1

// leastSlots is what a table begins with.
const leastSlots = 1 << 9

func newTable(g *grouping, seed seed) *table {
	return &table{grouping: g, seed: seed, slots: make([]slot, leastSlots), ends: []int{0}}
}

func (t *table) len() int { return len(t.hashes) }

// memory is about how much the table takes.
func (t *table) memory() int64 {
	return 32*int64(cap(t.slots)) + 8*int64(cap(t.ends)+cap(t.hashes)+cap(t.states)) + int64(cap(t.keys)) + int64(cap(t.bytes)) +
		8*int64(cap(t.sketches)) + sketchBytes*int64(t.nSketches)
}

// reset empties the table and lets go of its memory.
func (t *table) reset() {
	*t = table{grouping: t.grouping, seed: t.seed, slots: make([]slot, leastSlots), ends: []int{0}, scratch: t.scratch}
}

func (t *table) key(g uint32) []byte { return t.keys[t.ends[g]:t.ends[g+1]] }

func (t *table) state(g uint32) []uint64 {
	return t.states[int(g)*t.words:][:t.words:t.words]
}

// find is the group of a key, which is a new one if there was none. Of a raw key
// the first byte, which says that it is not null, is left out.
func (t *table) find(key []byte) uint32 {
	low, high := head(key)
	return t.lookUp(t.seed.hash(low, high, key), low, high, key)
}

// lookUp is find of a key whose first bytes and hash are known.
func (t *table) lookUp(hash, low, high uint64, key []byte) uint32 {
	mask, size := uint64(len(t.slots)-1), uint32(min(len(key), math.MaxUint32))
	for i := hash & mask; ; i = (i + 1) & mask {
		s := &t.slots[i]
		if s.group == 0 {
			return t.insert(hash, low, high, key, i)
		}
		if s.low == low && s.high == high && s.size == size && (len(key) <= 16 || s.tag == uint32(hash>>32) && t.same(s.group-1, key)) {
			return s.group - 1
		}
	}
}

// same compares a key with that of a group.
func (t *table) same(g uint32, key []byte) bool {
	other := t.key(g)
	if t.raw {
		other = other[1:]
	}
	return bytes.Equal(key, other)
}

func (t *table) insert(hash, low, high uint64, key []byte, at uint64) uint32 {
	g := t.add(hash, key, t.raw)
	t.slots[at] = slot{low: low, high: high, size: uint32(min(len(key), math.MaxUint32)), tag: uint32(hash >> 32), group: g + 1}
	// Small tables have many free slots, so that a group is nearly always in the first
	// that is looked at; of large ones that would take memory.
	if full := t.len() * 2; full > len(t.slots) || 2*full > len(t.slots) && len(t.slots) < 1<<17 || 8*full > len(t.slots) && len(t.slots) < 1<<13 {
		t.grow()
	}
	return g
}

// add makes a group.
func (t *table) add(hash uint64, key []byte, raw bool) uint32 {
	g := uint32(len(t.hashes))
	if raw {
		t.keys = append(t.keys, 0)
	}
	t.keys = append(t.keys, key...)
	t.ends = append(t.ends, len(t.keys))
	t.hashes = append(t.hashes, hash)
	n := len(t.states)
	t.states = append(t.states, make([]uint64, t.words)...)
	t.begin(t.states[n:])
	return g
}

func (t *table) grow() {
	before := t.slots
	t.slots = make([]slot, 2*len(before))
	mask := uint64(len(t.slots) - 1)
	for k := range before {
		s := &before[k]
		if s.group == 0 {
			continue
		}
		i := t.hashes[s.group-1] & mask
		for t.slots[i].group != 0 {
			i = (i + 1) & mask
		}
		t.slots[i] = *s
	}
}

// isNull is the raw key of null.
var isNull = []byte{1}

// nullGroup is the group of null, of raw keys.
func (t *table) nullGroup() uint32 {
	if t.null == 0 {
		t.null = t.add(0, isNull, false) + 1
	}
	return t.null - 1
}

// entry is a group as it is handed over; nothing is added to it afterwards.
func (t *table) entry(g uint32) entry {
	state := t.state(g)
	for i, x := range t.tallies {
		if sk, ok := x.(*sketchTally); ok {
			sk.settle(t, state[t.at[i]:])
		}
	}
	return entry{t.hashes[g], t.key(g), state, t.bytes}
}

// absorb adds a group of another table.
func (t *table) absorb(hash uint64, key []byte, state []uint64, from []byte) {
	var g uint32
	if t.raw && key[0] == 1 {
		g = t.nullGroup()
	} else {
		if t.raw {
			key = key[1:]
		}
		low, high := head(key)
		g = t.lookUp(hash, low, high, key)
	}
	t.merge(t, t.state(g), state, from)
}

// refIn is what a reference refers to.
func refIn(from []byte, ref []uint64) []byte { return from[ref[0]:][:ref[1]] }

func (t *table) bytesAt(ref []uint64) []byte { return refIn(t.bytes, ref) }

// setBytes lets ref refer to a copy of b, in the same place if there is room. New
// room is at least twice the old, so that what lies idle is less than what is used.
func (t *table) setBytes(ref []uint64, b []byte) {
	if n := uint64(len(b)); n > ref[2] {
		room := max(n, 2*ref[2])
		ref[0], ref[2] = uint64(len(t.bytes)), room
		t.bytes = append(t.bytes, b...)
		t.bytes = append(t.bytes, make([]byte, int(room-n))...)
	} else {
		copy(t.bytes[ref[0]:], b)
	}
	ref[1] = uint64(len(b))
}

func wordsOf(b []byte) []uint64 {
	words := make([]uint64, len(b)/8)
	for i := range words {
		words[i] = binary.LittleEndian.Uint64(b[8*i:])
	}
	return words
}

func (t *table) wordsAt(ref []uint64) []uint64 { return wordsOf(t.bytesAt(ref)) }

func (t *table) putWords(ref []uint64, words []uint64) {
	b := make([]byte, 0, 8*len(words))
	for _, w := range words {
		b = binary.LittleEndian.AppendUint64(b, w)
	}
	t.setBytes(ref, b)
}
