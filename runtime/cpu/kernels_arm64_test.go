package cpu

import "testing"

// onEach runs f with what there is. Vector code for arm64 is in internal/symbols.
func onEach(t *testing.T, f func(t *testing.T)) {
	for _, name := range []string{"AVX512", "VBMI2", "AVX2", "BMI"} {
		t.Run(name, func(t *testing.T) { t.Skip("there is no such code for arm64") })
	}
	t.Run("Go", f)
}
