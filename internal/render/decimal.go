package render

import (
	"math/bits"

	"github.com/apache/arrow/go/v17/arrow/decimal128"
)

// appendDecimal appends v / 10^scale with exactly scale digits after the
// point; a negative scale appends zeros.
func appendDecimal(dst []byte, v decimal128.Num, scale int) []byte {
	if v.Sign() < 0 {
		dst = append(dst, '-')
		v = v.Negate()
	}
	hi, lo := uint64(v.HighBits()), v.LowBits()

	var digits [40]byte // 2^127 has 39 digits, and scale is at most 38
	at := len(digits)
	for hi != 0 || lo != 0 {
		var rest uint64
		hi, rest = bits.Div64(0, hi, 1e18)
		lo, rest = bits.Div64(rest, lo, 1e18)
		for k := 0; k < 18 && (rest != 0 || hi != 0 || lo != 0); k++ {
			at--
			digits[at] = byte('0' + rest%10)
			rest /= 10
		}
	}

	if at == len(digits) {
		at--
		digits[at] = '0'
		scale = max(scale, 0) // zero is 0, not 000
	}
	for len(digits)-at <= scale { // a digit stands before the point
		at--
		digits[at] = '0'
	}
	if scale <= 0 {
		dst = append(dst, digits[at:]...)
		for ; scale < 0; scale++ {
			dst = append(dst, '0')
		}
		return dst
	}
	point := len(digits) - scale
	dst = append(append(dst, digits[at:point]...), '.')
	return append(dst, digits[point:]...)
}
