package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/ir"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// signsAhead is how far before its signs are looked for a symbol is asked for, about a batch of rows.
const signsAhead = 16 << 10

// findSigns: blocks get masks of n symbols, row after row, as pairBlocks.find has it.
func findSigns(v isa, n int) {
	name := fmt.Sprintf("find%dSigns%s", n, v.name)
	TEXT(name, NOSPLIT, "func(b *uint64, src *byte, start, end *uint32, rows int, signs *byte)")
	Pragma("noescape")
	Doc(name + " is pairBlocks.find for at least one row. It needs " + v.name + ".")
	b, src := Load(Param("b"), GP64()), Load(Param("src"), GP64())
	start, end := Load(Param("start"), GP64()), Load(Param("end"), GP64())
	rows, signs := Load(Param("rows"), GP64()), Load(Param("signs"), GP64())
	sign := make([]reg.VecVirtual, n)
	for i := range sign {
		sign[i] = v.reg()
		VPBROADCASTB(Mem{Base: signs, Disp: i}, sign[i])
	}
	Label("row")
	s, size, behind := GP64(), GP64(), GP64()
	MOVL(Mem{Base: start}, s.As32())
	MOVL(Mem{Base: end}, size.As32())
	SUBL(s.As32(), size.As32())
	MOVQ(size, reg.RCX)
	MOVQ(U32(1), behind)
	SHLQ(reg.CL, behind)
	SHRL(U8(6), size.As32())
	Label("block")
	found := GP64()
	XORQ(found, found)
	SUBL(U8(1), size.As32())
	SBBQ(found, found)
	ANDQ(behind, found)
	MOVQ(found, Mem{Base: b, Disp: pairBehind})
	at := Mem{Base: src, Index: s, Scale: 1}
	if v.wide() {
		text := ZMM()
		VMOVDQU64(at, text)
		PREFETCHT1(at.Offset(signsAhead))
		for i := range sign {
			k, m := K(), GP64()
			VPCMPEQB(text, sign[i], k)
			KMOVQ(k, m)
			MOVQ(m, Mem{Base: b, Disp: pairSigns + blockColumn*i})
		}
	} else {
		low, high := YMM(), YMM()
		VMOVDQU(at, low)
		VMOVDQU(at.Offset(32), high)
		for i := range sign {
			first, second := YMM(), YMM()
			VPCMPEQB(low, sign[i], first)
			VPCMPEQB(high, sign[i], second)
			m, h := GP64(), GP64()
			VPMOVMSKB(first, m.As32())
			VPMOVMSKB(second, h.As32())
			SHLQ(U8(32), h)
			ORQ(h, m)
			MOVQ(m, Mem{Base: b, Disp: pairSigns + blockColumn*i})
		}
	}
	MOVQ(s, Mem{Base: b, Disp: pairBase})
	ADDQ(U8(64), s)
	ADDQ(U8(8), b)
	TESTQ(found, found)
	JZ(LabelRef("block"))
	ADDQ(U8(4), start)
	ADDQ(U8(4), end)
	DECQ(rows)
	JNZ(LabelRef("row"))
	VZEROUPPER()
	RET()
}

// blockColumn is how far the same masks of one kind and the next one are apart.
const blockColumn = 8 * blockRoom

// blockLanes is masks of eight blocks at once, a block a lane. What a block leaves to the next one
// comes by a lane; where a row begins nothing does, as a row that is not odd ends outside of quotes
// and keys.
type blockLanes struct {
	b, at, to, inside  reg.GPVirtual
	ones, one, odds    reg.VecVirtual
	behind, inRow, odd reg.VecVirtual
	before             map[string]reg.VecVirtual
	by, quote, within  reg.VecVirtual
}

// beginLanes begins code for blocks from from up to to, with masks by name that a block leaves to the next.
func beginLanes(names ...string) *blockLanes {
	x := &blockLanes{b: Load(Param("b"), GP64()).(reg.GPVirtual), at: Load(Param("from"), GP64()).(reg.GPVirtual), to: Load(Param("to"), GP64()).(reg.GPVirtual),
		inside: GP64(), ones: ZMM(), one: ZMM(), odds: ZMM(), before: map[string]reg.VecVirtual{}}
	VPTERNLOGQ(U8(0xff), x.ones, x.ones, x.ones)
	VPSRLQ(U8(63), x.ones, x.one)
	VPBROADCASTQ(rare(0xaaaaaaaaaaaaaaaa), x.odds)
	for _, name := range names {
		x.before[name] = ZMM()
		VPXORQ(x.before[name], x.before[name], x.before[name])
	}
	x.before["row"] = ZMM()
	VMOVDQA64(x.ones, x.before["row"])
	XORQ(x.inside, x.inside)
	return x
}

