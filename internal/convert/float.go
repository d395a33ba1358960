package convert

import (
	"math"
	"strconv"
	"unsafe"

	"github.com/dfaparse/dfaparse/dfa"
)

// floats converts a column of floats. Correct rounding has five ways, the
// first that applies: the digits are at most 2^53 and the power of ten at most
// 22, both exact, so that one operation rounds once (Clinger, 1990); the digits
// are below 2^64 and divided by at most 10^27, which integers do exactly, see
// quotient; their product with 64 bits of the power of ten tells, see product;
// one with a reciprocal tells which subnormal is next, see subnormals; else
// strconv, which is correctly rounded.
type floats struct {
	decimalForm
	scratch []byte // a number rewritten for strconv
}

func newFloats(t *dfa.Type) (*floats, error) {
	f := &floats{decimalForm: decimalForm{point: t.Point, thousands: t.Thousands}}
	if f.point == 0 {
		f.point = '.'
	}
	return f, checkSeparators(t)
}

func newFloat64(t *dfa.Type, opt Options) (appender, error) {
	f, err := newFloats(t)
	if opt.Plain {
		return &fixed[float64]{parse: func(b []byte) (float64, Code) { return f.plainly(b, 64) }}, err
	}
	dots := newPointed(f.point)
	p := &fixed[float64]{parse: f.parse64, run: func(out []float64, f *Fields, i int) int { return runFloats(out, f, i, dots) }}
	p.vectors.kernel, p.vectors.longer = floatKernel(8), longFloatKernel()
	if opt.Look != nil && f.point == '.' {
		p.vectors.kernel, p.vectors.longer, p.plainly = plainFloatKernel(), nil, true
	}
	p.vectors.params.setPoint(f.point)
	p.remember()
	p.group(t.Thousands, opt)
	return p, err
}

func newFloat32(t *dfa.Type, opt Options) (appender, error) {
	f, err := newFloats(t)
	if opt.Plain {
		return &fixed[float32]{parse: func(b []byte) (float32, Code) {
			v, code := f.plainly(b, 32)
			if v != v {
				return math.Float32frombits(quietNaN32), code
			}
			return float32(v), code
		}}, err
	}
	dots := newPointed(f.point)
	p := &fixed[float32]{parse: f.parse32, run: func(out []float32, f *Fields, i int) int { return runFloats(out, f, i, dots) }}
	p.vectors.kernel = floatKernel(4)
	p.vectors.params.setPoint(f.point)
	p.remember()
	p.group(t.Thousands, opt)
	return p, err
}

// powersOf10 are exact.
var powersOf10 = [32]float64{1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
	1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22}

const (
	maxExactPower = 22
	maxExact64    = 1 << 53
)

// scanShort reads up to 20 symbols of src, 19 of them digits, with an optional
// dot, of which dots are eight, after an optional minus sign. m is the digits, and
// places how many come after the dot.
func scanShort(src []byte, s, e uint32, dots uint64) (m uint64, places int, neg, ok bool) {
	n, w := e-s, eights{src}
	if uint64(s)+9 > uint64(len(src)) {
		return 0, 0, false, false
	}
	x := w.at(s)
	if neg = byte(x) == '-'; neg {
		s, n = s+1, n-1
		x = w.at(s)
	}
	x ^= asciiZero
	var bad uint64
	if n-1 < 8 {
		x <<= (64 - 8*n) & 63
		if d := findDot(x, dots); d < 64 {
			if n == 1 {
				return 0, 0, false, false
			}
			x = squeeze(x, d)
			places = 7 - d>>3
		}
		bad = notDigits(x)
		m = digits8(x)
	} else if n-9 < 8 {
		x <<= (128 - 8*n) & 63
		y := w.at(e-8) ^ asciiZero
		scale := uint64(1e8)
		if d := findDot(x, dots); d < 64 {
			x = squeeze(x, d)
			places = 15 - d>>3
		} else if d := findDot(y, dots); d < 64 {
			y = squeeze(y, d)
			places = 7 - d>>3
			scale = 1e7
		}
		bad = notDigits(x) | notDigits(y)
		m = digits8(x)*scale + digits8(y)
	} else if n-17 < 4 {
		x <<= (192 - 8*n) & 63
		y, z := w.at(e-16)^asciiZero, w.at(e-8)^asciiZero
		scaleX, scaleY := uint64(1e16), uint64(1e8)
		if d := findDot(x, dots); d < 64 {
			x = squeeze(x, d)
			places = 23 - d>>3
		} else if d := findDot(y, dots); d < 64 {
			y = squeeze(y, d)
			places = 15 - d>>3
			scaleX = 1e15
		} else if d := findDot(z, dots); d < 64 {
			z = squeeze(z, d)
			places = 7 - d>>3
			scaleX, scaleY = 1e15, 1e7
		} else if n == 20 {
			return 0, 0, false, false
		}
		bad = notDigits(x) | notDigits(y) | notDigits(z)
		m = digits8(x)*scaleX + digits8(y)*scaleY + digits8(z)
	} else {
		return 0, 0, false, false
	}
	return m, places, neg, bad == 0
}

