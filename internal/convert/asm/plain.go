package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

// Most numbers have at most eight symbols. A group of eight such rows takes a
// shorter way with AVX-512, on which lengths are 32 bits wide, and which looks
// for signs only if something is no digit. Empty rows, and others that the long
// way would leave too, do not keep it from that.

// general sends the group the long way if any row is in the set.
func (k *kernel) general(a rowset) {
	bits := k.bits(a)
	TESTL(bits, bits)
	JNZ(LabelRef("general"))
}

// readPlain emits the reading of a plain group. places are right in their low
// three bits. limit is the largest magnitude below 0 if there is one.
func (r *reader) readPlain(limit Op) number {
	k := r.kernel
	end, length, place := k.half(), k.half(), k.half()
	k.moveHalf(k.at(k.end), end)
	VPSUBD(k.at(k.start), end, length)
	VPMAXUD(r.sixteenPlace, end, place)
	VPMINUD(k.length, place, place)
	moved, long, left := K(), K(), K()
	VPCMPD(U8(4), place, end, moved)
	less, over := k.half(), k.half() // than the length, by 1 and by 9
	VPADDD(r.halfOnes, length, less)
	VPCMPUD(U8(6), r.halfSeven, less, left)
	VPSUBD(r.halfEight, less, over)
	VPCMPUD(U8(2), r.halfSeven, over, long)
	k.general(k.either(moved, long))

	LEAQ(k.at(k.end), k.places)
	VPSUBD(length, r.halfEight, length)
	VPSLLD(U8(3), length, length)
	count := k.widen(length)
	x := r.clean(k.window(-8), count)
	var places vec
	var has rowset
	if r.point {
		dots := r.dots(x)
		has = k.nonzero(dots)
		alone := K()
		VPTESTNMD(less, less, alone)
		KANDB(has, alone, alone)
		KORB(alone, left, left)
		x = r.squeeze(x, dots, has)
		places = r.after(dots)
	}
	neg := K()
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
		after := k.widen(less)
		none := K()
		if r.point { // nor is what follows a dot the first
			VPCMPEQQ(places, after, none)
			count = k.increment(has, r.c8, count)
			after = k.load(after)
			VPSUBQ(r.c1, after, has, after)
		}
		minus := k.shlBy(count, k.load(rare('-'^'0')))
		VPCMPEQQ(minus, k.and(k.shlBy(count, k.load(r.byteMask)), x), neg)
		VPXORQ(minus, x, neg, x)
		nothing := K()
		VPTESTNMQ(after, after, nothing)
		if r.point {
			KORB(nothing, none, none)
		} else {
			none = nothing
		}
		KANDB(neg, none, none)
		KORB(none, left, left)
		KORB(test(), left, left)
		if limit != nil {
			over := K()
			VPCMPUQ(U8(6), limit, r.digits(x), neg, over)
			KORB(over, left, left)
		}
	}
	Label("digits")
	n := number{r.digits(x), places, neg, left}
	if r.plainly {
		before := k.widen(less)
		VPSUBQ(r.c1, before, neg, before)
		if r.point {
			VPSUBQ(r.c1, before, has, before)
			n.places = k.and(rare(7), places)
		}
		n.bad = k.either(left, r.unusual(n, before))
	}
	return n
}