func (x *blockLanes) load(disp int) reg.VecVirtual {
	r := ZMM()
	VMOVDQU64(Mem{Base: x.b, Index: x.at, Scale: 8, Disp: disp}, r)
	return r
}

func (x *blockLanes) store(r reg.VecVirtual, disp int) {
	VMOVDQU64(r, Mem{Base: x.b, Index: x.at, Scale: 8, Disp: disp})
}

// all is a parameter in all lanes.
func (x *blockLanes) all(m Mem) reg.VecVirtual {
	r := ZMM()
	VPBROADCASTQ(m, r)
	return r
}

// last is the lanes of mask and the one before them, each a lane further.
func (x *blockLanes) last(mask reg.VecVirtual, name string) reg.VecVirtual {
	r := ZMM()
	VALIGNQ(U8(7), x.before[name], mask, r)
	VMOVDQA64(mask, x.before[name])
	return r
}

// after is the symbols behind those of mask.
func (x *blockLanes) after(mask reg.VecVirtual, name string) reg.VecVirtual {
	r := x.last(mask, name)
	shiftIn(mask, r)
	return r
}

// sign is the symbols of a row that are sign i, and in of, if that is not nil.
func (x *blockLanes) sign(i int, of reg.VecVirtual) reg.VecVirtual {
	r := x.load(pairSigns + blockColumn*i)
	VPANDQ(x.inRow, r, r)
	if of != nil {
		VPANDQ(of, r, r)
	}
	return r
}

// quotes finds what lies within quotes, of which those behind a lead are none, and begins odd.
func (x *blockLanes) quotes(q, leads reg.VecVirtual) {
	Comment("Symbols behind a lead, as escapedBy has it; what a lead at the end of a block does is not carried.")
	by, odd, quote := ZMM(), ZMM(), ZMM()
	VPADDQ(leads, leads, by)
	VPORQ(x.odds, by, by)
	VPSUBQ(leads, by, by)
	logic(by, x.odds, leads, func(d, a, b uint8) uint8 { return d ^ a ^ b })
	VPANDNQ(q, by, quote)
	VPSLLQ(U8(63), x.one, odd)
	VPANDQ(leads, odd, odd)

	within, high := ZMM(), ZMM()
	vector("VPCLMULQDQ", "AVX512VPCLMULQDQ", U8(0x00), quote, x.ones, within)
	vector("VPCLMULQDQ", "AVX512VPCLMULQDQ", U8(0x11), quote, x.ones, high)
	VPUNPCKLQDQ(high, within, within)
	k, parity, flip := K(), GP64(), K()
	VPMOVQ2M(within, k)
	KMOVB(k, parity.As32())
	for _, n := range []uint8{1, 2, 4} {
		y := GP64()
		MOVQ(parity, y)
		SHLQ(U8(n), y)
		XORQ(y, parity)
	}
	XORQ(x.inside, parity)
	next := GP64()
	MOVQ(parity, next)
	ANDQ(U8(1), x.inside)
	LEAQ(Mem{Base: x.inside, Index: parity, Scale: 2}, parity)
	KMOVB(parity.As32(), flip)
	SHLQ(U8(56), next)
	SARQ(U8(63), next)
	MOVQ(next, x.inside)
	VPXORQ(x.ones, within, flip, within)

	logic(odd, x.behind, within, func(d, a, b uint8) uint8 { return d | a&b })
	x.by, x.odd, x.quote, x.within = by, odd, quote, within
}

// begins is the lanes in which a row begins.
func (x *blockLanes) begins() reg.OpmaskVirtual {
	rows, k := x.last(x.behind, "row"), K()
	VPTESTMQ(rows, rows, k)
	return k
}

