package convert

// runHex reads up to 16 hexadecimal digits, with or without 0x.
func runHex[T integer](out []T, f *Fields, i int) int {
	start := f.Start
	end := f.End[:len(start)]
	out = out[:len(start)]
	src := eights{f.Src}
	for ; i < len(start); i++ {
		s, n := start[i], end[i]-start[i]
		if !src.has(s) { // nor what is not in Src
			return i
		}
		x := src.at(s)
		if n > 2 && x&0xdfff == '0'|'X'<<8 {
			if s, n = s+2, n-2; !src.has(s) {
				return i
			}
			x = src.at(s)
		}
		var v, bad uint64
		switch {
		case n-1 < 8:
			v, bad = hex8(rightOf(x, n))
		case n-9 < 8:
			var low, badLow uint64
			v, bad = hex8(rightOf(x, n-8))
			low, badLow = hex8(src.at(s + n - 8))
			v, bad = v<<32|low, bad|badLow
		default:
			return i
		}
		// A conversion that loses bits, or becomes negative, is for parse to refuse.
		t := T(v)
		if bad != 0 || uint64(t) != v || t < 0 {
			return i
		}
		out[i] = t
	}
	return i
}

// rightOf are the first n symbols of x, 1 to 8, behind zeros.
func rightOf(x uint64, n uint32) uint64 {
	shift := (64 - 8*n) & 63
	return x<<shift | asciiZero&(1<<shift-1)
}

// hex8 is the number that eight hexadecimal digits are, the first in the lowest byte; bad is not 0 if any is none.
func hex8(x uint64) (v, bad uint64) {
	letter := (x | 0x20*eachByte) ^ 0x60*eachByte // 1 to 6
	digit := x ^ asciiZero                        // 0 to 9
	low := ^uint64(asciiHigh)
	letters := ((letter&low + 0x7f*eachByte) &^ (letter&low + 0x79*eachByte)) & asciiHigh
	digits := ^(digit&low + 0x76*eachByte) & asciiHigh
	bad = (letters|digits)&^x&asciiHigh ^ asciiHigh
	v = x&(0x0f*eachByte) + letters>>7*9
	v = v * (16<<8 + 1) >> 8
	v = (v & 0x00FF00FF00FF00FF) * (256<<16 + 1) >> 16
	return (v & 0x0000FFFF0000FFFF) * (65536<<32 + 1) >> 32, bad
}
