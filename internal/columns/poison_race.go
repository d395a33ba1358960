//go:build race

package columns

const (
	// raced: the race detector watches, so that all is poisoned, and nearly all used again.
	raced = true

	leastPooled = 16
)
