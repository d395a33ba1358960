package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

// absentRows looks at eight rows at a time.
func absentRows() {
	TEXT("findAbsentAVX2", NOSPLIT, "func(start, end *uint32, groups int, set *byte, empty uint32)")
	Pragma("noescape")
	Doc("findAbsentAVX2 makes a set of the rows of groups of eight that are absent or, if empty is all ones and not 0, empty. It needs AVX2.")
	start, end := Load(Param("start"), GP64()), Load(Param("end"), GP64())
	groups, set := Load(Param("groups"), GP64()), Load(Param("set"), GP64())
	ones, place, empty := YMM(), YMM(), YMM()
	VMOVD(Load(Param("empty"), GP32()), empty.AsX())
	VPBROADCASTD(empty.AsX(), empty)
	VPCMPEQD(ones, ones, ones)
	VPSRLD(U8(1), ones, place) // all but InDecoded
	i, bits := GP64(), GP64()
	XORQ(i, i)

	Label("absentEight")
	from, none := YMM(), YMM()
	VMOVDQU(Mem{Base: start}, from)
	VPCMPEQD(ones, from, none)
	VMOVMSKPS(none, bits.As32())
	CMPL(bits.As32(), U32(0xff)) // as a rule all of eight are absent, and where they end takes time to know
	JEQ(LabelRef("absentAll"))
	VPAND(place, from, from)
	VPCMPEQD(Mem{Base: end}, from, from)
	VPAND(empty, from, from)
	VPOR(from, none, none)
	VMOVMSKPS(none, bits.As32())
	Label("absentAll")
	MOVB(bits.As8(), Mem{Base: set, Index: i, Scale: 1})
	ADDQ(U8(32), start)
	ADDQ(U8(32), end)
	INCQ(i)
	CMPQ(i, groups)
	JL(LabelRef("absentEight"))
	VZEROUPPER()
	RET()
}
