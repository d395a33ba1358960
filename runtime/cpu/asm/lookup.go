package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// lookUp: symbols are looked up in a table of the classes of those below 127; all
// others have that of 127. Each block gets a mask for each key, of the symbols
// whose class has a bit in common with it. Eight blocks a turn. That is quicker
// than memory, which works evenly only if it is asked early: for what comes three
// strips later here, into the second-level cache, and for the next strip when ends
// are found.
func lookUp() {
	TEXT("lookUpAVX512", NOSPLIT, "func(masks *uint64, src *byte, nblocks int, table, keys *byte, nkeys int) (present uint64)")
	Doc("lookUpAVX512 gives the blocks of src masks of the symbols whose class has a bit in common with a key, those of a key one strip behind those of the last, and the OR of all classes. nblocks is a multiple of 8. It needs AVX-512 with VBMI.")
	masks, src := Load(Param("masks"), GP64()), Load(Param("src"), GP64())
	n, table := Load(Param("nblocks"), GP64()), Load(Param("table"), GP64())
	keys, end := Load(Param("keys"), GP64()), Load(Param("nkeys"), GP64())
	ADDQ(keys, end)
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
		PREFETCHT1(Mem{Base: src, Disp: 3*64*stripBlocks + 64*i})
		VPMINUB(Mem{Base: src, Disp: 64 * i}, top, x[i])
		VPERMI2B(high, low, x[i])
		if i%2 != 0 {
			logic(present, x[i-1], x[i], func(d, a, b uint8) uint8 { return d | a | b })
		}
	}
	at, dst := GP64(), GP64()
	MOVQ(keys, at)
	MOVQ(masks, dst)
	CMPQ(at, end)
	JE(LabelRef("next"))
	Label("key")
	key := ZMM()
	VPBROADCASTB(Mem{Base: at}, key)
	for i := range x {
		k := K()
		VPTESTMB(x[i], key, k)
		KMOVQ(k, Mem{Base: dst, Disp: 8 * i})
	}
	ADDQ(U32(8*stripBlocks), dst)
	INCQ(at)
	CMPQ(at, end)
	JB(LabelRef("key"))
	Label("next")
	ADDQ(U32(512), src)
	ADDQ(U8(64), masks)
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
