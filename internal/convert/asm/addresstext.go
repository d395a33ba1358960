package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

// The texts of four IPv4 addresses are made in one register, a quarter for each, with all
// digits that octets may have, and packed at once.
//
//	octets   10.0.7.255
//	quarter  010.000.007.255.
//	kept      11111  11  111     of null none
func addressTexts() {
	TEXT("addressTextsAVX512", NOSPLIT, "func(values, valid *byte, first, groups int, ends *int32, text *byte, at, last int) (done, to int)")
	Pragma("noescape")
	Doc("addressTextsAVX512 is the loop of addresses for groups of four rows, up to one with an address of IPv6 or with more bytes before it than last, behind which there have to be 64; the first is number first of valid. It gives how many groups these are, and how many bytes there are then. It needs AVX-512 with VBMI2.")
	values, valid := Load(Param("values"), GP64()), Load(Param("valid"), GP64())
	groups, ends := Load(Param("groups"), GP64()), Load(Param("ends"), GP64())
	text, at, last := Load(Param("text"), GP64()), Load(Param("at"), GP64()), Load(Param("last"), GP64())
	constant := func(q uint64) vec { return avx512.load(rare(q)) }
	hundred, ten := constant(100|100<<32), constant(10|10<<32)
	perHundred, perTen := constant(41|41<<32), constant(205|205<<32)
	zeros, least := constant(0x2e303030_2e303030), constant(0x0000_0a64_0000_0a64)
	spread := avx512.load(table16("octetsSpread", []byte{12, 12, 12, 12, 13, 13, 13, 13, 14, 14, 14, 14, 15, 15, 15, 15}))
	mapped := ZMM()
	VBROADCASTI32X4(table16("mappedAddress", []byte{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff}), mapped)
	done, group := GP64(), Load(Param("first"), GP64())
	XORQ(done, done)
	Label("group")
	CMPQ(done, groups)
	JGE(LabelRef("done"))
	CMPQ(at, last)
	JG(LabelRef("done"))
	have, all := GP64(), GP64()
	{
		rows, half := GP64(), GP64()
		MOVQ(group, half)
		SHRQ(U8(1), half)
		MOVBQZX(Mem{Base: valid, Index: half, Scale: 1}, rows)
		MOVQ(group, half)
		SHLQ(U8(2), half)
		ANDL(U32(4), half.As32())
		SHRXQ(half, rows, rows)
		PDEPQ(rare(0x0001000100010001), rows, have)
		MOVQ(have, all)
		SHLQ(U8(16), all)
		SUBQ(have, all) // of each quarter that is there
	}
	x, same, odd := ZMM(), K(), GP64()
	VMOVDQU64(Mem{Base: values}, x)
	VPCMPEQD(mapped, x, same)
	KMOVW(same, odd.As32())
	NOTL(odd.As32())
	ANDL(U32(0x7777), odd.As32())
	words := GP64()
	PEXTQ(rare(0x1111111111111111), all, words)
	TESTQ(words, odd)
	JNZ(LabelRef("done"))

	each, octets := ZMM(), ZMM()
	VPSHUFB(spread, x, each)
	VPSRLD(U8(24), each, octets)
	h, t, rest := ZMM(), ZMM(), ZMM()
	VPMULLW(perHundred, octets, h)
	VPSRLD(U8(12), h, h)
	VPMULLW(hundred, h, t)
	VPSUBD(t, octets, rest)
	VPMULLW(perTen, rest, t)
	VPSRLD(U8(11), t, t)
	tens := ZMM()
	VPMULLW(ten, t, tens)
	VPSUBD(tens, rest, rest)
	VPSLLD(U8(8), t, t)
	VPSLLD(U8(16), rest, rest)
	VPORD(zeros, h, h)
	logic(h, t, rest, func(d, a, b uint8) uint8 { return d | a | b })

	digits, mask := K(), GP64()
	VPCMPUB(U8(5), least, each, digits) // not less
	KMOVQ(digits, mask)
	ANDQ(rare(0x7fff7fff7fff7fff), mask)
	ANDQ(all, mask)
	VMOVDQU64(packBytes(h, mask), Mem{Base: text, Index: at, Scale: 1})
	for k := range 4 {
		n := GP64()
		MOVQ(mask, n)
		if k < 3 {
			SHLQ(U8(16*(3-k)), n)
		}
		POPCNTQ(n, n)
		ADDQ(at, n)
		MOVL(n.As32(), Mem{Base: ends, Disp: 4 * k})
		if k == 3 {
			MOVQ(n, at)
		}
	}
	ADDQ(U8(64), values)
	ADDQ(U8(16), ends)
	INCQ(group)
	INCQ(done)
	JMP(LabelRef("group"))
	Label("done")
	VZEROUPPER()
	Store(done, ReturnIndex(0))
	Store(at, ReturnIndex(1))
	RET()
}
