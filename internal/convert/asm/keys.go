package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Keys of a row are compared with one another by their first and last four symbols and
// their sizes, a key a lane: VPCONFLICTD says which lanes are like one before. The symbols
// are looked up in the row's bytes, which lie side by side.
func distinctKeys() {
	TEXT("distinctKeysAVX512", NOSPLIT, "func(offsets, ends *int32, rows int, first int32, data *byte, size int) (done int)")
	Pragma("noescape")
	Doc("distinctKeysAVX512 counts the rows whose keys differ, up to one for which that is not certain, which has more than 16 or whose keys lie in more than 128 bytes: of those from the first key on 128 have to be there. It needs AVX-512 with VBMI.")
	offsets, ends, rows := Load(Param("offsets"), GP64()), Load(Param("ends"), GP64()), Load(Param("rows"), GP64())
	first := GP64()
	Load(Param("first"), first.As32())
	data, last := Load(Param("data"), GP64()), Load(Param("size"), GP64())
	SUBQ(U32(128), last)
	constant := func(q uint64) vec { return avx512.load(rare(q)) }
	spread := ZMM()
	VBROADCASTI32X4(table16("keysSpread", []byte{0, 0, 0, 0, 4, 4, 4, 4, 8, 8, 8, 8, 12, 12, 12, 12}), spread)
	inOrder, four, bits, factor := constant(0x03020100_03020100), constant(4|4<<32), constant(32|32<<32), constant(0x9e3779b1_9e3779b1)
	ones, all := ZMM(), GP64()
	VPTERNLOGD(U8(0xff), ones, ones, ones)
	MOVQ(U32(0xffff), all)
	i := GP64()
	XORQ(i, i)
	Label("row")
	CMPQ(i, rows)
	JGE(LabelRef("done"))
	end, n := GP64(), GP64()
	MOVL(Mem{Base: ends, Index: i, Scale: 4}, end.As32())
	MOVL(end.As32(), n.As32())
	SUBL(first.As32(), n.As32())
	CMPL(n.As32(), U32(16))
	JA(LabelRef("done"))
	from, to := GP64(), GP64()
	MOVL(Mem{Base: offsets, Index: first, Scale: 4}, from.As32())
	MOVL(Mem{Base: offsets, Index: end, Scale: 4}, to.As32())
	SUBL(from.As32(), to.As32())
	CMPL(to.As32(), U32(128))
	JA(LabelRef("done"))
	CMPQ(from, last)
	JG(LabelRef("done"))

	keys, mask := K(), GP64()
	BZHIQ(n, all, mask)
	KMOVW(mask.As32(), keys)
	at, size, base := ZMM(), ZMM(), ZMM()
	VPBROADCASTD(from.As32(), base)
	VMOVDQU32_Z(Mem{Base: offsets, Index: first, Scale: 4}, keys, at)
	VMOVDQU32_Z(Mem{Base: offsets, Index: first, Scale: 4, Disp: 4}, keys, size)
	VPSUBD(at, size, size)
	VPSUBD(base, at, at)
	behind := ZMM()
	VPADDD(size, at, behind)
	VPSUBD(four, behind, behind)
	VPMAXSD(at, behind, behind)
	low, high := ZMM(), ZMM()
	row := Mem{Base: data, Index: from, Scale: 1}
	VMOVDQU64(row, low)
	VMOVDQU64(row.Offset(64), high)
	short, has := ZMM(), ZMM()
	VPMINUD(four, size, short)
	VPSLLD(U8(3), short, short)
	VPSUBD(short, bits, short)
	VPSRLVD(short, ones, has)
	symbols := func(at reg.VecVirtual) reg.VecVirtual {
		VPSHUFB(spread, at, at)
		VPADDB(inOrder, at, at)
		VPERMI2B(high, low, at)
		VPANDD(has, at, at)
		return at
	}
	head, tail := symbols(at), symbols(behind)
	VPMULLD(factor, head, head)
	VPADDD(tail, head, head)
	VPADDD(size, head, head)
	alike, twice := ZMM(), K()
	VPCONFLICTD_Z(head, keys, alike)
	VPTESTMD(alike, alike, twice)
	KORTESTW(twice, twice)
	JNZ(LabelRef("done"))
	MOVL(end.As32(), first.As32())
	INCQ(i)
	JMP(LabelRef("row"))
	Label("done")
	VZEROUPPER()
	Store(i, ReturnIndex(0))
	RET()
}
