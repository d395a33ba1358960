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
	eachError(func(is reg.VecVirtual) { VPOR(is, bad, bad) })
	Store(errorBits(bad, bad), ReturnIndex(0))
	VZEROUPPER()
	RET()
}

// utf8Errors says where the errors are.
func utf8Errors() {
	TEXT("utf8ErrorsAVX2", NOSPLIT, "func(b *byte, blocks int, errors *uint32)")
	Pragma("noescape")
	Doc("utf8ErrorsAVX2 gives the bytes of blocks of 32, at least one, where it shows that they are not UTF-8: of each its bits. It needs AVX2.")
	errors, x := Load(Param("errors"), GP64()), YMM()
	eachError(func(is reg.VecVirtual) {
		MOVL(errorBits(is, x), Mem{Base: errors})
		ADDQ(U8(4), errors)
	})
	VZEROUPPER()
	RET()
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

// eachError emits the loop over blocks; errors are the bytes that are not 0.
func eachError(found func(errors reg.VecVirtual)) {
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
	DECQ(blocks)
	JNZ(LabelRef("block"))
}
