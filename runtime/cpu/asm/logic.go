package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// isOdd notes that a without b is odd.
func (m *finder) isOdd(a, b reg.VecVirtual) {
	logic(m.odd, a, b, func(d, a, b uint8) uint8 { return d | a&^b })
}

// isOddIn notes that what is in both is odd.
func (m *finder) isOddIn(a, b reg.VecVirtual) {
	logic(m.odd, a, b, func(d, a, b uint8) uint8 { return d | a&b })
}

// after is masks of the symbols that follow those of mask, in the next block
// too; what it leaves to the next is that of a state.
func (m *finder) after(mask reg.VecVirtual, state int) reg.VecVirtual {
	r := ZMM()
	VALIGNQ(U8(7), m.before[state], mask, r)
	vector("VPSHLDQ", "AVX512VBMI2", U8(1), r, mask, r)
	VMOVDQA64(mask, m.before[state])
	return r
}

// within is the symbols after an odd number of those of mask.
func (m *finder) within(mask reg.VecVirtual, table reg.GPVirtual, state int) reg.VecVirtual {
	r, high := ZMM(), ZMM()
	vector("VPCLMULQDQ", "AVX512VPCLMULQDQ", U8(0x00), mask, m.ones, r)
	vector("VPCLMULQDQ", "AVX512VPCLMULQDQ", U8(0x11), mask, m.ones, high)
	VPUNPCKLQDQ(high, r, r)
	k, bits := K(), GP64()
	VPMOVQ2M(r, k)
	KMOVB(k, bits.As32())
	MOVWQSX(Mem{Base: table, Index: bits, Scale: 2}, bits)
	XORQ(m.inside[state], bits)
	flip := K()
	KMOVB(bits.As32(), flip)
	SARQ(U8(8), bits)
	MOVQ(bits, m.inside[state])
	VPXORQ(m.ones, r, flip, r)
	return r
}

