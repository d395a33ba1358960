package convert

import (
	"fmt"
	"math"
	"math/bits"
	"unsafe"

	"github.com/dfaparse/dfaparse/dfa"
)

type integer interface {
	~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~uint64
}

// integerForm is the notation of a column's integers, and their range.
type integerForm struct {
	negative  uint64 // the largest magnitude below 0
	positive  uint64 // the largest value
	thousands byte
	base16    bool
}

func formOf[T integer](t *dfa.Type) integerForm {
	var zero T
	nbits := 8 * unsafe.Sizeof(zero)
	f := integerForm{thousands: t.Thousands, base16: t.Base16}
	if zero-1 > 0 {
		f.positive = 1<<nbits - 1
	} else {
		f.negative = 1 << (nbits - 1)
		f.positive = f.negative - 1
	}
	return f
}

// The params of kernels of integers.
const (
	integerMost  = iota // the largest value
	integerLeast        // the largest magnitude below 0
)

func newInteger[T integer](t *dfa.Type, opt Options) (appender, error) {
	if err := checkSeparators(t); err != nil {
		return nil, err
	}
	if t.Size != 0 {
		return newSize[T](t)
	}
	form := formOf[T](t)
	p := &fixed[T]{parse: func(b []byte) (T, Code) {
		v, code := form.parse(b)
		return T(v), code
	}}
	if t.Base16 {
		p.run = runHex[T]
	} else {
		p.run = runIntegers[T]
		p.vectors.kernel = integerKernel(int(unsafe.Sizeof(T(0))))
		if opt.Look != nil && unsafe.Sizeof(T(0)) == 8 {
			p.vectors.kernel, p.plainly = plainIntegerKernel(), true
		}
		p.group(t.Thousands, opt)
		p.vectors.params = params{integerMost: min(form.positive, math.MaxInt64), integerLeast: min(form.negative, math.MaxInt64)}
	}
	return p, nil
}

// checkSeparators reports number options that contradict each other.
func checkSeparators(t *dfa.Type) error {
	point := t.Point
	if point == 0 {
		point = '.'
	}
	for _, b := range []byte{t.Thousands, point} {
		if b >= '0' && b <= '9' || b == '+' || b == '-' || b == 'e' || b == 'E' {
			return fmt.Errorf("%q cannot separate digits", rune(b))
		}
	}
	if t.Thousands == point && t.Kind >= dfa.Float32 && t.Kind <= dfa.Decimal {
		return fmt.Errorf("%q is both the thousands separator and the decimal point", rune(point))
	}
	return nil
}

// Rows that are read as long numbers from one on that is none of the short ones: at first, and at most, as where others
// follow within rareRows it is twice as many each time.
const longRows, mostLongRows, rareRows = 2, 64, 32

// shortRows is how many rows are read as short numbers from one on that is not of one digit.
const shortRows = 256

// runIntegers reads up to 20 digits with an optional minus sign.
func runIntegers[T integer](out []T, f *Fields, i int) int {
	long, before := longRows, i-rareRows
	for n := len(f.Start); ; {
		if i = runDigits(out, f, i); i == n {
			return i
		}
		to := min(i+shortRows, n)
		if unsafe.Sizeof(out[0]) > 1 {
			i = runFours(out[:to], f, i)
		}
		if i = runShortIntegers(out[:to], f, i); i == to {
			continue
		}
		if f.End[i]-f.Start[i] < 2 {
			return i
		}
		if i-before < rareRows {
			long = min(2*long, mostLongRows)
		} else {
			long = longRows
		}
		to = min(i+long, n)
		if i = runLongIntegers(out[:to], f, i); i < to {
			return i
		}
		before = i
	}
}

