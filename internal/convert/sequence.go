package convert

import (
	"bytes"

	"github.com/dfaparse/dfaparse/internal/columns"
)

// keySequences are the keys of maps, in their order, among which none is twice: most maps
// of a column have the same ones as some other.
//
//	slots   hash, keys, bytes, at   →   ends | 0 1 3 | text | a b ccc |
//
// What is remembered lies in few cache lines, as it is looked at for each map.
type keySequences struct {
	slots []sequenceSlot // a power of two, at most half of them in use
	ends  []uint16       // of each key in the text
	text  []byte
	n     int
}

// sequenceSlot is free if it has no keys.
type sequenceSlot struct {
	hash, ends, text uint32
	keys, nbytes     uint16
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
	offsets = offsets[1:]
	text := keys.Data[first:offsets[len(offsets)-1]]
	hash := sequenceHash(text)
	mask := uint32(len(q.slots) - 1)
	for i := hash & mask; ; i = (i + 1) & mask {
		known := &q.slots[i]
		switch {
		case known.keys == 0:
			return false
		case known.hash != hash || int(known.keys) != len(offsets) || !bytes.Equal(q.text[known.text:known.text+uint32(known.nbytes)], text):
			continue
		}
		var differs int32
		for k, end := range q.ends[known.ends:][:len(offsets)] {
			differs |= offsets[k] - first ^ int32(end)
		}
		if differs == 0 {
			return true
		}
	}
}

// add remembers the rows of keys, which are not there yet.
func (q *keySequences) add(keys *columns.Column, s span) {
	offsets := keys.Offsets[s.from : s.to+1]
	text := keys.Data[offsets[0]:offsets[len(offsets)-1]]
	if len(offsets) > mostKeys || len(text) > mostKeyBytes {
		return
	}
	if q.slots == nil {
		q.slots = make([]sequenceSlot, 2*mostSequences)
	}
	if q.n++; q.n > mostSequences { // the input has changed, or has no sequences
		q.n, q.ends, q.text = 1, q.ends[:0], q.text[:0]
		clear(q.slots)
	}
	hash := sequenceHash(text)
	mask := uint32(len(q.slots) - 1)
	i := hash & mask
	for q.slots[i].keys != 0 {
		i = (i + 1) & mask
	}
	q.slots[i] = sequenceSlot{hash, uint32(len(q.ends)), uint32(len(q.text)), uint16(len(offsets) - 1), uint16(len(text))}
	q.text = append(q.text, text...)
	for _, o := range offsets[1:] {
		q.ends = append(q.ends, uint16(o-offsets[0]))
	}
}

// sequenceHash depends on all of text. Two products do not wait for one another.
func sequenceHash(text []byte) uint32 {
	const factor = 0x9e3779b97f4a7c15
	a, b := uint64(len(text)), uint64(factor)
	n := len(text)
	if n < 8 {
		for _, c := range text {
			a = a<<8 | uint64(c)
		}
		n = 0
	}
	at := uint32(0)
	for ; int(at)+16 <= n; at += 16 {
		a = (a ^ word(text, at)) * factor
		b = (b ^ word(text, at+8)) * factor
		a ^= a >> 32
		b ^= b >> 32
	}
	if int(at)+8 <= n {
		a = (a ^ word(text, at)) * factor
		a ^= a >> 32
	}
	if n > 0 {
		b ^= word(text, uint32(n-8))
	}
	b *= factor
	return uint32((a ^ b>>29) * factor >> 32)
}
