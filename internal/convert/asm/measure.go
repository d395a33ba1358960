package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// fieldsOf gives a function that loads fields of a struct.
func fieldsOf(b reg.Register) func(disp int) reg.GPVirtual {
	return func(disp int) reg.GPVirtual {
		r := GP64()
		MOVQ(Mem{Base: b, Disp: disp}, r)
		return r
	}
}

// measureText takes eight rows a turn: the lengths, which are added up to
// offsets, and what is null. A length is looked up in a table of bits, and so is
// the symbol of a field that has but one.
func measureText() {
	TEXT("measureTextAVX2", NOSPLIT, "func(b *uintptr, groups int)")
	Pragma("noescape")
	Doc("measureTextAVX2 measures groups of eight rows, at least one, see measured. It needs AVX2.")
	b, groups := Load(Param("b"), GP64()), Load(Param("groups"), GP64())
	field := fieldsOf(b)
	src, start, end, from, offsets := field(textSrc), field(textStart), field(textEnd), field(textFrom), field(textOffsets)
	nulls, unknown := field(textNulls), field(textUnknown)
	places := AllocLocal(32)
	limit, at := YMM(), YMM()
	{
		length := field(textLength)
		SUBQ(U8(4), length)
		VMOVD(length.As32(), limit.AsX())
		VPBROADCASTD(limit.AsX(), limit)
	}
	VPBROADCASTD(Mem{Base: b, Disp: textAt}, at)
	bytes, lengths := YMM(), YMM()
	{
		tokens := field(textTokens)
		VMOVDQU(Mem{Base: tokens, Disp: tokensBytes}, bytes)
		VMOVDQU(Mem{Base: tokens, Disp: tokensLengths}, lengths)
	}
	constant := func(q uint64) reg.VecVirtual {
		y := YMM()
		VMOVDQU(rare(q|q<<32), y)
		return y
	}
	ones, c31, c63 := constant(0xffffffff), constant(31), constant(63)
	sum := YMM()
	VPXOR(sum, sum, sum)
	any := GP32()
	XORL(any, any)
	s, n, absent, x, y, suspect, symbol := YMM(), YMM(), YMM(), YMM(), YMM(), YMM(), YMM()
	r := GP32()
	// lookup gives the sign bit of the lanes whose bit is in a table.
	lookup := func(index, table reg.VecVirtual, to reg.VecVirtual) {
		VPSRLD(U8(5), index, y)
		VPERMD(table, y, y)
		VPANDN(c31, index, to)
		VPSLLVD(to, y, to)
	}

	Label("group")
	VMOVDQU(Mem{Base: start}, s)
	VPCMPEQD(ones, s, absent)
	VPAND(rare(0x7fffffff7fffffff), s, x)
	VMOVDQU(Mem{Base: end}, n)
	VPSUBD(x, n, n)
	VPANDN(n, absent, n)
	VPANDN(s, absent, x)
	VMOVDQU(x, Mem{Base: from})
	VPMINUD(c63, n, x)
	lookup(x, lengths, suspect)
	VPANDN(suspect, absent, suspect)
	VMOVMSKPS(suspect, r)
	TESTL(r, r)
	JNZ(LabelRef("tokens"))
	Label("known")
	MOVB(r.As8(), Mem{Base: unknown})
	SHLL(U8(8), r)
	ORL(r, any)
	VMOVMSKPS(absent, r)
	MOVB(r.As8(), Mem{Base: nulls})
	ORL(r, any)

	VPSRLQ(U8(32), n, y)
	VPAND(rare(1<<32-1), n, x)
	VPADDQ(y, sum, sum)
	VPADDQ(x, sum, sum)
	// Each lane and those before it.
	VPSLLDQ(U8(4), n, x)
	VPADDD(x, n, n)
	VPSLLDQ(U8(8), n, x)
	VPADDD(x, n, n)
	VPSHUFD(U8(0xff), n, x)
	VPERM2I128(U8(0x08), x, x, x)
	VPADDD(x, n, n)
	VPADDD(at, n, x)
	VMOVDQU(x, Mem{Base: offsets, Disp: 4})
	VPSHUFD(U8(0xff), n, x)
	VPERMQ(U8(0xff), x, x)
	VPADDD(x, at, at)
	PREFETCHT0(Mem{Base: offsets, Disp: ahead})
	for _, p := range []reg.GPVirtual{start, end, from, offsets} {
		ADDQ(U8(4*groupRows), p)
	}
	INCQ(nulls)
	INCQ(unknown)
	DECQ(groups)
	JNZ(LabelRef("group"))

	MOVL(any, Mem{Base: b, Disp: textAny})
	VMOVD(at.AsX(), Mem{Base: b, Disp: textAt})
	lo, hi := XMM(), XMM()
	VEXTRACTI128(U8(1), sum, hi)
	VPADDQ(sum.AsX(), hi, lo)
	VPSRLDQ(U8(8), lo, hi)
	VPADDQ(lo, hi, lo)
	VMOVQ(lo, Mem{Base: b, Disp: textSum})
	VZEROUPPER()
	RET()

	// Those of one symbol in src, not at its very end, are looked up.
	Label("tokens")
	VPCMPEQD(rare(1|1<<32), n, x)
	VPAND(suspect, x, x)
	VPANDN(x, s, x)
	VPCMPGTD(limit, s, y)
	VPANDN(x, y, x)
	VPANDN(suspect, x, suspect)
	VMOVMSKPS(suspect, r)
	// Those of the other rows are read somewhere: a gather instruction, which
	// would not, takes longer. As a rule none is decoded, absent or at the very end.
	halves, far := [2]reg.VecVirtual{XMM(), XMM()}, GP32()
	symbols := func(from Mem) {
		for i := range groupRows {
			place, half := GP64(), halves[i/4]
			MOVL(from.Offset(4*i), place.As32())
			if i%4 == 0 {
				VMOVD(Mem{Base: src, Index: place, Scale: 1}, half)
			} else {
				VPINSRD(U8(i%4), Mem{Base: src, Index: place, Scale: 1}, half, half)
			}
		}
	}
	VPOR(s, y, y)
	VMOVMSKPS(y, far)
	TESTL(far, far)
	JNZ(LabelRef("far"))
	symbols(Mem{Base: start})
	Label("symbols")
	VINSERTI128(U8(1), halves[1], halves[0].AsY(), symbol)
	VPAND(rare(0xff|0xff<<32), symbol, symbol)
	lookup(symbol, bytes, suspect)
	VPAND(x, suspect, suspect)
	VPSRAD(U8(31), suspect, suspect)
	VPOR(suspect, absent, absent)
	VPANDN(n, suspect, n)
	JMP(LabelRef("known"))

	Label("far")
	VPMINUD(limit, s, y)
	VMOVDQU(y, places)
	symbols(places)
	JMP(LabelRef("symbols"))
}
