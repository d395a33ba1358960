package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// serieses generates what takes records side by side over a series, eight at a time: the next four
// places of each are loaded and transposed, so that each step has eight of them. What a step leaves is
// written once the next has been looked at.
func serieses() {
	TEXT("seriesAVX2", NOSPLIT, "func(l *uint64) (any uint32)")
	Doc("seriesAVX2 takes each eight records over a series, notes those that do not take it, and is 0 if all do.")
	l := Load(Param("l"), GP64())
	field := func(offset int) Mem { return Mem{Base: l, Disp: offset} }
	i, set, any := GP64(), GP64(), GP32()
	XORQ(i, i)
	XORQ(set, set)
	XORL(any, any)
	all := func(offset int) reg.VecVirtual { // lanes
		y := YMM()
		VPBROADCASTD(field(offset), y)
		return y
	}
	record := func(offset int) Mem { // of the array that offset points to
		r := GP64()
		MOVQ(field(offset), r)
		return Mem{Base: r, Index: i, Scale: 4}
	}

	Label("lanes")
	live := YMM()
	VPCMPEQD(record(seriesLeft), all(seriesOnWay), live)
	VPTEST(live, live)
	JZ(LabelRef("next"))
	put := func(value reg.VecVirtual, to Mem) { // of the lanes that are on their way
		kept := YMM()
		VMOVDQU(to, kept)
		VPBLENDVB(live, value, kept, kept)
		VMOVDQU(kept, to)
	}
	// The numbers of the places; that of records that are elsewhere is of no use.
	numbers, first := aligned(AllocLocal(roomFor(1))), YMM()
	VPAND(record(seriesPlace), live, first)
	VMOVDQU(first, numbers)
	places, step, left := GP64(), GP64(), GP64()
	MOVQ(field(seriesPlaces), places)
	MOVQ(field(seriesSteps), step)
	MOVQ(field(seriesNsteps), left)
	delta, one := all(seriesDelta), all(seriesOne)
	// The data of the last field begins at one and ends at the other; the next begins at the third.
	from, until, next := YMM(), YMM(), YMM()
	VMOVDQU(record(seriesAt), until)
	VMOVDQU(record(seriesValue), next)
	VMOVDQA(next, from)

	room, scattered := AllocLocal(roomFor(2)), 0
	store := func(disp int) { // the last field, if one ends there
		label := func(name string) string { return fmt.Sprint(name, scattered) }
		a, b, base := YMM(), YMM(), GP64()
		starts, stops := Mem{Base: step, Disp: disp + stepStart}, Mem{Base: step, Disp: disp + stepEnd}
		MOVQ(starts, base)
		TESTQ(base, base)
		JZ(LabelRef(label("stored")))
		VPADDD(delta, from, a)
		VPADDD(delta, until, b)
		CMPQ(field(seriesRecord), U8(0))
		JNE(LabelRef(label("scatter")))
		row := GP64()
		MOVQ(field(seriesFirst), row)
		ADDQ(i, row)
		put(a, Mem{Base: base, Index: row, Scale: 4})
		MOVQ(stops, base)
		put(b, Mem{Base: base, Index: row, Scale: 4})
		JMP(LabelRef(label("stored")))
		Label(label("scatter"))
		ends := aligned(room)
		VMOVDQU(a, ends)
		VMOVDQU(b, ends.Offset(32))
		lanes, lane, to := GP32(), GP64(), GP64()
		VMOVMSKPS(live, lanes)
		Label(label("lane"))
		MOVL(lanes, lane.As32()) // so that nobody takes it for used before
		BSFL(lanes, lane.As32())
		BTRL(lane.As32(), lanes)
		MOVQ(field(seriesRecord), to)
		LEAQ(Mem{Base: to, Index: i, Scale: 4}, to)
		MOVL(Mem{Base: to, Index: lane, Scale: 4}, to.As32())
		ADDQ(field(seriesFirst), to)
		for half, column := range []Mem{starts, stops} {
			value := GP32()
			MOVQ(column, base)
			MOVL(ends.Offset(32*half).Idx(lane, 4), value)
			MOVL(value, Mem{Base: base, Index: to, Scale: 4})
		}
		TESTL(lanes, lanes)
		JNZ(LabelRef(label("lane")))
		Label(label("stored"))
		scattered++
	}
	some := func(n int) { // of the steps
		of := fourPlaces(places, numbers)
		ok, before, offsets := YMM(), until, all(seriesOffsets)
		for j := range n {
			disp, mark, is, far := (j+1)*stepSize, YMM(), YMM(), YMM()
			VPBROADCASTD(Mem{Base: step, Disp: disp + stepMark}, mark)
			VPXOR(mark, of[j], of[j])
			VPMINUD(of[j], offsets, is)
			VPCMPEQD(of[j], is, is)
			least, span := YMM(), YMM()
			VPSUBD(before, of[j], far)
			VPBROADCASTD(Mem{Base: step, Disp: disp + stepLeast}, least)
			VPSUBD(least, far, far)
			VPBROADCASTD(Mem{Base: step, Disp: disp + stepSpan}, span)
			VPMINUD(far, span, span)
			VPCMPEQD(span, far, far)
			if j == 0 {
				VPAND(is, far, ok)
			} else {
				VPAND(is, ok, ok)
				VPAND(far, ok, ok)
			}
			before = of[j]
		}
		VPANDN(live, ok, ok)
		VPTEST(ok, ok)
		going := fmt.Sprint("going", scattered)
		JZ(LabelRef(going))
		lanes, out := GP32(), GP64()
		VMOVMSKPS(ok, lanes)
		ORL(lanes, any)
		MOVQ(field(seriesHalted), out)
		ORB(lanes.As8(), Mem{Base: out, Index: set, Scale: 1})
		VPANDN(live, ok, live)
		VPTEST(live, live)
		JZ(LabelRef("next"))
		VPAND(numbers, live, first) // others may have no more places
		VMOVDQU(first, numbers)
		Label(going)
		for j := range n {
			store(j * stepSize)
			VMOVDQA(of[j], until)
			inside := fmt.Sprint("inside", scattered)
			CMPL(Mem{Base: step, Disp: (j+1)*stepSize + stepStays}, U8(0))
			JNE(LabelRef(inside))
			VMOVDQA(next, from)
			VPADDD(one, of[j], next)
			Label(inside)
		}
		ADDQ(U32(n*stepSize), step)
	}
	byFour(places, left, some)
	at := YMM()
	VPADDD(one, until, at)
	put(at, record(seriesAt))
	behind := YMM()
	VPADDD(record(seriesPlace), all(seriesOver), behind)
	put(behind, record(seriesPlace))
	CMPQ(field(seriesHalf), U8(0))
	JNE(LabelRef("half"))
	store(0)
	put(next, record(seriesValue))
	JMP(LabelRef("next"))
	Label("half")
	put(until, record(seriesEnded))
	put(from, record(seriesValue))
	JMP(LabelRef("next"))
	Label("next")
	INCQ(set)
	ADDQ(U8(8), i)
	CMPQ(i, field(seriesN))
	JB(LabelRef("lanes"))
	VZEROUPPER()
	Store(any, ReturnIndex(0))
	RET()
}

