//go:build !arm64

package cpu

const hasNEON = false

func (x *inWords) findNEON([]uint64, []byte) bool { panic("no NEON") }
