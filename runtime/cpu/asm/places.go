package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// ahead is how far before a symbol is listed it is asked for, into the second-level cache: a window.
const ahead = 32 << 10

// places generates the list of the symbols at which runs end: a table of 128 gives
// the group of a symbol, with the highest bit if it is listed; behind it stands what
// all others have.
func places() {
	TEXT("listPlacesAVX512", NOSPLIT, "func(places *uint32, src *byte, nblocks int, table *byte, few int) (n int, groups uint32)")
	Doc("listPlacesAVX512 is listPlacesGeneric for at least one block of symbols, of which those from 128 on are alike. Its groups have the second highest bit of the table if a symbol has. Of blocks with up to a few places, at most 16, no more than 16 are written. It needs AVX-512 with VBMI and VBMI2, and room for 64 places more.")
	to, src := Load(Param("places"), GP64()), Load(Param("src"), GP64())
	nblocks, table, few := Load(Param("nblocks"), GP64()), Load(Param("table"), GP64()), Load(Param("few"), GP64())
	first, high := GP64(), GP64()
	MOVQ(to, first)
	iota := load(constant(1, func(i int) uint64 { return uint64(i) }))
	below, above, others := load(Mem{Base: table}), load(Mem{Base: table, Disp: 64}), ZMM()
	MOVBQZX(Mem{Base: table, Disp: 128}, high)
	VPBROADCASTB(high.As32(), others)
	any, kept := ZMM(), load(constant(1, func(int) uint64 { return 0xff &^ 0x40 }))
	VPXORQ(any, any, any)

	base, step := ZMM(), load(constant(4, func(int) uint64 { return 64 })) // of the block: its symbols are less than a step
	VPXORD(base, base, base)
	// Of a place the lowest byte is an offset, and the highest a group.
	var picks [4]reg.VecVirtual
	for i := range picks {
		picks[i] = load(constant(4, func(place int) uint64 { return uint64(16*i+place) | uint64(64+16*i+place)<<24 }))
	}
	outer := K()
	{
		r := GP64()
		MOVQ(U64(0x9999999999999999), r)
		KMOVQ(r, outer)
	}

	Label("block")
	x, groups := ZMM(), ZMM()
	isHigh, listed := K(), K()
	VMOVDQU64(Mem{Base: src}, x)
	PREFETCHT1(Mem{Base: src, Disp: ahead})
	VMOVDQA64(x, groups)
	VPERMI2B(above, below, groups)
	VPMOVB2M(x, isHigh)
	VPBLENDMB(others, groups, isHigh, groups)
	VPORQ(groups, any, any)
	VPANDQ(kept, groups, groups)
	VPMOVB2M(groups, listed)
	mask, n := GP64(), GP64()
	KMOVQ(listed, mask)
	POPCNTQ(mask, n)
	offsets, packed := compressBy(iota, listed), compressBy(groups, listed)
	write := func(i int) {
		place := ZMM()
		VMOVDQA64(picks[i], place)
		VPERMI2B_Z(packed, offsets, outer, place)
		VPORD(base, place, place)
		VMOVDQU32(place, Mem{Base: to, Disp: 64 * i})
	}
	write(0)
	CMPQ(n, few)
	JBE(LabelRef("written"))
	write(1)
	CMPQ(n, U8(32))
	JBE(LabelRef("written"))
	write(2)
	write(3)
	Label("written")
	LEAQ(Mem{Base: to, Index: n, Scale: 4}, to)
	ADDQ(U8(64), src)
	VPADDD(step, base, base)
	DECQ(nblocks)
	JNZ(LabelRef("block"))
	sought, some := GP64(), K()
	VPADDB(any, any, any)
	VPMOVB2M(any, some)
	KMOVQ(some, sought)
	NEGQ(sought)
	SBBL(sought.As32(), sought.As32())
	ANDL(U32(0x40), sought.As32())
	VZEROUPPER()
	SUBQ(first, to)
	SHRQ(U8(2), to)
	Store(to, ReturnIndex(0))
	Store(sought.As32(), ReturnIndex(1))
	RET()
}

