//go:build amd64 || arm64

package symbols

// findSymbol16 sets dst to masks of a symbol in nblocks blocks of src, at least one, and gives
// the OR of them.
//
//go:noescape
func findSymbol16(dst *uint64, src *byte, nblocks int, symbol byte) (some uint64)

// findSet16 is findSymbol16 for a set: see Words.nibbles.
//
//go:noescape
func findSet16(dst *uint64, src *byte, nblocks int, set *[64]byte) (some uint64)
