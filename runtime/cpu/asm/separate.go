package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

// separate takes fields of up to 64 symbols apart, a field a turn, by a mask of
// the separator.
func separate(wide bool) {
	name, needs := "separateAVX512", "AVX-512 with VBMI2"
	if !wide {
		name, needs = "separateAVX2", "AVX2 and BMI2"
	}
	TEXT(name, NOSPLIT, "func(parts *uintptr, nparts int, src *byte, start, end *uint32, nrows int, separator uint64, left *uint32, last uint64) (nleft int)")
	Doc(name + " is separateGeneric, and gives how many rows are left. There is at least one row, and two parts; src has 64 bytes from last on. It needs " + needs + ".")
	parts, nparts := Load(Param("parts"), GP64()), param("nparts")
	src, start, end := Load(Param("src"), GP64()), Load(Param("start"), GP64()), Load(Param("end"), GP64())
	symbol, separator, row, nleft := GP64(), ZMM(), GP64(), GP64()
	Load(Param("separator"), symbol)
	if wide {
		VPBROADCASTB(symbol.As32(), separator)
	} else {
		VMOVD(symbol.As32(), separator.AsX())
		VPBROADCASTB(separator.AsX(), separator.AsY())
	}
	XORQ(row, row)
	XORQ(nleft, nleft)

	Label("row")
	from, to, length, found := GP64(), GP64(), GP64(), GP64()
	MOVL(Mem{Base: start, Index: row, Scale: 4}, from.As32())
	MOVL(Mem{Base: end, Index: row, Scale: 4}, to.As32())
	MOVL(to.As32(), length.As32())
	SUBL(from.As32(), length.As32())
	TESTL(from.As32(), from.As32())
	JS(LabelRef("leave"))
	CMPL(length.As32(), U8(64))
	JA(LabelRef("leave"))
	if wide {
		MOVQ(I32(-1), found)
		BZHIQ(length, found, found)
		field, separators := K(), K()
		KMOVQ(found, field)
		Comment("Memory beyond the field is not touched.")
		VPCMPEQB(Mem{Base: src, Index: from, Scale: 1}, separator, field, separators)
		KMOVQ(separators, found)
	} else {
		Comment("Of a field near the end of src, the last 64 bytes are looked at.")
		at, second := GP64(), GP64()
		low, high := YMM(), YMM()
		MOVQ(from, at)
		CMPQ(from, param("last"))
		CMOVQHI(param("last"), at)
		VPCMPEQB(Mem{Base: src, Index: at, Scale: 1}, separator.AsY(), low)
		VPCMPEQB(Mem{Base: src, Index: at, Scale: 1, Disp: 32}, separator.AsY(), high)
		VPMOVMSKB(low, found.As32())
		VPMOVMSKB(high, second.As32())
		SHLQ(U8(32), second)
		ORQ(second, found)
		NEGQ(at)
		ADDQ(from, at)
		SHRXQ(at, found, found)
		BZHIQ(length, found, found)
	}
	n := GP64()
	POPCNTQ(found, n)
	INCQ(n)
	CMPQ(n, nparts)
	JNE(LabelRef("leave"))
	part, place, at, next := GP64(), GP64(), GP64(), GP64()
	MOVQ(parts, part)
	MOVQ(from, next)
	Label("part")
	MOVQ(Mem{Base: part, Disp: partStart}, place)
	MOVL(next.As32(), Mem{Base: place, Index: row, Scale: 4})
	TZCNTQ(found, at)
	ADDQ(from, at)
	MOVQ(Mem{Base: part, Disp: partEnd}, place)
	MOVL(at.As32(), Mem{Base: place, Index: row, Scale: 4})
	LEAQ(Mem{Base: at, Disp: 1}, next)
	ADDQ(U8(partSize), part)
	BLSRQ(found, found)
	JNZ(LabelRef("part"))
	MOVQ(Mem{Base: part, Disp: partStart}, place)
	MOVL(next.As32(), Mem{Base: place, Index: row, Scale: 4})
	MOVQ(Mem{Base: part, Disp: partEnd}, place)
	MOVL(to.As32(), Mem{Base: place, Index: row, Scale: 4})
	Label("next")
	INCQ(row)
	CMPQ(row, param("nrows"))
	JB(LabelRef("row"))
	VZEROUPPER()
	Store(nleft, ReturnIndex(0))
	RET()

	Label("leave")
	left := Load(Param("left"), GP64())
	MOVL(row.As32(), Mem{Base: left, Index: nleft, Scale: 4})
	INCQ(nleft)
	JMP(LabelRef("next"))
}

// param is where a parameter is.
func param(name string) Mem {
	p, err := Param(name).Resolve()
	if err != nil {
		panic(err)
	}
	return p.Addr
}
