//go:build race

package columns

// poison: what a Pool is given back is overwritten, so that tests find uses of
// released memory.
const poison = true

const leastPooled = 16
