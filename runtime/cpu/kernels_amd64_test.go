package cpu

import "testing"

// onEach runs f with all that the machine has, and with less.
func onEach(t *testing.T, f func(t *testing.T)) {
	avx2, vbmi2, lanes := hasAVX2, hasVBMI2, hasLanes
	defer func() { hasAVX2, hasVBMI2, hasLanes = avx2, vbmi2, lanes }()
	if vbmi2 {
		t.Run("AVX512", f)
	}
	if hasVBMI2, hasLanes = false, false; avx2 {
		t.Run("AVX2", f)
	}
	hasAVX2 = false
	t.Run("Go", f)
}
