package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// scatter fills columns with places, eight rows at a time. The marks of eight
// records, a record a row, are transposed eight columns at a time; the mark
// before a record is its column -1, after which the first field begins.
func scatter() {
	TEXT("scatterAVX2", NOSPLIT, "func(columns *uintptr, ncolumns int, marks *uint32, first int, nrows int, delta uint32) (wrong uint32)")
	Doc("scatterAVX2 is scatterGeneric, of which the result is whether wrong is 0. nrows is a multiple of 8. It needs AVX2, and reads up to seven marks more.")
	columns := Load(Param("columns"), GP64())
	n := Load(Param("ncolumns"), GP64())
	marks := Load(Param("marks"), GP64())
	first := Load(Param("first"), GP64())
	rows := Load(Param("nrows"), GP64())
	offset, delta, one, wrong := YMM(), YMM(), YMM(), YMM()
	VPCMPEQD(one, one, one)
	VPSRLD(U8(32-markEnclosed), one, offset) // the bits of an offset
	VPSRLD(U8(31), one, one)
	VMOVD(Load(Param("delta"), GP32()), delta.AsX())
	VPBROADCASTD(delta.AsX(), delta)
	VPXOR(wrong, wrong, wrong)
	width := GP64() // of a record, in bytes
	MOVQ(n, width)
	SHLQ(U8(2), width)

	Label("rows")
	record, column, left, width3 := GP64(), GP64(), GP64(), GP64()
	MOVQ(marks, record)
	MOVQ(columns, column)
	LEAQ(Mem{Base: width, Index: width, Scale: 2}, width3)
	MOVQ(n, left)
	prev := YMM() // where the fields of the column begin

	Comment("Column -1 and the first seven.")
	t := transpose(record, width, width3)
	clean(t[0], offset, delta, one, prev)
	for i := 1; i < 8; i++ {
		put(t[i], column, first, offset, delta, one, wrong, prev)
		ADDQ(U8(cSize), column)
		DECQ(left)
		JZ(LabelRef("next"))
	}
	Label("columns")
	ADDQ(U8(32), record)
	t = transpose(record, width, width3)
	for i := range 8 {
		put(t[i], column, first, offset, delta, one, wrong, prev)
		ADDQ(U8(cSize), column)
		DECQ(left)
		JZ(LabelRef("next"))
	}
	JMP(LabelRef("columns"))

	Label("next")
	LEAQ(Mem{Base: marks, Index: width, Scale: 8}, marks)
	ADDQ(U8(8), first)
	SUBQ(U8(8), rows)
	JA(LabelRef("rows"))
	x, result := XMM(), GP32()
	VEXTRACTI128(U8(1), wrong, x)
	VPOR(x, wrong.AsX(), x)
	y := XMM()
	VPSHUFD(U8(0xEE), x, y)
	VPOR(x, y, x)
	VPSHUFD(U8(0x55), x, y)
	VPOR(x, y, x)
	VMOVD(x, result)
	VZEROUPPER()
	Store(result, ReturnIndex(0))
	RET()
}

// transpose loads eight dwords of each of eight rows, width bytes apart, and
// gives them by column.
func transpose(row, width, width3 reg.GPVirtual) (t [8]reg.VecVirtual) {
	half := GP64() // row 4
	LEAQ(Mem{Base: row, Index: width, Scale: 4}, half)
	var r [8]reg.VecVirtual
	for i := range r {
		r[i] = YMM()
		base := row
		if i >= 4 {
			base = half
		}
		m := Mem{Base: base}
		switch i % 4 {
		case 1, 2:
			m.Index, m.Scale = width, uint8(i%4)
		case 3:
			m.Index, m.Scale = width3, 1
		}
		VMOVDQU(m, r[i])
	}
	// Pairs of rows, then fours of them, within halves of 128 bits; then halves.
	var p, q [8]reg.VecVirtual
	for i := 0; i < 8; i += 2 {
		p[i], p[i+1] = YMM(), YMM()
		VPUNPCKLDQ(r[i+1], r[i], p[i])
		VPUNPCKHDQ(r[i+1], r[i], p[i+1])
	}
	for i := 0; i < 8; i += 4 {
		for j := range 2 {
			q[i+2*j], q[i+2*j+1] = YMM(), YMM()
			VPUNPCKLQDQ(p[i+2+j], p[i+j], q[i+2*j])
			VPUNPCKHQDQ(p[i+2+j], p[i+j], q[i+2*j+1])
		}
	}
	for i := range 4 {
		t[i], t[i+4] = YMM(), YMM()
		VINSERTI128(U8(1), q[i+4].AsX(), q[i], t[i])
		VPERM2I128(U8(0x31), q[i+4], q[i], t[i+4])
	}
	return t
}

// clean leaves in prev the places after those of the marks m, and in m the
// places.
func clean(m, offset, delta, one, prev reg.VecVirtual) {
	VPAND(offset, m, m)
	VPADDD(delta, m, m)
	VPADDD(one, m, prev)
}

// put writes the places of eight fields of a column.
func put(m reg.VecVirtual, column reg.GPVirtual, first reg.Register, offset, delta, one, wrong, prev reg.VecVirtual) {
	around, bad := YMM(), YMM()
	VPSRLD(U8(markEnclosed), m, around)
	VPMINUD(one, around, around) // symbols on either side of the field
	VPBROADCASTD(Mem{Base: column, Disp: cCheck}, bad)
	want := YMM()
	VPBROADCASTD(Mem{Base: column, Disp: cWant}, want)
	VPAND(bad, m, bad)
	VPXOR(want, bad, bad)
	VPOR(bad, wrong, wrong)
	to := GP64()
	VPADDD(around, prev, prev)
	MOVQ(Mem{Base: column, Disp: cStart}, to)
	VMOVDQU(prev, Mem{Base: to, Index: first, Scale: 4})
	clean(m, offset, delta, one, prev)
	VPSUBD(around, m, m)
	MOVQ(Mem{Base: column, Disp: cEnd}, to)
	VMOVDQU(m, Mem{Base: to, Index: first, Scale: 4})
}