// runDigits is runIntegers for rows of one digit, up to the first that is another: all rows of many columns are such.
func runDigits[T integer](out []T, f *Fields, i int) int {
	src := f.Src
	start := f.Start
	end := f.End[:len(start)]
	out = out[:len(start)]
	for ; uint(i) < uint(len(start)); i++ {
		s := uint(start[i])
		if end[i]-start[i] != 1 || s >= uint(len(src)) {
			break
		}
		digit := src[s] - '0'
		if digit > 9 {
			break
		}
		out[i] = T(digit)
	}
	return i
}

// runFours is runIntegers for the rows of out of up to four digits without a sign, two at once, up to the first two of
// which one is another. It calls nothing, so that all it needs stays in registers. Such numbers fit whatever has more
// than one byte.
//
//	bit  63..32       31..0
//	     the second   the first
func runFours[T integer](out []T, f *Fields, i int) int {
	const each, tops, most = 1<<32 | 1, 1<<63 | 1<<31, 4
	start, end := unsafe.Pointer(unsafe.SliceData(f.Start[:len(out)])), unsafe.Pointer(unsafe.SliceData(f.End[:len(out)]))
	src, to := unsafe.Pointer(unsafe.SliceData(f.Src)), unsafe.Pointer(unsafe.SliceData(out))
	if len(f.Src) < most {
		return i
	}
	last := uint64(min(len(f.Src)-most, math.MaxInt32)) * each
	for ; i+1 < len(out); i += 2 {
		s := *(*uint64)(unsafe.Add(start, i*4))
		n := *(*uint64)(unsafe.Add(end, i*4)) - s
		// Nor is what is not in Src, which starts beyond its end.
		if (n-each)&^((most-1)*each)|(s|(last-s))&tops != 0 {
			break
		}
		by := 64*each - n*8
		x := uint64((*(*uint32)(unsafe.Add(src, uint32(s))) ^ asciiZero&(1<<32-1)) << (by & 31))
		x |= uint64(*(*uint32)(unsafe.Add(src, s>>32))^asciiZero&(1<<32-1)) << (by >> 32 & 63)
		if notDigits(x) != 0 {
			break
		}
		x = x * (10<<8 + 1) >> 8
		x = (x & 0x00FF00FF00FF00FF) * (100<<16 + 1) >> 16
		v := x & 0x0000FFFF0000FFFF
		switch size := int(unsafe.Sizeof(T(0))); size {
		case 2:
			*(*uint32)(unsafe.Add(to, i*size)) = uint32(v | v>>16)
		case 4:
			*(*uint64)(unsafe.Add(to, i*size)) = v
		default:
			*(*[2]uint64)(unsafe.Add(to, i*size)) = [2]uint64{v & (1<<32 - 1), v >> 32}
		}
	}
	return i
}

// runShortIntegers is runIntegers for the rows of out of up to eight digits without a sign, up to the first that is
// another. It calls nothing, so that all it needs stays in registers.
func runShortIntegers[T integer](out []T, f *Fields, i int) int {
	start := f.Start[:len(out)]
	end := f.End[:len(start)]
	out = out[:len(start)]
	src := eights{f.Src}
	for ; uint(i) < uint(len(start)); i++ { // which says that i is no index below 0
		s, n := start[i], end[i]-start[i]
		if n-1 >= 8 || !src.has(s) { // nor is what is not in Src, which starts beyond its end
			return i
		}
		x := (src.at(s) ^ asciiZero) << ((64 - 8*n) & 63)
		v := digits8(x)
		t := T(v)
		if notDigits(x) != 0 || unsafe.Sizeof(t) < 4 && (uint64(t) != v || t < 0) {
			return i
		}
		out[i] = t
	}
	return i
}

