package zstdfast

import (
	"encoding/binary"
	"math/bits"
)

// The kinds of codes, in the order of their tables. RFC 8878, 3.1.1.3.2.
const (
	ofLiterals = iota
	ofOffsets
	ofMatches
	kinds
)

// maxLogs are the largest tables allowed.
var maxLogs = [kinds]int{ofLiterals: 9, ofOffsets: 8, ofMatches: 9}

// Codes of lengths: small ones have their own, larger ones share a code and are
// told by extra bits, the low bits of the length. Beyond the tables there is a
// code for each power of two.
var (
	literalCodes, literalBits = lengthCodes(64, []uint8{16: 1, 1, 1, 1, 2, 2, 3, 3, 4})
	matchCodes, matchBits     = lengthCodes(128, []uint8{32: 1, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5})
)

const (
	literalPowers = 19 // code of 2^k - k, from 64 on
	matchPowers   = 36 // the same, from 128 on
)

func lengthCodes(n int, extra []uint8) (codes []uint8, nbits [64]uint8) {
	for code, width := range extra {
		nbits[code] = width
		for range 1 << width {
			codes = append(codes, uint8(code))
		}
	}
	for code := len(extra); code < len(nbits); code++ { // the powers of two
		nbits[code] = uint8(bits.Len(uint(n)) - 1 + code - len(extra))
	}
	return codes, nbits
}

func literalCode(n uint32) uint8 {
	if n < 64 {
		return literalCodes[n]
	}
	return uint8(bits.Len32(n) - 1 + literalPowers)
}

func matchCode(n uint32) uint8 {
	if n < 128 {
		return matchCodes[n]
	}
	return uint8(bits.Len32(n) - 1 + matchPowers)
}

// coder encodes the sequences of a block.
type coder struct {
	tables     [kinds]table
	histograms [kinds]histogram
	codes      []codes // by sequence
}

// codes are those of a sequence.
type codes struct{ literals, offset, match uint8 }

// append appends the section of sequences. last is the offset of the match
// before the first of them; lastOffset is that of the last.
func (c *coder) append(dst []byte, sequences []sequence, last uint32) (out []byte, lastOffset uint32) {
	n := len(sequences)
	switch {
	case n < 128:
		dst = append(dst, byte(n))
	case n < 0x7f00:
		dst = append(dst, byte(n>>8|128), byte(n))
	default:
		dst = binary.LittleEndian.AppendUint16(append(dst, 255), uint16(n-0x7f00))
	}
	if n == 0 {
		return dst, last
	}
	last = c.count(sequences, last)
	modes := len(dst)
	dst = append(dst, 0)
	for kind := range c.tables {
		var mode int
		dst, mode = c.tables[kind].describe(dst, &c.histograms[kind], n, maxLogs[kind])
		dst[modes] |= byte(mode << (6 - 2*kind))
	}
	return c.bits(dst, sequences), last
}

// count finds the codes and counts them. An offset becomes the number that is
// encoded: 1 is that of the match before, if literals stand between; the numbers
// of older offsets are not used.
func (c *coder) count(sequences []sequence, last uint32) uint32 {
	if cap(c.codes) < len(sequences) {
		c.codes = make([]codes, cap(sequences))
	}
	c.codes = c.codes[:len(sequences)]
	var literals, offsets, matches histogram
	for i := range sequences {
		s := &sequences[i]
		offset := s.offset
		s.offset += 3
		if offset == last && s.literals > 0 {
			s.offset = 1
		}
		last = offset
		codes := codes{literalCode(s.literals), uint8(bits.Len32(s.offset) - 1), matchCode(s.match)}
		c.codes[i] = codes
		literals[codes.literals&63]++
		offsets[codes.offset&63]++
		matches[codes.match&63]++
	}
	c.histograms = [kinds]histogram{literals, offsets, matches}
	return last
}

// bits appends codes and extra bits from the last sequence to the first, as they
// are read from the end.
func (c *coder) bits(dst []byte, sequences []sequence) []byte {
	at := len(dst)
	dst = append(dst, make([]byte, len(sequences)*maxSequence+16)...)
	literals, offsets, matches := &c.tables[ofLiterals], &c.tables[ofOffsets], &c.tables[ofMatches]
	final := c.codes[len(sequences)-1]
	literal, offset, match := literals.first(final.literals), offsets.first(final.offset), matches.first(final.match)
	var w bitBuffer
	for i := len(sequences) - 1; i >= 0; i-- {
		s, codes := &sequences[i], c.codes[i]
		if i < len(sequences)-1 {
			w, offset = offsets.encode(w, offset, codes.offset)
			w, match = matches.encode(w, match, codes.match)
			w, literal = literals.encode(w, literal, codes.literals)
		}
		if w.nbits+uint(literalBits[codes.literals&63]+matchBits[codes.match&63]+codes.offset) > maxBits {
			w, at = w.flush(dst, at)
		}
		w = w.add(s.literals, literalBits[codes.literals&63])
		w = w.add(s.match, matchBits[codes.match&63])
		w = w.add(s.offset, codes.offset)
		w, at = w.flush(dst, at)
	}
	w = w.add(match, uint8(matches.log)).add(offset, uint8(offsets.log)).add(literal, uint8(literals.log))
	w = w.add(1, 1) // where the reader begins
	w, at = w.flush(dst, at)
	return dst[:at+int(w.nbits+7)/8]
}

// maxSequence is how many bytes a sequence takes at most: its codes 26 bits,
// lengths 16 extra bits each, its offset 23.
const maxSequence = (26 + 16 + 16 + 23 + 7) / 8

// maxBits is how many bits a buffer may hold.
const maxBits = 63

// bitBuffer holds bits for a reader that begins at the end.
type bitBuffer struct {
	held  uint64
	nbits uint
}

// add adds the low bits of v.
func (w bitBuffer) add(v uint32, nbits uint8) bitBuffer {
	w.held |= uint64(v) & (1<<(nbits&63) - 1) << (w.nbits & 63)
	w.nbits += uint(nbits)
	return w
}

// flush writes whole bytes to dst[at:].
func (w bitBuffer) flush(dst []byte, at int) (bitBuffer, int) {
	binary.LittleEndian.PutUint64(dst[at:], w.held)
	return bitBuffer{w.held >> (w.nbits &^ 7 & 63), w.nbits & 7}, at + int(w.nbits>>3)
}

// encode adds a code, and gives the state after it.
func (t *table) encode(w bitBuffer, state uint32, code uint8) (bitBuffer, uint32) {
	c := &t.codes[code&63]
	nbits := (state + c.bits) >> 16
	return w.add(state, uint8(nbits)), uint32(t.states[(state>>(nbits&31)+uint32(c.next))&(maxStates-1)])
}
