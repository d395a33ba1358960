package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// uuidRows: a UUID a turn. Its 32 digits become the bytes of a vector, and two of them one byte.
//
//	symbols   0-7 - 9-12 - 14-17 - 19-22 - 24-35
//	low       0-7   9-12   14-15                   from symbol 0
//	                       16-17                   from symbol 2
//	high                           19-22           from symbol 19
//	                                       24-35   from symbol 20
func uuidRows() {
	TEXT("uuidRowsAVX2", NOSPLIT, "func(out *byte, src *byte, start, end *uint32, rows int, last uint64) (done int)")
	Pragma("noescape")
	Doc("uuidRowsAVX2 converts UUIDs with hyphens, until one that begins after last, behind which there have to be 36 bytes, or is none, and gives how many. It needs AVX2.")
	out, src := Load(Param("out"), GP64()), Load(Param("src"), GP64())
	start, end := Load(Param("start"), GP64()), Load(Param("end"), GP64())
	zero, nine, lower, letter, ten, weights, order := YMM(), YMM(), YMM(), YMM(), YMM(), YMM(), XMM()
	for _, c := range []struct {
		r reg.VecVirtual
		q uint64
	}{{zero, '0' * each}, {nine, 9 * each}, {lower, 0x20 * each}, {letter, 'a' * each}, {ten, 10 * each}, {weights, 0x0110011001100110}} {
		VMOVDQU(rare(c.q), c.r)
	}
	VMOVDQU(table16("digitsOfUUID", []byte{0, 1, 2, 3, 4, 5, 6, 7, 9, 10, 11, 12, 14, 15}), order)
	hyphens, signs := GP64(), GP64()
	MOVQ(U64('-'|'-'<<40), hyphens)
	MOVQ(U64(0xff|0xff<<40), signs)
	i := GP64()
	XORQ(i, i)
	Label("row")
	s, n := GP64(), GP64()
	MOVL(Mem{Base: start, Index: i, Scale: 4}, s.As32())
	CMPQ(s, param("last"))
	JA(LabelRef("done"))
	MOVL(Mem{Base: end, Index: i, Scale: 4}, n.As32())
	SUBL(s.As32(), n.As32())
	CMPL(n.As32(), U8(36))
	JNE(LabelRef("done"))
	at := func(place int) Mem { return Mem{Base: src, Index: s, Scale: 1, Disp: place} }
	first, second := GP64(), GP64()
	MOVQ(at(8), first)
	MOVQ(at(18), second)
	XORQ(hyphens, first)
	XORQ(hyphens, second)
	ORQ(second, first)
	TESTQ(signs, first)
	JNZ(LabelRef("done"))
	x, high := YMM(), XMM()
	VMOVDQU(at(0), x.AsX())
	VPSHUFB(order, x.AsX(), x.AsX())
	VPBLENDW(U8(1<<7), at(2), x.AsX(), x.AsX())
	VMOVDQU(at(20), high)
	VPBLENDD(U8(1), at(19), high, high)
	VINSERTI128(U8(1), high, x, x)
	Comment("What is no digit is above 15 as one, and what is no letter as one.")
	digit, none := YMM(), YMM()
	VPSUBB(zero, x, digit)
	VPCMPGTB(nine, digit, none)
	VPOR(none, digit, digit)
	VPOR(lower, x, x)
	VPSUBB(letter, x, x)
	VPADDUSB(ten, x, x)
	VPMINUB(digit, x, x)
	VPTEST(rare(0xf0*each), x)
	JNZ(LabelRef("done"))
	VPMADDUBSW(weights, x, x)
	VEXTRACTI128(U8(1), x, high)
	VPACKUSWB(high, x.AsX(), high)
	VMOVDQU(high, Mem{Base: out})
	ADDQ(U8(16), out)
	INCQ(i)
	CMPQ(i, param("rows"))
	JB(LabelRef("row"))
	Label("done")
	VZEROUPPER()
	Store(i, ReturnIndex(0))
	RET()
}
