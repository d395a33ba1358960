package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

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
	if m.led {
		ANDQ(m.at(kUnledBare), last)
		ANDQ(m.at(kUnledBare), ends)
		m.ofFields(nil)
	}
	ORQ(last, ends)
	m.ifAny(oddRole, func(mask reg.GPVirtual) {
		m.unled(mask)
		m.isOdd(mask)
	})
	m.outside(ends, last, nil)
	TESTQ(m.odd, m.odd)
	JNZ(LabelRef("done"))
	m.note(ends)
	m.emit(ends, last, nil, nil)
}

// outside looks for what is odd outside of enclosures, where ends are the ends of
// fields there, and last those of records. inside is nil where there are none.
// It gives the symbols that follow an end, and returns.
func (m *marker) outside(ends, last, inside reg.Register) (begins, returns reg.GPVirtual) {
	e, l := ends.(reg.GPVirtual), last.(reg.GPVirtual)
	returns = m.of(returnRole)
	m.unled(returns)
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
	m.unled(ends)
	var escaped reg.GPVirtual
	if m.led {
		escaped = GP64()
		MOVQ(m.at(kUnled), escaped)
		ANDNQ(quotes, escaped, escaped)
		ANDQ(m.at(kUnled), quotes)
	}
	inside := m.inside(quotes, kQuoted)
	if m.led {
		ANDQ(m.at(kUnledBare), escaped)
		m.isOdd(without(escaped, inside))
		m.ofFields(inside)
	}
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
		m.unled(shut)
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
		m.unled(mask)
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
	m.note(ends)

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
