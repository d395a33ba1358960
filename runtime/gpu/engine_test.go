//go:build cuda

package gpu

import (
	"testing"

	"github.com/dfaparse/dfaparse/runtime/enginetest"
)

// TestEngine holds the engine to what all engines must do, in pieces so small
// that inputs have several, by both paths.
func TestEngine(t *testing.T) {
	newBench(t)
	for _, test := range []struct {
		name string
		opts []Option
	}{
		{"fused", []Option{WithPiece(48)}},
		{"general", []Option{WithPiece(100), WithGeneralPath()}},
		{"whole", nil},
	} {
		t.Run(test.name, func(t *testing.T) { enginetest.Run(t, New(test.opts...)) })
	}
}
