package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// findSymbols: dst[i] gets a bit for each of the 64 symbols of block i of src that
// is in the set. The low nibble of a symbol selects a row of bits, one for each high
// nibble from 0 to 7; the high nibble selects the bit. Symbols above 127 are in no
// set: their row is 0, which is not their bit.
func findSymbols() {
	TEXT("findSymbolsAVX2", NOSPLIT, "func(dst *uint64, src *byte, nblocks int, set *byte)")
	Pragma("noescape")
	Doc("findSymbolsAVX2 is symbolSet.find for nblocks blocks, at least one. It needs AVX2.")
	dst := Load(Param("dst"), GP64())
	src := Load(Param("src"), GP64())
	n := Load(Param("nblocks"), GP64())
	set := Load(Param("set"), GP64())
	rows, bits, nibble := YMM(), YMM(), YMM()
	VBROADCASTI128(Mem{Base: set, Disp: symbolsRows}, rows)
	VBROADCASTI128(Mem{Base: set, Disp: symbolsBits}, bits)
	VMOVDQU(rare(0x0f*each), nibble)
	Label("block")
	var mask [2]reg.GPVirtual
	for half := range 2 {
		x, a, b := YMM(), YMM(), YMM()
		VMOVDQU(Mem{Base: src, Disp: 32 * half}, x)
		VPSHUFB(x, rows, a) // 0 where the top bit is set
		VPSRLW(U8(4), x, b)
		VPAND(nibble, b, b)
		VPSHUFB(b, bits, b)
		VPAND(b, a, a)
		VPCMPEQB(b, a, a)
		m := GP64()
		VPMOVMSKB(a, m.As32())
		mask[half] = m
	}
	SHLQ(U8(32), mask[1])
	ORQ(mask[0], mask[1])
	MOVQ(mask[1], Mem{Base: dst})
	ADDQ(U8(64), src)
	ADDQ(U8(8), dst)
	DECQ(n)
	JNZ(LabelRef("block"))
	VZEROUPPER()
	RET()
}
