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

// framed converts times in a frame to values of so many bytes.
func framed(v isa, width int) {
	k := begin(v, map[int]string{4: "framed32", 8: "framed64"}[width], "converts times that differ from a frame in digits of the clock alone.")
	window := func(param, i int) Mem { return Mem{Base: k.params, Disp: 8 * (param + 4*i)} }
	span := k.half()
	VPBROADCASTD(Mem{Base: k.params, Disp: 8 * frameSpan}, span)
	front := GP64() // of src, for the window that does not end with the field
	MOVQ(k.src, front)
	spanned := GP64()
	MOVL(Mem{Base: k.params, Disp: 8 * frameSpan}, spanned.As32())
	SUBQ(spanned, front)

	// two gives of rows i and j the seconds and the fraction, in halves of 16
	// bytes, and what is not as in the frame. Registers are used again: few of
	// these instructions know more than 16.
	two := func(i, j int) (times, bad reg.VecVirtual) {
		first, second := k.place(i), k.place(j)
		var x, above [2]reg.VecVirtual
		for w := range 2 {
			at := func(place reg.GPVirtual) Mem {
				if w == 0 {
					return Mem{Base: front, Index: place, Scale: 1}
				}
				return Mem{Base: k.src, Index: place, Scale: 1, Disp: -16}
			}
			y, z := YMM(), YMM()
			VMOVDQU(at(first), y.AsX())
			VINSERTI128(U8(1), at(second), y, y)
			VPXOR(window(frameForm, w), y, y)
			VPSUBUSB(window(frameMost, w), y, z)
			VPSHUFB(window(frameDigits, w), y, y)
			x[w], above[w] = y, z
		}
		times, bad = x[0], above[0]
		VPOR(above[1], bad, bad)
		VPXOR(above[1], above[1], above[1])
		VPSADBW(above[1], bad, bad)
		VPOR(x[1], times, times)
		VPMADDUBSW(rare(0x010a010a010a010a), times, times)
		VPMADDWD(table16("framePairs", words(3600, 60, 1, 0, 100, 1, 100, 1)), times, times)
		VPMULLD(table16("frameFours", words(1, 0, 1, 0, 10000, 0, 1, 0)), times, times)
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
		end, inside := k.half(), k.half()
		k.moveHalf(k.at(k.end), end)
		VPMAXUD(span, end, inside)
		VPMINUD(k.length, inside, inside)
		k.setPlaces(k.end, end, inside)
		times, bad := four(0)
		if k.wide() {
			t, b := four(4)
			z, y := ZMM(), ZMM()
			VINSERTI64X4(U8(1), t, times.AsZ(), z)
			VINSERTI64X4(U8(1), b, bad.AsZ(), y)
			times, bad = z, y
		}
		to := k.widen(end)
		other := k.xor(k.widen(inside), to)
		other = k.or(other, k.xor(k.param(frameLength), k.sub(k.widen(k.at(k.start)), to)))
		other = k.or(other, bad)
		second := k.and(rare(1<<32-1), times)
		late := k.sub(second, k.load(rare(86399)))
		t := k.add(k.mul(k.param(framePer), second), k.mul(k.param(frameScale), k.shr(32, times)))
		k.store(k.add(k.param(frameBase), t), out, width)
		return k.either(k.signs(late), k.nonzero(other))
	})
}

// words are the bytes of 16-bit numbers.
func words(n ...uint16) (b []byte) {
	for _, w := range n {
		b = append(b, byte(w), byte(w>>8))
	}
	return b
}