// firstBehind is the first of signs behind each of starts, of which inKey says whether one was left.
func (x *blockLanes) firstBehind(starts, signs reg.VecVirtual, inKey reg.GPVirtual) reg.VecVirtual {
	sum := ZMM()
	VPXORQ(x.ones, signs, sum)
	VPADDQ(starts, sum, sum)
	over, full, carries := K(), K(), K()
	VPCMPUQ(U8(1), starts, sum, over) // less
	VPCMPEQQ(x.ones, sum, full)
	o, f := GP64(), GP64()
	KMOVB(over, o.As32())
	KMOVB(full, f.As32())
	LEAQ(Mem{Base: inKey, Index: o, Scale: 2}, o)
	ADDQ(f, o)
	XORQ(f, o)
	KMOVB(o.As32(), carries)
	SHRQ(U8(8), o)
	MOVQ(o, inKey)
	VPSUBQ(x.ones, sum, carries, sum)
	VPANDQ(signs, sum, sum)
	return sum
}

// end goes on with the next blocks, or gives the first one with something odd.
func (x *blockLanes) end() {
	isOdd := K()
	VPTESTMQ(x.odd, x.odd, isOdd)
	first := GP64()
	KMOVB(isOdd, first.As32())
	TESTL(first.As32(), first.As32())
	JNZ(LabelRef("odd"))
	ADDQ(U8(8), x.at)
	CMPQ(x.at, x.to)
	JL(LabelRef("blocks"))
	XORQ(first, first)
	Label("done")
	ADDQ(first, x.at)
	VZEROUPPER()
	Store(x.at, ReturnIndex(0))
	RET()
	Label("odd")
	TZCNTQ(first, first)
	JMP(LabelRef("done"))
}

const placeDoc = " for at least one block, and gives the first one in which something is odd, or a lead at the end, to or more if there is none. It needs AVX-512 with VBMI2 and VPCLMULQDQ, and works on up to seven blocks more."

// placePairs: what pairing.places does.
func placePairs() {
	TEXT("placePairsAVX512", NOSPLIT, "func(b *uint64, from, to int, have *uint64) (done int)")
	Pragma("noescape")
	Doc("placePairsAVX512 is the loop of pairing.places" + placeDoc)
	x := beginLanes("separator", "keyed", "opening", "closing")
	have := Load(Param("have"), GP64())
	quoting, leading := x.all(Mem{Base: have, Disp: 8 * 2}), x.all(Mem{Base: have, Disp: 8 * 3})
	inKey := GP64()
	XORQ(inKey, inKey)
	Label("blocks")
	x.behind, x.inRow = x.load(pairBehind), ZMM()
	VPADDQ(x.ones, x.behind, x.inRow)
	s, e, q, leads := x.sign(0, nil), x.sign(1, nil), x.sign(2, quoting), x.sign(3, leading)
	VPORQ(x.behind, s, s)
	x.quotes(q, leads)
	logic(leads, x.within, x.by, func(d, a, b uint8) uint8 { return d & a &^ b })
	x.store(leads, pairLeads)
	VPANDNQ(s, x.within, s)
	VPANDNQ(e, x.within, e)
	starts := x.after(s, "separator")
	VPORQ(x.one, starts, x.begins(), starts)
	reach := ZMM()
	VPORQ(x.behind, x.inRow, reach)
	VPANDQ(reach, starts, starts)

	signs := ZMM()
	VPORQ(e, s, signs)
	ends, keyed, alone := x.firstBehind(starts, signs, inKey), ZMM(), ZMM()
	VPANDQ(ends, e, keyed)
	VPANDQ(ends, s, alone)
	valueAt := x.after(keyed, "keyed")
	opening, closing := ZMM(), ZMM()
	VPANDQ(x.quote, x.within, opening)
	VPANDNQ(x.quote, x.within, closing)
	afterOpener, afterCloser := x.after(opening, "opening"), x.after(closing, "closing")
	logic(x.odd, starts, ends, func(d, a, b uint8) uint8 { return d | a&b })
	logic(x.odd, opening, valueAt, func(d, a, b uint8) uint8 { return d | a&^b })
	logic(x.odd, afterCloser, s, func(d, a, b uint8) uint8 { return d | a&^b })
	VPANDQ(x.inRow, starts, starts)
	x.store(starts, pairPlaces)
	x.store(ends, pairPlaces+blockColumn)
	VPANDNQ(valueAt, opening, valueAt)
	logic(valueAt, afterOpener, alone, func(d, a, b uint8) uint8 { return d | a | b })
	x.store(valueAt, pairPlaces+2*blockColumn)
	logic(closing, s, afterCloser, func(d, a, b uint8) uint8 { return d | a&^b })
	x.store(closing, pairPlaces+3*blockColumn)
	x.store(alone, pairAlone)
	x.end()
}

