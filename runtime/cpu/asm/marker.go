package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
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
	rolesWide   = 64
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

// constant is 64 bytes of what f gives, each of so many bytes.
func constant(nbytes int, f func(i int) uint64) Mem {
	nconstants++
	m := GLOBL(fmt.Sprint("marker", nconstants), RODATA|NOPTR)
	for i := range 64 / nbytes {
		if nbytes == 1 {
			DATA(i, U8(f(i)))
		} else {
			DATA(4*i, U32(f(i)))
		}
	}
	return m
}

var nconstants int

// markers generates the three markers: for automata without enclosures, with
// quotes, and with brackets and perhaps quotes. Their twin in Go, block, says what
// the masks are.
func markers() {
	iota := constant(1, func(i int) uint64 { return uint64(i) })
	bit6 := constant(1, func(int) uint64 { return 1 << 6 })
	bit7 := constant(1, func(int) uint64 { return 1 << 7 })
	low6 := constant(4, func(int) uint64 { return 1<<6 - 1 })
	top2 := constant(4, func(int) uint64 { return 3 << 30 })
	size := constant(4, func(int) uint64 { return 64 })
	for _, v := range []struct {
		name            string
		quote, brackets bool
	}{{"markBare", false, false}, {"markQuoted", true, false}, {"markBracketed", true, true}} {
		m := marker{quote: v.quote, brackets: v.brackets, avx512: true}
		TEXT(v.name+"AVX512", NOSPLIT, "func(k *uint64)")
		Doc(v.name + "AVX512 is marker.run where there are at most these enclosures. It needs AVX-512 with VBMI2.")
		m.iota, m.size = load(iota), load(size)
		if v.quote {
			m.bit6, m.bit7, m.low6, m.top2 = load(bit6), load(bit7), load(low6), load(top2)
		}
		m.generate()

		m = marker{quote: v.quote, brackets: v.brackets}
		TEXT(v.name+"AVX2", NOSPLIT, "func(k *uint64)")
		Doc(v.name + "AVX2 is marker.run where there are at most these enclosures. It needs AVX2.")
		m.generate()
	}
}

func load(m Mem) reg.VecVirtual {
	z := ZMM()
	VMOVDQU64(m, z)
	return z
}

// marker is one of the functions.
type marker struct {
	quote, brackets                    bool
	k                                  reg.Register
	src, marks                         reg.GPVirtual
	iota, size, bit6, bit7, low6, top2 reg.VecVirtual
	base                               reg.VecVirtual // the offset of the block, in each dword
	bits                               [nroles]reg.VecVirtual
	symbols                            [2]reg.VecVirtual // of the block, a byte of bits for each: one vector or two
	ones                               reg.VecVirtual
	zero                               reg.VecVirtual
	avx512                             bool
	odd                                reg.GPVirtual
	nlabels                            int
}

func (m *marker) vector() reg.VecVirtual {
	if m.avx512 {
		return ZMM()
	}
	return YMM()
}

func (m *marker) label() string {
	m.nlabels++
	return fmt.Sprint("label", m.nlabels)
}

func (m *marker) at(offset int) Mem { return Mem{Base: m.k, Disp: offset} }

func (m *marker) wanted(role int) bool {
	switch {
	case role >= openRole:
		return m.brackets
	case role >= quoteRole:
		return m.quote
	}
	return true
}

// of is the symbols of a role as a mask.
func (m *marker) of(role int) reg.GPVirtual {
	r := GP64()
	if m.avx512 {
		k := K()
		VPTESTMB(m.bits[role], m.symbols[0], k)
		KMOVQ(k, r)
		return r
	}
	roles, high := GP64(), GP64()
	MOVQ(m.at(kRoles), roles)
	for i, to := range []reg.GPVirtual{r, high} {
		none := YMM() // of the symbols: where none of the bits is
		VPAND(Mem{Base: roles, Disp: rolesWide + 32*role}, m.symbols[i], none)
		VPCMPEQB(m.zero, none, none)
		VPMOVMSKB(none, to.As32())
	}
	SHLQ(U8(32), high)
	ORQ(high, r)
	NOTQ(r)
	return r
}

