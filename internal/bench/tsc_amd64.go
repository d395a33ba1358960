package bench

import (
	"encoding/binary"
	"strings"
)

// Leaves of CPUID: Intel's manual, volume 2A; AMD's, volume 3, appendix E.
const (
	leafExtended  = 0x8000_0000 // EAX: the last extended leaf
	leafBrand     = 0x8000_0002 // and the next two: 48 bytes of text
	leafPower     = 0x8000_0007
	powerTSCFixed = 1 << 8 // of EDX: the counter's rate never changes
)

//go:noescape
func cpuid(leaf, sub uint32) (eax, ebx, ecx, edx uint32)

// ticks reads the time stamp counter.
//
//go:noescape
func ticks() uint64

// steadyTicks says whether the rate of the time stamp counter is fixed.
func steadyTicks() bool {
	if last, _, _, _ := cpuid(leafExtended, 0); last < leafPower {
		return false
	}
	_, _, _, power := cpuid(leafPower, 0)
	return power&powerTSCFixed != 0
}

// brand is the processor's name as the processor says it.
func brand() string {
	if last, _, _, _ := cpuid(leafExtended, 0); last < leafBrand+2 {
		return ""
	}
	var text []byte
	for leaf := range uint32(3) {
		a, b, c, d := cpuid(leafBrand+leaf, 0)
		for _, r := range [4]uint32{a, b, c, d} {
			text = binary.LittleEndian.AppendUint32(text, r)
		}
	}
	return strings.Join(strings.Fields(strings.TrimRight(string(text), "\x00")), " ")
}
