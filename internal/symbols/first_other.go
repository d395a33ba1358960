//go:build !amd64

package symbols

import "math/bits"

// First is the number of the lowest bit of x that is set; 64 if there is none.
func First(x uint64) int { return bits.TrailingZeros64(x) }
