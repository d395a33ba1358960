package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

// evens copies the marks of a record eight at a time, and puts the last one where there are no more. So it does the same for
// records of any number of fields: of too many, none of these is the last one.
func evens() {
	TEXT("evenAVX2", NOSPLIT, "func(to *uint32, most int, marks *uint32, last int, records *uint32, n int)")
	Pragma("noescape")
	Doc("evenAVX2 is evenGeneric, of at least one record, and of marks from marks on. It needs AVX2, and reads and writes up to seven marks more.")
	to, most := Load(Param("to"), GP64()), Load(Param("most"), GP64())
	marks, last := Load(Param("marks"), GP64()), Load(Param("last"), GP64())
	records, n := Load(Param("records"), GP64()), Load(Param("n"), GP64())
	first, eight := YMM(), YMM()
	numbers := GLOBL("evenNumbers", RODATA|NOPTR)
	for i := range 8 {
		DATA(4*i, U32(i))
	}
	VMOVDQU(numbers, first)
	number := GP32()
	MOVL(U32(8), number)
	VMOVD(number, eight.AsX())
	VPBROADCASTD(eight.AsX(), eight)

	Label("record")
	from, next, nfields, left, row := GP64(), GP64(), GP64(), GP64(), GP64()
	LEAQ(Mem{Base: marks, Index: last, Scale: 4}, from)
	MOVL(Mem{Base: records}, next.As32())
	MOVQ(next, nfields)
	SUBQ(last, nfields)
	MOVQ(next, last)
	end, behind, column, x, none := YMM(), YMM(), YMM(), YMM(), YMM()
	VPBROADCASTD(Mem{Base: from, Index: nfields, Scale: 4}, behind)
	VMOVD(nfields.As32(), end.AsX())
	VPBROADCASTD(end.AsX(), end)
	VMOVDQA(first, column)
	MOVQ(to, row)
	MOVQ(most, left)

	Label("columns")
	VMOVDQU(Mem{Base: from}, x)
	VPCMPGTD(end, column, none)
	VPBLENDVB(none, behind, x, x)
	VMOVDQU(x, Mem{Base: row})
	VPADDD(eight, column, column)
	ADDQ(U8(32), from)
	ADDQ(U8(32), row)
	SUBQ(U8(8), left)
	JGE(LabelRef("columns"))

	LEAQ(Mem{Base: to, Index: most, Scale: 4, Disp: 4}, to)
	ADDQ(U8(4), records)
	DECQ(n)
	JNZ(LabelRef("record"))
	VZEROUPPER()
	RET()
}

// missing looks at eight fields of a column at a time.
func missing() {
	TEXT("missingAVX2", NOSPLIT, "func(start *uint32, end *uint32, n int)")
	Pragma("noescape")
	Doc("missingAVX2 makes those of n fields of a column absent that end before they begin. n is a multiple of 8. It needs AVX2.")
	start, end := Load(Param("start"), GP64()), Load(Param("end"), GP64())
	n, i := Load(Param("n"), GP64()), GP64()
	from, to, none := YMM(), YMM(), YMM()
	XORQ(i, i)

	Label("eight")
	VMOVDQU(Mem{Base: start, Index: i, Scale: 4}, from)
	VMOVDQU(Mem{Base: end, Index: i, Scale: 4}, to)
	VPCMPGTD(to, from, none)
	VPOR(none, from, from)
	VPANDN(to, none, to)
	VMOVDQU(from, Mem{Base: start, Index: i, Scale: 4})
	VMOVDQU(to, Mem{Base: end, Index: i, Scale: 4})
	ADDQ(U8(8), i)
	CMPQ(i, n)
	JL(LabelRef("eight"))
	VZEROUPPER()
	RET()
}
