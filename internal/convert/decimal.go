package convert

import (
	"math"
	"math/bits"

	"github.com/dfaparse/dfaparse/dfa"
)

// decimal128 is Arrow's: two's complement, the low word first.
type decimal128 struct{ lo, hi uint64 }

// maxDigits is the largest precision: 10^38 fits in 127 bits, 10^39 does not.
const maxDigits = 38

// tens are the powers of ten up to 10^38.
var tens = func() (t [maxDigits + 1]decimal128) {
	t[0].lo = 1
	for i := 1; i <= maxDigits; i++ {
		t[i] = t[i-1].times(decimal128{lo: 10})
	}
	return t
}()

// times is the product of two magnitudes, which is below 2^128 too.
func (a decimal128) times(b decimal128) decimal128 {
	hi, lo := bits.Mul64(a.lo, b.lo)
	return decimal128{lo, hi + a.lo*b.hi + a.hi*b.lo}
}

func (a decimal128) plus(n uint64) decimal128 {
	lo, carry := bits.Add64(a.lo, n, 0)
	return decimal128{lo, a.hi + carry}
}

func (a decimal128) less(b decimal128) bool { return a.hi < b.hi || a.hi == b.hi && a.lo < b.lo }

func (a decimal128) negated() decimal128 {
	lo, borrow := bits.Sub64(0, a.lo, 0)
	hi, _ := bits.Sub64(0, a.hi, borrow)
	return decimal128{lo, hi}
}

// decimals converts a column of numbers that are kept exactly, as integers of
// 10^-scale.
type decimals struct {
	decimalForm
	scale     int // may be below 0
	precision int
}

func formOfDecimals(t *dfa.Type, scale, precision int) decimals {
	d := decimals{decimalForm{t.Point, t.Thousands}, scale, precision}
	if d.point == 0 {
		d.point = '.'
	}
	return d
}

func newDecimal(t *dfa.Type, opt Options) (appender, error) {
	d := formOfDecimals(t, t.Scale, t.Precision)
	if t.Implied {
		d.scale = 0
		return &fixed[decimal128]{run: d.runDigits, parse: d.parseDigits}, checkSeparators(t)
	}
	of := newPointed(d.point)
	p := &fixed[decimal128]{parse: d.parse}
	p.run = func(out []decimal128, f *Fields, i int) int { return d.run(out, f, i, of) }
	p.vectors.kernel = decimalKernel()
	p.vectors.params = d.params(tens[min(d.precision, maxDigits64)].lo - 1)
	p.remember()
	p.group(t.Thousands, opt)
	return p, checkSeparators(t)
}

// Where the params of kernels of decimals begin, 16 of each.
const (
	decimalFactors = 0
	decimalLimits  = 16
	numberPoint    = 32 // of floats too: eight times eight symbols, as pointDigit
)

// maxDigits64 is how many digits of a count fit in 64 bits, with their sign.
const maxDigits64 = 18

// params are, by the number of digits after the dot, the power of ten that
// makes them a count of 10^-scale, and the largest number that fits with it, where most is
// the largest count.
func (d *decimals) params(most uint64) (p params) {
	factors, limits := p[decimalFactors:decimalLimits], p[decimalLimits:]
	for places := range factors {
		limits[places] = math.MaxUint64 // below 0: none fits
		shift := d.scale - places
		if shift < 0 || shift > maxDigits64 {
			continue
		}
		factors[places] = tens[shift].lo
		limits[places] = most / tens[shift].lo
	}
	p.setPoint(d.point)
	return p
}

func (p *params) setPoint(point byte) {
	for i := range p[numberPoint:] {
		p[numberPoint+i] = pointDigit(point)
	}
}

// run reads up to 20 symbols without an exponent.
func (d *decimals) run(out []decimal128, f *Fields, i int, of *pointed) int {
	start := f.Start
	end := f.End[:len(start)]
	out = out[:len(start)]
	limit, scale := tens[d.precision], uint(d.scale)
	src := eights{f.Src}
	for ; i < len(start); i++ {
		s, n := start[i], end[i]-start[i]
		m, shift, neg, ok := uint64(0), uint(0), false, false
		if n-1 < 8 && src.has(s) {
			w := src.at(s)
			if neg = byte(w) == '-' && n > 1; neg {
				w, n = w>>8, n-1
			}
			x, at, bad := of.digits(w, n)
			m, shift, ok = digits8(x), scale-uint(behind(at)), bad == 0
		}
		if !ok {
			var places int
			m, places, neg, ok = scanShort(f.Src, s, end[i], of.dots)
			shift = scale - uint(places)
		}
		if !ok || shift > 19 {
			return i
		}
		hi, lo := bits.Mul64(m, tens[shift].lo)
		v := decimal128{lo, hi}
		if !v.less(limit) {
			return i
		}
		if neg {
			v = v.negated()
		}
		out[i] = v
	}
	return i
}

