package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// What two bytes in a row can be guilty of, a bit each: Keiser and Lemire,
// "Validating UTF-8 in less than one instruction per byte" (2021), table 8.
const (
	tooShort     = 1 << iota // a lead without what it announces
	tooLong                  // ASCII, and then a continuation
	overlong3                // 11100000 100_____
	tooLarge                 // 11110100 1001____, and what is above
	surrogate                // 11101101 101_____
	overlong2                // 1100000_ 10______
	tooLarge1000             // 11110101 1000____, and above; 11110000 1000____ is overlong
	twoConts                 // right after the second byte of three, or the third of four
	overlong4    = tooLarge1000
	carry        = tooShort | tooLong | twoConts
)

// By the high half of the first byte, by its low half, and by the high half of
// the second: what is in all three is an error.
var (
	firstHigh = []byte{
		tooLong, tooLong, tooLong, tooLong, tooLong, tooLong, tooLong, tooLong,
		twoConts, twoConts, twoConts, twoConts,
		tooShort | overlong2, tooShort, tooShort | overlong3 | surrogate, tooShort | tooLarge | tooLarge1000 | overlong4,
	}
	firstLow = []byte{
		carry | overlong3 | overlong2 | overlong4, carry | overlong2, carry, carry,
		carry | tooLarge, carry | tooLarge | tooLarge1000, carry | tooLarge | tooLarge1000, carry | tooLarge | tooLarge1000,
		carry | tooLarge | tooLarge1000, carry | tooLarge | tooLarge1000, carry | tooLarge | tooLarge1000, carry | tooLarge | tooLarge1000,
		carry | tooLarge | tooLarge1000, carry | tooLarge | tooLarge1000 | surrogate, carry | tooLarge | tooLarge1000, carry | tooLarge | tooLarge1000,
	}
	secondHigh = []byte{
		tooShort, tooShort, tooShort, tooShort, tooShort, tooShort, tooShort, tooShort,
		tooLong | overlong2 | twoConts | overlong3 | tooLarge1000 | overlong4,
		tooLong | overlong2 | twoConts | overlong3 | tooLarge,
		tooLong | overlong2 | twoConts | surrogate | tooLarge, tooLong | overlong2 | twoConts | surrogate | tooLarge,
		tooShort, tooShort, tooShort, tooShort,
	}
)

// repeated is a byte in every place.
func repeated(b byte) Mem { return rare(uint64(b) * 0x0101010101010101) }

// utf8 looks for errors 32 bytes a turn.
func utf8() {
	TEXT("utf8AVX2", NOSPLIT, "func(b *byte, blocks int) (bad uint32)")
	Pragma("noescape")
	Doc("utf8AVX2 is 0 if blocks of 32 bytes, at least one, are UTF-8, but for a sequence that they do not complete. It needs AVX2.")
	bad := YMM()
	VPXOR(bad, bad, bad)
	eachError(nil, func(is reg.VecVirtual) { VPOR(is, bad, bad) })
	Store(errorBits(bad, bad), ReturnIndex(0))
	VZEROUPPER()
	RET()
}

// utf8Errors says where the errors are. Where four blocks are ASCII there are none.
func utf8Errors() {
	TEXT("utf8ErrorsAVX2", NOSPLIT, "func(b *byte, blocks int, errors *uint64)")
	Pragma("noescape")
	Doc("utf8ErrorsAVX2 gives the bytes of blocks of 32, at least one, where it shows that they are not UTF-8: of each its bits. It needs AVX2.")
	errors, x := Load(Param("errors"), GP64()), YMM()
	none := func() {
		VPXOR(x, x, x)
		VMOVDQU(x.AsX(), Mem{Base: errors})
		ADDQ(U8(16), errors)
	}
	eachError(none, func(is reg.VecVirtual) {
		MOVL(errorBits(is, x), Mem{Base: errors})
		ADDQ(U8(4), errors)
	})
	VZEROUPPER()
	RET()
}

