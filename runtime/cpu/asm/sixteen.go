package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// seriesBySixteen generates what serieses does, sixteen records at a time: those on their way are a mask.
func seriesBySixteen() {
	TEXT("seriesAVX512", NOSPLIT, "func(l *uint64) (any uint32)")
	Doc("seriesAVX512 is seriesAVX2, sixteen records at once. It needs AVX-512 with DQ and VL.")
	l := Load(Param("l"), GP64())
	field := func(offset int) Mem { return Mem{Base: l, Disp: offset} }
	get := func(offset int) reg.GPVirtual {
		r := GP64()
		MOVQ(field(offset), r)
		return r
	}
	i, set, n, any := GP64(), GP64(), get(seriesN), GP32()
	XORQ(i, i)
	XORQ(set, set)
	XORL(any, any)
	all := func(offset int) reg.VecVirtual { // lanes
		z := ZMM()
		VPBROADCASTD(field(offset), z)
		return z
	}
	record := func(offset int) Mem { return Mem{Base: get(offset), Index: i, Scale: 4} } // of the array that offset points to
	first := alignedTo(64, AllocLocal(64+56))
	delta, one, offsets, onWay := all(seriesDelta), all(seriesOne), all(seriesOffsets), all(seriesOnWay)

	Label("lanes")
	live := lanesOf(n, "whole")
	VPCMPUD(U8(0), record(seriesLeft), onWay, live, live)
	KTESTW(live, live)
	JZ(LabelRef("next"))
	// The numbers of the places; that of records that are elsewhere is of no use.
	number := ZMM()
	VMOVDQU32_Z(record(seriesPlace), live, number)
	VMOVDQU32(number, first)
	places, step, left := get(seriesPlaces), get(seriesSteps), get(seriesNsteps)
	// The data of the last field begins at one and ends at the other; the next begins at the third.
	from, until, next := ZMM(), ZMM(), ZMM()
	VMOVDQU32(record(seriesAt), until)
	VMOVDQU32(record(seriesValue), next)
	VMOVDQA64(next, from)

	stores := 0
	store := func(disp int) { // the last field, if one ends there
		label := func(name string) string { return fmt.Sprint(name, stores) }
		starts, ends, a, b, row := GP64(), GP64(), ZMM(), ZMM(), GP64()
		MOVQ(Mem{Base: step, Disp: disp + stepStart}, starts)
		MOVQ(Mem{Base: step, Disp: disp + stepEnd}, ends)
		TESTQ(starts, starts)
		JZ(LabelRef(label("stored")))
		VPADDD(delta, from, a)
		VPADDD(delta, until, b)
		MOVQ(field(seriesFirst), row)
		LEAQ(Mem{Base: starts, Index: row, Scale: 4}, starts)
		LEAQ(Mem{Base: ends, Index: row, Scale: 4}, ends)
		MOVQ(field(seriesRecord), row)
		TESTQ(row, row)
		JNZ(LabelRef(label("scatter")))
		VMOVDQU32(a, live, Mem{Base: starts, Index: i, Scale: 4})
		VMOVDQU32(b, live, Mem{Base: ends, Index: i, Scale: 4})
		JMP(LabelRef(label("stored")))
		Label(label("scatter"))
		rows, some := ZMM(), K()
		VMOVDQU32(Mem{Base: row, Index: i, Scale: 4}, rows)
		KMOVW(live, some)
		VPSCATTERDD(a, some, Mem{Base: starts, Index: rows, Scale: 4})
		KMOVW(live, some)
		VPSCATTERDD(b, some, Mem{Base: ends, Index: rows, Scale: 4})
		Label(label("stored"))
		stores++
	}
	some := func(n int) { // of the steps
		of := sixteenPlaces(places, first)
		before, ok := until, [4]reg.OpmaskVirtual{}
		for j := range n {
			disp, far := (j+1)*stepSize, ZMM()
			ok[j] = K()
			VPXORD_BCST(Mem{Base: step, Disp: disp + stepMark}, of[j], of[j])
			VPCMPUD(U8(2), offsets, of[j], live, ok[j])
			VPSUBD(before, of[j], far)
			VPSUBD_BCST(Mem{Base: step, Disp: disp + stepLeast}, far, far)
			VPCMPUD_BCST(U8(2), Mem{Base: step, Disp: disp + stepSpan}, far, ok[j], ok[j])
			before = of[j]
		}
		for j := 1; j < n; j++ {
			KANDW(ok[j], ok[0], ok[0])
		}
		halted, going := K(), fmt.Sprint("going", stores)
		KANDNW(live, ok[0], halted)
		KTESTW(halted, halted)
		JZ(LabelRef(going))
		lanes, out := GP32(), get(seriesHalted)
		KMOVW(halted, lanes)
		ORL(lanes, any)
		ORW(lanes.As16(), Mem{Base: out, Index: set, Scale: 2})
		KMOVW(ok[0], live)
		KTESTW(live, live)
		JZ(LabelRef("next"))
		VMOVDQU32_Z(first, live, number) // others may have no more places
		VMOVDQU32(number, first)
		Label(going)
		for j := range n {
			store(j * stepSize)
			VMOVDQA64(of[j], until)
			inside := fmt.Sprint("inside", stores)
			CMPL(Mem{Base: step, Disp: (j+1)*stepSize + stepStays}, U8(0))
			JNE(LabelRef(inside))
			VMOVDQA64(next, from)
			VPADDD(one, of[j], next)
			Label(inside)
		}
		ADDQ(U32(n*stepSize), step)
	}
	byFour(places, left, some)
	at, behind := ZMM(), ZMM()
	VPADDD(one, until, at)
	VMOVDQU32(at, live, record(seriesAt))
	VMOVDQU32(record(seriesPlace), behind)
	VPADDD(all(seriesOver), behind, behind)
	VMOVDQU32(behind, live, record(seriesPlace))
	CMPQ(field(seriesHalf), U8(0))
	JNE(LabelRef("half"))
	store(0)
	VMOVDQU32(next, live, record(seriesValue))
	JMP(LabelRef("next"))
	Label("half")
	VMOVDQU32(until, live, record(seriesEnded))
	VMOVDQU32(from, live, record(seriesValue))
	Label("next")
	INCQ(set)
	ADDQ(U8(16), i)
	SUBQ(U8(16), n)
	JA(LabelRef("lanes"))
	VZEROUPPER()
	Store(any, ReturnIndex(0))
	RET()
}

// sixteenPlaces is fourPlaces of sixteen records.
func sixteenPlaces(places reg.Register, numbers Mem) (of [4]reg.VecVirtual) {
	r, number := [4]reg.VecVirtual{}, GP64()
	for lane := range r {
		r[lane] = ZMM()
		for block := range 4 {
			MOVL(numbers.Offset(4*(lane+4*block)), number.As32())
			place := Mem{Base: places, Index: number, Scale: 4}
			if block == 0 {
				VMOVDQU32(place, r[lane].AsX())
			} else {
				VINSERTI32X4(U8(block), place, r[lane], r[lane])
			}
		}
	}
	return transposed(r, ZMM)
}
