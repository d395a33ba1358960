package dfa

import "slices"

// bitset is a set of small numbers, states or groups.
type bitset []uint64

func newBits(n int) bitset { return make(bitset, (n+63)/64) }

func fullBits(n int) bitset {
	b := newBits(n)
	for i := range b {
		b[i] = ^uint64(0)
	}
	return b
}

func (b bitset) set(i int)     { b[i>>6] |= 1 << (i & 63) }
func (b bitset) clone() bitset { return slices.Clone(b) }

func (b bitset) and(c bitset) {
	for i := range b {
		b[i] &= c[i]
	}
}

func (b bitset) or(c bitset) {
	for i := range b {
		b[i] |= c[i]
	}
}

// meets reports whether b and c have a member in common.
func (b bitset) meets(c bitset) bool {
	for i := range b {
		if b[i]&c[i] != 0 {
			return true
		}
	}
	return false
}

// within reports whether every member of b is one of c or of d.
func (b bitset) within(c, d bitset) bool {
	for i := range b {
		if b[i]&^(c[i]|d[i]) != 0 {
			return false
		}
	}
	return true
}