// placePairsByBlocks: what placePairs does, a block after the other.
func placePairsByBlocks() {
	TEXT("placePairsAVX", NOSPLIT, "func(b *uint64, from, to int, have *uint64) (done int)")
	Pragma("noescape")
	Doc("placePairsAVX is placePairsGeneric for at least one block. It needs AVX, BMI1 and PCLMULQDQ.")
	b, at, to, have := Load(Param("b"), GP64()), Load(Param("from"), GP64()), Load(Param("to"), GP64()), Load(Param("have"), GP64())
	block := func(disp int) Mem { return Mem{Base: b, Index: at, Scale: 8, Disp: disp} }
	local := func() Mem { // from block to block
		m := AllocLocal(8)
		MOVQ(U32(0), m)
		return m
	}
	// without is a &^ not.
	without := func(a, not reg.GPVirtual) reg.GPVirtual {
		r := GP64()
		ANDNQ(a, not, r)
		return r
	}
	both := func(a, b Op) reg.GPVirtual {
		r := GP64()
		MOVQ(a, r)
		ANDQ(b, r)
		return r
	}
	// after is mask a symbol further, with what the block before left.
	after := func(mask reg.GPVirtual, before Mem) reg.GPVirtual {
		r, last := GP64(), GP64()
		MOVQ(before, r)
		LEAQ(Mem{Base: r, Index: mask, Scale: 2}, r)
		MOVQ(mask, last)
		SHRQ(U8(63), last)
		MOVQ(last, before)
		return r
	}
	inside, inKey, separator, keyedBefore, opened, closed, begins := local(), local(), local(), local(), local(), local(), local()
	ones := XMM()
	VPCMPEQD(ones, ones, ones)
	MOVQ(U32(1), begins)
	Label("block")
	end, inRow := GP64(), GP64()
	MOVQ(block(pairBehind), end)
	LEAQ(Mem{Base: end, Disp: -1}, inRow)
	l, q, odd := both(block(pairSigns+3*blockColumn), inRow), both(block(pairSigns+2*blockColumn), inRow), GP64()
	ANDQ(Mem{Base: have, Disp: 8 * 2}, q)
	XORQ(odd, odd)
	ANDQ(Mem{Base: have, Disp: 8 * 3}, l)
	JZ(LabelRef("unled"))
	Comment("Symbols behind a lead, as escapedBy has it.")
	by, odds := GP64(), GP64()
	MOVQ(U64(0xaaaaaaaaaaaaaaaa), odds)
	LEAQ(Mem{Base: l, Index: l, Scale: 1}, by)
	ORQ(odds, by)
	SUBQ(l, by)
	XORQ(odds, by)
	XORQ(l, by)
	ANDNQ(q, by, q)
	MOVQ(l, odd)
	SHRQ(U8(63), odd)
	ANDNQ(l, by, l)
	Label("unled")
	quotes, within, outside := XMM(), GP64(), GP64()
	VMOVQ(q, quotes)
	VPCLMULQDQ(U8(0), ones, quotes, quotes)
	VMOVQ(quotes, within)
	XORQ(inside, within)
	MOVQ(within, outside)
	SARQ(U8(63), outside)
	MOVQ(outside, inside)
	ANDQ(within, l)
	MOVQ(l, block(pairLeads))
	ORQ(both(end, within), odd)

	s := both(block(pairSigns), inRow)
	ORQ(end, s)
	ANDNQ(s, within, s)
	e := without(both(block(pairSigns+blockColumn), inRow), within)
	starts := after(s, separator)
	ORQ(begins, starts)
	reach := GP64()
	MOVQ(end, reach)
	ORQ(inRow, reach)
	ANDQ(reach, starts)
	signs, ends, carry := GP64(), GP64(), GP64()
	MOVQ(s, signs)
	ORQ(e, signs)
	MOVQ(signs, ends)
	NOTQ(ends)
	MOVQ(inKey, carry)
	ADDQ(I8(-1), carry)
	ADCQ(starts, ends)
	SBBQ(carry, carry)
	NEGQ(carry)
	MOVQ(carry, inKey)
	ANDQ(signs, ends)
	MOVQ(ends, block(pairPlaces+blockColumn))
	ORQ(both(starts, ends), odd)
	ANDQ(inRow, starts)
	MOVQ(starts, block(pairPlaces))
	ANDQ(ends, e)
	valueAt := after(e, keyedBefore)
	ANDQ(s, ends)
	MOVQ(ends, block(pairAlone))

	opening, closing := both(q, within), without(q, within)
	ORQ(without(opening, valueAt), odd)
	ANDNQ(valueAt, opening, valueAt)
	ORQ(ends, valueAt)
	ORQ(after(opening, opened), valueAt)
	MOVQ(valueAt, block(pairPlaces+2*blockColumn))
	afterCloser := after(closing, closed)
	ORQ(without(s, afterCloser), closing)
	MOVQ(closing, block(pairPlaces+3*blockColumn))
	ANDNQ(afterCloser, s, afterCloser)
	ORQ(afterCloser, odd)
	JNZ(LabelRef("done"))
	NEGQ(end)
	SBBQ(end, end)
	NEGQ(end)
	MOVQ(end, begins)
	INCQ(at)
	CMPQ(at, to)
	JLT(LabelRef("block"))
	Label("done")
	Store(at, ReturnIndex(0))
	RET()
}

