package main

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

// Numbers of up to 16 symbols are read from windows that end where they end:
// one of eight symbols, and one of the eight before where any row of the group
// needs it. What precedes the number is cleared, which makes leading zeros; a
// dot is squeezed out by moving what precedes it up.

const each = 0x0101010101010101

// number is the rows of a group, digits without the dot.
type number struct {
	m, places vec // places: digits after the dot
	neg       rowset
	bad       rowset
}

// reader holds the constants of numbers.
type reader struct {
	*kernel
	point                                      bool
	plainly                                    bool // what is not written as numbers are is left
	c1, c8, c16, ones, byteMask, minus         Op
	zeros, above9, tops, tens, hundreds        Op
	tenThousand, hundredMillion, tenMillion    Op
	dot, seven, fifteen, eachOne, sixteenPlace Op
	halfOnes, halfSeven, halfEight             Op
}

func newReader(k *kernel, point bool) *reader {
	r := &reader{kernel: k, point: point}
	r.c1, r.c8, r.c16 = k.constant(1), k.constant(8), rare(16)
	r.byteMask, r.minus = rare(0xff), rare('-')
	r.zeros, r.above9, r.tops = k.constant('0'*each), k.constant((0x7f-9)*each), k.constant(0x80*each)
	r.tens, r.hundreds = k.constant(0x010A*0x0001000100010001), k.constant(0x0001006400010064)
	r.tenThousand, r.hundredMillion = rare(10000), rare(1e8)
	if point {
		r.tenMillion = rare(1e7)
		r.dot = Mem{Base: k.params, Disp: 8 * numberPoint}
		if k.wide() {
			r.dot = k.load(r.dot)
			r.seven, r.fifteen = rare(7), rare(15)
		} else {
			r.eachOne = k.constant(each)
		}
	}
	r.sixteenPlace = rare(16 | 16<<32)
	r.halfOnes, r.halfSeven, r.halfEight = rare(1<<64-1), rare(7|7<<32), k.loadHalf(rare(8|8<<32))
	r.ones = k.constant(1<<64 - 1)
	return r
}

// read emits the reading of a group.
func (r *reader) read() number {
	k := r.kernel
	end, place := k.half(), k.half()
	k.moveHalf(k.at(k.end), end)
	VPMAXUD(r.sixteenPlace, end, place)
	VPMINUD(k.length, place, place)
	k.setPlaces(k.end, end, place)
	// Rows that are not in src are longer than any number as 64-bit values,
	// or shorter than none, and so refused.
	to := k.widen(end)
	n := k.sub(to, k.widen(k.at(k.start))) // 0 - length
	spare := k.add(r.c16, n)
	refused := k.or(k.sub(r.c16, to), spare)

	low := k.window(-8)
	m, test := k.reg(), k.reg()
	var places vec
	if r.point {
		places = k.reg()
	}
	length := k.reg()
	var neg rowset
	if k.wide() {
		neg = K()
	} else {
		neg = k.reg()
	}
	free := k.add(r.c8, n)
	long := k.bits(k.signs(free))
	TESTL(long, long)
	JNZ(LabelRef(k.label("long")))
	{
		sign := k.eq(r.minus, k.and(r.byteMask, k.shrBy(k.shl(3, free), low)))
		n := k.increment(sign, r.c1, n)
		x := r.clean(low, k.shl(3, k.add(r.c8, n)))
		if r.point {
			dots := r.dots(x)
			has := k.nonzero(dots)
			n = k.increment(has, r.c1, n)
			x = r.squeeze(x, dots, has)
			p := r.after(dots)
			if k.wide() {
				p = k.and(r.seven, p)
			}
			k.move(p, places)
		}
		k.move(k.op(VPADDUSB, r.above9, x), test)
		k.move(r.digits(x), m)
		k.move(n, length)
		r.set(sign, neg)
		JMP(LabelRef(k.label("read")))
	}
	Label(k.label("long"))
	{
		high := k.window(-16)
		first := k.or(k.shrBy(k.shl(3, free), low), k.shrBy(k.shl(3, spare), high))
		sign := k.eq(r.minus, k.and(r.byteMask, first))
		n := k.increment(sign, r.c1, n)
		count := k.shl(3, k.add(r.c8, n))
		count = k.op(VPMAXSD, k.zero(), count)
		x := r.clean(low, count)
		y := r.clean(high, k.shl(3, k.add(r.c16, n)))
		scale := k.load(r.hundredMillion)
		var two rowset
		if r.point {
			dotsX, dotsY := r.dots(x), r.dots(y)
			hasX, hasY := k.nonzero(dotsX), k.nonzero(dotsY)
			two = k.both(hasX, hasY)
			n = k.increment(hasX, r.c1, n)
			n = k.increment(hasY, r.c1, n)
			x, y = r.squeeze(x, dotsX, hasX), r.squeeze(y, dotsY, hasY)
			afterX, afterY := r.after(dotsX), r.after(dotsY)
			if k.wide() { // eight, if there is none
				afterY = k.add(afterX, afterY)
				k.move(k.and(r.fifteen, k.pick(hasX, afterX, afterY)), places)
			} else { // none, if there is none
				k.move(k.add(k.or(afterX, afterY), k.and(r.c8, hasY.(vec))), places)
			}
			scale = k.pick(hasX, r.tenMillion, scale)
		}
		t := k.or(k.op(VPADDUSB, r.above9, x), k.op(VPADDUSB, r.above9, y))
		if r.point {
			t = k.pick(two, r.ones, t)
		}
		k.move(t, test)
		k.move(k.add(k.mul(scale, r.digits(y)), r.digits(x)), m)
		k.move(n, length)
		r.set(sign, neg)
	}
	Label(k.label("read"))
	// length is below 0 unless no digit is there.
	refused = k.or(refused, k.xor(r.ones, length))
	bad := k.either(k.signs(refused), k.hasBits(r.tops, test))
	out := number{m, places, neg, bad}
	if r.plainly {
		before := k.and(rare(15), k.xor(r.ones, length)) // digits before the last
		out.bad = k.either(out.bad, r.unusual(out, before))
		if r.point {
			out.bad = k.either(out.bad, k.signs(k.sub(before, k.load(rare(exactDigits-1)))))
		}
	}
	return out
}

