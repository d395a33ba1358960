package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// A field in a frame lies in two windows of 16 symbols. XOR with the frame makes
// digits their values and 0 of what stays the same; what is above the largest that
// may be there remains after a subtraction. The digits of the clock are brought into
// one order whatever the layout, and multiplied.

// framing reads fields in a frame: two windows of 16 symbols each.
type framing struct {
	*kernel
	span  vec           // 32-bit lanes
	front reg.GPVirtual // of src, for the window that does not end with the field
}

func newFraming(k *kernel) *framing {
	f := &framing{kernel: k, span: k.half(), front: GP64()}
	VPBROADCASTD(Mem{Base: k.params, Disp: 8 * frameSpan}, f.span)
	MOVQ(k.src, f.front)
	spanned := GP64()
	MOVL(Mem{Base: k.params, Disp: 8 * frameSpan}, spanned.As32())
	SUBQ(spanned, f.front)
	return f
}

func (f *framing) window(param, i int) Mem { return Mem{Base: f.params, Disp: 8 * (param + 4*i)} }

// symbols is window w of the field that ends at a place.
func (f *framing) symbols(w int, place reg.GPVirtual) Mem {
	if w == 0 {
		return Mem{Base: f.front, Index: place, Scale: 1}
	}
	return Mem{Base: f.src, Index: place, Scale: 1, Disp: -16}
}

// setEnds sets the places to the ends of fields, where windows are inside, and gives what is not 0 of fields whose windows
// are not, or that are of another length.
func (f *framing) setEnds() (other func() vec) {
	k := f.kernel
	end, inside := k.half(), k.half()
	k.moveHalf(k.at(k.end), end)
	VPMAXUD(f.span, end, inside)
	VPMINUD(k.length, inside, inside)
	k.setPlaces(k.end, end, inside)
	return func() vec {
		to := k.widen(end)
		other := k.xor(k.widen(inside), to)
		return k.or(other, k.xor(k.param(frameLength), k.sub(k.widen(k.at(k.start)), to)))
	}
}

// clock makes of digits in their places, in halves of 16 bytes each, the seconds in two numbers and the fraction in two.
func clock(x reg.VecVirtual) {
	VPMADDUBSW(rare(0x010a010a010a010a), x, x)
	VPMADDWD(table16("framePairs", words(3600, 60, 1, 0, 100, 1, 100, 1)), x, x)
	VPMULLD(table16("frameFours", words(1, 0, 1, 0, 10000, 0, 1, 0)), x, x)
}

// framed converts times in a frame to values of so many bytes.
func framed(v isa, width int) {
	k := begin(v, map[int]string{4: "framed32", 8: "framed64"}[width], "converts times that differ from a frame in digits of the clock alone.")
	f := newFraming(k)

	// two gives of rows i and j the seconds and the fraction, in halves of 16
	// bytes, and what is not as in the frame. Registers are used again: few of
	// these instructions know more than 16.
	two := func(i, j int) (times, bad reg.VecVirtual) {
		first, second := k.place(i), k.place(j)
		var x, above [2]reg.VecVirtual
		for w := range 2 {
			y, z := YMM(), YMM()
			VMOVDQU(f.symbols(w, first), y.AsX())
			VINSERTI128(U8(1), f.symbols(w, second), y, y)
			VPXOR(f.window(frameForm, w), y, y)
			VPSUBUSB(f.window(frameMost, w), y, z)
			VPSHUFB(f.window(frameDigits, w), y, y)
			x[w], above[w] = y, z
		}
		times, bad = x[0], above[0]
		VPOR(above[1], bad, bad)
		VPXOR(above[1], above[1], above[1])
		VPSADBW(above[1], bad, bad)
		VPOR(x[1], times, times)
		clock(times)
		return times, bad
	}
	four := func(i int) (times, bad reg.VecVirtual) {
		times, bad = two(i, i+2)
		odd, badOdd := two(i+1, i+3)
		VPHADDD(odd, times, times)
		VPHADDD(badOdd, bad, bad)
		return times, bad
	}

	k.loop(width, nil, func(out Mem) rowset {
		other := f.setEnds()
		low, lowBad := four(0)
		times, bad := vec(low), vec(lowBad)
		if k.wide() {
			high, highBad := four(4)
			times, bad = wideOf(low, high), wideOf(lowBad, highBad)
		}
		bad = k.or(other(), bad)
		second := k.and(rare(1<<32-1), times)
		late := k.sub(second, k.load(rare(86399)))
		t := k.add(k.mul(k.param(framePer), second), k.mul(k.param(frameScale), k.shr(32, times)))
		k.store(k.add(k.param(frameBase), t), out, width)
		return k.either(k.signs(late), k.nonzero(bad))
	})
}

