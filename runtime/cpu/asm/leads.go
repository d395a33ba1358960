package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// What leadsOf is in Go, and what is done with it.

const evenSymbols = 0x5555555555555555

// leads finds the leads of the block, and what they lead.
func (m *marker) leads() {
	may := m.of(leadRole)
	CMPQ(may, I8(-1))
	JNE(LabelRef("notAll"))
	MOVQ(may, m.odd)
	JMP(LabelRef("done"))
	Label("notAll")
	before, sum, even := GP64(), GP64(), GP64()
	MOVQ(m.at(kAfterLead), before)
	ANDNQ(may, before, may)
	LEAQ(Mem{Base: may, Index: may, Scale: 1}, sum)
	ANDNQ(may, sum, sum)
	MOVQ(U64(evenSymbols), even)
	ANDQ(even, sum)
	ADDQ(may, sum)
	XORQ(even, sum)
	ANDQ(sum, may)
	MOVQ(may, m.at(kLeadsIn))
	escaped := m.after(may, kAfterLead)
	MOVQ(m.at(kLedBare), sum)
	ANDQ(escaped, sum)
	NOTQ(sum)
	MOVQ(sum, m.at(kUnledBare))
	NOTQ(escaped)
	MOVQ(escaped, m.at(kUnled))
}

// unled leaves those symbols of mask that nothing leads, outside of quotes.
func (m *marker) unled(mask reg.GPVirtual) {
	if m.led {
		ANDQ(m.at(kUnledBare), mask)
	}
}

// ofFields leaves the leads that are some where they stand: in quotes, which may be nil, or not.
func (m *marker) ofFields(quoted reg.Register) {
	leads := GP64()
	MOVQ(m.at(kLedBare), leads)
	if quoted != nil {
		q := quoted.(reg.GPVirtual)
		in := GP64()
		MOVQ(m.at(kLedQuotes), in)
		ANDQ(q, in)
		ANDNQ(leads, q, leads)
		ORQ(in, leads)
	}
	ANDQ(leads, m.at(kLeadsIn))
}

// note notes the block if it has leads.
func (m *marker) note(ends reg.Register) {
	if !m.led {
		return
	}
	none := m.label()
	CMPQ(m.at(kLeadsIn), U8(0))
	JE(LabelRef(none))
	to, at, x := GP64(), GP64(), GP64()
	MOVQ(m.at(kLeads), to)
	MOVQ(Mem{Base: to, Disp: leadsN}, at)
	INCQ(Mem{Base: to, Disp: leadsN})
	if ledSize != 32 {
		panic("ledBlock")
	}
	SHLQ(U8(5), at)
	ADDQ(at, to)
	MOVQ(ends, Mem{Base: to, Disp: leadsBlocks + ledEnds})
	for _, f := range [][2]int{{kLeadsIn, ledLeads}, {kNumber, ledNumber}, {kOffset, ledOffset}} {
		MOVQ(m.at(f[0]), x)
		MOVQ(x, Mem{Base: to, Disp: leadsBlocks + f[1]})
	}
	Label(none)
}

// leads finds the leads of eight blocks, and what they lead. Where a run of leads that may lead
// goes on from the block before, it ends in this one, or the block is odd: the last lead is the
// same, whatever came before.
func (m *finder) leads() {
	may, full := m.of(leadRole), K()
	VPCMPEQQ(m.ones, may, full)
	VMOVDQA64_Z(m.ones, full, m.odd)
	first := m.after(m.leadsOf(may), kAfterLead)
	VPANDQ(m.one, first, first)
	VPANDNQ(may, first, may)
	m.leading = m.leadsOf(may)
	m.unled, m.unledBare = ZMM(), ZMM()
	VPADDQ(m.leading, m.leading, m.unled)
	logic(m.unled, first, m.ones, func(d, a, b uint8) uint8 { return (d | a) ^ b })
	VPANDNQ(m.ledBare, m.unled, m.unledBare)
	VPXORQ(m.ones, m.unledBare, m.unledBare)
}

func (m *finder) leadsOf(may reg.VecVirtual) reg.VecVirtual {
	sum := ZMM()
	VPADDQ(may, may, sum)
	logic(sum, may, m.even, func(d, a, b uint8) uint8 { return a &^ d & b })
	VPADDQ(may, sum, sum)
	logic(sum, may, m.even, func(d, a, b uint8) uint8 { return a & (d ^ b) })
	return sum
}

// unledOf is the masks of the symbols of a role that nothing leads, outside of quotes.
func (m *finder) unledOf(role int) reg.VecVirtual {
	mask := m.of(role)
	m.keepUnled(mask)
	return mask
}

// keepUnled leaves those symbols of mask that nothing leads, outside of quotes.
func (m *finder) keepUnled(mask reg.VecVirtual) {
	if m.led {
		VPANDQ(m.unledBare, mask, mask)
	}
}

// ofFields puts the leads that are some where they stand.
func (m *finder) ofFields(quoted reg.VecVirtual) {
	VPANDQ(m.ledBare, m.leading, m.unled)
	if m.quote {
		logic(m.leading, m.ledQuotes, quoted, func(d, a, b uint8) uint8 { return d & a & b })
		logic(m.leading, m.unled, quoted, func(d, a, b uint8) uint8 { return d | a&^b })
		m.put(m.leading, bLeads)
		return
	}
	m.put(m.unled, bLeads)
}
