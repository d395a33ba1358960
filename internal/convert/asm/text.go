package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// copyText copies as many bytes of each of eight rows as the longest needs, 8, 16,
// 32, 64 or 128, without a branch: what is too much is written over by the next
// row. What is more comes afterwards. Rows that are elsewhere than in src are
// copied one by one.
func copyText() {
	TEXT("copyTextAVX2", NOSPLIT, "func(b *uintptr) (done int)")
	Pragma("noescape")
	Doc("copyTextAVX2 copies rows until one that ends within 128 bytes of the end of src or of decoded, and gives how many. It sets any if one may begin inside a UTF-8 sequence. It needs AVX2.")
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
	i, last := GP64(), GP64()
	XORQ(i, i)
	widths := []int{8, 16, 32, 64, 128}
	longer := map[int]reg.VecVirtual{}
	for _, n := range widths {
		longer[n] = YMM()
		VMOVDQU(rare(uint64(n)|uint64(n)<<32), longer[n])
	}
	s, n, x := YMM(), YMM(), YMM()
	r := GP32()
	first := XMM() // lane 0: the least of the rows' first bytes, signed
	VPXOR(first, first, first)

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
			begin := copyBytes(w, Mem{Base: src, Index: place, Scale: 1}, Mem{Base: data, Index: at, Scale: 1})
			VPMINSB(begin, first, first)
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
		BSFL(r, row.As32())
		BTRL(row.As32(), r)
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
	place, at, length, which, to := GP64(), GP64(), GP64(), GP64(), GP64()
	MOVL(Mem{Base: from, Index: i, Scale: 4}, place.As32())
	MOVL(Mem{Base: offsets, Index: i, Scale: 4}, at.As32())
	MOVL(Mem{Base: offsets, Index: i, Scale: 4, Disp: 4}, length.As32())
	SUBQ(at, length)
	address(place, length, which, to, places)
	ADDQ(data, at)
	VPMINSB(Mem{Base: place}, first, first)
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
	VMOVD(first, r)
	MOVBLSX(r.As8(), r)
	CMPL(r, I8(-64)) // what is below continues a sequence
	JGE(LabelRef("apart"))
	ORL(U8(1), Mem{Base: Load(Param("b"), GP64()), Disp: textAny})
	Label("apart")
	Store(i, ReturnIndex(0))
	VZEROUPPER()
	RET()
}

// copyBytes copies 8 bytes, 16, or a multiple of 32, and gives the register that has the first.
func copyBytes(n int, from, to Mem) (first reg.Register) {
	x := XMM()
	switch n {
	case 8:
		VMOVQ(from, x)
		VMOVQ(x, to)
		return x
	case 16:
		VMOVDQU(from, x)
		VMOVDQU(x, to)
		return x
	}
	for i := n - 32; i >= 0; i -= 32 {
		VMOVDQU(from.Offset(i), x.AsY())
		VMOVDQU(x.AsY(), to.Offset(i))
	}
	return x
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

// address makes a place, of a field of n bytes, the address of the field: places
// has src, decoded and how far they may be read. It leaves the loop where the
// field ends beyond. It needs two registers more.
func address(place, n, which, to reg.GPVirtual, places Mem) {
	MOVL(place.As32(), which.As32())
	SHRL(U8(31), which.As32())
	ANDL(U32(0x7fffffff), place.As32())
	LEAQ(Mem{Base: place, Index: n, Scale: 1}, to)
	CMPQ(to, places.Offset(16).Idx(which, 8))
	JG(LabelRef("done"))
	ADDQ(places.Idx(which, 8), place)
}
