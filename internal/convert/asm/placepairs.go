package main

import (
	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/ir"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// blockLanes is masks of eight blocks at once, a block a lane. What a block leaves to the next one
// comes by a lane; where a row begins nothing does, as a row that is not odd ends outside of quotes
// and keys.
type blockLanes struct {
	b, at, to          reg.GPVirtual
	inside, escaped    reg.GPVirtual
	ones, one, odds    reg.VecVirtual
	behind, inRow, odd reg.VecVirtual
	before             map[string]reg.VecVirtual
	by, quote, within  reg.VecVirtual
}

// beginLanes begins code for blocks from from up to to, with masks by name that a block leaves to the next.
func beginLanes(names ...string) *blockLanes {
	x := &blockLanes{b: Load(Param("b"), GP64()).(reg.GPVirtual), at: Load(Param("from"), GP64()).(reg.GPVirtual), to: Load(Param("to"), GP64()).(reg.GPVirtual),
		inside: GP64(), escaped: GP64(), ones: ZMM(), one: ZMM(), odds: ZMM(), before: map[string]reg.VecVirtual{}}
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
	XORQ(x.escaped, x.escaped)
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
	Comment("Symbols behind a lead, as symbols.EscapedBy has it, which a lead at the end of a block leaves to the next one.")
	by, odd, quote := ZMM(), ZMM(), ZMM()
	left, atEnd, isAtEnd := ZMM(), K(), GP64()
	VPXORQ(left, left, left)
	VPMOVQ2M(leads, atEnd)
	KMOVB(atEnd, isAtEnd.As32())
	ORQ(x.escaped, isAtEnd)
	JZ(LabelRef("whole"))
	last, ends, full := x.escapes(leads), K(), K()
	VPANDQ(leads, last, last)
	VPMOVQ2M(last, ends)
	VPCMPEQQ(x.ones, leads, full)
	VPORQ(x.one, left, x.carries(ends, full, x.escaped), left)
	Label("whole")
	begins := ZMM()
	VPANDNQ(leads, left, begins)
	VPORQ(leads, left, left)
	VPXORQ(left, x.escapes(begins), by)
	VPANDNQ(q, by, quote)

	within := x.between(quote, x.inside)
	VPANDQ(x.behind, within, odd)
	x.by, x.odd, x.quote, x.within = by, odd, quote, within
}

// escapes is each lead that begins an escape, and what stands behind runs of leads, where the first of these begin one.
func (x *blockLanes) escapes(leads reg.VecVirtual) reg.VecVirtual {
	r := ZMM()
	VPADDQ(leads, leads, r)
	VPORQ(x.odds, r, r)
	VPSUBQ(leads, r, r)
	VPXORQ(x.odds, r, r)
	return r
}

// carries is the lanes that get a carry from the one before, which all of from give, and those of through if they get
// one; left is 1 if one came before, and gets the last one's.
func (x *blockLanes) carries(from, through reg.OpmaskVirtual, left reg.GPVirtual) reg.OpmaskVirtual {
	o, f, k := GP64(), GP64(), K()
	KMOVB(from, o.As32())
	KMOVB(through, f.As32())
	LEAQ(Mem{Base: left, Index: o, Scale: 2}, o)
	ADDQ(f, o)
	XORQ(f, o)
	KMOVB(o.As32(), k)
	SHRQ(U8(8), o)
	MOVQ(o, left)
	return k
}

// between is what lies behind an odd number of marks, with these themselves; inside is all ones if so many came before.
func (x *blockLanes) between(marks reg.VecVirtual, inside reg.GPVirtual) reg.VecVirtual {
	within, high := ZMM(), ZMM()
	vector("VPCLMULQDQ", "AVX512VPCLMULQDQ", U8(0x00), marks, x.ones, within)
	vector("VPCLMULQDQ", "AVX512VPCLMULQDQ", U8(0x11), marks, x.ones, high)
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
	XORQ(inside, parity)
	next := GP64()
	MOVQ(parity, next)
	ANDQ(U8(1), inside)
	LEAQ(Mem{Base: inside, Index: parity, Scale: 2}, parity)
	KMOVB(parity.As32(), flip)
	SHLQ(U8(56), next)
	SARQ(U8(63), next)
	MOVQ(next, inside)
	VPXORQ(x.ones, within, flip, within)
	return within
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
	over, full := K(), K()
	VPCMPUQ(U8(1), starts, sum, over) // less
	VPCMPEQQ(x.ones, sum, full)
	VPSUBQ(x.ones, sum, x.carries(over, full, inKey), sum)
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

const placeDoc = " for at least one block, and gives the first one in which something is odd, to or more if there is none. It needs AVX-512 with VBMI2 and VPCLMULQDQ, and works on up to seven blocks more."

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

// oneBlock is masks of a block after the other.
type oneBlock struct {
	b, at          reg.Register
	begins, inside Mem // 1 if a row begins; all ones if quotes are open
	escaped        Mem // 1 if a lead stands before the block
	ones           reg.VecVirtual

	end, inRow, by, odd, quote, within reg.GPVirtual
}

// beginBlocks begins code for blocks from from up to to.
func beginBlocks() *oneBlock {
	x := &oneBlock{b: Load(Param("b"), GP64()), at: Load(Param("from"), GP64()), ones: XMM()}
	x.begins, x.inside, x.escaped = x.carry(), x.carry(), x.carry()
	MOVQ(U32(1), x.begins)
	VPCMPEQD(x.ones, x.ones, x.ones)
	return x
}

// carry is what a block leaves to the next, none at first.
func (x *oneBlock) carry() Mem {
	m := AllocLocal(8)
	MOVQ(U32(0), m)
	return m
}

func (x *oneBlock) mask(disp int) Mem { return Mem{Base: x.b, Index: x.at, Scale: 8, Disp: disp} }

// sign is the symbols of a row that are sign i.
func (x *oneBlock) sign(i int) reg.GPVirtual { return both(x.mask(pairSigns+i*blockColumn), x.inRow) }

// have is all ones if there is sign i.
func (x *oneBlock) have(i int) Mem {
	return Mem{Base: Load(Param("have"), GP64()), Disp: 8 * i}
}

// after is the symbols behind those of mask.
func (x *oneBlock) after(mask reg.GPVirtual, before Mem) reg.GPVirtual {
	r, last := GP64(), GP64()
	MOVQ(before, r)
	LEAQ(Mem{Base: r, Index: mask, Scale: 2}, r)
	MOVQ(mask, last)
	SHRQ(U8(63), last)
	MOVQ(last, before)
	return r
}

// rows loads where the row ends.
func (x *oneBlock) rows() {
	x.end, x.inRow = GP64(), GP64()
	MOVQ(x.mask(pairBehind), x.end)
	LEAQ(Mem{Base: x.end, Disp: -1}, x.inRow)
}

// quotes finds what lies within quotes q, of which those behind a lead are none, and stores the leads there; begins odd.
func (x *oneBlock) quotes(q reg.GPVirtual) {
	leads := x.sign(3)
	x.by, x.odd, x.quote, x.within = GP64(), GP64(), GP64(), GP64()
	ANDQ(x.have(3), leads)
	MOVQ(x.escaped, x.by)
	MOVQ(leads, x.odd)
	ORQ(x.by, x.odd)
	JZ(LabelRef("unled"))
	Comment("Symbols behind a lead, as symbols.EscapedBy has it.")
	odds, begins := GP64(), without(leads, x.by)
	MOVQ(U64(0xaaaaaaaaaaaaaaaa), odds)
	LEAQ(Mem{Base: begins, Index: begins, Scale: 1}, x.by)
	ORQ(odds, x.by)
	SUBQ(begins, x.by)
	XORQ(odds, x.by)
	MOVQ(x.by, begins)
	ANDQ(leads, begins)
	SHRQ(U8(63), begins)
	MOVQ(begins, x.escaped)
	XORQ(x.odd, x.by)
	ANDNQ(leads, x.by, leads)
	Label("unled")
	ANDNQ(q, x.by, x.quote)
	quotes, inside := XMM(), GP64()
	VMOVQ(x.quote, quotes)
	VPCLMULQDQ(U8(0), x.ones, quotes, quotes)
	VMOVQ(quotes, x.within)
	XORQ(x.inside, x.within)
	MOVQ(x.within, inside)
	SARQ(U8(63), inside)
	MOVQ(inside, x.inside)
	ANDQ(x.within, leads)
	MOVQ(leads, x.mask(pairLeads))
	MOVQ(x.end, x.odd)
	ANDQ(x.within, x.odd)
}

// firstBehind is the first of signs behind each of starts, of which in says whether one was left.
func (x *oneBlock) firstBehind(starts, signs reg.GPVirtual, in Mem) reg.GPVirtual {
	ends, carry := GP64(), GP64()
	MOVQ(signs, ends)
	NOTQ(ends)
	MOVQ(in, carry)
	ADDQ(I8(-1), carry)
	ADCQ(starts, ends)
	SBBQ(carry, carry)
	NEGQ(carry)
	MOVQ(carry, in)
	ANDQ(signs, ends)
	return ends
}

// next goes on with the next block, or gives the first one with something odd.
func (x *oneBlock) next() {
	TESTQ(x.odd, x.odd)
	JNZ(LabelRef("done"))
	begins := GP64()
	MOVQ(x.mask(pairBehind), begins)
	NEGQ(begins)
	SBBQ(begins, begins)
	NEGQ(begins)
	MOVQ(begins, x.begins)
	INCQ(x.at)
	CMPQ(x.at, param("to"))
	JLT(LabelRef("block"))
	Label("done")
	Store(x.at, ReturnIndex(0))
	RET()
}

// without is a but for not.
func without(a, not Op) reg.GPVirtual {
	r := GP64()
	ANDNQ(a, not, r)
	return r
}

func both(a, b Op) reg.GPVirtual {
	r := GP64()
	MOVQ(a, r)
	ANDQ(b, r)
	return r
}

func either(a, b Op) reg.GPVirtual {
	r := GP64()
	MOVQ(a, r)
	ORQ(b, r)
	return r
}

// placePairsByBlocks: what placePairs does, a block after the other.
func placePairsByBlocks() {
	TEXT("placePairsAVX", NOSPLIT, "func(b *uint64, from, to int, have *uint64) (done int)")
	Pragma("noescape")
	Doc("placePairsAVX is placePairsGeneric for at least one block. It needs AVX, BMI1 and PCLMULQDQ.")
	x := beginBlocks()
	inKey, separator, keyedBefore, opened, closed := x.carry(), x.carry(), x.carry(), x.carry(), x.carry()
	Label("block")
	x.rows()
	q := x.sign(2)
	ANDQ(x.have(2), q)
	x.quotes(q)
	s := x.sign(0)
	ORQ(x.end, s)
	ANDNQ(s, x.within, s)
	e := without(x.sign(1), x.within)
	starts := x.after(s, separator)
	ORQ(x.begins, starts)
	ANDQ(either(x.end, x.inRow), starts)
	ends := x.firstBehind(starts, either(s, e), inKey)
	MOVQ(ends, x.mask(pairPlaces+blockColumn))
	ORQ(both(starts, ends), x.odd)
	ANDQ(x.inRow, starts)
	MOVQ(starts, x.mask(pairPlaces))
	ANDQ(ends, e)
	valueAt := x.after(e, keyedBefore)
	ANDQ(s, ends)
	MOVQ(ends, x.mask(pairAlone))

	opening, closing := both(x.quote, x.within), without(x.quote, x.within)
	ORQ(without(opening, valueAt), x.odd)
	ANDNQ(valueAt, opening, valueAt)
	ORQ(ends, valueAt)
	ORQ(x.after(opening, opened), valueAt)
	MOVQ(valueAt, x.mask(pairPlaces+2*blockColumn))
	afterCloser := x.after(closing, closed)
	ORQ(without(s, afterCloser), closing)
	MOVQ(closing, x.mask(pairPlaces+3*blockColumn))
	ORQ(without(afterCloser, s), x.odd)
	x.next()
}

// placeNestingByBlocks: what placeNesting does, a block after the other.
func placeNestingByBlocks() {
	TEXT("placeNestingAVX", NOSPLIT, "func(b *uint64, from, to int, have *uint64, barred uint64) (done int)")
	Pragma("noescape")
	Doc("placeNestingAVX is placeNestingGeneric for at least one block. It needs AVX, BMI1 and PCLMULQDQ.")
	x := beginBlocks()
	inOuter, inKey, ended, open, separator, keyed, opened, closed := x.carry(), x.carry(), x.carry(), x.carry(), x.carry(), x.carry(), x.carry(), x.carry()
	Label("block")
	x.rows()
	q := x.sign(2)
	x.quotes(q)
	c := x.sign(4)
	escaped := both(q, x.by)
	ANDNQ(escaped, x.within, escaped)
	ORQ(escaped, x.odd)
	bad := both(c, x.within)
	ANDNQ(bad, x.by, bad)
	ANDQ(param("barred"), bad)
	ORQ(bad, x.odd)
	ANDNQ(c, x.within, c)
	opens := x.after(c, ended)
	ORQ(x.begins, opens)
	ORQ(without(x.end, opens), x.odd)
	ANDNQ(opens, x.end, opens)
	begun := GP64()
	MOVQ(x.mask(pairSigns+5*blockColumn), begun)
	ORQ(without(opens, begun), x.odd)
	outers := x.after(opens, open)
	MOVQ(outers, x.mask(pairOuter))

	s, e := without(x.sign(0), x.within), without(x.sign(1), x.within)
	keys := x.after(s, separator)
	MOVQ(keys, x.mask(pairPlaces))
	opening := both(x.quote, x.within)
	signs := either(s, c)
	sides := GP64()
	MOVQ(signs, sides)
	ORQ(e, signs)
	ORQ(opening, signs)
	ORQ(both(either(outers, keys), signs), x.odd)
	keyEnds := x.firstBehind(keys, signs, inKey)
	MOVQ(keyEnds, x.mask(pairPlaces+blockColumn))
	XORQ(e, keyEnds)
	ORQ(keyEnds, x.odd)
	outerEnds := x.firstBehind(outers, signs, inOuter)
	MOVQ(outerEnds, x.mask(pairOuter+blockColumn))
	ORQ(without(outerEnds, sides), x.odd)
	valueAt := x.after(e, keyed)
	XORQ(opening, valueAt)
	ORQ(valueAt, x.odd)
	MOVQ(x.after(opening, opened), x.mask(pairPlaces+2*blockColumn))
	closing := without(x.quote, x.within)
	MOVQ(closing, x.mask(pairPlaces+3*blockColumn))
	ORQ(x.after(closing, closed), outerEnds)
	XORQ(sides, outerEnds)
	ORQ(outerEnds, x.odd)
	x.next()
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

// placeMembers: what members.places does, in rows in which no brackets are in each other.
func placeMembers() {
	TEXT("placeMembersAVX512", NOSPLIT, "func(b *uint64, from, to int) (done int)")
	Pragma("noescape")
	Doc("placeMembersAVX512 is the loop of members.places" + placeDoc)
	x := beginLanes("separator", "keyed", "ended", "word", "keys", "values")
	none := func() reg.GPVirtual {
		r := GP64()
		XORQ(r, r)
		return r
	}
	nested, beforeKey, beforeValue, behind, inKey, inPair := none(), none(), none(), none(), none(), none()
	but := func(a, not reg.VecVirtual) reg.VecVirtual {
		r := ZMM()
		VPANDNQ(a, not, r)
		return r
	}
	Label("blocks")
	x.behind, x.inRow = x.load(pairBehind), ZMM()
	VPADDQ(x.ones, x.behind, x.inRow)
	q, leads, barred := x.sign(2, nil), x.sign(3, nil), ZMM()
	VPANDQ(q, leads, barred)
	VPXORQ(barred, q, q)
	VPXORQ(barred, leads, leads)
	x.quotes(q, leads)
	logic(x.odd, barred, x.within, func(d, a, b uint8) uint8 { return d | a&b })
	logic(x.odd, but(leads, x.by), x.within, func(d, a, b uint8) uint8 { return d | a&^b })
	opening, closing, outside := ZMM(), but(x.quote, x.within), ZMM()
	VPANDQ(x.quote, x.within, opening)
	VPORQ(x.within, closing, outside)
	VPANDNQ(x.inRow, outside, outside)
	logic(x.odd, x.load(pairOuter+blockColumn), outside, func(d, a, b uint8) uint8 { return d | a&b })

	opens, closes, brackets := x.sign(5, outside), x.sign(4, outside), ZMM()
	VPORQ(opens, closes, brackets)
	region := x.between(brackets, nested)
	logic(x.odd, opens, region, func(d, a, b uint8) uint8 { return d | a&^b })
	logic(x.odd, closes, region, func(d, a, b uint8) uint8 { return d | a&b })
	logic(x.odd, x.behind, region, func(d, a, b uint8) uint8 { return d | a&b })
	VPORQ(closes, region, region)
	for _, m := range []reg.VecVirtual{opening, closing, outside} {
		VPANDNQ(m, region, m)
	}
	white := x.load(pairOuter)
	VPANDQ(outside, white, white)
	s, e, word := x.sign(0, outside), x.sign(1, outside), ZMM()
	VPORQ(s, e, word)
	logic(word, white, outside, func(d, a, b uint8) uint8 { return b &^ (d | a) })
	VPORQ(x.behind, s, s)

	behindWord := x.after(word, "word")
	atoms, atEnd := but(word, behindWord), but(behindWord, word)
	logic(atoms, opening, opens, func(d, a, b uint8) uint8 { return d | a | b })
	keys, reach, empty := x.after(s, "separator"), ZMM(), K()
	begins := x.begins()
	VPORQ(x.one, keys, begins, keys)
	VPCMPEQQ(x.one, x.behind, begins, empty)
	VPORQ(x.behind, x.inRow, reach)
	VPANDQ(reach, keys, keys)
	VPXORQ(keys, keys, empty, keys)
	valueAt, closers := x.after(e, "keyed"), ZMM()
	VPORQ(closing, closes, closers)
	behindAtom := x.after(closers, "ended")
	VPORQ(atEnd, behindAtom, behindAtom)

	some, isSome := K(), GP64()
	VPTESTMQ(white, white, some)
	KMOVB(some, isSome.As32())
	ORQ(beforeKey, isSome)
	ORQ(beforeValue, isSome)
	ORQ(behind, isSome)
	JZ(LabelRef("dense"))
	VPXORQ(x.ones, white, white)
	VMOVDQA64(x.firstBehind(keys, white, beforeKey), keys)
	VMOVDQA64(x.firstBehind(valueAt, white, beforeValue), valueAt)
	VMOVDQA64(x.firstBehind(behindAtom, white, behind), behindAtom)
	Label("dense")
	keyEnds, signs, places := x.firstBehind(keys, closing, inKey), ZMM(), ZMM()
	VPORQ(s, e, signs)
	firsts := x.firstBehind(keys, signs, inPair)
	logic(x.odd, keys, opening, func(d, a, b uint8) uint8 { return d | a&^b })
	logic(x.odd, valueAt, atoms, func(d, a, b uint8) uint8 { return d | a&^b })
	VPORQ(keys, valueAt, places)
	logic(x.odd, atoms, places, func(d, a, b uint8) uint8 { return d | a&^b })
	logic(x.odd, behindAtom, signs, func(d, a, b uint8) uint8 { return d | a&^b })
	logic(x.odd, firsts, e, func(d, a, b uint8) uint8 { return d | (a ^ b) })
	x.store(x.after(keys, "keys"), pairPlaces)
	x.store(keyEnds, pairPlaces+blockColumn)
	x.store(valueAt, pairPlaces+2*blockColumn)
	logic(closes, closing, keyEnds, func(d, a, b uint8) uint8 { return d | a&^b })
	ends := x.after(closes, "values")
	VPORQ(atEnd, ends, ends)
	x.store(ends, pairPlaces+3*blockColumn)
	VPXORQ(places, places, places)
	x.store(places, pairLeads)
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