// placeNesting: what nesting.places does.
func placeNesting() {
	TEXT("placeNestingAVX512", NOSPLIT, "func(b *uint64, from, to int, have *uint64, barred uint64) (done int)")
	Pragma("noescape")
	Doc("placeNestingAVX512 is the loop of nesting.places" + placeDoc)
	x := beginLanes("separator", "closed", "opens", "keyed", "opening", "closing")
	have := Load(Param("have"), GP64())
	leading, barred := x.all(Mem{Base: have, Disp: 8 * 3}), ZMM()
	bar := Load(Param("barred"), GP64())
	VPBROADCASTQ(bar, barred)
	inOuter, inKey := GP64(), GP64()
	XORQ(inOuter, inOuter)
	XORQ(inKey, inKey)
	Label("blocks")
	x.behind, x.inRow = x.load(pairBehind), ZMM()
	VPADDQ(x.ones, x.behind, x.inRow)
	s, e, q, leads, c := x.sign(0, nil), x.sign(1, nil), x.sign(2, nil), x.sign(3, leading), x.sign(4, nil)
	x.quotes(q, leads)
	escaped := ZMM()
	VPANDQ(q, x.by, escaped)
	logic(x.odd, escaped, x.within, func(d, a, b uint8) uint8 { return d | a&^b })
	logic(leads, x.within, x.by, func(d, a, b uint8) uint8 { return d & a &^ b })
	x.store(leads, pairLeads)
	bad := ZMM()
	VPANDQ(c, x.within, bad)
	VPANDNQ(bad, x.by, bad)
	logic(x.odd, bad, barred, func(d, a, b uint8) uint8 { return d | a&b })
	VPANDNQ(s, x.within, s)
	VPANDNQ(e, x.within, e)
	VPANDNQ(c, x.within, c)

	opens := x.after(c, "closed")
	VPORQ(x.one, opens, x.begins(), opens)
	logic(x.odd, x.behind, opens, func(d, a, b uint8) uint8 { return d | a&^b })
	VPANDNQ(opens, x.behind, opens)
	logic(x.odd, opens, x.load(pairSigns+5*blockColumn), func(d, a, b uint8) uint8 { return d | a&^b })
	outers, keys := x.after(opens, "opens"), x.after(s, "separator")
	opening, closing, signs := ZMM(), ZMM(), ZMM()
	VPANDQ(x.quote, x.within, opening)
	VPANDNQ(x.quote, x.within, closing)
	VPORQ(e, opening, signs)
	logic(signs, s, c, func(d, a, b uint8) uint8 { return d | a | b })
	outerEnds, keyEnds := x.firstBehind(outers, signs, inOuter), x.firstBehind(keys, signs, inKey)
	valueAt, behind := x.after(e, "keyed"), x.after(closing, "closing")
	logic(x.odd, outers, signs, func(d, a, b uint8) uint8 { return d | a&b })
	logic(x.odd, keys, signs, func(d, a, b uint8) uint8 { return d | a&b })
	VPORQ(s, c, s)
	logic(x.odd, outerEnds, s, func(d, a, b uint8) uint8 { return d | a&^b })
	logic(x.odd, keyEnds, e, func(d, a, b uint8) uint8 { return d | (a ^ b) })
	VPORQ(outerEnds, behind, behind)
	logic(x.odd, s, behind, func(d, a, b uint8) uint8 { return d | (a ^ b) })
	logic(x.odd, opening, valueAt, func(d, a, b uint8) uint8 { return d | (a ^ b) })
	x.store(keys, pairPlaces)
	x.store(keyEnds, pairPlaces+blockColumn)
	x.store(x.after(opening, "opening"), pairPlaces+2*blockColumn)
	x.store(closing, pairPlaces+3*blockColumn)
	x.store(outers, pairOuter)
	x.store(outerEnds, pairOuter+blockColumn)
	x.end()
}