// utf8ErrorsByMasks is utf8Errors, 64 bytes a turn: continuations are where leads announce them. Where not all of them may
// follow a lead, or it announces three, in the block or right before, tables say what is an error.
func utf8ErrorsByMasks() {
	TEXT("utf8ErrorsAVX512", NOSPLIT, "func(b *byte, blocks int, errors *uint64)")
	Pragma("noescape")
	Doc("utf8ErrorsAVX512 gives the bytes of blocks of 64, at least one, where it shows that they are not UTF-8: of each its bits. It needs AVX-512 with VBMI.")
	b, blocks, errors := Load(Param("b"), GP64()), Load(Param("blocks"), GP64()), Load(Param("errors"), GP64())
	c, e := newCheck(), newErrorTables()
	first, before, is := GP64(), GP64(), GP64() // before: odd leads among the last three bytes
	MOVQ(b, first)
	XORL(c.carry.As32(), c.carry.As32())
	XORL(before.As32(), before.As32())
	in, t, k, lead := ZMM(), ZMM(), K(), K()
	two, three, odd := GP64(), GP64(), GP64()
	turn := GP64()
	Label("turn") // four blocks, if there are as many: where all of them are ASCII there are no errors
	MOVQ(blocks, turn)
	CMPQ(turn, U8(4))
	JL(LabelRef("few"))
	MOVQ(U32(4), turn)
	VMOVDQU64(Mem{Base: b}, in)
	for i := range 3 {
		VPORQ(Mem{Base: b, Disp: 64 * (i + 1)}, in, in)
	}
	VPMOVB2M(in, k)
	KMOVQ(k, is)
	ORQ(c.carry, is)
	ORQ(before, is)
	JNZ(LabelRef("few"))
	VPXORQ(in, in, in)
	VMOVDQU(in.AsY(), Mem{Base: errors})
	ADDQ(U8(32), errors)
	ADDQ(I32(256), b)
	SUBQ(U8(4), blocks)
	JNZ(LabelRef("turn"))
	VZEROUPPER()
	RET()
	Label("few")
	SUBQ(turn, blocks)
	Label("block")
	VMOVDQU64(Mem{Base: b}, in)
	VPMOVB2M(in, k)
	KMOVQ(k, is)
	VPCMPUB(U8(5), c.leads, in, lead)
	KMOVQ(lead, two)
	VPCMPUB(U8(5), c.threes, in, k)
	KMOVQ(k, three)
	VPERMB(c.table, in, t)
	VPTESTMB(t, t, lead, k)
	KMOVQ(k, odd)
	ANDNQ(is, two, is) // continuations
	need := GP64()
	LEAQ(Mem{Base: two, Index: two, Scale: 1}, need)
	ORQ(need, c.carry)
	MOVQ(three, need)
	SHLQ(U8(2), need)
	ORQ(need, c.carry)
	XORQ(c.carry, is)
	SHRQ(U8(63), two)
	SHRQ(U8(62), three)
	MOVQ(two, c.carry)
	ORQ(three, c.carry)
	ORQ(odd, before)
	JNZ(LabelRef("odd"))
	Label("store")
	MOVQ(is, Mem{Base: errors})
	ADDQ(U8(8), errors)
	ADDQ(U8(64), b)
	DECQ(turn)
	JNZ(LabelRef("block"))
	TESTQ(blocks, blocks)
	JNZ(LabelRef("turn"))
	VZEROUPPER()
	RET()
	Label("odd")
	e.find(b, first, in, k)
	KMOVQ(k, is)
	MOVQ(odd, before)
	SHRQ(U8(61), before)
	JMP(LabelRef("store"))
}

// errorTables are for 64 bytes.
type errorTables struct {
	tables                  [3]reg.VecVirtual
	low, third, fourth, top reg.VecVirtual
}

func newErrorTables() *errorTables {
	e := &errorTables{low: ZMM(), third: ZMM(), fourth: ZMM(), top: ZMM()}
	VMOVDQU64(repeated(0x0f), e.low)
	VMOVDQU64(repeated(0xe0-0x80), e.third)
	VMOVDQU64(repeated(0xf0-0x80), e.fourth)
	VMOVDQU64(repeated(0x80), e.top)
	for i, m := range []Mem{table16("firstHigh", firstHigh), table16("firstLow", firstLow), table16("secondHigh", secondHigh)} {
		e.tables[i] = ZMM()
		VBROADCASTI32X4(m, e.tables[i])
	}
	return e
}

