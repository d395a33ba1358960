package symbols

import "testing"

// onEach runs f with NEON and without.
func onEach(t *testing.T, f func(t *testing.T)) {
	defer func() { hasNEON = true }()
	t.Run("NEON", f)
	hasNEON = false
	t.Run("Go", f)
}