// shiftIn makes r, whose lanes are the ones before those of mask, mask with all bits one up.
func shiftIn(mask, r reg.VecVirtual) { vector("VPSHLDQ", "AVX512VBMI2", U8(1), r, mask, r) }

// vector is an instruction that avo does not know, or not of 512 bits.
func vector(opcode, isa string, imm, a, b, to Op) {
	Instruction(&ir.Instruction{Opcode: opcode, ISA: []string{isa},
		Operands: []Op{imm, a, b, to}, Inputs: []Op{a, b}, Outputs: []Op{to}})
}

// logic makes d what f makes of it, a and b, bit by bit.
func logic(d, a, b reg.VecVirtual, f func(d, a, b uint8) uint8) {
	VPTERNLOGQ(U8(f(0xF0, 0xCC, 0xAA)), b, a, d)
}

// listPairs: the places of the bits of the four masks of each block become lists.
func listPairs() {
	TEXT("listPairsAVX512", NOSPLIT, "func(b *uint64, nblocks int, keyStart, keyEnd, valueStart, valueEnd *uint32)")
	Pragma("noescape")
	Doc("listPairsAVX512 is the loop of pairing.list for at least one block. It needs AVX-512 with VBMI2, and room for 64 places more in each list.")
	b, n := Load(Param("b"), GP64()), Load(Param("nblocks"), GP64())
	var to [4]reg.Register
	for i, name := range []string{"keyStart", "keyEnd", "valueStart", "valueEnd"} {
		to[i] = Load(Param(name), GP64())
	}
	iota := ZMM()
	VMOVDQU64(bytesInOrder(), iota)
	Label("block")
	base := ZMM()
	VPBROADCASTD(Mem{Base: b, Disp: pairBase}, base)
	for i := range to {
		mask, count := GP64(), GP64()
		MOVQ(Mem{Base: b, Disp: pairPlaces + blockColumn*i}, mask)
		POPCNTQ(mask, count)
		packed := packBytes(iota, mask)
		write := func(k int, from reg.VecVirtual) {
			wide := ZMM()
			VPMOVZXBD(from.AsX(), wide)
			VPADDD(base, wide, wide)
			VMOVDQU32(wide, Mem{Base: to[i], Disp: 64 * k})
		}
		done := "done" + string(rune('0'+i))
		write(0, packed)
		CMPQ(count, U8(16))
		JBE(LabelRef(done))
		for k := 1; k < 4; k++ {
			part := ZMM()
			VEXTRACTI32X4(U8(k), packed, part.AsX())
			write(k, part)
		}
		Label(done)
		LEAQ(Mem{Base: to[i], Index: count, Scale: 4}, to[i])
	}
	ADDQ(U8(8), b)
	DECQ(n)
	JNZ(LabelRef("block"))
	VZEROUPPER()
	RET()
}

// packBytes is the bytes of from that mask has, side by side, and zeros behind them.
func packBytes(from reg.VecVirtual, mask reg.GPVirtual) reg.VecVirtual {
	kept, packed := K(), ZMM()
	KMOVQ(mask, kept)
	// avo does not know the instruction.
	Instruction(&ir.Instruction{
		Opcode: "VPCOMPRESSB", Suffixes: []string{"Z"}, ISA: []string{"AVX512VBMI2"},
		Operands: []Op{from, kept, packed}, Inputs: []Op{from, kept}, Outputs: []Op{packed},
	})
	return packed
}

