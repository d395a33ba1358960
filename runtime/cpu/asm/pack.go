package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// packs generates the functions that move values up to where there are none any more, for values of 4, 8 and 16 bytes:
// sixteen rows at a time, of which a mask says which stay. A vector is written whole, never beyond the values it was
// read from.
func packs() {
	for _, width := range []int{4, 8, 16} {
		name := fmt.Sprintf("pack%dAVX512", 8*width)
		TEXT(name, NOSPLIT, "func(values *byte, stay *uint64, nrows int) int")
		Doc(name+" puts the values of rows that stay side by side, of nrows, a multiple of 16, and gives their number.",
			"It needs AVX-512F, BMI2 and POPCNT.")
		from, stay, left := Load(Param("values"), GP64()), Load(Param("stay"), GP64()), Load(Param("nrows"), GP64())
		to, begin := GP64(), GP64()
		MOVQ(from, to)
		MOVQ(from, begin)
		pairs := GP64()
		if width == 16 {
			MOVQ(U64(0x55555555), pairs)
		}
		SHRQ(U8(4), left)
		JZ(LabelRef("done"))
		Label("rows")
		mask := GP64()
		MOVWLZX(Mem{Base: stay}, mask.As32())
		lanes, nvectors := 16, 1
		switch width {
		case 8:
			lanes, nvectors = 8, 2
		case 16: // two lanes a value
			twice := GP64()
			PDEPQ(pairs, mask, mask)
			LEAQ(Mem{Base: mask, Index: mask, Scale: 1}, twice)
			ORQ(twice, mask)
			lanes, nvectors = 8, 4
		}
		var vectors []reg.VecVirtual
		for i := range nvectors { // all are read before one is written
			z := ZMM()
			VMOVDQU64(Mem{Base: from, Disp: 64 * i}, z)
			vectors = append(vectors, z)
		}
		for i, z := range vectors {
			part, k := GP64(), K()
			packed := ZMM()
			if lanes == 16 {
				MOVQ(mask, part)
				KMOVW(part.As32(), k)
				VPCOMPRESSD_Z(z, k, packed)
			} else {
				MOVBLZX(mask.As8(), part.As32())
				KMOVW(part.As32(), k)
				VPCOMPRESSQ_Z(z, k, packed)
			}
			POPCNTQ(part, part)
			VMOVDQU64(packed, Mem{Base: to})
			LEAQ(Mem{Base: to, Index: part, Scale: uint8(64 / lanes)}, to)
			if i < nvectors-1 {
				SHRQ(U8(8), mask)
			}
		}
		ADDQ(U8(2), stay)
		ADDQ(U32(64*nvectors), from)
		DECQ(left)
		JNZ(LabelRef("rows"))
		Label("done")
		SUBQ(begin, to)
		SHRQ(U8(map[int]int{4: 2, 8: 3, 16: 4}[width]), to)
		VZEROUPPER()
		Store(to, ReturnIndex(0))
		RET()
	}
}
