//go:build !amd64 && !arm64

package symbols

const has16 = false

func findSymbol16(*uint64, *byte, int, byte) uint64 { panic("no vectors") }

func findSet16(*uint64, *byte, int, *[64]byte) uint64 { panic("no vectors") }
