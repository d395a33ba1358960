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

// EscapedBy is the symbols before which a lead stands that is none itself escaped, where
// leads are l; before says so of the first one. It is simdjson's way.
func EscapedBy(l, before uint64) (by, last uint64) {
	const odd = 0xaaaaaaaaaaaaaaaa
	free := l &^ before
	after := (free<<1 | odd) - free ^ odd
	return after ^ (l | before), (after & l) >> 63
}
