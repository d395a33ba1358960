package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// undouble copies n symbols and leaves out the second of every two quotes.
func undouble() {
	TEXT("undoubleAVX512", NOSPLIT, "func(dst, src *byte, n int, quote uint64) int")
	Doc("undoubleAVX512 is appendUndoubledGeneric for n symbols, and gives how many remain. It needs AVX-512 with VBMI2, and room for 64 symbols more at dst.")
	squeeze("quote", true)
}

// leaveOut copies n symbols and leaves out one.
func leaveOut() {
	TEXT("withoutAVX512", NOSPLIT, "func(dst, src *byte, n int, symbol uint64) int")
	Doc("withoutAVX512 is appendWithoutGeneric for n symbols, and gives how many remain. It needs AVX-512 with VBMI2, and room for 64 symbols more at dst.")
	squeeze("symbol", false)
}

// squeeze copies n symbols without the parameter, or without every second of it.
func squeeze(parameter string, everySecond bool) {
	dst, src, n := Load(Param("dst"), GP64()), Load(Param("src"), GP64()), Load(Param("n"), GP64())
	start := GP64()
	MOVQ(dst, start)
	symbol, quote, ones := GP64(), ZMM(), XMM()
	Load(Param(parameter), symbol)
	VPBROADCASTB(symbol.As32(), quote)
	open, all := GP64(), GP64() // open: all ones after the first of two
	if everySecond {
		VPCMPEQD(ones, ones, ones)
		XORQ(open, open)
	}
	block := func(x reg.VecVirtual) {
		second, inside, quotes, y := GP64(), GP64(), K(), XMM()
		VPCMPEQB(x, quote, quotes)
		KMOVQ(quotes, second)
		if everySecond {
			VMOVQ(second, y)
			VPCLMULQDQ(U8(0), ones, y, y)
			VMOVQ(y, inside)
			XORQ(open, inside)
			ANDNQ(second, inside, second)
			MOVQ(inside, open)
			SARQ(U8(63), open)
		}
		kept := GP64()
		ANDNQ(all, second, kept)
		packed := compress(x, kept)
		VMOVDQU64(packed, Mem{Base: dst})
		POPCNTQ(kept, kept)
		ADDQ(kept, dst)
	}
	MOVQ(I32(-1), all)
	SUBQ(U8(64), n)
	JB(LabelRef("rest"))

	Comment("Where quotes are nobody can predict: all blocks go the same way.")
	Label("block")
	x := ZMM()
	VMOVDQU64(Mem{Base: src}, x)
	block(x)
	ADDQ(U8(64), src)
	SUBQ(U8(64), n)
	JAE(LabelRef("block"))

	Label("rest")
	ADDQ(U8(64), n)
	JZ(LabelRef("done"))
	BZHIQ(n, all, all)
	k, last := K(), ZMM()
	KMOVQ(all, k)
	VMOVDQU8_Z(Mem{Base: src}, k, last)
	block(last)

	Label("done")
	SUBQ(start, dst)
	VZEROUPPER()
	Store(dst, ReturnIndex(0))
	RET()
}
