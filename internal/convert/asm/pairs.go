package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/ir"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// signsAhead is how far before its signs are looked for a symbol is asked for, about a batch of rows.
const signsAhead = 16 << 10

// findSigns: blocks get masks of n symbols, row after row, as pairBlocks.find has it.
func findSigns(v isa, n int) {
	name := fmt.Sprintf("find%dSigns%s", n, v.name)
	TEXT(name, NOSPLIT, "func(b *uint64, src *byte, start, end *uint32, rows int, signs *byte)")
	Pragma("noescape")
	Doc(name + " is pairBlocks.find for at least one row. It needs " + v.name + ".")
	b, src := Load(Param("b"), GP64()), Load(Param("src"), GP64())
	start, end := Load(Param("start"), GP64()), Load(Param("end"), GP64())
	rows, signs := Load(Param("rows"), GP64()), Load(Param("signs"), GP64())
	sign := make([]reg.VecVirtual, n)
	for i := range sign {
		sign[i] = v.reg()
		VPBROADCASTB(Mem{Base: signs, Disp: i}, sign[i])
	}
	eachBlock(b, src, start, end, rows, func(at Mem) {
		if v.wide() {
			text := ZMM()
			VMOVDQU64(at, text)
			PREFETCHT1(at.Offset(signsAhead))
			for i := range sign {
				k, m := K(), GP64()
				VPCMPEQB(text, sign[i], k)
				KMOVQ(k, m)
				MOVQ(m, Mem{Base: b, Disp: pairSigns + blockColumn*i})
			}
			return
		}
		low, high := YMM(), YMM()
		VMOVDQU(at, low)
		VMOVDQU(at.Offset(32), high)
		for i := range sign {
			first, second := YMM(), YMM()
			VPCMPEQB(low, sign[i], first)
			VPCMPEQB(high, sign[i], second)
			m, h := GP64(), GP64()
			VPMOVMSKB(first, m.As32())
			VPMOVMSKB(second, h.As32())
			SHLQ(U8(32), h)
			ORQ(h, m)
			MOVQ(m, Mem{Base: b, Disp: pairSigns + blockColumn*i})
		}
	})
}

// eachBlock is code for each block of rows: look looks at its symbols. What stands behind a row, and where the block's
// symbols lie, is written too.
func eachBlock(b, src, start, end, rows reg.Register, look func(at Mem)) {
	Label("row")
	s, size, behind := GP64(), GP64(), GP64()
	MOVL(Mem{Base: start}, s.As32())
	MOVL(Mem{Base: end}, size.As32())
	SUBL(s.As32(), size.As32())
	MOVQ(size, reg.RCX)
	MOVQ(U32(1), behind)
	SHLQ(reg.CL, behind)
	SHRL(U8(6), size.As32())
	Label("block")
	found := GP64()
	XORQ(found, found)
	SUBL(U8(1), size.As32())
	SBBQ(found, found)
	ANDQ(behind, found)
	MOVQ(found, Mem{Base: b, Disp: pairBehind})
	look(Mem{Base: src, Index: s, Scale: 1})
	MOVQ(s, Mem{Base: b, Disp: pairBase})
	ADDQ(U8(64), s)
	ADDQ(U8(8), b)
	TESTQ(found, found)
	JZ(LabelRef("block"))
	ADDQ(U8(4), start)
	ADDQ(U8(4), end)
	DECQ(rows)
	JNZ(LabelRef("row"))
	VZEROUPPER()
	RET()
}

// findKinds: blocks get masks of eight kinds of symbols, row after row, as members.findKinds has it.
func findKinds() {
	TEXT("findKindsAVX512", NOSPLIT, "func(b *uint64, src *byte, start, end *uint32, rows int, kinds *[256]uint8)")
	Pragma("noescape")
	Doc("findKindsAVX512 is members.findKinds for at least one row. Symbols beyond ASCII are of the same kinds. It needs AVX-512 with VBMI.")
	b, src := Load(Param("b"), GP64()), Load(Param("src"), GP64())
	start, end := Load(Param("start"), GP64()), Load(Param("end"), GP64())
	rows, kinds := Load(Param("rows"), GP64()), Load(Param("kinds"), GP64())
	low, high, beyond := ZMM(), ZMM(), ZMM()
	VMOVDQU64(Mem{Base: kinds}, low)
	VMOVDQU64(Mem{Base: kinds, Disp: 64}, high)
	VPBROADCASTB(Mem{Base: kinds, Disp: 128}, beyond)
	var kind [8]reg.VecVirtual
	for i := range kind {
		kind[i] = ZMM()
		VPBROADCASTQ(repeated(1<<i), kind[i])
	}
	eachBlock(b, src, start, end, rows, func(at Mem) {
		text, of, isBeyond := ZMM(), ZMM(), K()
		VMOVDQU64(at, text)
		PREFETCHT1(at.Offset(signsAhead))
		VPMOVB2M(text, isBeyond)
		VMOVDQA64(text, of)
		VPERMI2B(high, low, of)
		VMOVDQU8(beyond, isBeyond, of)
		for i := range kind {
			k := K()
			VPTESTMB(kind[i], of, k)
			to := pairSigns + blockColumn*i
			if i >= 6 {
				to = pairOuter + blockColumn*(i-6)
			}
			KMOVQ(k, Mem{Base: b, Disp: to})
		}
	})
}

