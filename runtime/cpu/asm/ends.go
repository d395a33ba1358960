package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// finder is one of the functions that make of the masks of roles those of ends,
// eight blocks a turn, a block a lane. Their twin in Go, block, says what the
// masks are.
type finder struct {
	quote, brackets, led  bool
	k, b                  reg.Register
	at                    reg.GPVirtual // the blocks before, in bytes of masks
	present, src          reg.GPVirtual
	ones, zero            reg.VecVirtual
	all, doubling         reg.VecVirtual
	odd                   reg.VecVirtual
	even, one             reg.VecVirtual
	ledBare, ledQuotes    reg.VecVirtual
	leading               reg.VecVirtual // leads, of the blocks
	unled, unledBare      reg.VecVirtual // symbols that nothing leads, in quotes and elsewhere
	anyDoubled, anyReturn reg.VecVirtual
	before                map[int]reg.VecVirtual // masks of the blocks before, by the offset of what they leave
	inside                map[int]reg.GPVirtual  // all ones, or 0
	doubled               reg.GPVirtual          // 1, or 0
	nlabels               int
}

// finders generates them: for strips without enclosures, with quotes, and with brackets
// and perhaps quotes, each without escapes and with.
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
	eachKind(func(kind string, quote, brackets, led bool) {
		name := "ends" + kind + "AVX512"
		TEXT(name, NOSPLIT, "func(k, b *uint64, nblocks int) (read int)")
		Doc(name + " finds the ends where there are at most these enclosures and escapes, and gives how many blocks it read, fewer than a multiple of 8 if something is odd. It needs AVX-512 with VBMI2 and VPCLMULQDQ.")
		m := finder{quote: quote, brackets: brackets, led: led}
		m.generate(parities)
	})
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
	if m.led {
		states = append(states, kAfterLead)
		m.even, m.one, m.ledBare = ZMM(), ZMM(), ZMM()
		x := GP64()
		MOVQ(U64(evenSymbols), x)
		VPBROADCASTQ(x, m.even)
		VPSRLQ(U8(63), m.ones, m.one)
		VPBROADCASTQ(m.state(kLedBare), m.ledBare)
		if m.quote {
			m.ledQuotes = ZMM()
			VPBROADCASTQ(m.state(kLedQuotes), m.ledQuotes)
		}
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
	Comment("The next strip comes to the first-level cache: see lookUp.")
	for i := range 8 {
		PREFETCHT0(Mem{Base: m.src, Disp: 64*stripBlocks + 64*i})
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
	TZCNTQ(first, first)
	where, mask := ZMM(), GP64()
	VPCOMPRESSQ_Z(m.odd, k, where) // that of the first block in which something is odd
	VMOVQ(where.AsX(), mask)
	MOVQ(mask, m.state(kOdd))
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
