package convert

import (
	"math/bits"

	"github.com/dfaparse/dfaparse/dfa"
)

// sizeForm is the notation of sizes, in bytes: a number, which may have a fraction,
// blanks, and a unit in any case: B; K, M, G, T, P, E of a thousand or of 1024 each, as
// the column has it; Ki, Mi, … of 1024. A B may follow.
type sizeForm struct {
	thousands byte
	k         uint64 // 1000 or 1024
	most      uint64 // of bytes
}

func newSize[T integer](t *dfa.Type) (appender, error) {
	form := sizeForm{t.Thousands, uint64(t.Size), formOf[T](t).positive}
	return &fixed[T]{parse: func(b []byte) (T, Code) {
		v, code := form.parse(b)
		return T(v), code
	}}, checkSeparators(t)
}

// mostSizeDigits are the digits of a size, leading zeros left out: with them it is below
// 2^64.
const mostSizeDigits = 19

// parse rounds to the nearest byte: a size with a fraction has been rounded before.
func (f *sizeForm) parse(b []byte) (uint64, Code) {
	number, i := uint64(0), 0
	any, seenPoint := false, false
	ndigits, divisor := 0, uint64(1)
	for ; i < len(b); i++ {
		c := b[i]
		if digit := uint64(c - '0'); digit <= 9 {
			if number != 0 || digit != 0 {
				ndigits++
			}
			if ndigits > mostSizeDigits || seenPoint && divisor > 1e18 {
				return 0, BadSize
			}
			if number, any = number*10+digit, true; seenPoint {
				divisor *= 10
			}
			continue
		}
		if c == '.' && !seenPoint {
			seenPoint = true
		} else if seenPoint || !separates(b, i, f.thousands) {
			break
		}
	}
	unit, ok := f.unit(b[i:])
	if !ok || !any {
		return 0, BadSize
	}
	hi, lo := bits.Mul64(number, unit)
	lo, carry := bits.Add64(lo, divisor/2, 0)
	if hi += carry; hi >= divisor {
		return 0, Overflow
	}
	v, _ := bits.Div64(hi, lo, divisor)
	if v > f.most {
		return 0, Overflow
	}
	return v, OK
}

// unit is what a unit with blanks before it counts, 1 if there is none.
func (f *sizeForm) unit(b []byte) (uint64, bool) {
	if b = trimBlanks(b); len(b) == 0 {
		return 1, true
	}
	unit := uint64(1)
	for i, letter := range []byte("kmgtpe") {
		if b[0]|0x20 != letter {
			continue
		}
		k := f.k
		if b = b[1:]; len(b) > 0 && b[0]|0x20 == 'i' {
			b, k = b[1:], 1024
		}
		for range i + 1 {
			unit *= k
		}
		break
	}
	return unit, len(b) == 0 || len(b) == 1 && b[0]|0x20 == 'b'
}
