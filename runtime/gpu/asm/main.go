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
	Generate()
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
