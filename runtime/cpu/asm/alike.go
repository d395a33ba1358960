package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

// alike compares eight distances a turn.
func alike() {
	TEXT("alikeAVX2", NOSPLIT, "func(records *uint32, n int, width uint32) (i int)")
	Pragma("noescape")
	Doc("alikeAVX2 gives the index of the first of n numbers that is not width more than the one before, or where fewer than eight are left. The first has one before. It needs AVX2.")
	records, n := Load(Param("records"), GP64()), Load(Param("n"), GP64())
	width, x, i, mask := YMM(), YMM(), GP64(), GP32()
	VMOVD(Load(Param("width"), GP32()), width.AsX())
	VPBROADCASTD(width.AsX(), width)
	XORQ(i, i)
	SUBQ(U8(8), n)

	Label("eight")
	CMPQ(i, n)
	JG(LabelRef("done"))
	VMOVDQU(Mem{Base: records, Index: i, Scale: 4}, x)
	VPSUBD(Mem{Base: records, Index: i, Scale: 4, Disp: -4}, x, x)
	VPCMPEQD(width, x, x)
	VPMOVMSKB(x, mask)
	ADDQ(U8(8), i)
	XORL(U32(0xFFFFFFFF), mask)
	JZ(LabelRef("eight"))
	TZCNTL(mask, mask)
	SHRL(U8(2), mask)
	LEAQ(Mem{Base: i, Index: mask.As64(), Scale: 1, Disp: -8}, i)

	Label("done")
	VZEROUPPER()
	Store(i, ReturnIndex(0))
	RET()
}
