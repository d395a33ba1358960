package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Fields of a textBatch.
const (
	textSrc, textLength                          = 0, 8
	textDecoded, textDecodedLength               = 16, 24
	textStart, textEnd, textFrom, textOffsets    = 32, 40, 48, 56
	textNulls, textUnknown                       = 64, 72
	textTokens                                   = 80
	textData, textRows, textAt, textSum, textAny = 88, 96, 104, 112, 120
)

// fieldsOf gives a function that loads fields of a struct.
func fieldsOf(b reg.Register) func(disp int) reg.GPVirtual {
	return func(disp int) reg.GPVirtual {
		r := GP64()
		MOVQ(Mem{Base: b, Disp: disp}, r)
		return r
	}
}

// measureText takes eight rows a turn: the lengths, which are added up to
// offsets, and what is null. A length is looked up in a table of bits, and so is
// the symbol of a field that has but one.
func measureText() {
	TEXT("measureTextAVX2", NOSPLIT, "func(b *uintptr, groups int)")
	Pragma("noescape")
	Doc("measureTextAVX2 does what textBatch.measure does, for groups of eight rows, at least one. It needs AVX2.")
	b, groups := Load(Param("b"), GP64()), Load(Param("groups"), GP64())
	field := fieldsOf(b)
	src, start, end, from, offsets := field(textSrc), field(textStart), field(textEnd), field(textFrom), field(textOffsets)
	nulls, unknown := field(textNulls), field(textUnknown)
	places := AllocLocal(32)
	limit, at := YMM(), YMM()
	{
		length := field(textLength)
		SUBQ(U8(4), length)
		VMOVD(length.As32(), limit.AsX())
		VPBROADCASTD(limit.AsX(), limit)
	}
	VPBROADCASTD(Mem{Base: b, Disp: textAt}, at)
	bytes, lengths := YMM(), YMM()
	{
		tokens := field(textTokens)
		VMOVDQU(Mem{Base: tokens}, bytes)
		VMOVDQU(Mem{Base: tokens, Disp: 32}, lengths)
	}
	constant := func(q uint64) reg.VecVirtual {
		y := YMM()
		VMOVDQU(rare(q|q<<32), y)
		return y
	}
	ones, c31, c63 := constant(0xffffffff), constant(31), constant(63)
	sum := YMM()
	VPXOR(sum, sum, sum)
	any := GP32()
	XORL(any, any)
	s, n, absent, x, y, suspect, symbol := YMM(), YMM(), YMM(), YMM(), YMM(), YMM(), YMM()
	r := GP32()
	// lookup gives the sign bit of the lanes whose bit is in a table.
	lookup := func(index, table reg.VecVirtual, to reg.VecVirtual) {
		VPSRLD(U8(5), index, y)
		VPERMD(table, y, y)
		VPANDN(c31, index, to)
		VPSLLVD(to, y, to)
	}

	Label("group")
	VMOVDQU(Mem{Base: start}, s)
	VPCMPEQD(ones, s, absent)
	VPAND(rare(0x7fffffff7fffffff), s, x)
	VMOVDQU(Mem{Base: end}, n)
	VPSUBD(x, n, n)
	VPANDN(n, absent, n)
	VPANDN(s, absent, x)
	VMOVDQU(x, Mem{Base: from})
	VPMINUD(c63, n, x)
	lookup(x, lengths, suspect)
	VPANDN(suspect, absent, suspect)
	VMOVMSKPS(suspect, r)
	TESTL(r, r)
	JNZ(LabelRef("tokens"))
	Label("known")
	MOVB(r.As8(), Mem{Base: unknown})
	SHLL(U8(8), r)
	ORL(r, any)
	VMOVMSKPS(absent, r)
	MOVB(r.As8(), Mem{Base: nulls})
	ORL(r, any)

	VPSRLQ(U8(32), n, y)
	VPAND(rare(1<<32-1), n, x)
	VPADDQ(y, sum, sum)
	VPADDQ(x, sum, sum)
	// Each lane and those before it.
	VPSLLDQ(U8(4), n, x)
	VPADDD(x, n, n)
	VPSLLDQ(U8(8), n, x)
	VPADDD(x, n, n)
	VPSHUFD(U8(0xff), n, x)
	VPERM2I128(U8(0x08), x, x, x)
	VPADDD(x, n, n)
	VPADDD(at, n, x)
	VMOVDQU(x, Mem{Base: offsets, Disp: 4})
	VPSHUFD(U8(0xff), n, x)
	VPERMQ(U8(0xff), x, x)
	VPADDD(x, at, at)
	PREFETCHT0(Mem{Base: offsets, Disp: ahead})
	for _, p := range []reg.GPVirtual{start, end, from, offsets} {
		ADDQ(U8(4*groupRows), p)
	}
	INCQ(nulls)
	INCQ(unknown)
	DECQ(groups)
	JNZ(LabelRef("group"))

	MOVL(any, Mem{Base: b, Disp: textAny})
	VMOVD(at.AsX(), Mem{Base: b, Disp: textAt})
	lo, hi := XMM(), XMM()
	VEXTRACTI128(U8(1), sum, hi)
	VPADDQ(sum.AsX(), hi, lo)
	VPSRLDQ(U8(8), lo, hi)
	VPADDQ(lo, hi, lo)
	VMOVQ(lo, Mem{Base: b, Disp: textSum})
	VZEROUPPER()
	RET()

	// Those of one symbol in src, not at its very end, are looked up.
	Label("tokens")
	VPCMPEQD(rare(1|1<<32), n, x)
	VPAND(suspect, x, x)
	VPANDN(x, s, x)
	VPCMPGTD(limit, s, y)
	VPANDN(x, y, x)
	VPANDN(suspect, x, suspect)
	VMOVMSKPS(suspect, r)
	// Those of the other rows are read somewhere: a gather instruction, which
	// would not, takes longer.
	VPMINUD(limit, s, y)
	VMOVDQU(y, places)
	halves := [2]reg.VecVirtual{XMM(), XMM()}
	for i := range groupRows {
		place, half := GP64(), halves[i/4]
		MOVL(places.Offset(4*i), place.As32())
		if i%4 == 0 {
			VMOVD(Mem{Base: src, Index: place, Scale: 1}, half)
		} else {
			VPINSRD(U8(i%4), Mem{Base: src, Index: place, Scale: 1}, half, half)
		}
	}
	VINSERTI128(U8(1), halves[1], halves[0].AsY(), symbol)
	VPAND(rare(0xff|0xff<<32), symbol, symbol)
	lookup(symbol, bytes, suspect)
	VPAND(x, suspect, suspect)
	VPSRAD(U8(31), suspect, suspect)
	VPOR(suspect, absent, absent)
	VPANDN(n, suspect, n)
	JMP(LabelRef("known"))
}

