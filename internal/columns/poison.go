//go:build !race

package columns

const (
	// raced: see poison_race.go.
	raced = false

	// leastPooled is what it is worth to keep, in bytes.
	leastPooled = 4 << 10
)
