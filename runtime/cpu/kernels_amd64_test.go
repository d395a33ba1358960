package cpu

import "testing"

// onEach runs f with all that the machine has, and with less.
func onEach(t *testing.T, f func(t *testing.T)) {
	avx2, vbmi2 := hasAVX2, hasVBMI2
	defer func() { hasAVX2, hasVBMI2 = avx2, vbmi2 }()
	if vbmi2 {
		t.Run("AVX512", f)
	}
	if hasVBMI2 = false; avx2 {
		t.Run("AVX2", f)
	}
	hasAVX2 = false
	t.Run("Go", f)
}
