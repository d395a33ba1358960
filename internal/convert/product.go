package convert

import (
	"math"
	"math/big"
	"math/bits"
	"sync"
)

// The powers of ten of product: with digits below 10^19 it is neither beyond the largest float64 nor a subnormal.
const leastPower, mostPower = -300, 288

// significands are the first 64 bits of these powers, the highest of which is set.
var significands = sync.OnceValue(func() *[mostPower - leastPower + 1]uint64 {
	t := new([mostPower - leastPower + 1]uint64)
	power, ten := big.NewInt(1), big.NewInt(10)
	first := func(x *big.Int) uint64 {
		y := new(big.Int).Lsh(x, 64)
		return y.Rsh(y, uint(y.BitLen()-64)).Uint64()
	}
	for n := range -leastPower + 1 {
		if n <= mostPower {
			t[n-leastPower] = first(power)
		}
		reciprocal := new(big.Int).Lsh(big.NewInt(1), uint(power.BitLen()+64))
		t[-n-leastPower] = first(reciprocal.Quo(reciprocal, power))
		power.Mul(power, ten)
	}
	t[-leastPower] = 1 << 63
	return t
})

// product is m·10^exp, correctly rounded, if it is ok, as Eisel and Lemire find it (Lemire: Number Parsing at a Gigabyte
// per Second, 2021). m, shifted until its highest bit is set, is multiplied with the power's first 64 bits. What these
// lack makes the product too small, by less than one in its higher half; it is not ok where that might change how it is
// rounded, or where it might be halfway, which is one in some hundreds of all.
func product(m uint64, exp int) (v float64, ok bool) {
	if m == 0 {
		return 0, true
	}
	at := uint(exp - leastPower)
	if at > mostPower-leastPower || m >= 1e19 {
		return 0, false
	}
	zeros := bits.LeadingZeros64(m)
	hi, _ := bits.Mul64(m<<zeros, significands()[at])
	small := int(hi>>63) ^ 1
	hi <<= small
	binary := exp*217706>>16 + 1086 - zeros - small // the exponent of two, floor(exp·log2(10)) that of the power
	v = math.Float64frombits(uint64(binary)<<52 + hi>>11 + hi>>10&1)
	return v, hi&0x7ff-0x3fe > 2
}
