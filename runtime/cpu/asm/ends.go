package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/ir"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// stripBlocks is the number of blocks that bitmaps have room for.
const stripBlocks = 64

// Offsets in bitmaps.
const (
	bOf      = 0
	bPresent = bOf + 8*nroles
	bSome    = bPresent + 8
	bLasts   = bSome + 8*stripBlocks/64
	bEmit    = bLasts + 8*stripBlocks/64
	bEnds    = bEmit + 8*stripBlocks
	bRecords = bEnds + 8*stripBlocks
	bQuoted  = bRecords + 8*stripBlocks
	bOther   = bQuoted + 8*stripBlocks
	bNumbers = bOther + 8*stripBlocks
)

// finder is one of the functions that make of the masks of roles those of ends,
// eight blocks a turn, a block a lane. Their twin in Go, block, says what the
// masks are.
type finder struct {
	quote, brackets       bool
	k, b                  reg.Register
	at                    reg.GPVirtual // the blocks before, in bytes of masks
	present, src          reg.GPVirtual
	ones, zero            reg.VecVirtual
	all, doubling         reg.VecVirtual
	odd                   reg.VecVirtual
	anyDoubled, anyReturn reg.VecVirtual
	before                map[int]reg.VecVirtual // masks of the blocks before, by the offset of what they leave
	inside                map[int]reg.GPVirtual  // all ones, or 0
	doubled               reg.GPVirtual          // 1, or 0
	nlabels               int
}

// finders generates the three of them: for automata without enclosures, with
// quotes, and with brackets and perhaps quotes.
func finders() {
	// parities: by the parities of eight masks, the bits of those after an odd
	// number of symbols, and in the upper half whether all of them have one.
	parities := GLOBL("parities", RODATA|NOPTR)
	for i := range 256 {
		odd, parity := 0, 0
		for j := range 8 {
			odd |= parity << j
			parity ^= i >> j & 1
		}
		DATA(2*i, U16(odd|parity*0xFF00))
	}
	for _, v := range []struct {
		name            string
		quote, brackets bool
	}{{"endsBareAVX512", false, false}, {"endsQuotedAVX512", true, false}, {"endsBracketedAVX512", true, true}} {
		TEXT(v.name, NOSPLIT, "func(k, b *uint64, nblocks int) (read int)")
		Doc(v.name + " finds the ends where there are at most these enclosures, and gives how many blocks it read, fewer than a multiple of 8 if something is odd. It needs AVX-512 with VBMI2 and VPCLMULQDQ.")
		m := finder{quote: v.quote, brackets: v.brackets}
		m.generate(parities)
	}
}

func (m *finder) generate(parities Mem) {
	m.k, m.b = Load(Param("k"), GP64()), Load(Param("b"), GP64())
	end := Load(Param("nblocks"), GP64())
	SHLQ(U8(3), end)
	m.at, m.present = GP64(), GP64()
	XORQ(m.at, m.at)
	MOVQ(m.bitmap(bPresent), m.present)
	m.ones, m.zero, m.all, m.anyReturn = ZMM(), ZMM(), ZMM(), ZMM()
	VPTERNLOGQ(U8(0xFF), m.ones, m.ones, m.ones)
	VPXORQ(m.zero, m.zero, m.zero)
	VPBROADCASTQ(m.state(kAll), m.all)
	VPBROADCASTQ(m.state(kAnyReturn), m.anyReturn)
	states := []int{kAfterRecord, kAfterField, kAfterReturn}
	m.before, m.inside = map[int]reg.VecVirtual{}, map[int]reg.GPVirtual{}
	if m.quote {
		states = append(states, kAfterQuote, kAfterQuoteReturn)
		m.doubling, m.anyDoubled, m.doubled = ZMM(), ZMM(), GP64()
		VPBROADCASTQ(m.state(kDoubling), m.doubling)
		VPBROADCASTQ(m.state(kAnyDoubled), m.anyDoubled)
		MOVQ(m.state(kDoubled), m.doubled)
		m.inside[kQuoted] = GP64()
	}
	if m.brackets {
		states = append(states, kAfterBracket, kAfterBracketReturn, kAfterBlank)
		m.inside[kBracketed] = GP64()
	}
	insides := []int{kQuoted, kBracketed}[:len(m.inside)]
	for _, s := range insides {
		MOVQ(m.state(s), m.inside[s])
	}
	for _, s := range states {
		m.before[s] = ZMM()
		VPBROADCASTQ(m.state(s), m.before[s])
		VPSLLQ(U8(63), m.before[s], m.before[s])
	}
	Comment("What is after an end is after that of a record, or another.")
	VPORQ(m.before[kAfterRecord], m.before[kAfterField], m.before[kAfterField])
	table, group := GP64(), GP64()
	m.src = GP64()
	MOVQ(m.state(kSrc), m.src)
	LEAQ(parities, table)
	LEAQ(m.bitmap(bSome), group)

	Label("blocks")
	Comment("Looking up is quicker than memory, so it is asked for here what the strip after the next needs.")
	for i := range 8 {
		PREFETCHT1(Mem{Base: m.src, Disp: 2*64*stripBlocks + 64*i})
	}
	ADDQ(U32(512), m.src)
	m.blocks(table, group)
	INCQ(group)
	ADDQ(U8(64), m.at)
	CMPQ(m.at, end)
	JB(LabelRef("blocks"))

	VPANDNQ(m.before[kAfterField], m.before[kAfterRecord], m.before[kAfterField])
	for _, s := range states {
		x := ZMM()
		VALIGNQ(U8(7), m.before[s], m.before[s], x)
		VPSRLQ(U8(63), x, x)
		VMOVQ(x.AsX(), m.state(s))
	}
	if !m.brackets {
		x := GP64()
		MOVQ(m.state(kAfterRecord), x)
		ORQ(m.state(kAfterField), x)
		MOVQ(x, m.state(kAfterBlank))
	}
	for _, s := range insides {
		MOVQ(m.inside[s], m.state(s))
	}
	if m.quote {
		MOVQ(m.doubled, m.state(kDoubled))
	}
	SHRQ(U8(3), m.at)
	Label("done")
	m.leave(kAnyReturn, m.anyReturn)
	if m.quote {
		m.leave(kAnyDoubled, m.anyDoubled)
	}
	VZEROUPPER()
	Store(m.at, ReturnIndex(0))
	RET()

	Label("odd")
	first, k := GP64(), K()
	VPTESTMQ(m.odd, m.odd, k)
	KMOVB(k, first.As32())
	MOVQ(first, m.state(kOdd))
	TZCNTQ(first, first)
	SHRQ(U8(3), m.at)
	ADDQ(first, m.at)
	JMP(LabelRef("done"))
}

