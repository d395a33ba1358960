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

// markers generates the three markers for AVX2: for automata without enclosures,
// with quotes, and with brackets and perhaps quotes. Their twin in Go, block, says
// what the masks are.
func markers() {
	for _, v := range []struct {
		name            string
		quote, brackets bool
	}{{"markBareAVX2", false, false}, {"markQuotedAVX2", true, false}, {"markBracketedAVX2", true, true}} {
		TEXT(v.name, NOSPLIT, "func(k *uint64)")
		Doc(v.name + " is marker.strip where there are at most these enclosures. It needs AVX2.")
		m := marker{quote: v.quote, brackets: v.brackets}
		m.generate()
	}
}

// marker is one of the functions.
type marker struct {
	quote, brackets bool
	k               reg.Register
	src, marks      reg.GPVirtual
	symbols         [2]reg.VecVirtual // of the block, a byte of bits for each
	ones            reg.VecVirtual
	zero            reg.VecVirtual
	odd             reg.GPVirtual
	nlabels         int
}

func (m *marker) label() string {
	m.nlabels++
	return fmt.Sprint("label", m.nlabels)
}

func (m *marker) at(offset int) Mem { return Mem{Base: m.k, Disp: offset} }

// of is the symbols of a role as a mask.
func (m *marker) of(role int) reg.GPVirtual {
	r, roles, high := GP64(), GP64(), GP64()
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
	low, high, nibble := YMM(), YMM(), YMM()
	m.ones, m.zero = XMM(), YMM()
	VPCMPEQD(m.ones, m.ones, m.ones)
	VPXOR(m.zero, m.zero, m.zero)
	VPBROADCASTB(Mem{Base: roles, Disp: rolesNibble}, nibble)
	VBROADCASTI128(Mem{Base: roles}, low)
	VBROADCASTI128(Mem{Base: roles, Disp: rolesHigh}, high)
	m.src, m.marks, m.odd = GP64(), GP64(), GP64()
	n, end := GP64(), GP64()
	MOVQ(m.at(kSrc), m.src)
	MOVQ(m.at(kMarks), m.marks)
	Comment("For the time being this is an address.")
	MOVQ(m.at(kBlocks), end)
	SHLQ(U8(6), end)
	ADDQ(m.src, end)
	MOVQ(end, m.at(kBlocks))
	MOVQ(m.at(kNMarks), n)
	LEAQ(Mem{Base: m.marks, Index: n, Scale: 4}, m.marks)
	XORQ(m.odd, m.odd)
	JMP(LabelRef("begin"))

	Label("next")
	ADDQ(U8(64), m.src)
	ADDQ(U32(64), m.at(kOffset))
	Label("begin")
	CMPQ(m.src, m.at(kBlocks))
	JE(LabelRef("done"))

	Comment("The roles of 64 symbols.")
	PREFETCHT0(Mem{Base: m.src, Disp: 2048})
	for i := range m.symbols {
		x, y := YMM(), YMM()
		VMOVDQU(Mem{Base: m.src, Disp: 32 * i}, x)
		VPSRLW(U8(4), x, y)
		VPAND(nibble, x, x)
		VPAND(nibble, y, y)
		VPSHUFB(x, low, x)
		VPSHUFB(y, high, y)
		VPAND(x, y, y)
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
	SUBQ(m.at(kMarks), m.marks)
	SHRQ(U8(2), m.marks)
	MOVQ(m.marks, m.at(kNMarks))
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
	m.emitOneByOne(emit, count, quoted, other)

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
