package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

// Most numbers have at most eight symbols and no sign. A group of eight such
// rows takes a shorter way with AVX-512, on which lengths are 32 bits wide and
// nothing is kept for rows that may be left: one that is not like that sends
// the group the long way.

// general sends the group the long way if any row is in the set.
func (k *kernel) general(a rowset) {
	bits := k.bits(a)
	TESTL(bits, bits)
	JNZ(LabelRef("general"))
}

// readPlain emits the reading of a plain group. places are right in their low
// three bits. limit is the largest magnitude below 0 if there is one.
func (r *reader) readPlain(limit Op) (m, places vec, neg rowset) {
	k := r.kernel
	end, length, place := k.half(), k.half(), k.half()
	k.moveHalf(k.at(k.end), end)
	VPSUBD(k.at(k.start), end, length)
	VPMAXUD(r.sixteenPlace, end, place)
	VPMINUD(k.length, place, place)
	moved, long := K(), K()
	VPCMPD(U8(4), place, end, moved)
	// 0 and what is above 8, which rows that are not in src are too.
	less := k.half()
	VPADDD(r.halfOnes, length, less)
	VPCMPUD(U8(6), r.halfSeven, less, long)
	k.general(k.either(moved, long))

	LEAQ(k.at(k.end), k.places)
	VPSUBD(length, r.halfEight, length)
	VPSLLD(U8(3), length, length)
	count := k.widen(length)
	x := r.clean(k.window(-8), count)
	var has rowset
	if r.point {
		dots := r.dots(x)
		has = k.nonzero(dots)
		alone := K()
		VPTESTNMD(less, less, alone)
		k.general(k.both(has, alone))
		x = r.squeeze(x, dots, has)
		places = r.after(dots)
	}
	neg = K()
	KXORB(neg, neg, neg)
	test := func() rowset {
		bad := K()
		VPTESTMQ(r.tops, k.op(VPADDUSB, r.above9, x), bad)
		return bad
	}
	bits := k.bits(test())
	TESTL(bits, bits)
	JZ(LabelRef("digits"))
	{
		// A minus sign, with digits behind it, is the first symbol.
		VPSLLD(U8(3), less, less)
		digits := k.widen(less)
		if r.point {
			count = k.increment(has, r.c8, count)
			digits = k.load(digits)
			VPSUBQ(r.c8, digits, has, digits)
		}
		minus := k.shlBy(count, k.load(rare('-'^'0')))
		VPCMPEQQ(minus, k.and(k.shlBy(count, k.load(r.byteMask)), x), neg)
		VPXORQ(minus, x, neg, x)
		none := K()
		VPTESTNMQ(digits, digits, none)
		k.general(k.either(test(), k.both(neg, none)))
		if limit != nil {
			over := K()
			VPCMPUQ(U8(6), limit, r.digits(x), neg, over)
			k.general(over)
		}
	}
	Label("digits")
	return r.digits(x), places, neg
}
