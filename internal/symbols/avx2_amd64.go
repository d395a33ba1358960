package symbols

import "golang.org/x/sys/cpu"

// hasAVX2 is what the machine has. Tests take it away.
var hasAVX2 = cpu.X86.HasAVX2

// findSetAVX2 is Set.FindBlocks for nblocks blocks, at least one.
//
//go:noescape
func findSetAVX2(dst *uint64, src *byte, nblocks int, set *rows)
