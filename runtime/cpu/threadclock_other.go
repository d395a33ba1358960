//go:build !linux

package cpu

// newThreadClock is a clock like any other: it also runs while the thread
// waits for a core.
func newThreadClock() *clock { return newClock() }
