package main

import (
	"math/big"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// significands is a table of the powers of ten that longFloats multiplies with, as that of product in package convert, so
// that nothing is computed when the program begins.
func significands() Mem {
	table := GLOBL("significands", rodata)
	for i := range mostPower - leastPower + 1 {
		n := big.NewInt(10)
		n.Exp(n, big.NewInt(int64(max(i+leastPower, -i-leastPower))), nil)
		if i+leastPower < 0 {
			one := new(big.Int).Lsh(big.NewInt(1), uint(n.BitLen()+64))
			n.Quo(one, n)
		}
		shift := n.BitLen() - 64
		if shift < 0 {
			n.Lsh(n, uint(-shift))
		} else {
			n.Rsh(n, uint(shift))
		}
		DATA(8*i, U64(n.Uint64()))
	}
	return table
}

// longFloats converts floats as programs write them that keep all digits, of those rows that todo has: windows of
// eight symbols, as above, and of what is behind the letter of an exponent a number of its own.
//
// The digits are rounded as Eisel and Lemire do (Lemire: Number Parsing at a Gigabyte per Second, 2021): m·10^q is the
// product of two numbers of 64 bits whose highest are set, and a power of two. The second one, the power of ten's, is
// cut off, so that the product may be too small, by less than one in its higher half. A row is left where that could
// change how it is rounded, or might be halfway, which is one in some hundreds.
func longFloats() {
	k := begin(avx512, "longFloats64", "converts floats of up to 24 symbols, and an exponent, of the rows that are left.")
	r := newReader(k, true)
	r.c8, r.above9, r.tops = rare(8), rare((0x7f-9)*each), rare(0x80*each) // there are not registers for all
	zero := k.zero()
	powers := GP64()
	LEAQ(significands(), powers)
	k.loopLeft(8, func() (vec, rowset) { return r.long(powers, zero) })
}

// long emits the reading of a group.
func (r *reader) long(powers reg.GPVirtual, zero vec) (value vec, bad rowset) {
	k := r.kernel
	c64 := rare(64)
	windows, n, bad := k.endWindows(32, -8)
	low := windows[0]
	exponent := k.load(zero)
	free := func(windows int, n vec) vec { // bits before the first symbol, in the last of so many windows
		return k.op(VPMAXSQ, zero, k.sub(k.shl(3, n), k.load(rare(uint64(64*windows)))))
	}
	x := r.clean(low, free(1, n))
	letters := K()
	VPCMPEQB(rare(('e'^'0')*each), k.and(rare(^uint64(each*0x20)), x), letters)
	KORTESTQ(letters, letters)
	JZ(LabelRef("digits"))
	{
		letter, after := k.reg(), k.reg()
		VMOVDQU8_Z(r.tops, letters, letter)
		has := k.nonzero(letter)
		VPLZCNTQ(letter, after)
		after = k.shr(3, after) // symbols behind the letter
		digits := k.load(after)
		first := k.and(r.byteMask, k.shrBy(free(1, after), x))
		minus := k.eq(rare('-'^'0'), first)
		VPSUBQ(r.c1, digits, k.either(minus, k.eq(rare('+'^'0'), first)), digits)
		x := k.and(k.shlBy(free(1, digits), k.load(r.ones)), x)
		odd, over := K(), K()
		VPTESTMQ(r.tops, k.op(VPADDUSB, r.above9, x), odd)
		VPCMPUQ(U8(6), rare(3), k.sub(r.c1, digits), over) // none, or more than four
		KORB(k.both(has, k.either(odd, over)), bad, bad)
		size := r.digits(x)
		VPSUBQ(size, zero, minus, size)
		VMOVDQU64(size, has, exponent)
		behind, back := k.reg(), k.half()
		VMOVDQU64_Z(k.add(r.c1, after), has, behind)
		VPSUBQ(behind, n, n)
		VPMOVQD(behind, back)
		place := k.loadHalf(k.moved)
		VPSUBD(back, place, place)
		k.moveHalf(place, k.moved)
		k.move(k.window(-8), low)
	}
	Label("digits")
	more := k.windows(-16, -24)
	middle, high := more[0], more[1]
	over := K()
	VPCMPUQ(U8(6), rare(24), n, over)
	KORB(over, bad, bad)
	before := k.sub(k.shl(3, n), k.load(c64))
	start := k.shrBy(before, low)
	before = k.add(c64, before)
	start = k.or(start, k.shrBy(before, middle))
	before = k.add(c64, before)
	start = k.or(start, k.shrBy(before, high))
	negative, sign := k.eq(r.minus, k.and(r.byteMask, start)), k.reg()
	VPSUBQ(r.c1, n, negative, n)
	VMOVDQU64_Z(k.load(rare(1<<63)), negative, sign)

	windows = []vec{low, middle, high}
	after := make([]vec, 3)
	has := make([]rowset, 3)
	test := k.load(zero)
	for i, w := range windows {
		w = r.clean(w, free(i+1, n))
		dots := r.dots(w)
		has[i] = k.nonzero(dots)
		after[i] = r.after(dots)
		w = r.squeeze(w, dots, has[i])
		test = k.or(test, k.op(VPADDUSB, r.above9, w))
		windows[i] = r.digits(w)
	}
	odd := K()
	VPTESTMQ(r.tops, test, odd)
	KORB(odd, bad, bad)
	behind := k.either(has[0], has[1])
	KORB(k.both(has[0], has[1]), bad, bad) // two dots
	KORB(k.both(behind, has[2]), bad, bad)
	dot := k.either(behind, has[2])
	VPSUBQ(r.c1, n, dot, n)
	KORB(k.signs(k.sub(r.c1, n)), bad, bad)
	places := k.pick(has[1], k.add(r.c8, after[1]), k.add(rare(16), after[2]))
	places = k.pick(has[0], after[0], places)
	VMOVDQU64_Z(places, dot, places)
	VPCMPUQ(U8(6), rare(999), windows[2], over)
	KORB(over, bad, bad)
	m, t := k.reg(), k.reg()
	VPMULLQ(k.pick(behind, rare(1e15), k.load(rare(1e16))), windows[2], m)
	VPMULUDQ(k.pick(has[0], rare(1e7), k.load(r.hundredMillion)), windows[1], t)
	VPADDQ(t, m, m)
	VPADDQ(windows[0], m, m)

	power := k.add(rare(-leastPower), k.sub(places, exponent))
	VPCMPUQ(U8(6), rare(mostPower-leastPower), power, over)
	KORB(over, bad, bad)
	VPMINUQ(rare(mostPower-leastPower), power, power)
	ten, all := k.load(zero), K()
	KXNORB(all, all, all)
	VPGATHERQQ(Mem{Base: powers, Index: power, Scale: 8}, all, ten)
	binary := k.reg() // the exponent of two that the power has
	VPMULDQ(rare(217706), k.sub(rare(-leastPower), power), binary)
	VPSRAQ(U8(16), binary, binary)
	zeros, w := k.reg(), k.reg()
	VPLZCNTQ(m, zeros)
	VPSLLVQ(zeros, m, w)
	cross := k.add(k.shr(32, k.mul(ten, w)), k.mul(k.shr(32, ten), w))
	product := k.add(k.shr(32, cross), k.mul(k.shr(32, ten), k.shr(32, w)))
	cross = k.add(k.and(rare(1<<32-1), cross), k.mul(ten, k.shr(32, w)))
	product = k.add(k.shr(32, cross), product)
	binary = k.sub(zeros, k.add(rare(1086), binary))
	small := K()
	VPTESTNMQ(rare(1<<63), product, small)
	VPADDQ(product, product, small, product)
	VPSUBQ(r.c1, binary, small, binary)
	some, unsure := K(), K()
	VPTESTMQ(m, m, some)
	VPCMPUQ(U8(2), rare(2), k.sub(rare(0x3fe), k.and(rare(0x7ff), product)), some, unsure)
	KORB(unsure, bad, bad)
	value = k.add(k.shr(11, product), k.and(r.c1, k.shr(10, product)))
	value = k.add(k.shl(52, binary), value)
	VMOVDQU64_Z(value, some, value)
	return k.xor(sign, value), bad
}
