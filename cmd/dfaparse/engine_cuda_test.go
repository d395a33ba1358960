//go:build cuda

package main

import (
	"os"
	"testing"
)

// TestHideOthers: the driver is told to look at the first GPU alone only where that is the
// one that is used, and nobody has said anything else.
func TestHideOthers(t *testing.T) {
	for _, c := range []struct {
		devices []int
		said    string
		want    string
	}{
		{[]int{0}, "", "0"},
		{[]int{0}, "1,0", "1,0"},
		{[]int{1}, "", ""},
		{[]int{0, 1}, "", ""},
		{nil, "", ""}, // all
	} {
		t.Setenv(visibleDevices, c.said)
		if c.said == "" {
			os.Unsetenv(visibleDevices)
		}
		hideOthers(c.devices)
		if got := os.Getenv(visibleDevices); got != c.want {
			t.Errorf("devices %v, %q: %q, want %q", c.devices, c.said, got, c.want)
		}
	}
}
