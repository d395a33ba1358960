//go:build cuda

package gpu

import "testing"

// TestWidenGeneric: without vectors, the same.
func TestWidenGeneric(t *testing.T) {
	defer func(had bool) { hasAVX2 = had }(hasAVX2)
	hasAVX2 = false
	TestWiden(t)
}

func BenchmarkWidenGeneric(b *testing.B) {
	defer func(had bool) { hasAVX2 = had }(hasAVX2)
	hasAVX2 = false
	BenchmarkWiden(b)
}