// exactDigits are those that every f64 keeps.
const exactDigits = 15

// unusual are the rows whose first digit is a zero that others follow before the dot, and, without
// dots, those that are 0 and have a sign. before is how many digits there are before the last.
func (r *reader) unusual(n number, before vec) rowset {
	k := r.kernel
	whole := before // but one
	if r.point {
		whole = k.sub(n.places, before)
	}
	odd := k.signs(k.and(k.sub(whole, k.zero()), k.sub(k.lookup(k.table(leastNumbers()), before), n.m)))
	if r.point {
		return odd
	}
	return k.either(odd, k.both(n.neg, k.eq(k.zero(), n.m)))
}

func (r *reader) set(from, to rowset) {
	if r.wide() {
		KMOVB(from, to)
	} else {
		r.move(from, to)
	}
}

// clean makes the digits of x their values and the bytes that make up the
// lowest count bits 0.
func (r *reader) clean(x, count vec) vec {
	if r.wide() {
		keep := r.shlBy(count, r.ones.(vec))
		VPTERNLOGQ(U8(0x60), r.zeros, x, keep) // keep & (x ^ zeros)
		return keep
	}
	return r.and(r.shlBy(count, r.ones0()), r.xor(r.zeros, x))
}

func (r *reader) ones0() vec { return r.isa.ones() }

// dots has the top bit of the bytes that are dots set.
func (r *reader) dots(x vec) vec {
	d := r.reg()
	if r.wide() {
		k := K()
		VPCMPEQB(r.dot, x, k)
		VMOVDQU8_Z(r.tops, k, d)
		return d
	}
	VPCMPEQB(r.dot, x, d)
	return r.and(r.tops, d)
}

// upToFirst has the bits up to the first dot and its own set, all if there is
// no dot.
func (r *reader) upToFirst(dots vec) vec { return r.xor(dots, r.add(r.ones, dots)) }

// squeeze takes the first dot out of x.
func (r *reader) squeeze(x, dots vec, has rowset) vec {
	up := r.upToFirst(dots)
	moved := r.shl(8, x)
	d := r.reg()
	if r.wide() {
		r.move(x, d)
		VPTERNLOGQ(U8(0xd8), up, moved, has, d) // up ? moved : x
	} else {
		VPBLENDVB(r.and(has.(vec), up), moved, x, d)
	}
	return d
}

