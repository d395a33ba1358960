package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// emits generates the two functions that write the marks of a strip and the
// numbers of those that end records: for strips without enclosures, and with.
func emits() {
	bytes := func(f func(i int) uint64) Mem { return constant(1, f) }
	iota := bytes(func(i int) uint64 { return uint64(i) })
	inQuotes := bytes(func(i int) uint64 { return uint64(i | 1<<7) })
	bit6 := bytes(func(int) uint64 { return 1 << 6 })
	low6 := constant(4, func(int) uint64 { return 1<<6 - 1 })
	top2 := constant(4, func(int) uint64 { return 3 << 30 })
	for _, enclosed := range []bool{false, true} {
		name := "emitBareAVX512"
		if enclosed {
			name = "emitEnclosedAVX512"
		}
		TEXT(name, NOSPLIT, "func(k, b *uint64)")
		Doc(name + " writes the marks of a strip, and the numbers of those that end records. It needs AVX-512 with VBMI2.")
		m := emitter{k: Load(Param("k"), GP64()), b: Load(Param("b"), GP64()), iota: load(iota)}
		if enclosed {
			m.inQuotes, m.bit6, m.low6, m.top2 = load(inQuotes), load(bit6), load(low6), load(top2)
		}
		m.marks(enclosed)
		m.records()
		VZEROUPPER()
		RET()
	}
}

type emitter struct {
	k, b                             reg.Register
	iota, inQuotes, bit6, low6, top2 reg.VecVirtual
}

// each generates a loop over the blocks of a set. of gives where the mask of the
// block is, and i is its number.
func (m *emitter) each(name string, set int, body func(of func(offset int) Mem, i reg.GPVirtual)) {
	left, i := GP64(), GP64()
	MOVQ(Mem{Base: m.b, Disp: set}, left)
	TESTQ(left, left)
	JZ(LabelRef(name + "Done"))
	Label(name)
	TZCNTQ(left, i)
	body(func(offset int) Mem { return Mem{Base: m.b, Index: i, Scale: 8, Disp: offset} }, i)
	BLSRQ(left, left)
	JNZ(LabelRef(name))
	Label(name + "Done")
}

// marks writes offsets in a block, as bytes side by side, as dwords.
func (m *emitter) marks(enclosed bool) {
	to, number, offset := GP64(), GP64(), GP64()
	MOVQ(Mem{Base: m.k, Disp: kMarks}, to)
	MOVQ(Mem{Base: m.k, Disp: kNMarks}, number)
	LEAQ(Mem{Base: to, Index: number, Scale: 4}, to)
	MOVQ(Mem{Base: m.k, Disp: kNumber}, number)
	MOVQ(Mem{Base: m.k, Disp: kOffset}, offset)
	m.each("marks", bSome, func(of func(offset int) Mem, i reg.GPVirtual) {
		MOVQ(number, of(bNumbers))
		n := GP64()
		POPCNTQ(of(bEnds), n)
		ADDQ(n, number)
		bytes, emit, count := m.iota, GP64(), GP64()
		MOVQ(of(bEmit), emit)
		POPCNTQ(emit, count)
		if enclosed {
			bytes = ZMM()
			quoted, other := K(), K()
			KMOVQ(of(bQuoted), quoted)
			KMOVQ(of(bOther), other)
			VPBLENDMB(m.inQuotes, m.iota, quoted, bytes)
			VPADDB(m.bit6, bytes, other, bytes)
		}
		packed := compress(bytes, emit)
		at, base := GP64(), ZMM()
		MOVQ(i, at)
		SHLQ(U8(6), at)
		ADDQ(offset, at)
		VPBROADCASTD(at.As32(), base)
		m.store(packed, base, to, 0, enclosed)
		CMPQ(count, U8(16))
		JBE(LabelRef("few"))
		m.store(packed, base, to, 1, enclosed)
		CMPQ(count, U8(32))
		JBE(LabelRef("few"))
		m.store(packed, base, to, 2, enclosed)
		m.store(packed, base, to, 3, enclosed)
		Label("few")
		LEAQ(Mem{Base: to, Index: count, Scale: 4}, to)
	})
	MOVQ(number, Mem{Base: m.k, Disp: kNumber})
	SUBQ(Mem{Base: m.k, Disp: kMarks}, to)
	SHRQ(U8(2), to)
	MOVQ(to, Mem{Base: m.k, Disp: kNMarks})
}

// store writes marks 16·i to 16·i+15.
func (m *emitter) store(bytes, base reg.VecVirtual, to reg.GPVirtual, i int, enclosed bool) {
	z := widen(bytes, i)
	if enclosed {
		f := ZMM()
		VPSLLD(U8(24), z, f)
		VPANDD(m.low6, z, z)
		VPADDD(base, z, z)
		logic(z, m.top2, f, func(d, a, b uint8) uint8 { return d | a&b })
	} else {
		VPADDD(base, z, z)
	}
	VMOVDQU32(z, Mem{Base: to, Disp: 64 * i})
}

// widen is bytes 16·i to 16·i+15 as dwords.
func widen(bytes reg.VecVirtual, i int) reg.VecVirtual {
	z, x := ZMM(), bytes.AsX()
	if i > 0 {
		x = XMM()
		VEXTRACTI32X4(U8(i), bytes, x)
	}
	VPMOVZXBD(x, z)
	return z
}

// records writes the numbers of the marks that end records.
func (m *emitter) records() {
	to, n := GP64(), GP64()
	MOVQ(Mem{Base: m.k, Disp: kRecords}, to)
	MOVQ(Mem{Base: m.k, Disp: kNRecords}, n)
	LEAQ(Mem{Base: to, Index: n, Scale: 4}, to)
	m.each("records", bLasts, func(of func(offset int) Mem, i reg.GPVirtual) {
		ends, last, count, base := GP64(), GP64(), GP64(), ZMM()
		MOVQ(of(bEnds), ends)
		MOVQ(of(bRecords), last)
		Comment("Which of the ends they are.")
		PEXTQ(ends, last, ends)
		POPCNTQ(last, count)
		packed := compress(m.iota, ends)
		VPBROADCASTD(of(bNumbers), base)
		for i := range 4 {
			z := widen(packed, i)
			VPADDD(base, z, z)
			VMOVDQU32(z, Mem{Base: to, Disp: 64 * i})
			if i < 3 {
				CMPQ(count, U8(16*(i+1)))
				JBE(LabelRef("fewRecords"))
			}
		}
		Label("fewRecords")
		LEAQ(Mem{Base: to, Index: count, Scale: 4}, to)
	})
	SUBQ(Mem{Base: m.k, Disp: kRecords}, to)
	SHRQ(U8(2), to)
	MOVQ(to, Mem{Base: m.k, Disp: kNRecords})
}
