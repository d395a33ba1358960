//go:build !arm64

package symbols

const hasNEON = false

func (x *Words) findNEON([]uint64, []byte) bool { panic("no NEON") }
