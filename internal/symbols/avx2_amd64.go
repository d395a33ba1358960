package symbols

import "golang.org/x/sys/cpu"

// hasAVX2 is what the machine has. Tests take it away.
var hasAVX2 = cpu.X86.HasAVX2

// findSetAVX2 is Set.FindBlocks for nblocks blocks, at least one.
//
//go:noescape
func findSetAVX2(dst *uint64, src *byte, nblocks int, set *rows)

// findEachAVX2 is Each.Find for nblocks blocks, at least one.
//
//go:noescape
func findEachAVX2(dst *[MostEach][Strip]uint64, src *byte, nblocks int, symbols *[MostEach]byte, some *[MostEach]uint64)
