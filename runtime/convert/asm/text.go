package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// spans adds up lengths, and ORs starts, eight rows at a time.
func spans() {
	TEXT("spansAVX2", NOSPLIT, "func(start, end *uint32, groups int) (sum uint64, all uint32)")
	Pragma("noescape")
	Doc("spansAVX2 is the sum of the lengths and the OR of the starts of groups of eight rows, at least one. It needs AVX2.")
	start, end := Load(Param("start"), GP64()), Load(Param("end"), GP64())
	groups := Load(Param("groups"), GP64())
	sum, or, s, n, high := YMM(), YMM(), YMM(), YMM(), YMM()
	VPXOR(sum, sum, sum)
	VPXOR(or, or, or)
	Label("group")
	VMOVDQU(Mem{Base: start}, s)
	VMOVDQU(Mem{Base: end}, n)
	VPSUBD(s, n, n)
	VPOR(s, or, or)
	VPSRLQ(U8(32), n, high)
	VPAND(rare(1<<32-1), n, n)
	VPADDQ(n, sum, sum)
	VPADDQ(high, sum, sum)
	ADDQ(U8(32), start)
	ADDQ(U8(32), end)
	DECQ(groups)
	JNZ(LabelRef("group"))

	x, y := XMM(), XMM()
	VEXTRACTI128(U8(1), sum, x)
	VPADDQ(sum.AsX(), x, x)
	VPSRLDQ(U8(8), x, y)
	VPADDQ(x, y, y)
	r := GP64()
	VMOVQ(y, r)
	Store(r, ReturnIndex(0))
	VEXTRACTI128(U8(1), or, x)
	VPOR(or.AsX(), x, x)
	VPSRLDQ(U8(8), x, y)
	VPOR(x, y, x)
	VPSRLQ(U8(32), x, y)
	VPOR(x, y, x)
	a := GP32()
	VMOVD(x, a)
	Store(a, ReturnIndex(1))
	VZEROUPPER()
	RET()
}

// Fields of a textBatch.
const (
	textSrc, textLength, textStart, textEnd = 0, 8, 16, 24
	textData, textOffsets, textRows, textAt = 32, 40, 48, 56
)

// copyText copies 32 bytes a turn, however many are wanted: what is too much
// is written over by the next row.
func copyText() {
	TEXT("copyTextAVX2", NOSPLIT, "func(b *uintptr) (done int)")
	Pragma("noescape")
	Doc("copyTextAVX2 copies rows until one that is not in src, or ends within 32 bytes of its end, and gives how many. It needs AVX2.")
	b := Load(Param("b"), GP64())
	field := func(disp int) reg.GPVirtual {
		r := GP64()
		MOVQ(Mem{Base: b, Disp: disp}, r)
		return r
	}
	src, length, start, end := field(textSrc), field(textLength), field(textStart), field(textEnd)
	data, offsets, rows, at := field(textData), field(textOffsets), field(textRows), field(textAt)
	i, s, e, to := GP64(), GP64(), GP64(), GP64()
	x := YMM()
	SUBQ(U8(32), length)
	XORQ(i, i)
	Label("row")
	CMPQ(i, rows)
	JGE(LabelRef("done"))
	MOVL(Mem{Base: start, Index: i, Scale: 4}, s.As32())
	MOVL(Mem{Base: end, Index: i, Scale: 4}, e.As32())
	CMPQ(e, length)
	JGT(LabelRef("done"))
	TESTL(s.As32(), s.As32())
	JS(LabelRef("done"))
	SUBQ(s, e)
	ADDQ(src, s)
	VMOVDQU(Mem{Base: s}, x)
	VMOVDQU(x, Mem{Base: data, Index: at, Scale: 1})
	LEAQ(Mem{Base: data, Index: at, Scale: 1}, to)
	ADDQ(e, at)
	MOVL(at.As32(), Mem{Base: offsets, Index: i, Scale: 4})
	INCQ(i)
	SUBQ(U8(32), e)
	JLE(LabelRef("row"))
	Label("more")
	ADDQ(U8(32), s)
	ADDQ(U8(32), to)
	VMOVDQU(Mem{Base: s}, x)
	VMOVDQU(x, Mem{Base: to})
	SUBQ(U8(32), e)
	JG(LabelRef("more"))
	JMP(LabelRef("row"))
	Label("done")
	MOVQ(at, Mem{Base: b, Disp: textAt})
	Store(i, ReturnIndex(0))
	VZEROUPPER()
	RET()
}

// ascii ORs 128 bytes a turn.
func ascii() {
	TEXT("asciiAVX2", NOSPLIT, "func(b *byte, blocks int) (any uint32)")
	Pragma("noescape")
	Doc("asciiAVX2 is 0 if no byte of blocks of 128, at least one, is above 127. It needs AVX2.")
	b, blocks := Load(Param("b"), GP64()), Load(Param("blocks"), GP64())
	x, y := YMM(), YMM()
	VPXOR(x, x, x)
	VPXOR(y, y, y)
	Label("block")
	VPOR(Mem{Base: b}, x, x)
	VPOR(Mem{Base: b, Disp: 32}, y, y)
	VPOR(Mem{Base: b, Disp: 64}, x, x)
	VPOR(Mem{Base: b, Disp: 96}, y, y)
	SUBQ(I8(-128), b)
	DECQ(blocks)
	JNZ(LabelRef("block"))
	VPOR(x, y, x)
	r := GP32()
	VPMOVMSKB(x, r)
	VZEROUPPER()
	Store(r, ReturnIndex(0))
	RET()
}
