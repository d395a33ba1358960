//go:build !amd64

package cpu

import "testing"

func onEach(t *testing.T, f func(t *testing.T)) { t.Run("Go", f) }
