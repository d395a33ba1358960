package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// emit writes the marks, and the numbers of those that end records. Fields that
// end in quoted are in quotes, in other they have the other bit of a mark; both
// are nil if no field is enclosed.
func (m *marker) emit(ends, last, quoted, other reg.Register) {
	emit, count := GP64(), GP64()
	MOVQ(m.at(kAll), emit)
	ANDQ(ends, emit)
	ORQ(last, emit)
	POPCNTQ(emit, count)
	m.emitOneByOne(emit, count, quoted, other)

	Comment("Two numbers are written, even if there are none, and more if there are.")
	number, to, n := GP64(), GP64(), GP64()
	MOVQ(m.at(kNumber), number)
	MOVQ(m.at(kRecords), to)
	MOVQ(m.at(kNrecords), n)
	LEAQ(Mem{Base: to, Index: n, Scale: 4}, to)
	POPCNTQ(last, count)
	ADDQ(count, n)
	MOVQ(n, m.at(kNrecords))
	POPCNTQ(ends, count)
	ADDQ(number, count)
	MOVQ(count, m.at(kNumber))
	DECQ(number)
	more := m.label()
	Label(more)
	for i := range 2 {
		upTo := GP64()
		BLSMSKQ(last, upTo)
		ANDQ(ends, upTo)
		POPCNTQ(upTo, upTo)
		ADDQ(number, upTo)
		MOVL(upTo.As32(), Mem{Base: to, Disp: 4 * i})
		BLSRQ(last, last)
	}
	ADDQ(U8(8), to)
	TESTQ(last, last)
	JNZ(LabelRef(more))
	JMP(LabelRef("next"))
}

// emitOneByOne writes at least four marks.
func (m *marker) emitOneByOne(emit, count reg.GPVirtual, quoted, other reg.Register) {
	to, offset := GP64(), GP64()
	MOVQ(m.marks, to)
	MOVQ(m.at(kOffset), offset)
	LEAQ(Mem{Base: m.marks, Index: count, Scale: 4}, m.marks)
	more := m.label()
	Label(more)
	for i := range 4 {
		at := GP64()
		TZCNTQ(emit, at)
		if quoted != nil {
			bit := GP64()
			flags := GP64()
			SHRXQ(at, quoted, flags)
			SHLQ(U8(markEnclosed+1), flags)
			SHRXQ(at, other, bit)
			ANDL(U8(1), bit.As32())
			SHLL(U8(markEnclosed), bit.As32())
			ADDQ(offset, at)
			ORQ(bit, at)
			ORQ(flags, at)
		} else {
			ADDQ(offset, at)
		}
		MOVL(at.As32(), Mem{Base: to, Disp: 4 * i})
		BLSRQ(emit, emit)
	}
	ADDQ(U8(16), to)
	TESTQ(emit, emit)
	JNZ(LabelRef(more))
}
