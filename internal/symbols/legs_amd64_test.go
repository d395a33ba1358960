package symbols

import "testing"

// onEach runs f with AVX2 and without.
func onEach(t *testing.T, f func(t *testing.T)) {
	had := hasAVX2
	defer func() { hasAVX2 = had }()
	t.Run("AVX2", func(t *testing.T) {
		if !had {
			t.Skip("this machine has no AVX2")
		}
		f(t)
	})
	hasAVX2 = false
	t.Run("Go", f)
}
