//go:build !amd64

package bench

import (
	"os"
	"strings"
)

// There is no counter that a program may read.
func steadyTicks() bool { return false }
func ticks() uint64     { return 0 }

// brand is the processor's name where Linux knows it.
func brand() string {
	b, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(b)) {
		key, value, _ := strings.Cut(line, ":")
		switch strings.TrimSpace(key) {
		case "model name", "Model":
			return strings.TrimSpace(value)
		}
	}
	return ""
}