// after is the number of symbols after the dot; if there is none it is 8 in
// AVX-512 and 0 in AVX2.
func (r *reader) after(dots vec) vec {
	p := r.reg()
	if r.wide() {
		VPLZCNTQ(dots, p)
		return r.shr(3, p)
	}
	VPANDN(r.eachOne, r.upToFirst(dots), p)
	VPSADBW(r.zero(), p, p)
	return p
}

// digits is the number that eight digits are.
func (r *reader) digits(x vec) vec {
	fours := r.op(VPMADDWD, r.hundreds, r.op(VPMADDUBSW, r.tens, x))
	return r.add(r.shr(32, fours), r.mul(r.tenThousand, fours))
}

// integers: the params are the largest value and the largest magnitude below 0.
func integers(v isa, width int) {
	integersOf(v, width, map[int]string{1: "integers8", 2: "integers16", 4: "integers32", 8: "integers64"}[width], false)
}

// integersOf: plainly says that what is not written as integers are is left.
func integersOf(v isa, width int, name string, plainly bool) {
	k := begin(v, name, "converts integers of up to 16 symbols"+as(plainly))
	positive, negative := k.param(integerMost), k.param(integerLeast)
	r := newReader(k, false)
	r.plainly = plainly
	k.loop(width, func(out Mem) rowset {
		n := r.readPlain(negative)
		k.store(k.negate(n.neg, n.m), out, width)
		if width < 4 {
			over := K()
			VPCMPUQ(U8(6), k.pick(n.neg, negative, positive), n.m, over)
			return k.either(n.bad, over)
		}
		return n.bad
	}, func(out Mem) rowset {
		n := r.read()
		over := k.sub(n.m, k.pick(n.neg, negative, positive))
		k.store(k.negate(n.neg, n.m), out, width)
		return k.either(n.bad, k.signs(over))
	})
}

// floats: at most 16 symbols, so that the digits are exact if there is a dot,
// and one operation rounds, either the conversion or the division.
func floats(v isa, width int) {
	floatsOf(v, width, map[int]string{4: "floats32", 8: "floats64"}[width], false)
}

// as ends a sentence on what a kernel converts.
func as(plainly bool) string {
	if plainly {
		return " that are written plainly."
	}
	return "."
}

var least Mem

// leastNumbers is a table of the least numbers of 1 to 16 digits whose first is no zero; of one digit
// all are numbers.
func leastNumbers() Mem {
	if least.Base == nil {
		least = GLOBL("leastNumbers", rodata)
		p := uint64(1)
		for i := range 16 {
			DATA(8*i, U64(p))
			p *= 10
		}
	}
	return least
}

// floatsOf: plainly says that what is not written as floats are, or has more digits than all of them
// keep, is left.
func floatsOf(v isa, width int, name string, plainly bool) {
	k := begin(v, name, "converts floats of up to 16 symbols"+as(plainly))
	r := newReader(k, true)
	r.plainly = plainly
	powers := v.table(powersOf10())
	sign := rare(1 << 63)
	var below, middle, high, low, both Op
	if width == 4 {
		below, middle = rare(1<<29-1), rare(1<<28)
	}
	if !v.wide() {
		high, low, both = k.constant(0x4530000000000000), k.constant(0x4330000000000000), k.constant(0x4530000000100000)
	}
	k.loop(width, func(out Mem) rowset {
		n := r.readPlain(nil)
		x, power := k.reg(), k.reg()
		VCVTQQ2PD(n.m, x)
		VPERMQ(powers.low, n.places, power)
		VDIVPD(power, x, x)
		VXORPD(sign, x, n.neg, x)
		if width == 4 {
			y := YMM()
			VCVTPD2PS(x, y)
			k.moveHalf(y, out)
			return k.either(n.bad, k.eq(middle, k.and(below, x)))
		}
		k.move(x, out)
		return n.bad
	}, func(out Mem) rowset {
		n := r.read()
		x := k.reg()
		if v.wide() {
			VCVTQQ2PD(n.m, x)
		} else { // 2^84 + the high half, 2^52 + the low half
			hi := k.or(high, k.shr(32, n.m))
			lo := k.reg()
			VPBLENDD(U8(0xaa), low, n.m, lo)
			VSUBPD(both, hi, hi)
			VADDPD(lo, hi, x)
		}
		VDIVPD(k.lookup(powers, n.places), x, x)
		if width == 4 {
			// Rounding twice is right but in the middle between two float32.
			n.bad = k.either(n.bad, k.eq(middle, k.and(below, x)))
		}
		minus := k.pick(n.neg, sign, k.zero())
		x = k.xor(minus, x)
		switch {
		case width == 8:
			k.move(x, out)
		case v.wide():
			y := YMM()
			VCVTPD2PS(x, y)
			k.moveHalf(y, out)
		default:
			y := XMM()
			VCVTPD2PSY(x, y)
			VMOVDQU(y, out)
		}
		return n.bad
	})
}

