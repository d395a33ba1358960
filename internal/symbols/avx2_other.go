//go:build !amd64

package symbols

const hasAVX2 = false

func findSetAVX2(*uint64, *byte, int, *rows) { panic("no AVX2") }
