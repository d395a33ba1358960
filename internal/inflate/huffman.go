package inflate

import "math/bits"

const (
	maxCode   = 15 // bits of a code
	quickBits = 10 // of codes that a table has
)

// code is a canonical Huffman code: a table for short codes, and what is needed to find the
// long ones bit by bit.
type code struct {
	quick   [1 << quickBits]uint16 // by the next bits: symbol<<4 | length; 0: it is longer
	counts  [maxCode + 1]uint16    // codes of each length
	symbols [288]uint16            // in the order of their codes
}

// build makes the code of the lengths of symbols, and reports whether there is such a code.
// One that leaves codes unused is none, unless it has one of one bit, or none at all.
func (c *code) build(lengths []uint8) bool {
	clear(c.quick[:])
	clear(c.counts[:])
	for _, n := range lengths {
		c.counts[n]++
	}
	c.counts[0] = 0
	left, most := 1, 0
	for n := 1; n <= maxCode; n++ {
		if left = left<<1 - int(c.counts[n]); left < 0 {
			return false
		}
		if c.counts[n] > 0 {
			most = n
		}
	}
	if left > 0 && most > 1 {
		return false
	}
	var index, next [maxCode + 2]uint16 // of the first symbol of each length, and its code
	for n := 1; n <= maxCode; n++ {
		index[n+1] = index[n] + c.counts[n]
		next[n+1] = (next[n] + c.counts[n]) << 1
	}
	for symbol, n := range lengths {
		if n == 0 {
			continue
		}
		c.symbols[index[n]] = uint16(symbol)
		index[n]++
		if n <= quickBits {
			reversed := bits.Reverse16(next[n]) >> (16 - n)
			for i := int(reversed); i < len(c.quick); i += 1 << n {
				c.quick[i] = uint16(symbol)<<4 | uint16(n)
			}
		}
		next[n]++
	}
	return true
}

// long finds a code that is not in the table: its symbol and length, 0 if there is none.
func (c *code) long(hold uint64) (symbol uint16, n uint) {
	at, first, index := 0, 0, 0
	for n := uint(1); n <= maxCode; n++ {
		at |= int(hold & 1)
		hold >>= 1
		count := int(c.counts[n])
		if at-first < count {
			return c.symbols[index+at-first], n
		}
		index += count
		first = (first + count) << 1
		at <<= 1
	}
	return 0, 0
}
