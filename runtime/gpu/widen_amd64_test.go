//go:build cuda

package gpu

import "testing"

// TestWidenVectors: with vectors, on a machine that has them.
func TestWidenVectors(t *testing.T) {
	if !hasAVX2 {
		t.Skip("this machine has no AVX2")
	}
	TestWiden(t)
}

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