var powers Mem

// powersOf10 is a table of 16 float64.
func powersOf10() Mem {
	if powers.Base == nil {
		powers = GLOBL("powers", rodata)
		p := 1.0
		for i := range 16 {
			DATA(8*i, U64(math.Float64bits(p)))
			p *= 10
		}
	}
	return powers
}

// decimals: the params are, by digits after the dot, the power of ten that
// makes the number one of the scale, and the largest number that fits with it,
// -1 if none does.
func decimals(v isa) { decimalsOf(v, 16, "decimals", "decimals") }

// counts are decimals of 64 bits.
func counts(v isa) { decimalsOf(v, 8, "counts", "counts of a unit") }

func decimalsOf(v isa, width int, name, what string) {
	k := begin(v, name, "converts "+what+" of up to 16 symbols whose values are below 10^18.")
	r := newReader(k, true)
	factors := v.table(Mem{Base: k.params, Disp: 8 * decimalFactors})
	limits := v.table(Mem{Base: k.params, Disp: 8 * decimalLimits})
	interleave := func(lo, hi vec, out Mem) {
		for i := range 2 {
			both := k.load(interleaving(4 * i))
			VPERMI2Q(hi, lo, both)
			k.move(both, out.Offset(64*i))
		}
	}
	k.loop(width, func(out Mem) rowset {
		n := r.readPlain(nil)
		limit, x, over := k.reg(), k.reg(), K()
		VPERMQ(limits.low, n.places, limit)
		VPCMPQ(U8(6), limit, n.m, over)
		VPERMQ(factors.low, n.places, x)
		VPMULLQ(x, n.m, x)
		x = k.negate(n.neg, x)
		if width == 8 {
			k.store(x, out, width)
			return k.either(n.bad, over)
		}
		high := k.reg()
		VPSRAQ(U8(63), x, high)
		interleave(x, high, out)
		return k.either(n.bad, over)
	}, func(out Mem) rowset {
		n := r.read()
		over := k.sub(n.m, k.lookup(limits, n.places))
		factor := k.lookup(factors, n.places)
		lo := k.reg()
		if v.wide() {
			VPMULLQ(factor, n.m, lo)
		} else {
			cross := k.add(k.mul(factor, k.shr(32, n.m)), k.mul(k.shr(32, factor), n.m))
			lo = k.add(k.shl(32, cross), k.mul(factor, n.m))
		}
		lo = k.negate(n.neg, lo)
		if width == 8 {
			k.store(lo, out, width)
			return k.either(n.bad, k.signs(over))
		}
		hi := k.reg()
		if v.wide() {
			VPSRAQ(U8(63), lo, hi)
			interleave(lo, hi, out)
		} else {
			VPCMPGTQ(lo, k.zero(), hi)
			first, second := k.reg(), k.reg()
			VPUNPCKLQDQ(hi, lo, first)
			VPUNPCKHQDQ(hi, lo, second)
			VMOVDQU(first.AsX(), out)
			VMOVDQU(second.AsX(), out.Offset(16))
			VEXTRACTI128(U8(1), first, out.Offset(32))
			VEXTRACTI128(U8(1), second, out.Offset(48))
		}
		return k.either(n.bad, k.signs(over))
	})
}

var interleavings = map[int]Mem{}

// interleaving is the order that pairs the low and high words of four rows
// from the first on.
func interleaving(first int) Mem {
	if m, ok := interleavings[first]; ok {
		return m
	}
	m := GLOBL(map[int]string{0: "pairsLow", 4: "pairsHigh"}[first], rodata)
	for i := range 4 {
		DATA(16*i, U64(uint64(first+i)))
		DATA(16*i+8, U64(uint64(8+first+i)))
	}
	interleavings[first] = m
	return m
}
