package symbols

// PrefixXor has bit i set if an odd number of the bits 0 to i of x are: of quotes, what stands
// from an odd one up to the next.
func PrefixXor(x uint64) uint64 {
	x ^= x << 1
	x ^= x << 2
	x ^= x << 4
	x ^= x << 8
	x ^= x << 16
	return x ^ x<<32
}