// ifAny does something with the symbols of a role, if the role has symbols.
func (m *marker) ifAny(role int, do func(mask reg.GPVirtual)) {
	none := m.label()
	roles := GP64()
	MOVQ(m.at(kRoles), roles)
	CMPB(Mem{Base: roles, Disp: rolesBits + role}, U8(0))
	JE(LabelRef(none))
	do(m.of(role))
	Label(none)
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
func (m *marker) after(mask reg.GPVirtual, offset int) reg.GPVirtual {
	r, top := GP64(), GP64()
	MOVQ(m.at(offset), r)
	LEAQ(Mem{Base: r, Index: mask, Scale: 2}, r)
	MOVQ(mask, top)
	SHRQ(U8(63), top)
	MOVQ(top, m.at(offset))
	return r
}

// inside is the symbols after an odd number of those of mask.
func (m *marker) inside(mask reg.GPVirtual, offset int) reg.GPVirtual {
	x, r, top := XMM(), GP64(), GP64()
	VMOVQ(mask, x)
	VPCLMULQDQ(U8(0), m.ones, x, x)
	VMOVQ(x, r)
	XORQ(m.at(offset), r)
	MOVQ(r, top)
	SARQ(U8(63), top)
	MOVQ(top, m.at(offset))
	return r
}

func (m *marker) isOdd(mask reg.GPVirtual) { ORQ(mask, m.odd) }

func (m *marker) generate() {
	m.k = Load(Param("k"), GP64())
	roles := GP64()
	MOVQ(m.at(kRoles), roles)
	low, high, nibble := m.vector(), m.vector(), m.vector()
	m.ones = XMM()
	VPCMPEQD(m.ones, m.ones, m.ones)
	VPBROADCASTB(Mem{Base: roles, Disp: rolesNibble}, nibble)
	if m.avx512 {
		VBROADCASTI32X4(Mem{Base: roles}, low)
		VBROADCASTI32X4(Mem{Base: roles, Disp: rolesHigh}, high)
		for i := range m.bits {
			if m.wanted(i) {
				m.bits[i] = ZMM()
				VPBROADCASTB(Mem{Base: roles, Disp: rolesBits + i}, m.bits[i])
			}
		}
		m.base = ZMM()
		VPBROADCASTD(m.at(kOffset), m.base)
	} else {
		VBROADCASTI128(Mem{Base: roles}, low)
		VBROADCASTI128(Mem{Base: roles, Disp: rolesHigh}, high)
		m.zero = YMM()
		VPXOR(m.zero, m.zero, m.zero)
	}
	m.src, m.marks, m.odd = GP64(), GP64(), GP64()
	n, end := GP64(), GP64()
	MOVQ(m.at(kSrc), m.src)
	MOVQ(m.at(kMarks), m.marks)
	Comment("For the time being these two are addresses.")
	MOVQ(m.at(kMaxMarks), end)
	LEAQ(Mem{Base: m.marks, Index: end, Scale: 4}, end)
	MOVQ(end, m.at(kMaxMarks))
	MOVQ(m.at(kBlocks), end)
	SHLQ(U8(6), end)
	ADDQ(m.src, end)
	MOVQ(end, m.at(kBlocks))
	MOVQ(m.at(kNMarks), n)
	LEAQ(Mem{Base: m.marks, Index: n, Scale: 4}, m.marks)
	XORQ(m.odd, m.odd)
	JMP(LabelRef("begin"))

	Label("next")
	if m.avx512 {
		VPADDD(m.size, m.base, m.base)
	}
	ADDQ(U8(64), m.src)
	ADDQ(U32(64), m.at(kOffset))
	Label("begin")
	CMPQ(m.src, m.at(kBlocks))
	JE(LabelRef("done"))
	CMPQ(m.marks, m.at(kMaxMarks))
	JA(LabelRef("done"))

	Comment("The roles of 64 symbols.")
	PREFETCHT0(Mem{Base: m.src, Disp: 2048})
	for i := range m.symbols {
		if m.avx512 && i > 0 {
			break
		}
		x, y := m.vector(), m.vector()
		if m.avx512 {
			VMOVDQU64(Mem{Base: m.src}, x)
			VPSRLW(U8(4), x, y)
			VPANDD(nibble, x, x)
			VPANDD(nibble, y, y)
		} else {
			VMOVDQU(Mem{Base: m.src, Disp: 32 * i}, x)
			VPSRLW(U8(4), x, y)
			VPAND(nibble, x, x)
			VPAND(nibble, y, y)
		}
		VPSHUFB(x, low, x)
		VPSHUFB(y, high, y)
		if m.avx512 {
			VPANDD(x, y, y)
		} else {
			VPAND(x, y, y)
		}
		m.symbols[i] = y
	}

	switch {
	case m.brackets:
		m.block(m.of(quoteRole))
	case m.quote:
		m.shortcuts()
	default:
		m.bare()
	}

	Label("done")
	MOVQ(m.odd, m.at(kOdd))
	SUBQ(m.at(kSrc), m.src)
	SHRQ(U8(6), m.src)
	MOVQ(m.src, m.at(kBlocks))
	MOVQ(m.at(kMaxMarks), end)
	for _, p := range []struct {
		end    reg.GPVirtual
		offset int
	}{{m.marks, kNMarks}, {end, kMaxMarks}} {
		SUBQ(m.at(kMarks), p.end)
		SHRQ(U8(2), p.end)
		MOVQ(p.end, m.at(p.offset))
	}
	VZEROUPPER()
	RET()
}

// shortcuts is block, and bare where a block has nothing to do with quotes, and
// next to nothing where it lies within.
func (m *marker) shortcuts() {
	quotes := m.of(quoteRole)
	Comment("Quotes, or one just before?")
	before := GP64()
	MOVQ(m.at(kAfterQuote), before)
	ORQ(m.at(kAfterQuoteReturn), before)
	ORQ(quotes, before)
	JNZ(LabelRef("quotes"))
	CMPQ(m.at(kQuoted), U8(0))
	JNE(LabelRef("within"))
	m.bare()

	Label("within")
	m.ifAny(oddQuotedRole, m.isOdd)
	TESTQ(m.odd, m.odd)
	JZ(LabelRef("next"))
	JMP(LabelRef("done"))

	Label("quotes")
	m.block(quotes)
}

// bare is a block without enclosures.
func (m *marker) bare() {
	ends, last := m.of(fieldRole), m.of(recordRole)
	ORQ(last, ends)
	m.ifAny(oddRole, m.isOdd)
	m.outside(ends, last, nil)
	TESTQ(m.odd, m.odd)
	JNZ(LabelRef("done"))
	m.emit(ends, last, nil, nil)
}

// outside looks for what is odd outside of enclosures, where ends are the ends of
// fields there, and last those of records. inside is nil where there are none.
// It gives the symbols that follow an end, and returns.
func (m *marker) outside(ends, last, inside reg.Register) (begins, returns reg.GPVirtual) {
	e, l := ends.(reg.GPVirtual), last.(reg.GPVirtual)
	returns = m.of(returnRole)
	if inside != nil {
		ANDNQ(returns, inside, returns)
	}
	begins = m.after(l, kAfterRecord)
	m.isOdd(and(m.of(oddFirstRole), begins))
	next := m.after(without(e, l), kAfterField)
	m.ifAny(oddNextRole, func(mask reg.GPVirtual) {
		ANDQ(next, mask)
		m.isOdd(mask)
	})
	ORQ(next, begins)
	none, any := m.label(), GP64()
	MOVQ(returns, any)
	ORQ(m.at(kAfterReturn), any)
	JZ(LabelRef(none))
	ORQ(returns, m.at(kAnyReturn))
	m.isOdd(without(m.after(returns, kAfterReturn), l))
	Label(none)
	return begins, returns
}

// block is a block with enclosures.
func (m *marker) block(quotes reg.GPVirtual) {
	last, ends := m.of(recordRole), m.of(fieldRole)
	ORQ(last, ends)
	inside := m.inside(quotes, kQuoted)
	opens := and(quotes, inside)
	afterQuote := m.after(without(quotes, inside), kAfterQuote)
	m.ifAny(oddQuotedRole, func(mask reg.GPVirtual) {
		ANDQ(inside, mask)
		m.isOdd(mask)
	})
	ANDNQ(ends, inside, ends)
	var afterBracket reg.GPVirtual
	if m.brackets {
		open := m.of(openRole)
		ANDQ(m.after(ends, kAfterBlank), open)
		ANDNQ(open, inside, open)
		shut := without(m.of(closeRole), inside)
		bracketed := m.inside(or(open, shut), kBracketed)
		m.isOdd(without(open, bracketed))
		m.isOdd(and(shut, bracketed))
		m.ifAny(oddBracketedRole, func(mask reg.GPVirtual) {
			ANDQ(bracketed, mask)
			m.isOdd(mask)
		})
		afterBracket = m.after(shut, kAfterBracket)
		ORQ(bracketed, inside)
		ANDNQ(ends, bracketed, ends)
	}
	ANDQ(ends, last)
	m.ifAny(oddRole, func(mask reg.GPVirtual) {
		ANDNQ(mask, inside, mask)
		m.isOdd(mask)
	})
	begins, returns := m.outside(ends, last, inside)
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
	Comment("Returns between the end of an enclosure and that of its field.")
	none, any := m.label(), GP64()
	MOVQ(returns, any)
	ORQ(m.at(kAfterQuoteReturn), any)
	if m.brackets {
		ORQ(m.at(kAfterBracketReturn), any)
	}
	JZ(LabelRef(none))
	ORQ(m.after(and(afterQuote, returns), kAfterQuoteReturn), afterQuote)
	if m.brackets {
		ORQ(m.after(and(afterBracket, returns), kAfterBracketReturn), afterBracket)
	}
	Label(none)
	TESTQ(m.odd, m.odd)
	JNZ(LabelRef("done"))

	Comment("Doubled quotes are carried to the next end.")
	doubled, carry := GP64(), GP64()
	MOVQ(m.at(kDoubled), carry)
	NEGQ(carry) // carries if it was not 0
	MOVQ(ends, doubled)
	NOTQ(doubled)
	ADCQ(again, doubled)
	SBBQ(carry, carry)
	NEGQ(carry)
	MOVQ(carry, m.at(kDoubled))
	ANDQ(ends, doubled)
	ORQ(doubled, m.at(kAnyDoubled))
	ANDQ(ends, afterQuote)
	if m.brackets {
		ANDQ(ends, afterBracket)
		ORQ(afterBracket, doubled)
	}
	m.emit(ends, last, afterQuote, doubled)
}

// emit writes the marks, and the numbers of those that end records. Fields that
// end in quoted are in quotes, in other they have the other bit of a mark; both
// are nil if no field is enclosed.
func (m *marker) emit(ends, last, quoted, other reg.Register) {
	emit, count := GP64(), GP64()
	MOVQ(m.at(kAll), emit)
	ANDQ(ends, emit)
	ORQ(last, emit)
	POPCNTQ(emit, count)
	if m.avx512 {
		m.emitVectors(emit, count, quoted, other)
	} else {
		m.emitOneByOne(emit, count, quoted, other)
	}

	Comment("Two numbers are written, even if there are none, and more if there are.")
	number, to, n := GP64(), GP64(), GP64()
	MOVQ(m.at(kNumber), number)
	MOVQ(m.at(kRecords), to)
	MOVQ(m.at(kNRecords), n)
	LEAQ(Mem{Base: to, Index: n, Scale: 4}, to)
	POPCNTQ(last, count)
	ADDQ(count, n)
	MOVQ(n, m.at(kNRecords))
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

// emitVectors writes offsets in the block, as bytes side by side, as dwords.
func (m *marker) emitVectors(emit, count reg.GPVirtual, quoted, other reg.Register) {
	bytes := m.iota
	if quoted != nil {
		bytes = ZMM()
		inQuotes, otherwise := K(), K()
		VMOVDQU8(m.iota, bytes)
		KMOVQ(quoted, inQuotes)
		KMOVQ(other, otherwise)
		VPADDB(m.bit7, bytes, inQuotes, bytes) // which are clear
		VPADDB(m.bit6, bytes, otherwise, bytes)
	}
	packed := compress(bytes, emit)
	m.store(packed, 0, quoted != nil)
	few := m.label()
	CMPQ(count, U8(16))
	JBE(LabelRef(few))
	m.store(packed, 1, quoted != nil)
	CMPQ(count, U8(32))
	JBE(LabelRef(few))
	m.store(packed, 2, quoted != nil)
	m.store(packed, 3, quoted != nil)
	Label(few)
	LEAQ(Mem{Base: m.marks, Index: count, Scale: 4}, m.marks)
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
			SHLQ(U8(31), flags)
			SHRXQ(at, other, bit)
			ANDL(U8(1), bit.As32())
			SHLL(U8(30), bit.As32())
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

// store writes marks 16·i to 16·i+15.
func (m *marker) store(bytes reg.VecVirtual, i int, flags bool) {
	z, x := ZMM(), bytes.AsX()
	if i > 0 {
		x = XMM()
		VEXTRACTI32X4(U8(i), bytes, x)
	}
	VPMOVZXBD(x, z)
	if flags {
		f := ZMM()
		VPSLLD(U8(24), z, f)
		VPANDD(m.low6, z, z)
		VPADDD(m.base, z, z)
		const orAnd = 0xF8 // A | B&C
		VPTERNLOGD(U8(orAnd), m.top2, f, z)
	} else {
		VPADDD(m.base, z, z)
	}
	VMOVDQU32(z, Mem{Base: m.marks, Disp: 64 * i})
}
