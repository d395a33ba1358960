package main

import (
	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/ir"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// findSigns: blocks get masks of four symbols, with AVX-512 of five, row after row, as
// pairing.signsOf has it.
func findSigns(v isa) {
	n := 4
	if v.wide() {
		n = 5
	}
	name := "findSigns" + v.name
	TEXT(name, NOSPLIT, "func(dst *uint64, src *byte, start, end *uint32, rows int, signs *byte)")
	Pragma("noescape")
	Doc(name + " is pairing.signsOf for at least one row. It needs " + v.name + ".")
	dst, src := Load(Param("dst"), GP64()), Load(Param("src"), GP64())
	start, end := Load(Param("start"), GP64()), Load(Param("end"), GP64())
	rows, signs := Load(Param("rows"), GP64()), Load(Param("signs"), GP64())
	sign := make([]reg.VecVirtual, n)
	for i := range sign {
		sign[i] = v.reg()
		VPBROADCASTB(Mem{Base: signs, Disp: i}, sign[i])
	}
	Label("row")
	s, size := GP64(), GP64()
	MOVL(Mem{Base: start}, s.As32())
	MOVL(Mem{Base: end}, size.As32())
	SUBL(s.As32(), size.As32())
	SHRL(U8(6), size.As32())
	Label("block")
	at := Mem{Base: src, Index: s, Scale: 1}
	if v.wide() {
		text := ZMM()
		VMOVDQU64(at, text)
		for i := range sign {
			found, m := K(), GP64()
			VPCMPEQB(text, sign[i], found)
			KMOVQ(found, m)
			MOVQ(m, Mem{Base: dst, Disp: pairMasks + 8*i})
		}
	} else {
		low, high := YMM(), YMM()
		VMOVDQU(at, low)
		VMOVDQU(at.Offset(32), high)
		for i := range sign {
			a, b := YMM(), YMM()
			VPCMPEQB(low, sign[i], a)
			VPCMPEQB(high, sign[i], b)
			m, h := GP64(), GP64()
			VPMOVMSKB(a, m.As32())
			VPMOVMSKB(b, h.As32())
			SHLQ(U8(32), h)
			ORQ(h, m)
			MOVQ(m, Mem{Base: dst, Disp: pairMasks + 8*i})
		}
	}
	MOVL(s.As32(), Mem{Base: dst, Disp: pairBase})
	ADDL(U8(64), s.As32())
	ADDQ(U8(pairSize), dst)
	DECL(size.As32())
	JGE(LabelRef("block"))
	ADDQ(U8(4), start)
	ADDQ(U8(4), end)
	DECQ(rows)
	JNZ(LabelRef("row"))
	VZEROUPPER()
	RET()
}

// listPairs: the places of the bits of the four masks of each block become lists.
func listPairs() {
	TEXT("listPairsAVX512", NOSPLIT, "func(b *uint64, nblocks int, keyStart, keyEnd, valueStart, valueEnd *uint32)")
	Pragma("noescape")
	Doc("listPairsAVX512 is the loop of pairing.list for at least one block. It needs AVX-512 with VBMI2, and room for 64 places more in each list.")
	b, n := Load(Param("b"), GP64()), Load(Param("nblocks"), GP64())
	var to [4]reg.Register
	for i, name := range []string{"keyStart", "keyEnd", "valueStart", "valueEnd"} {
		to[i] = Load(Param(name), GP64())
	}
	iota := ZMM()
	VMOVDQU64(bytesInOrder(), iota)
	Label("block")
	base := ZMM()
	VPBROADCASTD(Mem{Base: b, Disp: pairBase}, base)
	for i := range to {
		mask, count := GP64(), GP64()
		MOVQ(Mem{Base: b, Disp: pairMasks + 8*i}, mask)
		POPCNTQ(mask, count)
		packed := packBytes(iota, mask)
		write := func(k int, from reg.VecVirtual) {
			wide := ZMM()
			VPMOVZXBD(from.AsX(), wide)
			VPADDD(base, wide, wide)
			VMOVDQU32(wide, Mem{Base: to[i], Disp: 64 * k})
		}
		done := "done" + string(rune('0'+i))
		write(0, packed)
		CMPQ(count, U8(16))
		JBE(LabelRef(done))
		for k := 1; k < 4; k++ {
			part := ZMM()
			VEXTRACTI32X4(U8(k), packed, part.AsX())
			write(k, part)
		}
		Label(done)
		LEAQ(Mem{Base: to[i], Index: count, Scale: 4}, to[i])
	}
	ADDQ(U8(pairSize), b)
	DECQ(n)
	JNZ(LabelRef("block"))
	VZEROUPPER()
	RET()
}

// packBytes is the bytes of from that mask has, side by side, and zeros behind them.
func packBytes(from reg.VecVirtual, mask reg.GPVirtual) reg.VecVirtual {
	kept, packed := K(), ZMM()
	KMOVQ(mask, kept)
	// avo does not know the instruction.
	Instruction(&ir.Instruction{
		Opcode: "VPCOMPRESSB", Suffixes: []string{"Z"}, ISA: []string{"AVX512VBMI2"},
		Operands: []Op{from, kept, packed}, Inputs: []Op{from, kept}, Outputs: []Op{packed},
	})
	return packed
}

// packPairs: the symbols of keys, and those of values, are put side by side, and where each ends.
//
//	symbols        type=A msg=b
//	in keys        1111..|111..
//	ends           ....1.|...1.     at the sign behind each
//	both packed    1111e111e        place less the ends before it: 4, 7
func packPairs() {
	TEXT("packPairsAVX512", NOSPLIT, "func(b *uint64, nblocks int, src *byte, t *uintptr)")
	Pragma("noescape")
	Doc("packPairsAVX512 is the loop of pairing.pack for at least one block. It needs AVX-512 with VBMI2, and room for 64 bytes and 32 ends more of each kind.")
	b, n := Load(Param("b"), GP64()), Load(Param("nblocks"), GP64())
	src, t := Load(Param("src"), GP64()), Load(Param("t"), GP64())
	field := func(disp int) reg.GPVirtual {
		r := GP64()
		MOVQ(Mem{Base: t, Disp: disp}, r)
		return r
	}
	data := []reg.GPVirtual{field(packedKeys), field(packedValues)}
	ends := []reg.GPVirtual{field(packedKeyEnds), field(packedValueEnds)}
	var at, open [2]reg.GPVirtual
	for i, disp := range []int{packedKeysAt, packedValuesAt} {
		at[i], open[i] = field(disp), GP64()
		XORQ(open[i], open[i])
	}
	iota, counted, more := ZMM(), ZMM(), ZMM()
	VMOVDQU64(bytesInOrder(), iota)
	VPMOVZXBD(iota.AsX(), counted)
	VEXTRACTI32X4(U8(1), iota, more.AsX())
	VPMOVZXBD(more.AsX(), more)
	Label("block")
	base := GP64()
	MOVL(Mem{Base: b, Disp: pairBase}, base.As32())
	text := ZMM()
	VMOVDQU64(Mem{Base: src, Index: base, Scale: 1}, text)
	for i := range data {
		starts, end, in, both := GP64(), GP64(), GP64(), GP64()
		MOVQ(Mem{Base: b, Disp: pairMasks + 16*i}, starts)
		MOVQ(Mem{Base: b, Disp: pairMasks + 16*i + 8}, end)
		ANDQ(U8(1), open[i])
		ORQ(open[i], starts)
		MOVQ(end, in)
		SUBQ(starts, in)
		SBBQ(open[i], open[i])
		if i == 1 {
			leads := GP64()
			MOVQ(Mem{Base: b, Disp: pairLeads}, leads)
			ANDNQ(in, leads, in)
		}
		MOVQ(in, both)
		ORQ(end, both)
		first, count := ZMM(), GP64()
		VPBROADCASTD(at[i].As32(), first)
		PEXTQ(both, end, both)
		POPCNTQ(end, count)
		places := packBytes(iota, both)
		write := func(k int, from, less reg.VecVirtual) {
			wide := ZMM()
			VPMOVZXBD(from.AsX(), wide)
			VPSUBD(less, wide, wide)
			VPADDD(first, wide, wide)
			VMOVDQU32(wide, Mem{Base: ends[i], Disp: 64 * k})
		}
		done := "done" + string(rune('0'+i))
		write(0, places, counted)
		CMPQ(count, U8(16))
		JBE(LabelRef(done))
		VEXTRACTI32X4(U8(1), places, places.AsX())
		write(1, places, more)
		Label(done)
		LEAQ(Mem{Base: ends[i], Index: count, Scale: 4}, ends[i])
		VMOVDQU64(packBytes(text, in), Mem{Base: data[i], Index: at[i], Scale: 1})
		POPCNTQ(in, in)
		ADDQ(in, at[i])
	}
	ADDQ(U8(pairSize), b)
	DECQ(n)
	JNZ(LabelRef("block"))
	MOVQ(at[0], Mem{Base: t, Disp: packedKeysAt})
	MOVQ(at[1], Mem{Base: t, Disp: packedValuesAt})
	VZEROUPPER()
	RET()
}

// bytesInOrder is 0 to 63.
func bytesInOrder() Mem {
	if inOrder == nil {
		m := GLOBL("bytesInOrder", rodata)
		for i := range 64 {
			DATA(i, U8(i))
		}
		inOrder = &m
	}
	return *inOrder
}

var inOrder *Mem
