package cpu

import "testing"

// onEach runs f with NEON and without.
func onEach(t *testing.T, f func(t *testing.T)) {
	defer func() { hasNEON = true }()
	for _, name := range []string{"AVX512", "VBMI2", "AVX2"} {
		t.Run(name, func(t *testing.T) { t.Skip("there is no such code for arm64") })
	}
	t.Run("NEON", f)
	hasNEON = false
	t.Run("Go", f)
}