// wideOf puts two vectors of four lanes side by side.
func wideOf(low, high reg.VecVirtual) vec {
	z := ZMM()
	VINSERTI64X4(U8(1), high, low.AsZ(), z)
	return z
}

// dated does, of the rows that todo has, times in a frame that has no digits of a date either. Its params are those of
// framed, from datedFrame on; days are counted from epochDay.
func dated() {
	k := begin(avx512, "dated", "converts times whose digits stand in known places, those of the date too, of the rows that are left.")
	ADDQ(U32(8*datedFrame), k.params)
	f := newFraming(k)

	// four gives of rows 4i to 4i+3 the seconds and the fraction, each in halves that are to be added, what is not as in the
	// frame, and the digits of the date.
	four := func(i int) (all [4]reg.VecVirtual) {
		var of [2][3]reg.VecVirtual // times, bad, dates
		for odd := range 2 {
			first, second := k.place(4*i+odd), k.place(4*i+odd+2)
			for w := range 2 {
				x, above, date := YMM(), YMM(), YMM()
				VMOVDQU64(f.symbols(w, first), x.AsX())
				VINSERTI64X2(U8(1), f.symbols(w, second), x, x)
				VPXORQ(f.window(frameForm, w), x, x)
				VPSUBUSB(f.window(frameMost, w), x, above)
				VPSHUFB(f.window(frameDates, w), x, date)
				VPSHUFB(f.window(frameDigits, w), x, x)
				if w == 0 {
					of[odd] = [3]reg.VecVirtual{x, above, date}
					continue
				}
				for k, y := range [3]reg.VecVirtual{x, above, date} {
					VPORQ(y, of[odd][k], of[odd][k])
				}
			}
			clock(of[odd][0])
		}
		even, odd := &of[0], &of[1]
		for k := range all {
			all[k] = YMM()
		}
		VPUNPCKLQDQ(odd[0], even[0], all[0])
		VPUNPCKHQDQ(odd[0], even[0], all[1])
		VPUNPCKLQDQ(odd[1], even[1], all[2])
		VPUNPCKHQDQ(odd[1], even[1], even[1])
		VPORQ(even[1], all[2], all[2])
		VPUNPCKLQDQ(odd[2], even[2], all[3])
		return all
	}

	c := &clockReader{kernel: k}
	k.loopLeft(8, func() (vec, rowset) {
		other := f.setEnds()
		low, high := four(0), four(1)
		var x [4]vec
		for i := range x {
			x[i] = wideOf(low[i], high[i])
		}
		second, fraction := c.sum(x[0]), c.sum(x[1])
		bad := k.nonzero(k.or(other(), x[2]))
		c.refused = k.sub(second, k.load(rare(86399)))
		p := c.pairs(x[3], 10, 1, 10, 1, 10, 1, 10, 1)
		ym := c.fours(p, 100, 1, 1, 0)
		days := c.days(ym, k.shr(32, ym), k.shr(48, p))
		c.refuse(k.sub(k.param(frameLeast), days))
		c.refuse(k.sub(days, k.param(frameLast)))
		t := k.add(second, k.mul(rare(86400), days))
		VPMULLQ(k.param(framePer), t, t)
		t = k.add(t, k.mul(k.param(frameScale), fraction))
		return k.add(k.param(frameBase), t), k.either(k.signs(c.refused), bad)
	})
}

// words are the bytes of 16-bit numbers.
func words(n ...uint16) (b []byte) {
	for _, w := range n {
		b = append(b, byte(w), byte(w>>8))
	}
	return b
}