// blockColumn is how far the same masks of one kind and the next one are apart.
const blockColumn = 8 * blockRoom

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
		MOVQ(Mem{Base: b, Disp: pairPlaces + blockColumn*i}, mask)
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
	ADDQ(U8(8), b)
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
		MOVQ(Mem{Base: b, Disp: pairPlaces + blockColumn*2*i}, starts)
		MOVQ(Mem{Base: b, Disp: pairPlaces + blockColumn*(2*i+1)}, end)
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
		write := func(less, all, wide Op, disp int) {
			VPMOVZXBD(places.AsX(), wide)
			VPSUBD(less, wide, wide)
			VPADDD(all, wide, wide)
			VMOVDQU32(wide, Mem{Base: ends[i], Disp: disp})
		}
		done := "done" + string(rune('0'+i))
		write(counted.AsY(), first.AsY(), YMM(), 0)
		CMPQ(count, U8(8))
		JBE(LabelRef(done))
		write(counted, first, ZMM(), 0)
		CMPQ(count, U8(16))
		JBE(LabelRef(done))
		VEXTRACTI32X4(U8(1), places, places.AsX())
		write(more, first, ZMM(), 64)
		Label(done)
		LEAQ(Mem{Base: ends[i], Index: count, Scale: 4}, ends[i])
		VMOVDQU64(packBytes(text, in), Mem{Base: data[i], Index: at[i], Scale: 1})
		POPCNTQ(in, in)
		ADDQ(in, at[i])
	}
	ADDQ(U8(8), b)
	DECQ(n)
	JNZ(LabelRef("block"))
	MOVQ(at[0], Mem{Base: t, Disp: packedKeysAt})
	MOVQ(at[1], Mem{Base: t, Disp: packedValuesAt})
	VZEROUPPER()
	RET()
}

// packOuters: the outer keys of a nesting are put side by side as keys are by packPairs. How many pairs come before each
// is found likewise: among the places where keys or outer keys begin, that of an outer key less the outer keys before it.
func packOuters() {
	TEXT("packOutersAVX512", NOSPLIT, "func(b *uint64, nblocks int, src *byte, t *uintptr)")
	Pragma("noescape")
	Doc("packOutersAVX512 packs the outer keys of at least one block, in place of keys, and writes how many pairs come before each in place of the ends of values. It needs AVX-512 with VBMI, and room for 64 bytes and 32 numbers more of each kind.")
	b, n := Load(Param("b"), GP64()), Load(Param("nblocks"), GP64())
	src, t := Load(Param("src"), GP64()), Load(Param("t"), GP64())
	field := fieldsOf(t)
	data, ends, before := field(packedKeys), field(packedKeyEnds), field(packedValueEnds)
	at, pairs, open := field(packedKeysAt), field(packedValuesAt), GP64()
	XORQ(open, open)
	iota, counted, more := ZMM(), ZMM(), ZMM()
	VMOVDQU64(bytesInOrder(), iota)
	VPMOVZXBD(iota.AsX(), counted)
	VEXTRACTI32X4(U8(1), iota, more.AsX())
	VPMOVZXBD(more.AsX(), more)
	// write writes where the bits of which are among those of all, less the bits of it before them, and first.
	write := func(all, which, first, to reg.GPVirtual, label string) {
		base, count := ZMM(), GP64()
		VPBROADCASTD(first.As32(), base)
		PEXTQ(all, which, all)
		POPCNTQ(which, count)
		places := packBytes(iota, all)
		some := func(less, base, wide Op, disp int) {
			VPMOVZXBD(places.AsX(), wide)
			VPSUBD(less, wide, wide)
			VPADDD(base, wide, wide)
			VMOVDQU32(wide, Mem{Base: to, Disp: disp})
		}
		some(counted.AsY(), base.AsY(), YMM(), 0)
		CMPQ(count, U8(8))
		JBE(LabelRef(label))
		some(counted, base, ZMM(), 0)
		VEXTRACTI32X4(U8(1), places, places.AsX())
		some(more, base, ZMM(), 64)
		Label(label)
		LEAQ(Mem{Base: to, Index: count, Scale: 4}, to)
	}
	Label("block")
	base, text := GP64(), ZMM()
	MOVL(Mem{Base: b, Disp: pairBase}, base.As32())
	VMOVDQU64(Mem{Base: src, Index: base, Scale: 1}, text)
	starts, end, keys, all := GP64(), GP64(), GP64(), GP64()
	MOVQ(Mem{Base: b, Disp: pairOuter}, starts)
	MOVQ(Mem{Base: b, Disp: pairPlaces}, keys)
	MOVQ(keys, all)
	ORQ(starts, all)
	write(all, starts, pairs, before, "counted")
	POPCNTQ(keys, keys)
	ADDQ(keys, pairs)

	MOVQ(Mem{Base: b, Disp: pairOuter + blockColumn}, end)
	ANDQ(U8(1), open)
	ORQ(open, starts)
	in, both := GP64(), GP64()
	MOVQ(end, in)
	SUBQ(starts, in)
	SBBQ(open, open)
	MOVQ(in, both)
	ORQ(end, both)
	write(both, end, at, ends, "ended")
	VMOVDQU64(packBytes(text, in), Mem{Base: data, Index: at, Scale: 1})
	POPCNTQ(in, in)
	ADDQ(in, at)
	ADDQ(U8(8), b)
	DECQ(n)
	JNZ(LabelRef("block"))
	MOVQ(at, Mem{Base: t, Disp: packedKeysAt})
	VZEROUPPER()
	RET()
}