// packPairs: the symbols of keys, and those of values, are put side by side, and where each ends.
//
//	symbols        type=A msg=b
//	in keys        1111..|111..
//	ends           ....1.|...1.     at the sign behind each
//	both packed    1111e111e        place less the ends before it: 4, 7
func packPairs() {
	TEXT("packPairsAVX512", NOSPLIT, "func(b *uint64, nblocks int, src *byte, t *uintptr)")
	Pragma("noescape")
	Doc("packPairsAVX512 is the loop of pairing.pack for at least one block. It needs AVX-512 with VBMI2, and room for 64 bytes and 32 ends more of each kind.")
	b, n := Load(Param("b"), GP64()), Load(Param("nblocks"), GP64())
	src, t := Load(Param("src"), GP64()), Load(Param("t"), GP64())
	field := func(disp int) reg.GPVirtual {
		r := GP64()
		MOVQ(Mem{Base: t, Disp: disp}, r)
		return r
	}
	data := []reg.GPVirtual{field(packedKeys), field(packedValues)}
	ends := []reg.GPVirtual{field(packedKeyEnds), field(packedValueEnds)}
	var at, open [2]reg.GPVirtual
	for i, disp := range []int{packedKeysAt, packedValuesAt} {
		at[i], open[i] = field(disp), GP64()
		XORQ(open[i], open[i])
	}
	iota, counted, more := ZMM(), ZMM(), ZMM()
	VMOVDQU64(bytesInOrder(), iota)
	VPMOVZXBD(iota.AsX(), counted)
	VEXTRACTI32X4(U8(1), iota, more.AsX())
	VPMOVZXBD(more.AsX(), more)
	Label("block")
	base := GP64()
	MOVL(Mem{Base: b, Disp: pairBase}, base.As32())
	text := ZMM()
	VMOVDQU64(Mem{Base: src, Index: base, Scale: 1}, text)
	for i := range data {
		starts, end, in, both := GP64(), GP64(), GP64(), GP64()
		MOVQ(Mem{Base: b, Disp: pairPlaces + blockColumn*2*i}, starts)
		MOVQ(Mem{Base: b, Disp: pairPlaces + blockColumn*(2*i+1)}, end)
		ANDQ(U8(1), open[i])
		ORQ(open[i], starts)
		MOVQ(end, in)
		SUBQ(starts, in)
		SBBQ(open[i], open[i])
		if i == 1 {
			leads := GP64()
			MOVQ(Mem{Base: b, Disp: pairLeads}, leads)
			ANDNQ(in, leads, in)
		}
		MOVQ(in, both)
		ORQ(end, both)
		first, count := ZMM(), GP64()
		VPBROADCASTD(at[i].As32(), first)
		PEXTQ(both, end, both)
		POPCNTQ(end, count)
		places := packBytes(iota, both)
		write := func(less, all, wide Op, disp int) {
			VPMOVZXBD(places.AsX(), wide)
			VPSUBD(less, wide, wide)
			VPADDD(all, wide, wide)
			VMOVDQU32(wide, Mem{Base: ends[i], Disp: disp})
		}
		done := "done" + string(rune('0'+i))
		write(counted.AsY(), first.AsY(), YMM(), 0)
		CMPQ(count, U8(8))
		JBE(LabelRef(done))
		write(counted, first, ZMM(), 0)
		CMPQ(count, U8(16))
		JBE(LabelRef(done))
		VEXTRACTI32X4(U8(1), places, places.AsX())
		write(more, first, ZMM(), 64)
		Label(done)
		LEAQ(Mem{Base: ends[i], Index: count, Scale: 4}, ends[i])
		VMOVDQU64(packBytes(text, in), Mem{Base: data[i], Index: at[i], Scale: 1})
		POPCNTQ(in, in)
		ADDQ(in, at[i])
	}
	ADDQ(U8(8), b)
	DECQ(n)
	JNZ(LabelRef("block"))
	MOVQ(at[0], Mem{Base: t, Disp: packedKeysAt})
	MOVQ(at[1], Mem{Base: t, Disp: packedValuesAt})
	VZEROUPPER()
	RET()
}

