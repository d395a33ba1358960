package main

import (
	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/ir"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// undouble copies n symbols and leaves out the second of every two quotes.
func undouble() {
	TEXT("undoubleAVX512", NOSPLIT, "func(dst, src *byte, n int, quote uint64) int")
	Doc("undoubleAVX512 is appendUndoubledGeneric for n symbols, and gives how many remain. It needs AVX-512 with VBMI2, and room for 64 symbols more at dst.")
	dst, src, n := Load(Param("dst"), GP64()), Load(Param("src"), GP64()), Load(Param("n"), GP64())
	start := GP64()
	MOVQ(dst, start)
	symbol, quote, ones := GP64(), ZMM(), XMM()
	Load(Param("quote"), symbol)
	VPBROADCASTB(symbol.As32(), quote)
	VPCMPEQD(ones, ones, ones)
	open, all, length, second, kept := GP64(), GP64(), GP64(), GP64(), GP64() // open: all ones after the first of two
	XORQ(open, open)
	MOVQ(I32(-1), all)
	MOVQ(U32(64), length)

	Label("block")
	CMPQ(n, U8(64))
	JAE(LabelRef("whole"))
	TESTQ(n, n)
	JZ(LabelRef("done"))
	MOVQ(n, length)
	BZHIQ(length, all, all)
	Label("whole")
	k, x := K(), ZMM()
	KMOVQ(all, k)
	VMOVDQU8_Z(Mem{Base: src}, k, x)
	quotes := K()
	VPCMPEQB(x, quote, quotes)
	KMOVQ(quotes, second)
	ADDQ(length, src)
	SUBQ(length, n)
	TESTQ(second, second)
	JZ(LabelRef("none"))
	y, inside := XMM(), GP64()
	VMOVQ(second, y)
	VPCLMULQDQ(U8(0), ones, y, y)
	VMOVQ(y, inside)
	XORQ(open, inside)
	ANDNQ(second, inside, second)
	MOVQ(inside, open)
	SARQ(U8(63), open)
	ANDNQ(all, second, kept)
	packed := compress(x, kept)
	VMOVDQU64(packed, Mem{Base: dst})
	POPCNTQ(kept, kept)
	ADDQ(kept, dst)
	JMP(LabelRef("block"))
	Label("none")
	VMOVDQU64(x, Mem{Base: dst})
	ADDQ(length, dst)
	JMP(LabelRef("block"))

	Label("done")
	SUBQ(start, dst)
	VZEROUPPER()
	Store(dst, ReturnIndex(0))
	RET()
}

// compress puts the bytes of mask side by side.
func compress(bytes reg.VecVirtual, mask reg.GPVirtual) reg.VecVirtual {
	packed, kept := ZMM(), K()
	KMOVQ(mask, kept)
	// avo does not know the instruction.
	Instruction(&ir.Instruction{
		Opcode: "VPCOMPRESSB", Suffixes: []string{"Z"}, ISA: []string{"AVX512VBMI2"},
		Operands: []Op{bytes, kept, packed}, Inputs: []Op{bytes, kept}, Outputs: []Op{packed},
	})
	return packed
}
