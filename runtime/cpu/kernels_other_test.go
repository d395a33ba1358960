//go:build !amd64

package cpu

import (
	"runtime"
	"testing"
)

func onEach(t *testing.T, f func(t *testing.T)) {
	for _, name := range []string{"AVX512", "VBMI2", "AVX2"} {
		t.Run(name, func(t *testing.T) { t.Skip("there is no vector code for " + runtime.GOARCH) })
	}
	t.Run("Go", f)
}