// runLongIntegers is runIntegers for the rows of out.
func runLongIntegers[T integer](out []T, f *Fields, i int) int {
	start := f.Start[:len(out)]
	end := f.End[:len(start)]
	out = out[:len(start)]
	src := eights{f.Src}
	for ; i < len(start); i++ {
		s, n := start[i], end[i]-start[i]
		if !src.has(s) { // nor what is not in Src, which starts beyond its end
			return i
		}
		x, sign := src.at(s), uint64(0)
		if byte(x) == '-' {
			if s, n, sign = s+1, n-1, ^uint64(0); !src.has(s) {
				return i
			}
			x = src.at(s)
		}
		x ^= asciiZero
		var v, bad uint64
		switch {
		case n-1 < 8:
			x <<= (64 - 8*n) & 63
			bad = notDigits(x)
			v = digits8(x)
		case n-9 < 8:
			x <<= (128 - 8*n) & 63
			y := src.at(s+n-8) ^ asciiZero
			bad = notDigits(x) | notDigits(y)
			v = digits8(x)*1e8 + digits8(y)
		case n-17 < 4:
			x <<= (192 - 8*n) & 63
			y, z := src.at(s+n-16)^asciiZero, src.at(s+n-8)^asciiZero
			bad = notDigits(x) | notDigits(y) | notDigits(z)
			high, low := digits8(x), digits8(y)*1e8+digits8(z)
			over, product := bits.Mul64(high, 1e16)
			var carry uint64
			v, carry = bits.Add64(product, low, 0)
			bad |= over | carry
		default:
			return i
		}
		v = v ^ sign - sign
		// A conversion that loses bits, or the sign, is for parse to refuse.
		t := T(v)
		if bad != 0 || uint64(t) != v || t != 0 && (sign != 0) != (t < 0) {
			return i
		}
		out[i] = t
	}
	return i
}

// parse gives the two's complement of the integer that b is.
func (f *integerForm) parse(b []byte) (uint64, Code) {
	limit, neg := f.positive, false
	if len(b) > 0 && (b[0] == '-' || b[0] == '+') {
		if neg = b[0] == '-'; neg {
			limit = f.negative
		}
		b = b[1:]
	}
	if f.base16 {
		v, code := parseHex(b, f.thousands, limit)
		if neg {
			v = -v
		}
		return v, code
	}
	if len(b) == 0 {
		return 0, NotInteger
	}
	// The first 19 digits fit without a check; a 20th may, a 21st cannot.
	var v uint64
	ndigits := 0
	over := false
	for i, c := range b {
		d := uint64(c - '0')
		if d > 9 {
			if separates(b, i, f.thousands) {
				continue
			}
			return 0, NotInteger
		}
		if ndigits >= 19 {
			hi, lo := bits.Mul64(v, 10)
			over = over || hi != 0 || lo > math.MaxUint64-d
		}
		v = v*10 + d
		if v != 0 {
			ndigits++
		}
	}
	if over || v > limit {
		return 0, Overflow
	}
	if neg {
		v = -v
	}
	return v, OK
}

// separates reports whether b[i] is the thousands separator between two digits.
func separates(b []byte, i int, thousands byte) bool {
	return thousands != 0 && b[i] == thousands && i > 0 && i+1 < len(b) && isHex(b[i-1]) && isHex(b[i+1])
}

// parseHex reads hexadecimal digits, with or without 0x.
func parseHex(b []byte, thousands byte, limit uint64) (uint64, Code) {
	if len(b) > 2 && b[0] == '0' && b[1]|0x20 == 'x' {
		b = b[2:]
	}
	if len(b) == 0 {
		return 0, NotInteger
	}
	var v uint64
	over := false
	for i, c := range b {
		d := hexValue[c]
		if d > 15 {
			if separates(b, i, thousands) {
				continue
			}
			return 0, NotInteger
		}
		over = over || v > limit>>4
		v = v<<4 | uint64(d)
	}
	if over || v > limit {
		return 0, Overflow
	}
	return v, OK
}

// hexValue is the value of a hexadecimal digit, 255 of any other byte.
var hexValue = func() (t [256]byte) {
	for i := range t {
		t[i] = 255
	}
	for i := range 10 {
		t['0'+i] = byte(i)
	}
	for i := range 6 {
		t['a'+i], t['A'+i] = byte(10+i), byte(10+i)
	}
	return t
}()

func isHex(b byte) bool { return hexValue[b] < 16 }
