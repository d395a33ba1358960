package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// markers generates the markers for AVX2: for automata without enclosures, with quotes,
// and with brackets and perhaps quotes, each without escapes and with. Their twin in Go, block, says
// what the masks are.
func markers() {
	eachKind(func(kind string, quote, brackets, led bool) {
		name := "mark" + kind + "AVX2"
		TEXT(name, NOSPLIT, "func(k *uint64)")
		Doc(name + " is marker.strip where there are at most these enclosures and escapes. It needs AVX2.")
		m := marker{quote: quote, brackets: brackets, led: led}
		m.generate()
	})
}

// eachKind calls f for each kind of automata that have masks.
func eachKind(f func(kind string, quote, brackets, led bool)) {
	for _, led := range []bool{false, true} {
		escaped := ""
		if led {
			escaped = "Led"
		}
		f("Bare"+escaped, false, false, led)
		f("Quoted"+escaped, true, false, led)
		f("Bracketed"+escaped, true, true, led)
	}
}

// marker is one of the functions.
type marker struct {
	quote, brackets bool
	led             bool
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
	MOVQ(m.at(kLeft), end)
	SHLQ(U8(6), end)
	ADDQ(m.src, end)
	MOVQ(end, m.at(kLeft))
	MOVQ(m.at(kNmarks), n)
	LEAQ(Mem{Base: m.marks, Index: n, Scale: 4}, m.marks)
	XORQ(m.odd, m.odd)
	JMP(LabelRef("begin"))

	Label("next")
	ADDQ(U8(64), m.src)
	ADDQ(U32(64), m.at(kOffset))
	Label("begin")
	CMPQ(m.src, m.at(kLeft))
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

	if m.led {
		m.leads()
	}
	switch {
	case m.brackets, m.quote && m.led:
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
	MOVQ(m.src, m.at(kLeft))
	SUBQ(m.at(kMarks), m.marks)
	SHRQ(U8(2), m.marks)
	MOVQ(m.marks, m.at(kNmarks))
	VZEROUPPER()
	RET()
}