// find gives the errors in the block in at b: those that eachError finds. Before the first block there is nothing.
func (e *errorTables) find(b, first reg.Register, in reg.VecVirtual, errors reg.OpmaskVirtual) {
	there := GP64()
	XORL(there.As32(), there.As32())
	CMPQ(b, first)
	SETNE(there.As8())
	NEGQ(there)
	back := func(n int) reg.VecVirtual {
		x, bits, k := ZMM(), GP64(), K()
		MOVQ(I32(-1<<n), bits)
		ORQ(there, bits)
		KMOVQ(bits, k)
		VMOVDQU8_Z(Mem{Base: b, Disp: -n}, k, x)
		return x
	}
	look := func(x, table reg.VecVirtual, high bool) reg.VecVirtual {
		y := ZMM()
		if high {
			VPSRLW(U8(4), x, y)
			VPANDD(e.low, y, y)
		} else {
			VPANDD(e.low, x, y)
		}
		VPSHUFB(y, table, y)
		return y
	}
	before := back(1)
	is := look(before, e.tables[0], true)
	VPANDD(look(before, e.tables[1], false), is, is)
	VPANDD(look(in, e.tables[2], true), is, is)
	third, fourth := back(2), back(3)
	VPSUBUSB(e.third, third, third)
	VPSUBUSB(e.fourth, fourth, fourth)
	VPORD(third, fourth, third)
	VPANDD(e.top, third, third)
	VPXORD(third, is, is)
	VPTESTMB(is, is, errors)
}

// errorBits are those of the bytes that are not 0; x is changed.
func errorBits(is, x reg.VecVirtual) reg.Register {
	zero, bits := YMM(), GP32()
	VPXOR(zero, zero, zero)
	VPCMPEQB(zero, is, x)
	VPMOVMSKB(x, bits)
	NOTL(bits)
	return bits
}

// eachError emits the loop over blocks; errors are the bytes that are not 0. If skipped is given, it takes four at a
// time, and skips those that are ASCII, as is what they follow.
func eachError(skipped func(), found func(errors reg.VecVirtual)) {
	b, blocks := Load(Param("b"), GP64()), Load(Param("blocks"), GP64())
	load := func(m Mem) reg.VecVirtual {
		y := YMM()
		VMOVDQU(m, y)
		return y
	}
	tables := [3]reg.VecVirtual{load(table16("firstHigh", firstHigh)), load(table16("firstLow", firstLow)), load(table16("secondHigh", secondHigh))}
	low, third, fourth := load(repeated(0x0f)), load(repeated(0xe0-0x80)), load(repeated(0xf0-0x80))
	top, before := load(repeated(0x80)), YMM()
	VPXOR(before, before, before)
	in, across, first, is, x, y := YMM(), YMM(), YMM(), YMM(), YMM(), YMM()
	half := func(of reg.VecVirtual, table reg.VecVirtual, high bool) {
		if high {
			VPSRLW(U8(4), of, x)
			VPAND(low, x, x)
		} else {
			VPAND(low, of, x)
		}
		VPSHUFB(x, table, x)
	}
	turn := blocks
	if skipped != nil {
		turn = GP64()
		Label("turn")
		MOVQ(blocks, turn)
		CMPQ(turn, U8(4))
		JL(LabelRef("few"))
		VMOVDQA(before, x)
		for i := range 4 {
			VPOR(Mem{Base: b, Disp: 32 * i}, x, x)
		}
		any := GP32()
		VPMOVMSKB(x, any)
		MOVQ(U32(4), turn)
		TESTL(any, any)
		JNZ(LabelRef("few"))
		skipped()
		VPXOR(before, before, before)
		ADDQ(U8(128), b)
		SUBQ(U8(4), blocks)
		JNZ(LabelRef("turn"))
		JMP(LabelRef("end"))
		Label("few")
		SUBQ(turn, blocks)
	}
	Label("block")
	VMOVDQU(Mem{Base: b}, in)
	VPERM2I128(U8(0x21), in, before, across) // the upper half of what came before, the lower of this
	VPALIGNR(U8(15), across, in, first)
	half(first, tables[0], true)
	VMOVDQA(x, is)
	half(first, tables[1], false)
	VPAND(x, is, is)
	half(in, tables[2], true)
	VPAND(x, is, is)
	// Two continuations are right where a third or fourth byte has to be.
	VPALIGNR(U8(14), across, in, x)
	VPSUBUSB(third, x, x)
	VPALIGNR(U8(13), across, in, y)
	VPSUBUSB(fourth, y, y)
	VPOR(y, x, x)
	VPAND(top, x, x)
	VPXOR(is, x, x)
	found(x)
	VMOVDQA(in, before)
	ADDQ(U8(32), b)
	DECQ(turn)
	JNZ(LabelRef("block"))
	if skipped != nil {
		TESTQ(blocks, blocks)
		JNZ(LabelRef("turn"))
		Label("end")
	}
}