// blocks reads eight blocks.
func (m *finder) blocks(table, group reg.GPVirtual) {
	m.odd = ZMM()
	if m.led {
		m.leads()
	} else {
		VPXORQ(m.odd, m.odd, m.odd)
	}
	last, ends := m.unledOf(recordRole), m.unledOf(fieldRole)
	VPORQ(last, ends, ends)
	inside := m.zero
	var opens, afterQuote, afterBracket reg.VecVirtual
	if m.quote {
		quotes := m.of(quoteRole)
		var escaped reg.VecVirtual
		if m.led {
			escaped = ZMM()
			VPANDNQ(quotes, m.unled, escaped)
			VPANDQ(m.unled, quotes, quotes)
		}
		inside = m.within(quotes, table, kQuoted)
		closes := ZMM()
		opens = ZMM()
		VPANDQ(quotes, inside, opens)
		VPANDNQ(quotes, inside, closes)
		afterQuote = m.after(closes, kAfterQuote)
		m.ifAny(oddQuotedRole, func(mask reg.VecVirtual) { m.isOddIn(mask, inside) })
		VPANDNQ(ends, inside, ends)
		if m.led {
			VPANDQ(m.unledBare, escaped, escaped)
			m.isOdd(escaped, inside)
		}
	}
	if m.led {
		m.ofFields(inside)
	}
	if m.brackets {
		open, shut, both := m.after(ends, kAfterBlank), ZMM(), ZMM()
		logic(open, m.of(openRole), inside, func(d, a, b uint8) uint8 { return d & a &^ b })
		VPANDNQ(m.unledOf(closeRole), inside, shut)
		VPORQ(open, shut, both)
		bracketed := m.within(both, table, kBracketed)
		m.isOdd(open, bracketed)
		m.isOddIn(shut, bracketed)
		m.ifAny(oddBracketedRole, func(mask reg.VecVirtual) { m.isOddIn(mask, bracketed) })
		afterBracket = m.after(shut, kAfterBracket)
		VPORQ(bracketed, inside, inside)
		VPANDNQ(ends, bracketed, ends)
	}
	VPANDQ(ends, last, last)
	m.ifAny(oddRole, func(mask reg.VecVirtual) {
		m.keepUnled(mask)
		m.isOdd(mask, inside)
	})
	first, begins := m.after(last, kAfterRecord), m.after(ends, kAfterField)
	m.ifAny(oddFirstRole, func(mask reg.VecVirtual) { m.isOddIn(mask, first) })
	m.ifAny(oddNextRole, func(mask reg.VecVirtual) {
		VPANDQ(begins, mask, mask)
		m.isOdd(mask, first)
	})
	returns := ZMM()
	VMOVDQA64(m.zero, returns)
	m.ifAny(returnRole, func(mask reg.VecVirtual) {
		m.keepUnled(mask)
		VPANDNQ(mask, inside, returns)
		VPORQ(returns, m.anyReturn, m.anyReturn)
		m.isOdd(m.after(returns, kAfterReturn), last)
	})
	var doubled reg.VecVirtual
	if m.quote {
		again := ZMM()
		VPANDQ(opens, afterQuote, again)
		VPANDQ(m.doubling, again, again)
		VPORQ(again, begins, begins)
		m.isOdd(opens, begins)
		may := ZMM()
		VPORQ(ends, returns, may)
		VPORQ(again, may, may)
		m.isOdd(afterQuote, may)
		if m.brackets {
			m.isOdd(afterBracket, may)
		}
		m.ifAny(returnRole, func(unused reg.VecVirtual) {
			x := unused
			VPANDQ(afterQuote, returns, x)
			VPORQ(m.after(x, kAfterQuoteReturn), afterQuote, afterQuote)
			if m.brackets {
				VPANDQ(afterBracket, returns, x)
				VPORQ(m.after(x, kAfterBracketReturn), afterBracket, afterBracket)
			}
		})
		doubled = m.carry(again, ends)
	}
	some := K()
	VPTESTMQ(ends, ends, some)
	KMOVB(some, Mem{Base: group})
	lasts := K()
	VPTESTMQ(last, last, lasts)
	KMOVB(lasts, Mem{Base: group, Disp: bLasts - bSome})
	m.put(ends, bEnds)
	m.put(last, bRecords)
	if m.quote {
		VPANDQ(ends, afterQuote, afterQuote)
		m.put(afterQuote, bQuoted)
		VPORQ(doubled, m.anyDoubled, m.anyDoubled)
		if m.brackets {
			logic(doubled, afterBracket, ends, func(d, a, b uint8) uint8 { return d | a&b })
		}
		m.put(doubled, bOther)
	}
	logic(ends, m.all, last, func(d, a, b uint8) uint8 { return d&a | b })
	m.put(ends, bEmit)
	k := K()
	VPTESTMQ(m.odd, m.odd, k)
	KORTESTB(k, k)
	JNZ(LabelRef("odd"))
}

func (m *finder) put(x reg.VecVirtual, offset int) {
	VMOVDQU64(x, Mem{Base: m.b, Disp: offset, Index: m.at, Scale: 1})
}

// carry carries the bits of again to the next ends.
func (m *finder) carry(again, ends reg.VecVirtual) reg.VecVirtual {
	sum := ZMM()
	VPXORQ(m.ones, ends, sum)
	VPADDQ(again, sum, sum)
	over, full, carries := K(), K(), K()
	const less = 1
	VPCMPUQ(U8(less), again, sum, over)
	VPCMPEQQ(m.ones, sum, full)
	Comment("Lanes that are full pass a carry on: an addition carries that too.")
	o, f := GP64(), GP64()
	KMOVB(over, o.As32())
	KMOVB(full, f.As32())
	LEAQ(Mem{Base: m.doubled, Index: o, Scale: 2}, o)
	ADDQ(f, o)
	XORQ(f, o)
	KMOVB(o.As32(), carries)
	SHRQ(U8(8), o)
	MOVQ(o, m.doubled)
	VPSUBQ(m.ones, sum, carries, sum)
	VPANDQ(ends, sum, sum)
	return sum
}