// copyText copies as many bytes of each of eight rows as the longest needs, 8, 16,
// 32, 64 or 128, without a branch: what is too much is written over by the next
// row. What is more comes afterwards. Rows that are elsewhere than in src are
// copied one by one.
func copyText() {
	TEXT("copyTextAVX2", NOSPLIT, "func(b *uintptr) (done int)")
	Pragma("noescape")
	Doc("copyTextAVX2 copies rows until one that ends within 128 bytes of the end of src or of decoded, and gives how many. It needs AVX2.")
	b := Load(Param("b"), GP64())
	field := fieldsOf(b)
	src, from, offsets, data, rows := field(textSrc), field(textFrom), field(textOffsets), field(textData), field(textRows)
	// By the top bit of a place: what is added to it, and the last end.
	places := AllocLocal(32)
	limit := YMM()
	{
		MOVQ(src, places)
		MOVQ(field(textDecoded), places.Offset(8))
		length := field(textLength)
		SUBQ(I32(copySlack), length)
		MOVQ(length, places.Offset(16))
		VMOVD(length.As32(), limit.AsX())
		VPBROADCASTD(limit.AsX(), limit)
		length = field(textDecodedLength)
		SUBQ(I32(copySlack), length)
		MOVQ(length, places.Offset(24))
	}
	i, last, one := GP64(), GP64(), GP64()
	XORQ(i, i)
	widths := []int{8, 16, 32, 64, 128}
	longer := map[int]reg.VecVirtual{}
	for _, n := range widths {
		longer[n] = YMM()
		VMOVDQU(rare(uint64(n)|uint64(n)<<32), longer[n])
	}
	s, n, x := YMM(), YMM(), YMM()
	r := GP32()

	Label("group")
	LEAQ(Mem{Base: i, Disp: groupRows}, last)
	CMPQ(last, rows)
	JG(LabelRef("rest"))
	VMOVDQU(Mem{Base: from, Index: i, Scale: 4}, s)
	VPCMPGTD(limit, s, x)
	VPOR(s, x, x)
	VMOVMSKPS(x, r)
	VMOVDQU(Mem{Base: offsets, Index: i, Scale: 4, Disp: 4}, n)
	VPSUBD(Mem{Base: offsets, Index: i, Scale: 4}, n, n)
	TESTL(r, r)
	JNZ(LabelRef("row"))
	for _, w := range widths {
		VPCMPGTD(longer[w], n, x)
		VMOVMSKPS(x, r)
		if w < widths[len(widths)-1] {
			TESTL(r, r)
			JZ(LabelRef(fmt.Sprint("copy", w)))
		}
	}
	for k := range widths {
		w := widths[len(widths)-1-k]
		if k > 0 {
			Label(fmt.Sprint("copy", w))
		}
		for j := range groupRows {
			place, at := GP64(), GP64()
			MOVL(Mem{Base: from, Index: i, Scale: 4, Disp: 4 * j}, place.As32())
			MOVL(Mem{Base: offsets, Index: i, Scale: 4, Disp: 4 * j}, at.As32())
			copyBytes(w, Mem{Base: src, Index: place, Scale: 1}, Mem{Base: data, Index: at, Scale: 1})
			if j == 0 && w <= 16 {
				PREFETCHT0(Mem{Base: data, Index: at, Scale: 1, Disp: ahead})
			}
		}
		if k == 0 {
			TESTL(r, r)
			JNZ(LabelRef("tails"))
		}
		MOVQ(last, i)
		JMP(LabelRef("group"))
	}

	// What is left of rows that are longer, and no more.
	Label("tails")
	{
		row, place, at, left := GP64(), GP64(), GP64(), GP64()
		TZCNTL(r, row.As32())
		BLSRL(r, r)
		ADDQ(i, row)
		MOVL(Mem{Base: from, Index: row, Scale: 4}, place.As32())
		MOVL(Mem{Base: offsets, Index: row, Scale: 4}, at.As32())
		MOVL(Mem{Base: offsets, Index: row, Scale: 4, Disp: 4}, left.As32())
		SUBQ(at, left)
		ADDQ(src, place)
		ADDQ(data, at)
		SUBQ(U8(64), left)
		Label("tail")
		ADDQ(U8(64), place)
		ADDQ(U8(64), at)
		SUBQ(U8(64), left)
		copyBytes(64, Mem{Base: place}, Mem{Base: at})
		CMPQ(left, U8(64))
		JG(LabelRef("tail"))
		copyBytes(64, Mem{Base: place, Index: left, Scale: 1}, Mem{Base: at, Index: left, Scale: 1})
		TESTL(r, r)
		JNZ(LabelRef("tails"))
		MOVQ(last, i)
		JMP(LabelRef("group"))
	}

	Label("rest")
	MOVQ(rows, last)
	CMPQ(i, last)
	JGE(LabelRef("done"))
	Label("row")
	place, at, length, which := GP64(), GP64(), GP64(), GP64()
	MOVL(Mem{Base: from, Index: i, Scale: 4}, place.As32())
	MOVL(Mem{Base: offsets, Index: i, Scale: 4}, at.As32())
	MOVL(Mem{Base: offsets, Index: i, Scale: 4, Disp: 4}, length.As32())
	SUBQ(at, length)
	MOVL(place.As32(), which.As32())
	SHRL(U8(31), which.As32())
	ANDL(U32(0x7fffffff), place.As32())
	LEAQ(Mem{Base: place, Index: length, Scale: 1}, one)
	CMPQ(one, places.Offset(16).Idx(which, 8))
	JG(LabelRef("done"))
	ADDQ(places.Idx(which, 8), place)
	ADDQ(data, at)
	Label("more")
	copyBytes(64, Mem{Base: place}, Mem{Base: at})
	ADDQ(U8(64), place)
	ADDQ(U8(64), at)
	SUBQ(U8(64), length)
	JG(LabelRef("more"))
	INCQ(i)
	CMPQ(i, last)
	JL(LabelRef("row"))
	JMP(LabelRef("group"))

	Label("done")
	Store(i, ReturnIndex(0))
	VZEROUPPER()
	RET()
}

// copyBytes copies 8 bytes, 16, or a multiple of 32.
func copyBytes(n int, from, to Mem) {
	if n == 8 {
		x := GP64()
		MOVQ(from, x)
		MOVQ(x, to)
		return
	}
	if n == 16 {
		x := XMM()
		VMOVDQU(from, x)
		VMOVDQU(x, to)
		return
	}
	for i := 0; i < n; i += 32 {
		y := YMM()
		VMOVDQU(from.Offset(i), y)
		VMOVDQU(y, to.Offset(i))
	}
}

// copySlack is how much too much is read and written.
const copySlack = 128

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
