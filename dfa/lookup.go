package dfa

import (
	"fmt"
	"math/bits"
)

// MaxLookupSymbols bounds the symbols of LookupRegisters: four registers.
const MaxLookupSymbols = 16

// LookupRegisters find the group of a symbol without a table and without a
// branch, by comparing it with four symbols at once (ParPaRaw, section 4.5 and
// Table 2): the way to do it where a table of 256 entries would be slower than
// arithmetic. The symbols of the largest group, the catch-all, are not listed;
// what matches no listed symbol is of that group.
//
//	listed     '\n' '"' ',' '|'    | '\t'
//	register    byte 0 .. byte 3   | byte 0, the rest filled with '\t'
type LookupRegisters struct {
	Registers []uint32 // four listed symbols each, the first in the lowest byte
	// Groups[i] is the group of the symbol in byte i&3 of Registers[i>>2]; the
	// last, Groups[4*len(Registers)], is the catch-all.
	Groups []GroupID
}

// NewLookupRegisters makes the registers for a's symbol groups. They do not
// apply, which the error says, if more than MaxLookupSymbols symbols lie
// outside the largest group.
func NewLookupRegisters(a *Automaton) (*LookupRegisters, error) {
	size := make([]int, a.NGroups)
	for _, g := range a.Group {
		size[g]++
	}
	rest := 0
	for g := range size {
		if size[g] >= size[rest] {
			rest = g
		}
	}
	if n := 256 - size[rest]; n > MaxLookupSymbols {
		return nil, fmt.Errorf("lookup registers: %d symbols outside the largest group, at most %d", n, MaxLookupSymbols)
	}
	l := &LookupRegisters{}
	var last byte
	list := func(symbol byte) {
		i := len(l.Groups)
		if i&3 == 0 {
			l.Registers = append(l.Registers, 0)
		}
		l.Registers[i>>2] |= uint32(symbol) << (8 * (i & 3))
		l.Groups = append(l.Groups, a.Group[symbol])
		last = symbol
	}
	for g := range a.NGroups {
		for symbol, of := range a.Group {
			if int(of) == g && g != rest {
				list(byte(symbol))
			}
		}
	}
	for len(l.Groups)&3 != 0 {
		list(last)
	}
	l.Groups = append(l.Groups, GroupID(rest))
	return l, nil
}

// Match is the group of symbol.
func (l *LookupRegisters) Match(symbol byte) GroupID {
	s := uint32(symbol) * 0x01010101 // in every byte
	index := uint32(4 * len(l.Registers))
	for i, register := range l.Registers {
		at := highestBit(nullBytes(register^s)) >> 3 // 0..3, or 0x1fffffff
		index = min(index, at+uint32(4*i))
	}
	return l.Groups[index]
}

// nullBytes has the highest bit of each byte set where that byte of x is 0.
//
// The paper has Mycroft's test here, (x-0x01010101) & ^x & 0x80808080, which is
// an operation shorter. But it borrows: above a byte that is 0 a byte that is
// 1 is taken for 0 as well, and highestBit would find that one. Two listed
// symbols that differ in their lowest bit only, one after the other, give the
// wrong group with it.
func nullBytes(x uint32) uint32 {
	const low = 0x7f7f7f7f
	return ^((x&low + low) | x | low)
}

// highestBit is the number of the highest bit of x that is set, and all ones
// if none is: the instruction bfind of NVIDIA's PTX.
func highestBit(x uint32) uint32 { return uint32(bits.Len32(x) - 1) }
