//go:build !amd64

package aggregate

const hasKernels = false

func shortAES(*[5][16]byte, uint64, uint64) uint64 { panic("no kernels") }

func longAES(*[5][16]byte, *byte, int) uint64 { panic("no kernels") }

func findAES(*[5][16]byte, *byte, int, int, *int32, *slot, uint64, *byte, *int, *uint32, int) int {
	panic("no kernels")
}

func addWholes(*uint64, int, bool, *int64, int, *uint32, int) { panic("no kernels") }

func addFloats(*uint64, int, bool, float64, *float64, *uint32, int) int { panic("no kernels") }
