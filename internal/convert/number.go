package convert

import "math"

// decimalForm is the notation of floats and decimals:
// [+-] (digits [point digits*] | point digits) [(e|E) [+-] digits].
type decimalForm struct {
	point     byte
	thousands byte
}

// scanned is a number as written, m·10^exp, m being the first 19 significant
// digits.
type scanned struct {
	neg bool
	cut bool // a significant digit beyond the 19 is not 0
	m   uint64
	exp int
}

// maxExponent bounds exponents while they are read: no number of so few bytes
// as fit in a record comes back from there.
const maxExponent = 1 << 40

// scan reads b in the notation; it is false if b is not in it.
func (f *decimalForm) scan(b []byte) (n scanned, ok bool) {
	i := 0
	if i < len(b) && (b[i] == '-' || b[i] == '+') {
		n.neg = b[i] == '-'
		i++
	}
	ndigits, kept, dropped := 0, 0, 0
	seenPoint := false
	fraction := 0
	for ; i < len(b); i++ {
		c := b[i]
		if d := c - '0'; d <= 9 {
			ndigits++
			if seenPoint {
				fraction++
			}
			switch {
			case kept < 19:
				n.m = n.m*10 + uint64(d)
				if n.m != 0 {
					kept++
				}
			default:
				dropped++
				n.cut = n.cut || d != 0
			}
			continue
		}
		if c == f.point && !seenPoint {
			seenPoint = true
			continue
		}
		if !seenPoint && separates(b, i, f.thousands) {
			continue
		}
		break
	}
	if ndigits == 0 {
		return n, false
	}
	exp := 0
	if i < len(b) {
		if b[i]|0x20 != 'e' {
			return n, false
		}
		if exp, ok = scanExponent(b[i+1:]); !ok {
			return n, false
		}
	}
	n.exp = exp + dropped - fraction
	return n, true
}

// scanExponent reads [+-] digits.
func scanExponent(b []byte) (exp int, ok bool) {
	neg := false
	if len(b) > 0 && (b[0] == '-' || b[0] == '+') {
		neg = b[0] == '-'
		b = b[1:]
	}
	if len(b) == 0 {
		return 0, false
	}
	for _, c := range b {
		d := c - '0'
		if d > 9 {
			return 0, false
		}
		if exp < maxExponent {
			exp = exp*10 + int(d)
		}
	}
	if neg {
		exp = -exp
	}
	return exp, true
}

// special reads inf, infinity and nan, in any case, with an optional sign.
func special(b []byte) (float64, bool) {
	sign := 1
	if len(b) > 0 && (b[0] == '-' || b[0] == '+') {
		if b[0] == '-' {
			sign = -1
		}
		b = b[1:]
	}
	switch {
	case equalFold(b, "inf"), equalFold(b, "infinity"):
		return math.Inf(sign), true
	case equalFold(b, "nan"):
		return math.Float64frombits(quietNaN), true
	}
	return 0, false
}

// The one NaN that conversion gives.
const (
	quietNaN   = 0x7FF8000000000000
	quietNaN32 = 0x7FC00000
)

// equalFold reports whether b is s, which is lower-case ASCII, in any case.
func equalFold(b []byte, s string) bool {
	if len(b) != len(s) {
		return false
	}
	for i := range b {
		c := b[i]
		if 'A' <= c && c <= 'Z' {
			c |= 0x20
		}
		if c != s[i] {
			return false
		}
	}
	return true
}