// byFour generates the steps of a series, so many of which are left, by `some` of them: four at a time, and then the rest.
func byFour(places, left reg.Register, some func(n int)) {
	Label("four")
	CMPQ(left, U8(4))
	JB(LabelRef("fewer"))
	some(4)
	ADDQ(U8(16), places)
	SUBQ(U8(4), left)
	JMP(LabelRef("four"))
	Label("fewer")
	TESTQ(left, left)
	JZ(LabelRef("taken"))
	CMPQ(left, U8(2))
	JB(LabelRef("one"))
	JE(LabelRef("two"))
	some(3)
	JMP(LabelRef("taken"))
	Label("two")
	some(2)
	JMP(LabelRef("taken"))
	Label("one")
	some(1)
	Label("taken")
}

// roomFor is how much of the stack vectors of 32 bytes need to be aligned.
func roomFor(vectors int) int { return 32*vectors + 24 }

// aligned is the first such vector in a room on the stack, which is aligned to 8 bytes. What is loaded of a vector that
// crosses a line of the cache waits until all of it is there.
func aligned(room Mem) Mem {
	return alignedTo(32, room)
}

func alignedTo(nbytes int, room Mem) Mem {
	r := GP64()
	LEAQ(room.Offset(nbytes-8), r)
	ANDQ(I8(-nbytes), r)
	return Mem{Base: r}
}

// fourPlaces loads four places of each of eight records, from those numbers on, and gives the first of each,
// the second, and so on.
func fourPlaces(places reg.Register, numbers Mem) (of [4]reg.VecVirtual) {
	r, number := [4]reg.VecVirtual{}, GP64()
	place := func(lane int) Mem {
		MOVL(numbers.Offset(4*lane), number.As32())
		return Mem{Base: places, Index: number, Scale: 4}
	}
	for lane := range r {
		r[lane] = YMM()
		VBROADCASTI128(place(lane), r[lane])
		VINSERTI128(U8(1), place(lane+4), r[lane], r[lane])
	}
	return transposed(r, YMM)
}

// transposed gives of four vectors of so many times four lanes the first of each four lanes, the second, and so on.
func transposed(r [4]reg.VecVirtual, vector func() reg.VecVirtual) (of [4]reg.VecVirtual) {
	var two [4]reg.VecVirtual
	for j := range two {
		two[j], of[j] = vector(), vector()
	}
	VPUNPCKLDQ(r[1], r[0], two[0])
	VPUNPCKLDQ(r[3], r[2], two[1])
	VPUNPCKHDQ(r[1], r[0], two[2])
	VPUNPCKHDQ(r[3], r[2], two[3])
	for j := range 2 {
		VPUNPCKLQDQ(two[2*j+1], two[2*j], of[2*j])
		VPUNPCKHQDQ(two[2*j+1], two[2*j], of[2*j+1])
	}
	return of
}
