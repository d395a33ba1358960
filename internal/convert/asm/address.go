package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
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