// packPairsByTexts: the same, text by text, some at once whether or not there are so many.
func packPairsByTexts() {
	const name = "packPairsAVX2"
	TEXT(name, NOSPLIT, "func(b *uint64, nblocks int, src *byte, t *uintptr, last uint64) (done int)")
	Pragma("noescape")
	Doc(name + " is the loop of pairing.pack for blocks, at least one, before the first one with leads or that begins behind last, and gives how many these are. It needs AVX2, BMI1 and POPCNT, 128 bytes of src from last on, and room for 128 bytes and 32 ends more of each kind.")
	b, t, end := Load(Param("b"), GP64()), Load(Param("t"), GP64()), GP64()
	left := param("nblocks") // where the blocks end, from now on
	MOVQ(left, end)
	LEAQ(Mem{Base: b, Index: end, Scale: 8}, end)
	MOVQ(end, left)
	Label("block")
	text := GP64()
	MOVQ(Mem{Base: b, Disp: pairBase}, text)
	CMPQ(text, param("last"))
	JA(LabelRef("done"))
	CMPQ(Mem{Base: b, Disp: pairLeads}, U8(0))
	JNE(LabelRef("done"))
	ADDQ(param("src"), text)
	for i, kind := range []struct{ data, ends, at, open int }{
		{packedKeys, packedKeyEnds, packedKeysAt, packedKeyOpen},
		{packedValues, packedValueEnds, packedValuesAt, packedValueOpen},
	} {
		suffix := string(rune('0' + i))
		data, at, to := GP64(), GP64(), GP64()
		MOVQ(Mem{Base: t, Disp: kind.data}, data)
		MOVQ(Mem{Base: t, Disp: kind.at}, at)
		MOVQ(Mem{Base: t, Disp: kind.ends}, to)
		starts, ends, count, begun := GP64(), GP64(), GP64(), GP64()
		MOVQ(Mem{Base: b, Disp: pairPlaces + blockColumn*2*i}, starts)
		MOVQ(Mem{Base: b, Disp: pairPlaces + blockColumn*(2*i+1)}, ends)
		ORQ(Mem{Base: t, Disp: kind.open}, starts)
		POPCNTQ(starts, begun)
		POPCNTQ(ends, count)
		SUBQ(count, begun)
		MOVQ(begun, Mem{Base: t, Disp: kind.open})
		LEAQ(Mem{Base: to, Index: count, Scale: 4}, count)
		MOVQ(count, Mem{Base: t, Disp: kind.ends})
		Label("texts" + suffix)
		for k := range 4 {
			from, size, x := GP64(), GP64(), YMM()
			TZCNTQ(starts, from)
			BLSRQ(starts, starts)
			TZCNTQ(ends, size)
			BLSRQ(ends, ends)
			SUBQ(from, size)
			VMOVDQU(Mem{Base: text, Index: from, Scale: 1}, x)
			VMOVDQU(x, Mem{Base: data, Index: at, Scale: 1})
			CMPQ(size, U8(32))
			short := fmt.Sprintf("short%d%d", i, k)
			JBE(LabelRef(short))
			VMOVDQU(Mem{Base: text, Index: from, Scale: 1, Disp: 32}, x)
			VMOVDQU(x, Mem{Base: data, Index: at, Scale: 1, Disp: 32})
			Label(short)
			ADDQ(size, at)
			MOVL(at.As32(), Mem{Base: to, Disp: 4 * k})
		}
		ADDQ(U8(16), to)
		more := GP64()
		MOVQ(starts, more)
		ORQ(ends, more)
		JNZ(LabelRef("texts" + suffix))
		MOVQ(at, Mem{Base: t, Disp: kind.at})
	}
	ADDQ(U8(8), b)
	CMPQ(b, left)
	JNE(LabelRef("block"))
	Label("done")
	VZEROUPPER()
	first := Load(Param("b"), GP64())
	SUBQ(first, b)
	SHRQ(U8(3), b)
	Store(b, ReturnIndex(0))
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
