package convert

import (
	"bytes"

	"github.com/dfaparse/dfaparse/internal/columns"
)

// keySequences are the keys of maps, in their order, among which none is twice: most maps
// of a column have the same ones as some other.
type keySequences struct {
	slots []sequence
}

// sequence is keys one behind the other.
type sequence struct {
	ends []int32
	text []byte
}

// What is remembered of one column.
const (
	mostSequences = 1 << 12
	mostKeys      = 64  // of one
	mostKeyBytes  = 512 // of one
)

// has reports whether the rows of keys are a sequence that has been added.
func (q *keySequences) has(keys *columns.Column, s span) bool {
	if q.slots == nil {
		return false
	}
	offsets := keys.Offsets[s.from : s.to+1]
	first := offsets[0]
	text := keys.Data[first:offsets[len(offsets)-1]]
	known := &q.slots[sequenceHash(text)]
	if !bytes.Equal(known.text, text) || len(known.ends) != len(offsets)-1 {
		return false
	}
	var differs int32
	offsets = offsets[1:]
	for i, end := range known.ends[:len(offsets)] {
		differs |= offsets[i] - first ^ end
	}
	return differs == 0
}

// add remembers the rows of keys, in the place of what is there that looks alike.
func (q *keySequences) add(keys *columns.Column, s span) {
	offsets := keys.Offsets[s.from : s.to+1]
	text := keys.Data[offsets[0]:offsets[len(offsets)-1]]
	if len(offsets) > mostKeys || len(text) > mostKeyBytes {
		return
	}
	if q.slots == nil {
		q.slots = make([]sequence, mostSequences)
	}
	known := &q.slots[sequenceHash(text)]
	known.text, known.ends = append(known.text[:0], text...), known.ends[:0]
	for _, o := range offsets[1:] {
		known.ends = append(known.ends, o-offsets[0])
	}
}

// sequenceHash is the place of a sequence.
func sequenceHash(text []byte) uint32 {
	h := uint64(len(text))
	if len(text) < 8 {
		for _, c := range text {
			h = h<<8 | uint64(c)
		}
	}
	const factor = 0x9e3779b97f4a7c15
	for at := uint32(0); int(at)+8 <= len(text); at += 8 {
		h = (h ^ word(text, at)) * factor
		h ^= h >> 29
	}
	if n := len(text); n >= 8 {
		h ^= word(text, uint32(n-8))
	}
	h *= factor
	return uint32(h>>32) & (mostSequences - 1)
}
