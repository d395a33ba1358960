// Command asm generates the assembly of package gpu: run `make generate`.
// It is a module of its own, so that avo is nobody's dependency.
package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

func main() {
	ConstraintExpr("cuda")
	for _, from := range []int{1, 2, 4, 8} {
		for _, to := range []int{4, 8, 16} {
			if from <= to/2 {
				widen(from, to)
			}
		}
	}
	ones, last := numbers("oneTo8", 1, 2, 3, 4, 5, 6, 7, 8), numbers("lastOf8", 7, 7, 7, 7, 7, 7, 7, 7)
	for _, from := range []int{0, 1, 2} {
		sum(from, ones, last)
	}
	Generate()
}

// sum: offset i+1 is offset i + base + n[i], of n of from bytes, which is 0 where from is. Within a
// round lengths are added up in the lanes of a vector, in words if they are bytes; what came before is
// added last, so that no round waits for more than one addition of the one before. Unlike values,
// offsets are read soon, where a record does not begin with the flight.
func sum(from int, oneTo8, lastOf8 Mem) {
	name := fmt.Sprintf("sum%dAVX2", 8*from)
	TEXT(name, NOSPLIT, "func(ends *int32, n *byte, times int, base, at uint64) uint64")
	Doc(fmt.Sprintf("%s is sumTo of lengths of %d bytes, so many times %d: the first text begins at at. It gives where the last one ends. It needs AVX2.", name, from, sumGroup))
	ends, n := Load(Param("ends"), GP64()), Load(Param("n"), GP64())
	times := Load(Param("times"), GP64())
	base, bases, last, carry := YMM(), YMM(), YMM(), YMM()
	x := XMM()
	MOVQ(Load(Param("base"), GP64()), x)
	VPBROADCASTD(x, base)
	MOVQ(Load(Param("at"), GP64()), x)
	VPBROADCASTD(x, carry)
	VPMULLD(oneTo8, base, bases)
	VMOVDQU(lastOf8, last)

	add := func(v reg.VecVirtual, at int) { // v are sums of 8 lengths
		of := YMM()
		VPADDD(bases, v, v)
		VPERMD(v, last, of)
		VPADDD(carry, v, v)
		VMOVDQU(v, Mem{Base: ends, Disp: at})
		VPADDD(of, carry, carry)
	}
	Label("round")
	TESTQ(times, times)
	JZ(LabelRef("done"))
	switch from {
	case 0:
		for half := range 2 {
			v := YMM()
			VPXOR(v, v, v)
			add(v, 32*half)
		}
	case 1:
		v, t := YMM(), YMM()
		VPMOVZXBW(Mem{Base: n}, v)
		for _, shift := range []int{2, 4, 8} {
			VPSLLDQ(U8(shift), v, t)
			VPADDW(t, v, v)
		}
		low, high, half := YMM(), YMM(), XMM()
		VPMOVZXWD(v.AsX(), low)
		VEXTRACTI128(U8(1), v, half)
		VPMOVZXWD(half, high)
		add(low, 0)
		add(high, 32)
	default:
		for half := range 2 {
			v, t := YMM(), YMM()
			VPMOVZXWD(Mem{Base: n, Disp: 16 * half}, v)
			for _, shift := range []int{4, 8} {
				VPSLLDQ(U8(shift), v, t)
				VPADDD(t, v, v)
			}
			VPSHUFD(U8(0xff), v, t)
			VPERM2I128(U8(0x08), t, t, t) // the sum of the low lane, in the high one
			VPADDD(t, v, v)
			add(v, 32*half)
		}
	}
	ADDQ(U32(sumGroup*from), n)
	ADDQ(U32(4*sumGroup), ends)
	DECQ(times)
	JMP(LabelRef("round"))
	Label("done")
	end := GP32()
	VMOVD(carry.AsX(), end)
	VZEROUPPER()
	Store(end.As64(), ReturnIndex(0))
	RET()
}

// numbers are constants of 32 bits.
func numbers(name string, of ...uint32) Mem {
	m := GLOBL(name, RODATA|NOPTR)
	for i, v := range of {
		DATA(4*i, U32(v))
	}
	return m
}

// widen: value i is base + unit*n[i], of n of from bytes and values of to bytes.
// Values are written past the caches: there are more than these hold before
// somebody reads them, and what they lie in need not be read first.
func widen(from, to int) {
	name := fmt.Sprintf("widen%dTo%dAVX2", 8*from, 8*to)
	TEXT(name, NOSPLIT, "func(values *byte, n *byte, times int, base, unit uint64)")
	Doc(fmt.Sprintf("%s is widenGeneric of %d bytes in %d, so many times %d values, which are aligned to %d bytes. It needs AVX2.", name, to, from, widenGroup, widenAlign))
	values, n := Load(Param("values"), GP64()), Load(Param("n"), GP64())
	times := Load(Param("times"), GP64())
	base, unit, zero, x := YMM(), YMM(), YMM(), XMM()
	b, u := Load(Param("base"), GP64()), Load(Param("unit"), GP64())
	MOVQ(b, x)
	if to == 4 {
		VPBROADCASTD(x, base)
	} else {
		VPBROADCASTQ(x, base)
	}
	MOVQ(u, x)
	VPBROADCASTQ(x, unit)
	VPXOR(zero, zero, zero)

	Label("round")
	TESTQ(times, times)
	JZ(LabelRef("done"))
	if to == 4 {
		v := YMM()
		extend(from, to, Mem{Base: n}, v)
		VPADDD(base, v, v)
		VMOVNTDQ(v, Mem{Base: values})
	} else {
		for half := range 2 {
			v := YMM()
			extend(from, to, Mem{Base: n, Disp: half * 4 * from}, v)
			if to == 8 {
				VPMULUDQ(unit, v, v)
			}
			VPADDQ(base, v, v)
			at := Mem{Base: values, Disp: half * 4 * to}
			if to == 8 {
				VMOVNTDQ(v, at)
				continue
			}
			sign, even, odd, out := YMM(), YMM(), YMM(), YMM()
			VPCMPGTQ(v, zero, sign)
			VPUNPCKLQDQ(sign, v, even)
			VPUNPCKHQDQ(sign, v, odd)
			VPERM2I128(U8(0x20), odd, even, out)
			VMOVNTDQ(out, at)
			VPERM2I128(U8(0x31), odd, even, out)
			VMOVNTDQ(out, at.Offset(32))
		}
	}
	ADDQ(U32(widenGroup*from), n)
	ADDQ(U32(widenGroup*to), values)
	DECQ(times)
	JMP(LabelRef("round"))
	Label("done")
	SFENCE()
	VZEROUPPER()
	RET()
}

// extend loads 32 bytes' worth of n, with zeros above.
func extend(from, to int, m Mem, v reg.VecVirtual) {
	switch {
	case to == 4 && from == 1:
		VPMOVZXBD(m, v)
	case to == 4:
		VPMOVZXWD(m, v)
	case from == 1:
		VPMOVZXBQ(m, v)
	case from == 2:
		VPMOVZXWQ(m, v)
	case from == 4:
		VPMOVZXDQ(m, v)
	default:
		VMOVDQU(m, v)
	}
}
