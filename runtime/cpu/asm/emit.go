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
	spread := bytes(func(i int) uint64 { return uint64(i / 4) })
	markBits := constant(4, func(int) uint64 { return 3<<markEnclosed | 1<<6 - 1 })
	for _, enclosed := range []bool{false, true} {
		name := "emitBareAVX512"
		if enclosed {
			name = "emitEnclosedAVX512"
		}
		TEXT(name, NOSPLIT, "func(k, b *uint64)")
		Doc(name + " writes the marks of a strip, and the numbers of those that end records. It needs AVX-512 with VBMI2.")
		m := emitter{k: Load(Param("k"), GP64()), b: Load(Param("b"), GP64()), iota: load(iota)}
		if enclosed {
			m.inQuotes, m.bit6, m.spread, m.markBits = load(inQuotes), load(bit6), load(spread), load(markBits)
		}
		m.marks(enclosed)
		m.records()
		VZEROUPPER()
		RET()
	}
}

type emitter struct {
	k, b                                   reg.Register
	iota, inQuotes, bit6, spread, markBits reg.VecVirtual
}

// each generates a loop over the blocks of a set. at gives where the mask of the
// block is, and i is its number.
func (m *emitter) each(name string, set int, body func(at func(offset int) Mem, i reg.GPVirtual)) {
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
	MOVQ(Mem{Base: m.k, Disp: kNmarks}, number)
	LEAQ(Mem{Base: to, Index: number, Scale: 4}, to)
	MOVQ(Mem{Base: m.k, Disp: kNumber}, number)
	MOVQ(Mem{Base: m.k, Disp: kOffset}, offset)
	m.each("marks", bSome, func(at func(offset int) Mem, i reg.GPVirtual) {
		MOVQ(number, at(bNumbers))
		n := GP64()
		POPCNTQ(at(bEnds), n)
		ADDQ(n, number)
		bytes, emit, count := m.iota, GP64(), GP64()
		MOVQ(at(bEmit), emit)
		POPCNTQ(emit, count)
		if enclosed {
			bytes = ZMM()
			quoted, other := K(), K()
			KMOVQ(at(bQuoted), quoted)
			KMOVQ(at(bOther), other)
			VPBLENDMB(m.inQuotes, m.iota, quoted, bytes)
			VPADDB(m.bit6, bytes, other, bytes)
		}
		packed := compress(bytes, emit)
		begin, base := GP64(), ZMM()
		MOVQ(i, begin)
		SHLQ(U8(6), begin)
		ADDQ(offset, begin)
		VPBROADCASTD(begin.As32(), base)
		if enclosed {
			Comment("Few have more.")
			m.store(packed, base, to, 0, 8, enclosed)
			CMPQ(count, U8(8))
			JBE(LabelRef("few"))
		}
		m.store(packed, base, to, 0, 16, enclosed)
		CMPQ(count, U8(16))
		JBE(LabelRef("few"))
		m.store(packed, base, to, 16, 16, enclosed)
		CMPQ(count, U8(32))
		JBE(LabelRef("few"))
		m.store(packed, base, to, 32, 16, enclosed)
		m.store(packed, base, to, 48, 16, enclosed)
		Label("few")
		LEAQ(Mem{Base: to, Index: count, Scale: 4}, to)
	})
	MOVQ(number, Mem{Base: m.k, Disp: kNumber})
	SUBQ(Mem{Base: m.k, Disp: kMarks}, to)
	SHRQ(U8(2), to)
	MOVQ(to, Mem{Base: m.k, Disp: kNmarks})
}

// store writes n marks, 8 or 16, from number first on. An enclosed one has the bits
// of its byte in the places of a mark's if the byte stands at both ends of the dword.
func (m *emitter) store(bytes, base reg.VecVirtual, to reg.GPVirtual, first, n int, enclosed bool) {
	if !enclosed {
		add(widen(bytes, first, n), base, to, first, n)
		return
	}
	z := ZMM()
	if first > 0 {
		VEXTRACTI32X4(U8(first/16), bytes, z.AsX())
		bytes = z
	}
	VPERMB(of(bytes, n), of(m.spread, n), of(z, n))
	VPANDD(of(m.markBits, n), of(z, n), of(z, n))
	add(z, base, to, first, n)
}

// of is the part of a vector that has n dwords, 8 or 16.
func of(v reg.VecVirtual, n int) reg.Register {
	if n == 8 {
		return v.AsY()
	}
	return v.AsZ()
}

// widen is n bytes from number first on, which is a multiple of 16, as dwords.
func widen(bytes reg.VecVirtual, first, n int) reg.VecVirtual {
	z, x := ZMM(), bytes.AsX()
	if first > 0 {
		x = XMM()
		VEXTRACTI32X4(U8(first/16), bytes, x)
	}
	VPMOVZXBD(x, of(z, n))
	return z
}

// add writes n dwords, from number first on, each with the same added.
func add(z, same reg.VecVirtual, to reg.GPVirtual, first, n int) {
	VPADDD(of(same, n), of(z, n), of(z, n))
	VMOVDQU32(of(z, n), Mem{Base: to, Disp: 4 * first})
}

// records writes the numbers of the marks that end records.
func (m *emitter) records() {
	to, n := GP64(), GP64()
	MOVQ(Mem{Base: m.k, Disp: kRecords}, to)
	MOVQ(Mem{Base: m.k, Disp: kNrecords}, n)
	LEAQ(Mem{Base: to, Index: n, Scale: 4}, to)
	m.each("records", bLasts, func(at func(offset int) Mem, i reg.GPVirtual) {
		ends, last, count, base := GP64(), GP64(), GP64(), ZMM()
		MOVQ(at(bEnds), ends)
		MOVQ(at(bRecords), last)
		Comment("Which of the ends they are.")
		PEXTQ(ends, last, ends)
		POPCNTQ(last, count)
		packed := compress(m.iota, ends)
		VPBROADCASTD(at(bNumbers), base)
		end := 0 // of those that are written
		for _, p := range []struct{ first, n int }{{0, 8}, {0, 16}, {16, 16}, {32, 16}, {48, 16}} {
			if end > 0 {
				CMPQ(count, U8(end))
				JBE(LabelRef("fewRecords"))
			}
			add(widen(packed, p.first, p.n), base, to, p.first, p.n)
			end = p.first + p.n
		}
		Label("fewRecords")
		LEAQ(Mem{Base: to, Index: count, Scale: 4}, to)
	})
	SUBQ(Mem{Base: m.k, Disp: kRecords}, to)
	SHRQ(U8(2), to)
	MOVQ(to, Mem{Base: m.k, Disp: kNrecords})
}
