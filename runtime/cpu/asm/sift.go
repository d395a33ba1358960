package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// sifts generates what is asked of each record side by side at its last field and at its end, sixteen
// at a time.
func sifts() {
	TEXT("toLineEndAVX512", NOSPLIT, "func(place, left, first *uint32, further *uint8, less uint32, n int)")
	Pragma("noescape")
	Doc("toLineEndAVX512 is toLineEndGeneric for all records: first is that of the second. It needs AVX-512.")
	place, left, first, further := Load(Param("place"), GP64()), Load(Param("left"), GP64()), Load(Param("first"), GP64()), Load(Param("further"), GP64())
	less := broadcast("less")
	everySixteen(func(i reg.GPVirtual, ones reg.VecVirtual, live reg.OpmaskVirtual) {
		x, y := ZMM(), ZMM()
		VMOVDQU32(Mem{Base: left, Index: i, Scale: 4}, x)
		VPCMPEQD(ones, x, live, live)
		VPMOVZXBD(Mem{Base: further, Index: i, Scale: 1}, x)
		VPTESTNMD(x, x, live, live)
		VMOVDQU32(Mem{Base: first, Index: i, Scale: 4}, x)
		VPSUBD(less, x, x)
		VMOVDQU32(Mem{Base: place, Index: i, Scale: 4}, y)
		VPMAXSD(y, x, x)
		VMOVDQU32(x, live, Mem{Base: place, Index: i, Scale: 4})
	})
	VZEROUPPER()
	RET()

	TEXT("takeAVX512", NOSPLIT, "func(start, at, ended, left, end *uint32, shape *uint8, longest, class uint32, n int, others *uint16) (took int)")
	Pragma("noescape")
	Doc("takeAVX512 gives those of n records on their way that end where the next begins their ends and a shape, and their number; others are the others, which are bits. It needs AVX-512.")
	start, at, ended := Load(Param("start"), GP64()), Load(Param("at"), GP64()), Load(Param("ended"), GP64())
	left, end, shape, others := Load(Param("left"), GP64()), Load(Param("end"), GP64()), Load(Param("shape"), GP64()), Load(Param("others"), GP64())
	longest, class := broadcast("longest"), broadcast("class")
	took := GP64()
	XORQ(took, took)
	everySixteen(func(i reg.GPVirtual, ones reg.VecVirtual, live reg.OpmaskVirtual) {
		x, y, some, n := ZMM(), ZMM(), K(), GP64()
		VMOVDQU32(Mem{Base: left, Index: i, Scale: 4}, x)
		VPCMPEQD(ones, x, live, live)
		VMOVDQU32(Mem{Base: at, Index: i, Scale: 4}, x)
		VPCMPEQD(Mem{Base: start, Index: i, Scale: 4, Disp: 4}, x, live, some)
		VMOVDQU32(Mem{Base: ended, Index: i, Scale: 4}, x)
		VPSUBD(Mem{Base: start, Index: i, Scale: 4}, x, y)
		VPCMPUD(U8(2), longest, y, some, some)
		VMOVDQU32(x, some, Mem{Base: end, Index: i, Scale: 4})
		VPMOVDB(class, some, Mem{Base: shape, Index: i, Scale: 1})
		KMOVW(some, n.As32())
		POPCNTQ(n, n)
		ADDQ(n, took)
		KANDNW(live, some, live)
		KMOVW(live, n.As32())
		MOVW(n.As16(), Mem{Base: others})
		ADDQ(U8(2), others)
	})
	VZEROUPPER()
	Store(took, ReturnIndex(0))
	RET()
}

// broadcast is a parameter in all lanes.
func broadcast(name string) reg.VecVirtual {
	r, z := GP32(), ZMM()
	Load(Param(name), r)
	VPBROADCASTD(r, z)
	return z
}

// everySixteen runs f for each sixteen of n, of which live are there.
func everySixteen(f func(i reg.GPVirtual, ones reg.VecVirtual, live reg.OpmaskVirtual)) {
	i, n, behind, ones := GP64(), Load(Param("n"), GP64()), GP64(), ZMM()
	XORQ(i, i)
	VPTERNLOGD(U8(0xff), ones, ones, ones)
	Label("sixteen")
	CMPQ(i, n)
	JGE(LabelRef("done"))
	MOVQ(n, behind)
	SUBQ(i, behind)
	f(i, ones, lanesOf(behind, "whole"))
	ADDQ(U8(16), i)
	JMP(LabelRef("sixteen"))
	Label("done")
}
