package convert

import (
	"math/big"
	"math/bits"
	"sync"
)

// subnormals rounds numbers near 0, where floats are multiples of 2^-exp, and a float's bits are which one it is.
//
// m / 10^n is m·2^(exp-n) / 5^n of these. The reciprocal of 5^n is rounded down to 128 bits, so that the product with m
// may be too small by less than 2^64. Its 128 highest bits tell how it is rounded, unless all of them behind the bit that
// decides are ones. No number is halfway: m would be a multiple of 5^n, which has more bits.
type subnormals struct {
	digits      int // of floats, in bits: where these end, multiples are no floats
	fewest      int // places that a number so small has
	reciprocals []reciprocal
}

// reciprocal is that of 5^n times a power of two.
type reciprocal struct {
	hi, lo uint64 // bit 127 is set
	half   int    // the bit of the 128 highest ones of a product that is half of 2^-exp
}

// What is written with fewer places is 0, or no subnormal.
const fewestPlaces64, fewestPlaces32 = 308, 38

var (
	subnormals64 = sync.OnceValue(func() *subnormals { return newSubnormals(1074, 53, fewestPlaces64, 342) })
	subnormals32 = sync.OnceValue(func() *subnormals { return newSubnormals(149, 24, fewestPlaces32, 64) })
)

// newSubnormals is for numbers of places from fewest up to most: 2^64 / 10^(most+1) is less than half of 2^-exp.
func newSubnormals(exp, digits, fewest, most int) *subnormals {
	x := &subnormals{digits: digits, fewest: fewest}
	power := new(big.Int).Exp(big.NewInt(5), big.NewInt(int64(fewest)), nil)
	for n := fewest; n <= most; n++ {
		to := 127 + power.BitLen()
		r := new(big.Int).Lsh(big.NewInt(1), uint(to))
		r.Quo(r, power)
		lo := new(big.Int).And(r, new(big.Int).SetUint64(^uint64(0)))
		x.reciprocals = append(x.reciprocals, reciprocal{r.Rsh(r, 64).Uint64(), lo.Uint64(), to - (exp - n) - 65})
		power.Mul(power, big.NewInt(5))
	}
	return x
}

// round gives the bits of the float next to n, without its sign. It is not ok if n is too large, or that is not found out.
func (x *subnormals) round(n scanned) (pattern uint64, ok bool) {
	if n.m == 0 {
		return 0, false
	}
	pattern, ok = x.of(n.m, -n.exp)
	if n.cut && ok { // it is between two
		var next uint64
		next, ok = x.of(n.m+1, -n.exp)
		ok = ok && next == pattern
	}
	return pattern, ok
}

// of is round for m / 10^places.
func (x *subnormals) of(m uint64, places int) (pattern uint64, ok bool) {
	i := places - x.fewest
	if i >= len(x.reciprocals) {
		return 0, true
	}
	r := &x.reciprocals[i]
	hi, lo := bits.Mul64(m, r.hi)
	below, _ := bits.Mul64(m, r.lo)
	lo, carry := bits.Add64(lo, below, 0)
	hi += carry
	var halves, rest uint64 // how many halves of 2^-exp, and the bits behind that: all ones if these are
	if shift := r.half % 64; r.half >= 64 {
		halves, rest = hi>>shift, lo&(hi|^uint64(0)<<shift)
	} else {
		if hi>>shift != 0 {
			return 0, false
		}
		halves, rest = hi<<(64-shift)|lo>>shift, lo|^uint64(0)<<shift
	}
	pattern = halves/2 + halves%2
	return pattern, rest != ^uint64(0) && pattern < 1<<x.digits
}
