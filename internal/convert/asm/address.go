package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// An IPv4 address of 7 to 15 symbols is two octets with their dots in the eight
// symbols from its front, and two in the eight before its end. Octets are shifted
// to the end of a lane, where the others of their three digits are 0.

func addresses() {
	k := begin(avx512, "addresses", "converts IPv4 addresses, mapped into IPv6.")
	odd := K()
	{
		r := GP32()
		MOVL(U32(0xaa), r)
		KMOVB(r, odd)
	}
	dots := func(x vec) vec {
		m, r := K(), k.reg()
		VPCMPEQB(rare('.'*each), x, m)
		VPMOVM2B(m, r)
		return r
	}
	leading := func(x vec) vec {
		r := k.reg()
		VPLZCNTQ(x, r)
		return r
	}
	lessThan64 := func(n vec) vec { return k.sub(n, k.load(rare(64))) } // 64 - n
	last := k.half()
	VPSUBD(rare(8|8<<32), k.length, last)

	k.loop(16, nil, func(out Mem) rowset {
		start, end, inside := k.half(), k.half(), k.half()
		LEAQ(k.moved, k.places)
		k.moveHalf(k.at(k.start), start)
		VPMINUD(last, start, inside)
		k.moveHalf(inside, k.moved)
		other := k.xor(k.widen(inside), k.widen(start))
		first := k.window(0)
		k.moveHalf(k.at(k.end), end)
		VPMAXUD(rare(8|8<<32), end, inside)
		VPMINUD(k.length, inside, inside)
		k.moveHalf(inside, k.moved)
		other = k.or(other, k.xor(k.widen(inside), k.widen(end)))
		final := k.window(-8)
		length := k.sub(k.widen(start), k.widen(end))

		// The bits of digits that octets have, and the digits.
		var bits, octets [4]vec
		d, x := dots(first), k.xor(rare('0'*each), first)
		for i := range 2 {
			lowest := k.and(d, k.sub(d, k.zero()))
			n := k.sub(leading(lowest), k.load(rare(63)))
			bits[i], octets[i] = n, k.shlBy(lessThan64(n), x)
			if i == 0 {
				n = k.add(rare(8), n)
				d, x = k.shrBy(n, d), k.shrBy(n, x)
			}
		}
		d, x = dots(final), k.xor(rare('0'*each), final)
		for i := 3; i > 1; i-- {
			n := leading(d)
			rest := lessThan64(n)
			bits[i], octets[i] = n, k.shlBy(rest, k.shrBy(rest, x))
			if i == 3 {
				n = k.add(rare(8), n)
				d, x = k.shlBy(n, d), k.shlBy(n, x)
			}
		}
		var refused vec
		refuse := func(x vec) {
			if refused == nil {
				refused = x
				return
			}
			refused = k.or(refused, x)
		}
		sum := k.add(bits[0], bits[1])
		sum = k.add(bits[2], sum)
		sum = k.add(bits[3], sum)
		other = k.or(other, k.xor(k.shl(3, length), k.add(rare(24), sum)))
		for _, n := range bits {
			refuse(k.sub(rare(8), n))
			refuse(k.sub(n, k.load(rare(24))))
		}
		largest := k.op(VPMAXUB, octets[1], octets[0])
		largest = k.op(VPMAXUB, octets[2], largest)
		largest = k.op(VPMAXUB, octets[3], largest)
		noDigit := k.op(VPADDUSB, rare(0x76*each), largest)

		var beyond vec
		pair := func(i int) vec {
			v := k.or(octets[i+1], k.shr(32, octets[i]))
			v = k.op(VPMADDUBSW, rare(0x010a6400_010a6400), v)
			v = k.op(VPMADDWD, rare(0x0001000100010001), v)
			n := k.or(k.shr(3, bits[i]), k.shl(29, bits[i+1]))
			least := k.shuffle(table16("leastOctets", []byte{0, 0, 10, 100}), n)
			b := k.or(k.op(VPSUBD, least, v), k.op(VPSUBD, v, k.load(rare(255|255<<32))))
			if beyond != nil {
				b = k.or(beyond, b)
			}
			beyond = b
			return v
		}
		front, back := pair(0), pair(2)
		const high = 0xffffffff << 32
		q := k.or(k.shl(32, front), k.shl(8, k.and(rare(high), front)))
		q = k.or(k.shl(48, back), q)
		q = k.or(k.shl(24, k.and(rare(high), back)), q)
		q = k.or(rare(0xffff0000), q)
		z := ZMM()
		VPEXPANDQ_Z(q, odd, z)
		k.move(z, out)
		y := YMM()
		VEXTRACTI64X4(U8(1), q, y)
		VPEXPANDQ_Z(y.AsZ(), odd, z)
		k.move(z, out.Offset(64))
		bad := k.either(k.signs(refused), k.nonzero(other))
		bad = k.either(bad, k.hasBits(rare(0x80*each), noDigit))
		return k.either(bad, k.hasBits(rare(0x8000000080000000), beyond))
	})
}

