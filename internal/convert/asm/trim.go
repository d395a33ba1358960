package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// trimBlanks finds the blanks around fields of up to 64 bytes by one mask of what is
// no blank.
func trimBlanks() {
	TEXT("trimAVX2", NOSPLIT, "func(src *byte, start, end, from, to *uint32, rows int, last uint64) (done int)")
	Pragma("noescape")
	Doc("trimAVX2 writes the places of fields without the blanks around them, until one that begins after last, behind which there have to be 64 bytes, or is longer than these; it gives how many these are. It needs AVX2 and BMI2.")
	src, start, end := Load(Param("src"), GP64()), Load(Param("start"), GP64()), Load(Param("end"), GP64())
	from, to := Load(Param("from"), GP64()), Load(Param("to"), GP64())
	rows, last := Load(Param("rows"), GP64()), Load(Param("last"), GP64())
	space, tab := YMM(), YMM()
	VMOVDQU(rare(' '*each), space)
	VMOVDQU(rare('\t'*each), tab)
	i, zero := GP64(), GP64()
	XORQ(i, i)
	XORQ(zero, zero)
	Label("row")
	CMPQ(i, rows)
	JGE(LabelRef("done"))
	s, n := GP64(), GP64()
	MOVL(Mem{Base: start, Index: i, Scale: 4}, s.As32())
	CMPQ(s, last)
	JA(LabelRef("done"))
	MOVL(Mem{Base: end, Index: i, Scale: 4}, n.As32())
	SUBL(s.As32(), n.As32())
	CMPL(n.As32(), U32(64))
	JA(LabelRef("done"))
	mask, high := GP64(), GP64()
	blanks := func(disp int, mask reg.GPVirtual) {
		x, y := YMM(), YMM()
		VMOVDQU(Mem{Base: src, Index: s, Scale: 1, Disp: disp}, x)
		VPCMPEQB(x, space, y)
		VPCMPEQB(x, tab, x)
		VPOR(x, y, x)
		VPMOVMSKB(x, mask.As32())
	}
	blanks(0, mask)
	CMPL(n.As32(), U32(32))
	JBE(LabelRef("short"))
	blanks(32, high)
	SHLQ(U8(32), high)
	ORQ(high, mask)
	Label("short")
	NOTQ(mask)
	BZHIQ(n, mask, mask)
	first, length := GP64(), GP64()
	BSFQ(mask, first)
	BSRQ(mask, length)
	LEAQ(Mem{Base: length, Disp: 1}, length)
	TESTQ(mask, mask)
	CMOVQEQ(zero, first) // nothing but blanks
	CMOVQEQ(zero, length)
	ADDL(s.As32(), first.As32())
	ADDL(s.As32(), length.As32())
	MOVL(first.As32(), Mem{Base: from, Index: i, Scale: 4})
	MOVL(length.As32(), Mem{Base: to, Index: i, Scale: 4})
	INCQ(i)
	JMP(LabelRef("row"))
	Label("done")
	Store(i, ReturnIndex(0))
	VZEROUPPER()
	RET()
}
