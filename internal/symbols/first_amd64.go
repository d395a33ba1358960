package symbols

import "math/bits"

// First is the number of the lowest bit of x that is set; 64 if there is none. The
// instruction that finds it, and is on every amd64, takes many AMD processors three times
// as long as to count bits.
func First(x uint64) int { return bits.OnesCount64((x - 1) &^ x) }