func (m *finder) state(offset int) Mem  { return Mem{Base: m.k, Disp: offset} }
func (m *finder) bitmap(offset int) Mem { return Mem{Base: m.b, Disp: offset} }

// leave puts the bits that are in any lane of x to a state.
func (m *finder) leave(offset int, x reg.VecVirtual) {
	k, r := K(), GP64()
	VPTESTMQ(x, x, k)
	KMOVB(k, r.As32())
	MOVQ(r, m.state(offset))
}

// of is the masks of the symbols of a role.
func (m *finder) of(role int) reg.VecVirtual {
	from, x := GP64(), ZMM()
	MOVQ(m.bitmap(bOf+8*role), from)
	VMOVDQU64(Mem{Base: from, Index: m.at, Scale: 1}, x)
	return x
}

// ifAny does something with the masks of a role, if the strip has symbols of it.
func (m *finder) ifAny(role int, do func(mask reg.VecVirtual)) {
	m.nlabels++
	none := fmt.Sprint("none", m.nlabels)
	TESTL(U32(1<<role), m.present.As32())
	JZ(LabelRef(none))
	do(m.of(role))
	Label(none)
}

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

// vector is an instruction that avo does not know, or not of 512 bits.
func vector(opcode, isa string, imm, a, b, to Op) {
	Instruction(&ir.Instruction{Opcode: opcode, ISA: []string{isa},
		Operands: []Op{imm, a, b, to}, Inputs: []Op{a, b}, Outputs: []Op{to}})
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
	VPXORQ(m.odd, m.odd, m.odd)
	last, ends := m.of(recordRole), m.of(fieldRole)
	VPORQ(last, ends, ends)
	inside := m.zero
	var opens, afterQuote, afterBracket reg.VecVirtual
	if m.quote {
		quotes := m.of(quoteRole)
		inside = m.within(quotes, table, kQuoted)
		closes := ZMM()
		opens = ZMM()
		VPANDQ(quotes, inside, opens)
		VPANDNQ(quotes, inside, closes)
		afterQuote = m.after(closes, kAfterQuote)
		m.ifAny(oddQuotedRole, func(mask reg.VecVirtual) { m.isOddIn(mask, inside) })
		VPANDNQ(ends, inside, ends)
	}
	if m.brackets {
		open, shut, both := m.after(ends, kAfterBlank), ZMM(), ZMM()
		logic(open, m.of(openRole), inside, func(d, a, b uint8) uint8 { return d & a &^ b })
		VPANDNQ(m.of(closeRole), inside, shut)
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
	m.ifAny(oddRole, func(mask reg.VecVirtual) { m.isOdd(mask, inside) })
	first, begins := m.after(last, kAfterRecord), m.after(ends, kAfterField)
	m.ifAny(oddFirstRole, func(mask reg.VecVirtual) { m.isOddIn(mask, first) })
	m.ifAny(oddNextRole, func(mask reg.VecVirtual) {
		VPANDQ(begins, mask, mask)
		m.isOdd(mask, first)
	})
	returns := ZMM()
	VMOVDQA64(m.zero, returns)
	m.ifAny(returnRole, func(mask reg.VecVirtual) {
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