// runFloats reads up to eight digits and a dot, of which dots are eight: that is most of
// what there is, in its own loop. Where the dot is, if there is one, differs from row to
// row: that must not be a branch.
//
// To float32 it rounds by way of float64. The second rounding is right unless the first
// one landed on the middle between two float32, which are float64: no other value can
// have crossed it.
func runFloats[T float32 | float64](out []T, f *Fields, i int, of *pointed) int {
	for n := len(f.Start); ; {
		if i = runShortFloats(out, f, i, of); i == n || f.End[i]-f.Start[i] < 2 {
			return i
		}
		for to := min(i+longRows, n); i < to; i++ {
			v, ok := longFloat(f.Src, f.Start[i], f.End[i], of.dots)
			if !ok || isMiddle[T](v) || isSmall[T](v) {
				return i
			}
			out[i] = T(v)
		}
	}
}

// isMiddle reports whether v may be between two T.
func isMiddle[T float32 | float64](v float64) bool {
	return unsafe.Sizeof(T(0)) == 4 && math.Float64bits(v)<<(64-29) == 1<<63
}

// isSmall reports whether v may be a subnormal T, whose middles are others, if that is no float64.
func isSmall[T float32 | float64](v float64) bool {
	return unsafe.Sizeof(T(0)) == 4 && math.Abs(v) < 0x1p-126 && v != 0
}

// runShortFloats is runFloats for rows of up to eight symbols, up to the first that is another. It calls nothing, so
// that all it needs stays in registers.
func runShortFloats[T float32 | float64](out []T, f *Fields, i int, of *pointed) int {
	start := f.Start
	end := f.End[:len(start)]
	out = out[:len(start)]
	src := eights{f.Src}
	for ; uint(i) < uint(len(start)); i++ { // which says that i is no index below 0
		s, n := start[i], end[i]-start[i]
		if n-1 >= 8 || !src.has(s) {
			return i
		}
		w, sign := src.at(s), uint64(0)
		if byte(w) == '-' {
			if n == 1 {
				return i
			}
			w, n, sign = w>>8, n-1, negative
		}
		x, at, bad := of.digits(w, n)
		if bad != 0 {
			return i
		}
		v := float64(int64(digits8(x))) / of.divisor[at+sign]
		if isMiddle[T](v) {
			return i
		}
		out[i] = T(v)
	}
	return i
}

// longFloat is what scanShort reads, before an exponent if there is one, correctly rounded.
func longFloat(src []byte, s, e uint32, dots uint64) (v float64, ok bool) {
	m, places, neg, ok := scanShort(src, s, e, dots)
	if !ok {
		return exponential(src, s, e, dots)
	}
	v = float64(m) / powersOf10[places&31]
	if m > maxExact64 && places > 0 {
		q, scale := quotient(m, places)
		v = float64(q) * scale
	}
	return sign(v, neg), true
}

// exponential is longFloat of a number with an exponent.
func exponential(src []byte, s, e uint32, dots uint64) (v float64, ok bool) {
	exp, n := shortExponent(src, s, e)
	if n == 0 {
		return 0, false
	}
	m, places, neg, ok := scanShort(src, s, e-n, dots)
	if ok {
		v, ok = product(m, exp-places)
	}
	return sign(v, neg), ok
}

// shortExponent reads the exponent that is the last n symbols, five at most; n is 0 if none is, or they are not in src.
func shortExponent(src []byte, s, e uint32) (exp int, n uint32) {
	if uint64(e) > uint64(len(src)) || s > e {
		return 0, 0
	}
	for n = 2; n <= 5 && n < e-s; n++ {
		if src[e-n]|0x20 == 'e' {
			if exp, ok := scanExponent(src[e-n+1 : e]); ok {
				return exp, n
			}
			break
		}
	}
	return 0, 0
}

// plainly rounds b by strconv, whatever it is.
func (f *floats) plainly(b []byte, nbits int) (float64, Code) {
	if _, ok := f.scan(b); ok {
		return f.strconv(b, nbits), OK
	}
	if v, ok := special(b); ok {
		return v, OK
	}
	return 0, NotFloat
}

