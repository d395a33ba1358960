package symbols

import "testing"

// onEach runs f with NEON and without.
func onEach(t *testing.T, f func(t *testing.T)) {
	defer func() { has16 = true }()
	t.Run("NEON", f)
	has16 = false
	t.Run("Go", f)
}
