//go:build !amd64

package symbols

const hasAVX2 = false

func findSetAVX2(*uint64, *byte, int, *rows) { panic("no AVX2") }

func findEachAVX2(*[MostEach][Strip]uint64, *byte, int, *[MostEach]byte, *[MostEach]uint64) {
	panic("no AVX2")
}