func (f *floats) parse64(b []byte) (float64, Code) {
	n, ok := f.scan(b)
	if !ok {
		if v, ok := special(b); ok {
			return v, OK
		}
		return 0, NotFloat
	}
	if !n.cut && n.m <= maxExact64 && -maxExactPower <= n.exp && n.exp <= maxExactPower {
		v := float64(n.m)
		if n.exp < 0 {
			v /= powersOf10[-n.exp]
		} else {
			v *= powersOf10[n.exp]
		}
		return sign(v, n.neg), OK
	}
	if !n.cut && n.m != 0 && -maxPlaces <= n.exp && n.exp < 0 {
		q, scale := quotient(n.m, -n.exp)
		return sign(float64(q)*scale, n.neg), OK
	}
	if !n.cut {
		if v, ok := product(n.m, n.exp); ok {
			return sign(v, n.neg), OK
		}
	}
	if n.exp <= -fewestPlaces64 {
		if v, ok := subnormals64().round(n); ok {
			return sign(math.Float64frombits(v), n.neg), OK
		}
	}
	return f.strconv(b, 64), OK
}

func sign[T float32 | float64](v T, neg bool) T {
	if neg {
		return -v
	}
	return v
}

// Exact for float32: 2^24, and 10^10 < 2^24·2^10.
const (
	maxExactPower32 = 10
	maxExact32      = 1 << 24
)

func (f *floats) parse32(b []byte) (float32, Code) {
	n, ok := f.scan(b)
	if !ok {
		v, ok := special(b)
		if !ok {
			return 0, NotFloat
		}
		if v != v {
			return math.Float32frombits(quietNaN32), OK
		}
		return float32(v), OK
	}
	if !n.cut && n.m <= maxExact32 && -maxExactPower32 <= n.exp && n.exp <= maxExactPower32 {
		v := float32(n.m)
		if n.exp < 0 {
			v /= float32(powersOf10[-n.exp])
		} else {
			v *= float32(powersOf10[n.exp])
		}
		return sign(v, n.neg), OK
	}
	if !n.cut && n.m != 0 && -maxPlaces <= n.exp && n.exp < 0 {
		q, scale := quotient(n.m, -n.exp)
		return sign(float32(float64(float32(q))*scale), n.neg), OK
	}
	if n.exp <= -fewestPlaces32 {
		if v, ok := subnormals32().round(n); ok {
			return sign(math.Float32frombits(uint32(v)), n.neg), OK
		}
	}
	return float32(f.strconv(b, 32)), OK
}

// maxPlain is the longest number that strconv is given as it is written. It
// stops counting exponents at five digits, which only longer ones can need.
const maxPlain = 1 << 10

// strconv rounds b, which scan has accepted. Its only error is a value beyond
// the largest, and it gives infinity with it.
func (f *floats) strconv(b []byte, nbits int) float64 {
	if len(b) > maxPlain {
		b = f.significant(b)
	} else if f.point != '.' || f.thousands != 0 {
		b = f.plain(b)
	}
	// A view instead of a copy: strconv keeps no part of what it is given but
	// in errors, and the error is dropped.
	v, _ := strconv.ParseFloat(unsafe.String(unsafe.SliceData(b), len(b)), nbits)
	return v
}

// plain rewrites b as strconv reads numbers.
func (f *floats) plain(b []byte) []byte {
	s := f.scratch[:0]
	for _, c := range b {
		switch c {
		case f.point:
			s = append(s, '.')
		case f.thousands:
		default:
			s = append(s, c)
		}
	}
	f.scratch = s
	return s
}

// significant rewrites b with so many significant digits as can decide how it
// is rounded, which is 767 of a float64, and a 1 if any of the rest is not 0.
func (f *floats) significant(b []byte) []byte {
	const enough = 800
	s := f.scratch[:0]
	exp, seenPoint, rest := 0, false, false
	i := 0
	for ; i < len(b) && b[i]|0x20 != 'e'; i++ {
		switch c := b[i]; {
		case c == f.point:
			seenPoint = true
			continue
		case c == '-':
			s = append(s, c)
			continue
		case c-'0' > 9:
			continue
		case len(s) > 1 || c != '0':
			if len(s) < enough {
				s = append(s, c)
				break
			}
			rest = rest || c != '0'
			exp++
		}
		if seenPoint {
			exp--
		}
	}
	if i < len(b) {
		e, _ := scanExponent(b[i+1:])
		exp += e
	}
	if rest {
		s = append(s, '1')
		exp--
	}
	s = append(s, '0', 'e')
	f.scratch = strconv.AppendInt(s, int64(min(max(exp-1, -9999), 9999)), 10)
	return f.scratch
}