// packPairsByTexts: the same, text by text, some at once whether or not there are so many.
func packPairsByTexts() {
	const name = "packPairsAVX2"
	TEXT(name, NOSPLIT, "func(b *uint64, nblocks int, src *byte, t *uintptr, last uint64) (done int)")
	Pragma("noescape")
	Doc(name + " is the loop of pairing.pack for blocks, at least one, before the first one with leads or that begins behind last, and gives how many these are. It needs AVX2, BMI1 and POPCNT, 128 bytes of src from last on, and room for 128 bytes and 32 ends more of each kind.")
	b, t, end := Load(Param("b"), GP64()), Load(Param("t"), GP64()), GP64()
	left := param("nblocks") // where the blocks end, from now on
	MOVQ(left, end)
	LEAQ(Mem{Base: b, Index: end, Scale: 8}, end)
	MOVQ(end, left)
	Label("block")
	text := GP64()
	MOVQ(Mem{Base: b, Disp: pairBase}, text)
	CMPQ(text, param("last"))
	JA(LabelRef("done"))
	CMPQ(Mem{Base: b, Disp: pairLeads}, U8(0))
	JNE(LabelRef("done"))
	ADDQ(param("src"), text)
	for i, kind := range []struct{ data, ends, at, open int }{
		{packedKeys, packedKeyEnds, packedKeysAt, packedKeyOpen},
		{packedValues, packedValueEnds, packedValuesAt, packedValueOpen},
	} {
		suffix := string(rune('0' + i))
		data, at, to := GP64(), GP64(), GP64()
		MOVQ(Mem{Base: t, Disp: kind.data}, data)
		MOVQ(Mem{Base: t, Disp: kind.at}, at)
		MOVQ(Mem{Base: t, Disp: kind.ends}, to)
		starts, ends, count, begun := GP64(), GP64(), GP64(), GP64()
		MOVQ(Mem{Base: b, Disp: pairPlaces + blockColumn*2*i}, starts)
		MOVQ(Mem{Base: b, Disp: pairPlaces + blockColumn*(2*i+1)}, ends)
		ORQ(Mem{Base: t, Disp: kind.open}, starts)
		POPCNTQ(starts, begun)
		POPCNTQ(ends, count)
		SUBQ(count, begun)
		MOVQ(begun, Mem{Base: t, Disp: kind.open})
		LEAQ(Mem{Base: to, Index: count, Scale: 4}, count)
		MOVQ(count, Mem{Base: t, Disp: kind.ends})
		Label("texts" + suffix)
		for k := range 4 {
			from, size, x := GP64(), GP64(), YMM()
			TZCNTQ(starts, from)
			BLSRQ(starts, starts)
			TZCNTQ(ends, size)
			BLSRQ(ends, ends)
			SUBQ(from, size)
			VMOVDQU(Mem{Base: text, Index: from, Scale: 1}, x)
			VMOVDQU(x, Mem{Base: data, Index: at, Scale: 1})
			CMPQ(size, U8(32))
			short := fmt.Sprintf("short%d%d", i, k)
			JBE(LabelRef(short))
			VMOVDQU(Mem{Base: text, Index: from, Scale: 1, Disp: 32}, x)
			VMOVDQU(x, Mem{Base: data, Index: at, Scale: 1, Disp: 32})
			Label(short)
			ADDQ(size, at)
			MOVL(at.As32(), Mem{Base: to, Disp: 4 * k})
		}
		ADDQ(U8(16), to)
		more := GP64()
		MOVQ(starts, more)
		ORQ(ends, more)
		JNZ(LabelRef("texts" + suffix))
		MOVQ(at, Mem{Base: t, Disp: kind.at})
	}
	ADDQ(U8(8), b)
	CMPQ(b, left)
	JNE(LabelRef("block"))
	Label("done")
	VZEROUPPER()
	first := Load(Param("b"), GP64())
	SUBQ(first, b)
	SHRQ(U8(3), b)
	Store(b, ReturnIndex(0))
	RET()
}

// bytesInOrder is 0 to 63.
func bytesInOrder() Mem {
	if inOrder == nil {
		m := GLOBL("bytesInOrder", rodata)
		for i := range 64 {
			DATA(i, U8(i))
		}
		inOrder = &m
	}
	return *inOrder
}

var inOrder *Mem
