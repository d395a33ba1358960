package main

import (
	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/ir"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Offsets of the fields of marker, all of them of 8 bytes.
const (
	kSrc = 8 * iota
	kBlocks
	kMarks
	kRecords
	kNMarks
	kNRecords
	kMaxMarks
	kAll
	kNumber
	kOffset
	kDoubling
	kQuoted
	kBracketed
	kAfterRecord
	kAfterField
	kAfterQuote
	kAfterBracket
	kAfterReturn
	kAfterQuoteReturn
	kAfterBracketReturn
	kAfterBlank
	kDoubled
	kAnyDoubled
	kAnyReturn
	kOdd
	kRoles
)

// Offsets in roles, and the roles.
const (
	rolesHigh   = 16
	rolesBits   = 32
	rolesNibble = 48
)

const (
	fieldRole = iota
	recordRole
	returnRole
	oddRole
	oddFirstRole
	oddNextRole
	quoteRole
	oddQuotedRole
	openRole
	closeRole
	oddBracketedRole
	nroles
)

func nat(bytes int, f func(i int) uint64) Mem {
	m := GLOBL(constantName(), RODATA|NOPTR)
	for i := range 64 / bytes {
		switch bytes {
		case 1:
			DATA(i, U8(f(i)))
		case 4:
			DATA(4*i, U32(f(i)))
		}
	}
	return m
}

var constants int

func constantName() string {
	constants++
	return "marker" + string(rune('A'+constants-1))
}

// marker generates the three markers: for automata without enclosures, with
// quotes, and with brackets and perhaps quotes. A marker's twin in Go, block,
// says what the masks are.
func markers() {
	iota := nat(1, func(i int) uint64 { return uint64(i) })
	bit6 := nat(1, func(int) uint64 { return 1 << 6 })
	bit7 := nat(1, func(int) uint64 { return 1 << 7 })
	low6 := nat(4, func(int) uint64 { return 1<<6 - 1 })
	top2 := nat(4, func(int) uint64 { return 3 << 30 })
	size := nat(4, func(int) uint64 { return 64 })
	for _, v := range []struct {
		name            string
		quote, brackets bool
	}{{"markBareAVX512", false, false}, {"markQuotedAVX512", true, false}, {"markBracketedAVX512", true, true}} {
		TEXT(v.name, NOSPLIT, "func(k *uint64)")
		Doc(v.name + " is marker.run where there are at most these enclosures. It needs AVX-512 with VBMI2.")
		m := markerCode{quote: v.quote, brackets: v.brackets}
		m.iota, m.bit6, m.bit7, m.low6, m.top2 = load(iota), load(bit6), load(bit7), load(low6), load(top2)
		m.generate(load(size))
	}
}

func load(m Mem) reg.VecVirtual {
	z := ZMM()
	VMOVDQU64(m, z)
	return z
}

type markerCode struct {
	quote, brackets              bool
	k                            reg.Register
	iota, bit6, bit7, low6, top2 reg.VecVirtual
	base                         reg.VecVirtual // the offset of the block, in each dword
	roles                        [nroles]reg.VecVirtual
	symbols                      reg.VecVirtual // a byte of bits for each
	ones                         reg.VecVirtual
	odd                          reg.GPVirtual
}

func (m *markerCode) at(offset int) Mem { return Mem{Base: m.k, Disp: offset} }

func (m *markerCode) wanted(role int) bool {
	switch {
	case role >= openRole:
		return m.brackets
	case role >= quoteRole:
		return m.quote
	}
	return true
}

// of is the symbols of a role as a mask.
func (m *markerCode) of(role int) reg.GPVirtual {
	k, r := K(), GP64()
	VPTESTMB(m.roles[role], m.symbols, k)
	KMOVQ(k, r)
	return r
}

func and(a, b reg.GPVirtual) reg.GPVirtual {
	r := GP64()
	MOVQ(a, r)
	ANDQ(b, r)
	return r
}

func or(a, b reg.GPVirtual) reg.GPVirtual {
	r := GP64()
	MOVQ(a, r)
	ORQ(b, r)
	return r
}

// without is a &^ b.
func without(a, b reg.GPVirtual) reg.GPVirtual {
	r := GP64()
	ANDNQ(a, b, r)
	return r
}

// after is a mask of the symbols that follow those of mask; the first symbol's
// bit is what the block before left at offset, where the last is put for the next.
func (m *markerCode) after(mask reg.GPVirtual, offset int) reg.GPVirtual {
	r, top := GP64(), GP64()
	MOVQ(m.at(offset), r)
	LEAQ(Mem{Base: r, Index: mask, Scale: 2}, r)
	MOVQ(mask, top)
	SHRQ(U8(63), top)
	MOVQ(top, m.at(offset))
	return r
}

// inside is the symbols after an odd number of those of mask.
func (m *markerCode) inside(mask reg.GPVirtual, offset int) reg.GPVirtual {
	x, r, top := XMM(), GP64(), GP64()
	VMOVQ(mask, x)
	VPCLMULQDQ(U8(0), m.ones.AsX(), x, x)
	VMOVQ(x, r)
	XORQ(m.at(offset), r)
	MOVQ(r, top)
	SARQ(U8(63), top)
	MOVQ(top, m.at(offset))
	return r
}

func (m *markerCode) isOdd(mask reg.GPVirtual) { ORQ(mask, m.odd) }

func (m *markerCode) generate(size reg.VecVirtual) {
	m.k = Load(Param("k"), GP64())
	roles := GP64()
	MOVQ(m.at(kRoles), roles)
	low, high, nibble := ZMM(), ZMM(), ZMM()
	VBROADCASTI32X4(Mem{Base: roles}, low)
	VBROADCASTI32X4(Mem{Base: roles, Disp: rolesHigh}, high)
	VPBROADCASTB(Mem{Base: roles, Disp: rolesNibble}, nibble)
	for i := range m.roles {
		if m.wanted(i) {
			m.roles[i] = ZMM()
			VPBROADCASTB(Mem{Base: roles, Disp: rolesBits + i}, m.roles[i])
		}
	}
	if m.quote {
		m.ones = ZMM()
		VPTERNLOGD(U8(0xFF), m.ones, m.ones, m.ones)
	}
	src, marks, records := GP64(), GP64(), GP64()
	MOVQ(m.at(kSrc), src)
	n := GP64()
	MOVQ(m.at(kMarks), marks)
	MOVQ(m.at(kNMarks), n)
	LEAQ(Mem{Base: marks, Index: n, Scale: 4}, marks)
	MOVQ(m.at(kRecords), records)
	MOVQ(m.at(kNRecords), n)
	LEAQ(Mem{Base: records, Index: n, Scale: 4}, records)
	m.base = ZMM()
	VPBROADCASTD(m.at(kOffset), m.base)
	left, room := GP64(), GP64()
	MOVQ(m.at(kBlocks), left)
	MOVQ(m.at(kMaxMarks), room)
	MOVQ(m.at(kMarks), n)
	LEAQ(Mem{Base: n, Index: room, Scale: 4}, room)
	MOVQ(room, m.at(kMaxMarks)) // for the time being the address
	m.odd = GP64()
	XORQ(m.odd, m.odd)

	Label("block")
	TESTQ(left, left)
	JZ(LabelRef("done"))
	CMPQ(marks, m.at(kMaxMarks))
	JA(LabelRef("done"))

	Comment("The roles of 64 symbols.")
	x, hi := ZMM(), ZMM()
	VMOVDQU64(Mem{Base: src}, x)
	VPSRLW(U8(4), x, hi)
	VPANDD(nibble, x, x)
	VPANDD(nibble, hi, hi)
	VPSHUFB(x, low, x)
	VPSHUFB(hi, high, hi)
	VPANDD(x, hi, hi)
	m.symbols = hi

	Comment("Which of them are ends, and whether something is odd.")
	blank := GP64()
	var inside, afterQuote, afterBracket, opens reg.GPVirtual
	record := m.of(recordRole)
	field := m.of(fieldRole)
	MOVQ(field, blank)
	ORQ(record, blank)
	if m.quote {
		quotes := m.of(quoteRole)
		inside = m.inside(quotes, kQuoted)
		afterQuote = m.after(without(quotes, inside), kAfterQuote)
		opens = and(quotes, inside)
		m.isOdd(and(m.of(oddQuotedRole), inside))
		ANDNQ(blank, inside, blank)
	}
	if m.brackets {
		open := m.of(openRole)
		ANDQ(m.after(blank, kAfterBlank), open)
		ANDNQ(open, inside, open)
		shut := without(m.of(closeRole), inside)
		bracketed := m.inside(or(open, shut), kBracketed)
		m.isOdd(without(open, bracketed))
		m.isOdd(and(shut, bracketed))
		m.isOdd(and(m.of(oddBracketedRole), bracketed))
		afterBracket = m.after(shut, kAfterBracket)
		ORQ(bracketed, inside)
		ANDNQ(blank, bracketed, blank)
	}
	ends := blank
	last := and(record, ends)
	returns, odd := m.of(returnRole), m.of(oddRole)
	if m.quote {
		ANDNQ(returns, inside, returns)
		ANDNQ(odd, inside, odd)
	}
	m.isOdd(odd)
	ORQ(returns, m.at(kAnyReturn))
	m.isOdd(without(m.after(returns, kAfterReturn), last))
	begins := m.after(last, kAfterRecord)
	m.isOdd(and(m.of(oddFirstRole), begins))
	next := m.after(without(ends, last), kAfterField)
	m.isOdd(and(m.of(oddNextRole), next))
	var doubled, quoted, bracketed reg.GPVirtual
	if m.quote {
		ORQ(next, begins)
		again := and(opens, afterQuote)
		ANDQ(m.at(kDoubling), again)
		ORQ(again, begins)
		m.isOdd(without(opens, begins))
		may := or(ends, returns)
		ORQ(again, may)
		m.isOdd(without(afterQuote, may))
		if m.brackets {
			m.isOdd(without(afterBracket, may))
		}
		quoted = m.after(and(afterQuote, returns), kAfterQuoteReturn)
		ORQ(afterQuote, quoted)
		ANDQ(ends, quoted)
		if m.brackets {
			bracketed = m.after(and(afterBracket, returns), kAfterBracketReturn)
			ORQ(afterBracket, bracketed)
			ANDQ(ends, bracketed)
		}
		Comment("Doubled quotes are carried to the next end.")
		doubled = GP64()
		carry := GP64()
		MOVQ(m.at(kDoubled), carry)
		NEGQ(carry) // CF is whether it was not 0
		MOVQ(ends, doubled)
		NOTQ(doubled)
		ADCQ(again, doubled)
		SBBQ(carry, carry)
		NEGQ(carry)
		MOVQ(carry, m.at(kDoubled))
		ANDQ(ends, doubled)
	}
	TESTQ(m.odd, m.odd)
	JNZ(LabelRef("done"))

	Comment("The marks: offsets within the block, below the bits that say how a field is enclosed.")
	bytes := m.iota
	if m.quote {
		ORQ(doubled, m.at(kAnyDoubled))
		bytes = ZMM()
		VMOVDQU8(m.iota, bytes)
		kq, kb := K(), K()
		KMOVQ(quoted, kq)
		if m.brackets {
			ORQ(bracketed, doubled)
		}
		KMOVQ(doubled, kb)
		// The bits are clear, so that adding sets them.
		VPADDB(m.bit7, bytes, kq, bytes)
		VPADDB(m.bit6, bytes, kb, bytes)
	}
	emit := GP64()
	MOVQ(m.at(kAll), emit)
	ANDQ(ends, emit)
	ORQ(last, emit)
	packed := compress(bytes, emit)
	m.store(packed, 0, marks)
	m.store(packed, 1, marks)
	count := GP64()
	POPCNTQ(emit, count)
	CMPQ(count, U8(32))
	JBE(LabelRef("records"))
	m.store(packed, 2, marks)
	m.store(packed, 3, marks)
	Label("records")
	LEAQ(Mem{Base: marks, Index: count, Scale: 4}, marks)

	Comment("The numbers of the marks that end records.")
	numbers, number := GP64(), ZMM()
	PEXTQ(ends, last, numbers)
	VPBROADCASTD(m.at(kNumber), number)
	packed = compress(m.iota, numbers)
	storeNumbers(packed, 0, number, records)
	POPCNTQ(last, count)
	CMPQ(count, U8(16))
	JBE(LabelRef("next"))
	for i := range 3 {
		storeNumbers(packed, i+1, number, records)
	}
	Label("next")
	LEAQ(Mem{Base: records, Index: count, Scale: 4}, records)
	POPCNTQ(ends, count)
	ADDQ(count, m.at(kNumber))
	VPADDD(size, m.base, m.base)
	ADDQ(U8(64), src)
	ADDQ(U32(64), m.at(kOffset))
	DECQ(left)
	JMP(LabelRef("block"))

	Label("done")
	MOVQ(m.odd, m.at(kOdd))
	SUBQ(left, m.at(kBlocks))
	for _, p := range []struct {
		end     reg.GPVirtual
		base, n int
	}{{marks, kMarks, kNMarks}, {records, kRecords, kNRecords}} {
		SUBQ(m.at(p.base), p.end)
		SHRQ(U8(2), p.end)
		MOVQ(p.end, m.at(p.n))
	}
	MOVQ(m.at(kMaxMarks), left)
	SUBQ(m.at(kMarks), left)
	SHRQ(U8(2), left)
	MOVQ(left, m.at(kMaxMarks))
	VZEROUPPER()
	RET()
}

// compress puts the bytes of mask side by side.
func compress(bytes reg.VecVirtual, mask reg.GPVirtual) reg.VecVirtual {
	k, z := K(), ZMM()
	KMOVQ(mask, k)
	// avo does not know the instruction.
	Instruction(&ir.Instruction{
		Opcode: "VPCOMPRESSB", Suffixes: []string{"Z"}, ISA: []string{"AVX512VBMI2"},
		Operands: []Op{bytes, k, z}, Inputs: []Op{bytes, k}, Outputs: []Op{z},
	})
	return z
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

func (m *markerCode) store(bytes reg.VecVirtual, i int, to reg.GPVirtual) {
	z := widen(bytes, i)
	if m.quote {
		flags := ZMM()
		VPSLLD(U8(24), z, flags)
		VPANDD(m.low6, z, z)
		VPADDD(m.base, z, z)
		const orAnd = 0xF8 // A | B&C
		VPTERNLOGD(U8(orAnd), m.top2, flags, z)
	} else {
		VPADDD(m.base, z, z)
	}
	VMOVDQU32(z, Mem{Base: to, Disp: 64 * i})
}

func storeNumbers(bytes reg.VecVirtual, i int, first reg.VecVirtual, to reg.GPVirtual) {
	z := widen(bytes, i)
	VPADDD(first, z, z)
	VMOVDQU32(z, Mem{Base: to, Disp: 64 * i})
}