// placesBySlots generates that for symbols that have slots: see placeSlots. Numbers of symbols and their groups stand by
// eights side by side, so that what a byte of the mask lists is one shuffle of both.
//
//	block    0 1 2 … 7 | g0 g1 … g7   8 9 … 15 | g8 … g15   …
//	mask     ..1...1.  picks          2 · · g2, 6 · · g6
func placesBySlots() {
	TEXT("listPlacesAVX2", NOSPLIT, "func(places *uint32, src *byte, nblocks int, slots, picks *byte) (n int)")
	Doc("listPlacesAVX2 is listPlacesGeneric for at least one block of symbols that have slots. It needs AVX2 and POPCNT, and room for 8 places more.")
	to, src := Load(Param("places"), GP64()), Load(Param("src"), GP64())
	nblocks, picks := Load(Param("nblocks"), GP64()), Load(Param("picks"), GP64())
	slots, n := Load(Param("slots"), GP64()), GP64()
	XORQ(n, n)
	moves, symbols, groups, low, step, base := YMM(), YMM(), YMM(), YMM(), YMM(), YMM()
	VBROADCASTI128(Mem{Base: slots}, moves)
	VBROADCASTI128(Mem{Base: slots, Disp: 16}, symbols)
	VBROADCASTI128(Mem{Base: slots, Disp: 32}, groups)
	VMOVDQU(constant(1, func(int) uint64 { return 15 }), low)
	VMOVDQU(constant(4, func(int) uint64 { return 64 }), step)
	VPXOR(base, base, base)
	numbers := constant(1, func(i int) uint64 { return uint64(i) })
	mask := AllocLocal(8)

	Label("block")
	PREFETCHT1(Mem{Base: src, Disp: ahead})
	var eights [4]reg.VecVirtual // each the numbers and groups of two times eight symbols, others between them
	for half := range 2 {
		x, slot, of, listed := YMM(), YMM(), YMM(), GP32()
		VMOVDQU(Mem{Base: src, Disp: 32 * half}, x)
		VPSRLW(U8(4), x, slot)
		VPAND(low, slot, slot)
		VPSHUFB(slot, moves, slot)
		VPXOR(x, slot, slot)
		VPSHUFB(slot, symbols, of)
		VPCMPEQB(x, of, of)
		VPMOVMSKB(of, listed)
		MOVL(listed, mask.Offset(4*half))
		VPSHUFB(slot, groups, of)
		number := YMM()
		VMOVDQU(numbers.Offset(32*half), number)
		even, odd := YMM(), YMM()
		VPUNPCKLQDQ(of, number, even)
		VPUNPCKHQDQ(of, number, odd)
		eights[2*half], eights[2*half+1] = even, odd
	}
	for i := range 8 {
		set, count, list := GP64(), GP64(), YMM()
		MOVBQZX(mask.Offset(i), set)
		POPCNTQ(set, count)
		SHLQ(U8(5), set)
		of := eights[i/4*2+i%2]
		VPERM2I128(U8(0x11*(i/2%2)), of, of, list)
		VPSHUFB(Mem{Base: picks, Index: set, Scale: 1}, list, list)
		VPADDD(base, list, list)
		VMOVDQU(list, Mem{Base: to, Index: n, Scale: 4})
		ADDQ(count, n)
	}
	VPADDD(step, base, base)
	ADDQ(U8(64), src)
	DECQ(nblocks)
	JNZ(LabelRef("block"))
	VZEROUPPER()
	Store(n, ReturnIndex(0))
	RET()
}

// nextSet loads the next of sets, goes to "next" if it is empty, and moves to behind what is written for its bits,
// four bytes each, from out on.
func nextSet(sets, to reg.Register) (set, out reg.GPVirtual) {
	set, out = GP64(), GP64()
	count := GP64()
	MOVQ(Mem{Base: sets}, set)
	MOVQ(to, out)
	POPCNTQ(set, count)
	LEAQ(Mem{Base: to, Index: count, Scale: 4}, to)
	TESTQ(set, set)
	JZ(LabelRef("next"))
	return set, out
}

// placesOf generates that for masks of the symbols.
func placesOf() {
	TEXT("placesOfBMI", NOSPLIT, "func(places *uint32, masks *uint64, nblocks int, src *byte, at uint32, marked *uint32) (n int)")
	Doc("placesOfBMI is placesOfGeneric for at least one block. It needs BMI1 and POPCNT, and room for three places more.")
	to, masks := Load(Param("places"), GP64()), Load(Param("masks"), GP64())
	n, src := Load(Param("nblocks"), GP64()), Load(Param("src"), GP64())
	at, marked := Load(Param("at"), GP32()), Load(Param("marked"), GP64())
	first := GP64()
	MOVQ(to, first)

	Label("block")
	set, out := nextSet(masks, to)
	Label("four")
	for i := range 4 {
		q, place := GP64(), GP64()
		TZCNTQ(set, q)
		ANDL(U8(63), q.As32())
		BLSRQ(set, set)
		MOVBQZX(Mem{Base: src, Index: q, Scale: 1}, place)
		ADDL(at, q.As32())
		ORL(Mem{Base: marked, Index: place, Scale: 4}, q.As32())
		MOVL(q.As32(), Mem{Base: out, Disp: 4 * i})
	}
	ADDQ(U8(16), out)
	TESTQ(set, set)
	JNZ(LabelRef("four"))
	Label("next")
	ADDQ(U8(8), masks)
	ADDQ(U8(64), src)
	ADDL(U8(64), at)
	DECQ(n)
	JNZ(LabelRef("block"))
	SUBQ(first, to)
	SHRQ(U8(2), to)
	Store(to, ReturnIndex(0))
	RET()
}

// emitOf generates emitGeneric with BMI1.
func emitOf() {
	TEXT("emitBMI", NOSPLIT, "func(marks *uint32, sets *uint64, nsets int, offset uint32) (n int)")
	Doc("emitBMI is emitGeneric for at least one set. It needs BMI1 and POPCNT, and room for seven marks more.")
	to, sets := Load(Param("marks"), GP64()), Load(Param("sets"), GP64())
	n, offset := Load(Param("nsets"), GP64()), Load(Param("offset"), GP32())
	first := GP64()
	MOVQ(to, first)

	Label("set")
	set, out := nextSet(sets, to)
	each := func(n int) {
		for i := range n {
			q := GP64()
			TZCNTQ(set, q)
			BLSRQ(set, set)
			ADDL(offset, q.As32())
			MOVL(q.As32(), Mem{Base: out, Disp: 4 * i})
		}
		ADDQ(U8(4*n), out)
		TESTQ(set, set)
	}
	each(8)
	JZ(LabelRef("next"))
	Label("four")
	each(4)
	JNZ(LabelRef("four"))
	Label("next")
	ADDQ(U8(8), sets)
	ADDL(U8(64), offset)
	DECQ(n)
	JNZ(LabelRef("set"))
	SUBQ(first, to)
	SHRQ(U8(2), to)
	Store(to, ReturnIndex(0))
	RET()
}
