package symbols

// hasNEON: every arm64 has it. Tests take it away.
var hasNEON = true

// findNEON is findGeneric.
func (x *Words) findNEON(dst []uint64, src []byte) (some bool) {
	if len(dst) == 0 {
		return false
	}
	_ = src[len(dst)*Block-1]
	if len(x.symbols) == 1 && len(x.ranges) == 0 {
		return findSymbolNEON(&dst[0], &src[0], len(dst), x.symbols[0]) != 0
	}
	return findSetNEON(&dst[0], &src[0], len(dst), &x.nibbles) != 0
}

// findSymbolNEON sets dst to masks of a symbol in nblocks blocks of src, and gives the
// OR of them.
//
//go:noescape
func findSymbolNEON(dst *uint64, src *byte, nblocks int, symbol byte) (some uint64)

// findSetNEON is findSymbolNEON for a set: see Words.nibbles.
//
//go:noescape
func findSetNEON(dst *uint64, src *byte, nblocks int, set *[64]byte) (some uint64)