// runDigits reads up to 16 digits that fit whatever they are, and a sign.
func (d *decimals) runDigits(out []decimal128, f *Fields, i int) int {
	start := f.Start
	end := f.End[:len(start)]
	out = out[:len(start)]
	most := uint32(min(d.precision, 16))
	src := eights{f.Src}
	for ; i < len(start); i++ {
		s, e := start[i], end[i]
		if !src.has(s) {
			return i
		}
		w := src.at(s)
		neg := byte(w) == '-' && e-s > 1
		if neg {
			if s++; !src.has(s) {
				return i
			}
			w = src.at(s)
		}
		n := e - s
		if n-1 >= most {
			return i
		}
		var m uint64
		if n <= 8 {
			x := (w ^ asciiZero) << ((64 - 8*n) & 63)
			if notDigits(x) != 0 {
				return i
			}
			m = digits8(x)
		} else {
			x, y := (w^asciiZero)<<((128-8*n)&63), src.at(e-8)^asciiZero
			if notDigits(x)|notDigits(y) != 0 {
				return i
			}
			m = digits8(x)*1e8 + digits8(y)
		}
		v := decimal128{lo: m}
		if neg {
			v = v.negated()
		}
		out[i] = v
	}
	return i
}

func (d *decimals) parse(b []byte) (decimal128, Code) {
	v, neg, code := d.magnitude(b)
	if neg {
		v = v.negated()
	}
	return v, code
}

// parseDigits reads an integer, for numbers whose point is implied.
func (d *decimals) parseDigits(b []byte) (decimal128, Code) {
	if v, ok := d.shortDigits(b); ok {
		return v, OK
	}
	for i, c := range b {
		if c-'0' > 9 && !(i == 0 && (c == '-' || c == '+')) && !separates(b, i, d.thousands) {
			return decimal128{}, NotDecimal
		}
	}
	return d.parse(b)
}

// shortDigits reads a sign, if there is one, and digits that fit whatever they are; ok is false
// of anything else.
func (d *decimals) shortDigits(b []byte) (_ decimal128, ok bool) {
	neg := len(b) > 0 && b[0] == '-'
	if neg {
		b = b[1:]
	}
	if len(b) == 0 || len(b) > min(d.precision, 18) {
		return decimal128{}, false
	}
	var n int64
	for _, c := range b {
		digit := c - '0'
		if digit > 9 {
			return decimal128{}, false
		}
		n = 10*n + int64(digit)
	}
	if neg {
		n = -n
	}
	return decimal128{uint64(n), uint64(n >> 63)}, true
}

// magnitude reads a number as a count of 10^-scale, below 10^precision.
// FractionLost comes before Overflow where both apply.
func (d *decimals) magnitude(b []byte) (v decimal128, neg bool, code Code) {
	i := 0
	if len(b) > 0 && (b[0] == '-' || b[0] == '+') {
		neg = b[0] == '-'
		i = 1
	}
	any, seenPoint := false, false
	exp := 0     // of the last digit read
	zeros := 0   // after the last digit that is not one
	ndigits := 0 // of v, and of what v would be beyond maxDigits
	for ; i < len(b); i++ {
		c := b[i]
		if digit := c - '0'; digit <= 9 {
			any = true
			if seenPoint {
				exp--
			}
			switch {
			case digit != 0:
				ndigits += zeros + 1
				if ndigits <= maxDigits {
					v = v.times(tens[zeros+1])
					v = v.plus(uint64(digit))
				}
				zeros = 0
			case ndigits > 0:
				zeros++
			}
			continue
		}
		if c == d.point && !seenPoint {
			seenPoint = true
		} else if seenPoint || !separates(b, i, d.thousands) {
			break
		}
	}
	if !any {
		return v, neg, NotDecimal
	}
	if i < len(b) {
		e, ok := 0, false
		if b[i]|0x20 == 'e' {
			e, ok = scanExponent(b[i+1:])
		}
		if !ok {
			return v, neg, NotDecimal
		}
		exp += e
	}
	shift := exp + zeros + d.scale
	switch {
	case ndigits == 0:
		return v, neg, OK
	case shift < 0:
		return v, neg, FractionLost
	case ndigits+shift > d.precision:
		return v, neg, Overflow
	}
	v = v.times(tens[shift])
	return v, neg, OK
}
