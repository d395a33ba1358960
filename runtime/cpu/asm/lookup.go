package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// lookUp: classes[i] gets the class of symbol src[i], by a table of those below
// 127; all others have that of 127. Eight blocks a turn.
func lookUp() {
	TEXT("lookUpAVX512", NOSPLIT, "func(classes, src *byte, nblocks int, table *byte) (present uint64)")
	Doc("lookUpAVX512 puts the classes of the symbols of src to classes, and gives the OR of them. nblocks is a multiple of 8. It needs AVX-512 with VBMI.")
	classes, src := Load(Param("classes"), GP64()), Load(Param("src"), GP64())
	n, table := Load(Param("nblocks"), GP64()), Load(Param("table"), GP64())
	low, high, top, present := ZMM(), ZMM(), ZMM(), ZMM()
	VMOVDQU64(Mem{Base: table}, low)
	VMOVDQU64(Mem{Base: table, Disp: 64}, high)
	limit := GP32()
	MOVL(U32(127), limit)
	VPBROADCASTB(limit, top)
	VPXORQ(present, present, present)

	Label("blocks")
	var x [8]reg.VecVirtual
	for i := range x {
		x[i] = ZMM()
		VPMINUB(Mem{Base: src, Disp: 64 * i}, top, x[i])
		VPERMI2B(high, low, x[i])
		VMOVDQU64(x[i], Mem{Base: classes, Disp: 64 * i})
		if i%2 != 0 {
			logic(present, x[i-1], x[i], func(d, a, b uint8) uint8 { return d | a | b })
		}
	}
	ADDQ(U32(512), src)
	ADDQ(U32(512), classes)
	SUBQ(U8(8), n)
	JA(LabelRef("blocks"))

	half, quarter, all, part := YMM(), XMM(), GP64(), GP64()
	VEXTRACTI64X4(U8(1), present, half)
	VPOR(half, present.AsY(), half)
	VEXTRACTI128(U8(1), half, quarter)
	VPOR(quarter, half.AsX(), quarter)
	VMOVQ(quarter, all)
	VPEXTRQ(U8(1), quarter, part)
	ORQ(part, all)
	for _, shift := range []uint8{32, 16, 8} {
		MOVQ(all, part)
		SHRQ(U8(shift), part)
		ORQ(part, all)
	}
	MOVBQZX(all.As8(), all)
	VZEROUPPER()
	Store(all, ReturnIndex(0))
	RET()
}

// test: masks get a bit for each symbol whose class has a bit of a key, the masks
// of one key after those of another.
func test() {
	TEXT("testAVX512", NOSPLIT, "func(masks *uint64, classes *byte, nblocks int, keys *byte, nkeys int)")
	Doc("testAVX512 gives each block a mask of the symbols whose class has a bit in common with a key, and puts the masks of a key 128 masks behind those of the last. nblocks is a multiple of 8. It needs AVX-512.")
	masks, classes := Load(Param("masks"), GP64()), Load(Param("classes"), GP64())
	n, keys, nkeys := Load(Param("nblocks"), GP64()), Load(Param("keys"), GP64()), Load(Param("nkeys"), GP64())
	Label("keys")
	key, src, dst, left := ZMM(), GP64(), GP64(), GP64()
	VPBROADCASTB(Mem{Base: keys}, key)
	MOVQ(classes, src)
	MOVQ(masks, dst)
	MOVQ(n, left)
	Label("blocks")
	for i := range 8 {
		k := K()
		VPTESTMB(Mem{Base: src, Disp: 64 * i}, key, k)
		KMOVQ(k, Mem{Base: dst, Disp: 8 * i})
	}
	ADDQ(U32(512), src)
	ADDQ(U8(64), dst)
	SUBQ(U8(8), left)
	JA(LabelRef("blocks"))
	ADDQ(U32(8*stripBlocks), masks)
	INCQ(keys)
	DECQ(nkeys)
	JNZ(LabelRef("keys"))
	VZEROUPPER()
	RET()
}

// logic is d = f(d, a, b), bit by bit.
func logic(d, a, b reg.VecVirtual, f func(d, a, b uint8) uint8) {
	VPTERNLOGQ(U8(f(0xF0, 0xCC, 0xAA)), b, a, d)
}
