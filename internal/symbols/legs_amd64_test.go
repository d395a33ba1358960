package symbols

import "testing"

// onEach runs f with AVX2, with SSSE3 and without.
func onEach(t *testing.T, f func(t *testing.T)) {
	had, had16 := hasAVX2, has16
	defer func() { hasAVX2, has16 = had, had16 }()
	t.Run("AVX2", func(t *testing.T) {
		if !had {
			t.Skip("this machine has no AVX2")
		}
		f(t)
	})
	hasAVX2 = false
	t.Run("SSSE3", func(t *testing.T) {
		if !had16 {
			t.Skip("this machine has no SSSE3")
		}
		f(t)
	})
	has16 = false
	t.Run("Go", f)
}
