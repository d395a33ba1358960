package zstdfast

import (
	"math/bits"
	"unsafe"
)

// sequence is a run of literals and the match that follows it.
type sequence struct {
	literals uint32
	match    uint32 // length - minMatch
	offset   uint32 // how far back the match lies
}

const (
	tableBits = 15 // of long texts; of short ones as many as their length has, 10 at least
	minMatch  = 3  // of the format; the shortest that is looked for has 4 bytes
	// reach is how many bytes from a position on the matcher may look at.
	reach = 16
	// patience: after 2^patience symbols without a match every second one is
	// looked up, after twice as many every third.
	patience = 7
)

// matcher finds the sequences of a text, block by block.
type matcher struct {
	table     [1 << tableBits]uint32 // the last position of eight bytes, or 0
	sequences []sequence
	literals  []byte
	last      int  // offset of the last match
	shift     uint // 64 - log2 of how much of the table is used
}

// reset begins a text of n bytes.
func (m *matcher) reset(n int) {
	size := min(tableBits, max(10, bits.Len(uint(n))))
	clear(m.table[:1<<size])
	m.shift, m.last = uint(64-size), 1
}

// slot is where the position of eight bytes belongs: multiplicative hashing by
// the golden ratio.
func (m *matcher) slot(v uint64, shift uint) *uint32 {
	return &m.table[v*0x9e3779b97f4a7c15>>(shift&63)&(1<<tableBits-1)]
}

// block finds the sequences of src[from:to]. Matches may begin in what precedes.
// What follows the last match is at the end of the literals.
func (m *matcher) block(src []byte, from, to int) {
	if size := to - from; cap(m.literals) < size+reach {
		m.sequences = make([]sequence, size/4+1)
		m.literals = make([]byte, size+reach)
	}
	sequences, literals := m.sequences[:cap(m.sequences)], m.literals[:cap(m.literals)]
	nsequences, nliterals := 0, 0
	p := unsafe.Pointer(unsafe.SliceData(src))  // up to limit+reach anything may be loaded
	limit := min(to-2*minMatch, len(src)-reach) // a match is not cut shorter than it may be
	anchor, at, last := from, max(from, 1), m.last
	shift := m.shift
	var here uint64
	var slot *uint32
	if at < limit {
		here = load8(p, at)
		slot = m.slot(here, shift)
	}
	for at < limit {
		found := int(*slot)
		*slot = uint32(at)
		next := load8(p, at+1)
		nextSlot := m.slot(next, shift)
		switch {
		case load4(p, at+1-last) == uint32(next):
			at++
			found = at - last
		case load4(p, found) == uint32(here):
			last = at - found
		default:
			skipped := (at - anchor) >> patience
			at++
			here, slot = next, nextSlot
			if skipped > 0 && at+skipped < limit {
				at += skipped
				here = load8(p, at)
				slot = m.slot(here, shift)
			}
			continue
		}
		// Lengths are found without branches up to 8 symbols each way: few are
		// longer, and where they end nobody can predict.
		before := 0
		if found >= 8 {
			before = min(bits.LeadingZeros64(load8(p, at-8)^load8(p, found-8))/8, at-anchor)
		}
		length := 4
		differ := load8(p, at+4) ^ load8(p, found+4)
		length += bits.TrailingZeros64(differ) / 8
		for differ == 0 && at+length < limit {
			differ = load8(p, at+length) ^ load8(p, found+length)
			length += bits.TrailingZeros64(differ) / 8
		}
		length = min(length, to-at)
		start := at - before
		run := start - anchor
		*(*[16]byte)(unsafe.Pointer(&literals[nliterals])) = *(*[16]byte)(unsafe.Add(p, anchor))
		if run > 16 {
			copy(literals[nliterals+16:], src[anchor+16:start])
		}
		nliterals += run
		at += length
		sequences[nsequences] = sequence{literals: uint32(run), match: uint32(at - start - minMatch), offset: uint32(last)}
		nsequences++
		anchor = at
		if at < limit {
			*m.slot(load8(p, at-2), shift) = uint32(at - 2)
			here = load8(p, at)
			slot = m.slot(here, shift)
		}
	}
	nliterals += copy(literals[nliterals:], src[anchor:to])
	m.sequences, m.literals, m.last = sequences[:nsequences], literals[:nliterals], last
}

func load4(p unsafe.Pointer, i int) uint32 { return *(*uint32)(unsafe.Add(p, i)) }
func load8(p unsafe.Pointer, i int) uint64 { return *(*uint64)(unsafe.Add(p, i)) }
