package convert

import (
	"math"
	"math/bits"
)

// maxPlaces is the largest n for which 5^n fits in 64 bits.
const maxPlaces = 27

// divisors are the powers of five, shifted left until bit 63 is set, and how
// far.
var divisors = func() (t [maxPlaces + 1]struct {
	d     uint64
	shift int
}) {
	p := uint64(1)
	for i := range t {
		t[i].shift = bits.LeadingZeros64(p)
		t[i].d = p << t[i].shift
		p *= 5
	}
	return t
}()

// quotient is m / 10^places as q·scale, m > 0 and 1 <= places <= maxPlaces. q
// has 63 or 64 bits, the last of which is also set if there is a remainder:
// rounding q to any float rounds the quotient. scale is a power of two, too
// small for a float32.
//
//	m / 10^n = (m / 5^n) / 2^n, and with m' = m·2^i and d' = 5^n·2^j, both with
//	bit 63 set, m' / d' is between 1/2 and 2
func quotient(m uint64, places int) (q uint64, scale float64) {
	t := &divisors[places]
	shift := bits.LeadingZeros64(m)
	m <<= shift
	q, rest := bits.Div64(m>>1, m<<63, t.d) // m'·2^63 / d'
	if rest != 0 {
		q |= 1
	}
	exp := t.shift - shift - places - 63
	return q, math.Float64frombits(uint64(1023+exp) << 52)
}
