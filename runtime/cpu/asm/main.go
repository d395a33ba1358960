// Command asm generates the assembly of package cpu: run `make generate`.
// It is a module of its own, so that avo is nobody's dependency.
package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

func main() {
	members()
	markers()
	lookUp()
	finders()
	emits()
	scatter()
	undouble()
	separate()
	places()
	hops()
	Generate()
}

// members: dst[i] gets a bit for each of the 64 symbols of block i of src that
// is in the set. A set of bytes is looked up in halves: the low nibble selects
// a row of bits, one for each high nibble from 0 to 7, or from 8 to 15 where
// the symbol's top bit is set; the high nibble selects the bit.
func members() {
	TEXT("membersAVX2", NOSPLIT, "func(dst *uint64, src *byte, nblocks int, set *byte)")
	Doc("membersAVX2 is members for nblocks whole blocks. It needs AVX2.")
	dst := Load(Param("dst"), GP64())
	src := Load(Param("src"), GP64())
	n := Load(Param("nblocks"), GP64())
	set := Load(Param("set"), GP64())

	low, high, bits, nibble := YMM(), YMM(), YMM(), YMM()
	VBROADCASTI128(Mem{Base: set, Disp: setLow}, low)
	VBROADCASTI128(Mem{Base: set, Disp: setHigh}, high)
	VBROADCASTI128(Mem{Base: set, Disp: setBits}, bits)
	VPBROADCASTB(Mem{Base: set, Disp: setNibble}, nibble)

	Label("block")
	TESTQ(n, n)
	JZ(LabelRef("done"))
	var mask [2]reg.GPVirtual
	for half := range 2 {
		x, lo, hi, a, b := YMM(), YMM(), YMM(), YMM(), YMM()
		VMOVDQU(Mem{Base: src, Disp: 32 * half}, x)
		VPAND(nibble, x, lo)
		VPSRLW(U8(4), x, hi)
		VPAND(nibble, hi, hi)
		VPSHUFB(lo, low, a)
		VPSHUFB(lo, high, b)
		VPBLENDVB(x, b, a, a)
		VPSHUFB(hi, bits, b)
		VPAND(b, a, a)
		VPCMPEQB(b, a, a)
		m := GP64()
		VPMOVMSKB(a, m.As32())
		mask[half] = m
	}
	SHLQ(U8(32), mask[1])
	ORQ(mask[0], mask[1])
	MOVQ(mask[1], Mem{Base: dst})
	ADDQ(U32(64), src)
	ADDQ(U32(8), dst)
	DECQ(n)
	JMP(LabelRef("block"))
	Label("done")
	VZEROUPPER()
	RET()
}
