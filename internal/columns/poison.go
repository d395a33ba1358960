//go:build !race

package columns

// poison: see poison_race.go.
const poison = false

// leastPooled is what it is worth to keep, in bytes.
const leastPooled = 4 << 10