// addressRows: an address a turn. How long its octets are says where the digits go: one octet a lane.
//
//	symbols   10.2.33.4
//	dots      ..1.1..1.1        the last is its end
//	lanes     010 002 033 004
func addressRows() {
	TEXT("addressRowsAVX2", NOSPLIT, "func(out *byte, src *byte, start, end *uint32, rows int, last uint64, forms *byte) (done int)")
	Pragma("noescape")
	Doc("addressRowsAVX2 converts IPv4 addresses, mapped into IPv6, until one that begins after last, behind which there have to be 16 bytes, or is none, and gives how many. forms are addressForms. It needs AVX2 and BMI2.")
	out, src := Load(Param("out"), GP64()), Load(Param("src"), GP64())
	start, end := Load(Param("start"), GP64()), Load(Param("end"), GP64())
	forms := Load(Param("forms"), GP64())
	dot, zero, most, coefficients, pairs, limits := XMM(), XMM(), XMM(), XMM(), XMM(), XMM()
	for _, c := range []struct {
		r reg.VecVirtual
		q uint64
	}{{dot, '.' * each}, {zero, '0' * each}, {most, 0x76 * each}, {coefficients, 0x010a6400_010a6400}, {pairs, 0x0001000100010001}, {limits, 255 | 255<<32}} {
		VMOVDQU(rare(c.q), c.r)
	}
	i := GP64()
	XORQ(i, i)
	Label("row")
	s, n, dots := GP64(), GP64(), GP64()
	MOVL(Mem{Base: start, Index: i, Scale: 4}, s.As32())
	CMPQ(s, param("last"))
	JA(LabelRef("done"))
	MOVL(Mem{Base: end, Index: i, Scale: 4}, n.As32())
	SUBL(s.As32(), n.As32())
	CMPL(n.As32(), U32(15))
	JA(LabelRef("done"))
	x, is := XMM(), XMM()
	VMOVDQU(Mem{Base: src, Index: s, Scale: 1}, x)
	VPCMPEQB(dot, x, is)
	VPMOVMSKB(is, dots.As32())
	BZHIQ(n, dots, dots)
	BTSQ(n, dots)
	var at [4]reg.GPVirtual
	for k := range at {
		if k > 0 {
			BLSRQ(dots, dots)
		}
		at[k] = GP64()
		TZCNTQ(dots, at[k])
	}
	CMPQ(at[3], n)
	JNE(LabelRef("done"))
	Comment("The lengths, less one.")
	for k := 3; k > 0; k-- {
		SUBQ(at[k-1], at[k])
		SUBQ(U8(2), at[k])
	}
	DECQ(at[0])
	longest := GP64()
	MOVQ(at[0], longest)
	for _, n := range at[1:] {
		ORQ(n, longest)
	}
	CMPQ(longest, U8(3))
	JA(LabelRef("done"))
	LEAQ(Mem{Base: at[0], Index: at[1], Scale: 4}, at[0])
	LEAQ(Mem{Base: at[2], Index: at[3], Scale: 4}, at[2])
	SHLQ(U8(9), at[2])
	SHLQ(U8(5), at[0])
	ADDQ(at[0], at[2])
	form := Mem{Base: forms, Index: at[2], Scale: 1}
	v, bad, other := XMM(), XMM(), XMM()
	VPXOR(zero, x, x)
	VPSHUFB(form, x, x)
	VPADDUSB(most, x, bad)
	VPAND(rare(0x80*each), bad, bad)
	VPMADDUBSW(coefficients, x, v)
	VPMADDWD(pairs, v, v)
	VPCMPGTD(limits, v, other)
	VPOR(other, bad, bad)
	VMOVDQU(form.Offset(16), other)
	VPCMPGTD(v, other, other)
	VPOR(other, bad, bad)
	VPTEST(bad, bad)
	JNZ(LabelRef("done"))
	VPSHUFB(table16("bytes", []byte{0, 4, 8, 12}), v, v)
	octets := GP64()
	VMOVD(v, octets.As32())
	SHLQ(U8(32), octets)
	prefix := GP64()
	MOVL(U32(0xffff0000), prefix.As32())
	ORQ(prefix, octets)
	MOVQ(U32(0), Mem{Base: out})
	MOVQ(octets, Mem{Base: out, Disp: 8})
	ADDQ(U8(16), out)
	INCQ(i)
	CMPQ(i, param("rows"))
	JB(LabelRef("row"))
	Label("done")
	Store(i, ReturnIndex(0))
	RET()
}
