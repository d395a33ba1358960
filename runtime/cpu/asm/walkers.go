package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// walkers generates what moves records side by side from one set to another, sixteen at a time.
func walkers() {
	TEXT("recallAVX512", NOSPLIT, "func(to, from *uint64, ran *uint8, number, paths uint32)")
	Pragma("noescape")
	Doc("recallAVX512 is recallGeneric. It needs AVX-512 with BW and VL.")
	x := beginWalkers()
	ran, number, paths, one := Load(Param("ran"), GP64()), ZMM(), ZMM(), ZMM()
	{
		r := GP32()
		Load(Param("number"), r)
		VPBROADCASTD(r, number)
		Load(Param("paths"), r)
		VPBROADCASTD(r, paths)
		MOVL(U32(1), r)
		VPBROADCASTD(r, one)
	}
	kept := GP64()
	XORQ(kept, kept)
	x.lanes(func(left, ones reg.VecVirtual, some reg.OpmaskVirtual) {
		path, of, others := ZMM(), ZMM(), K()
		VPMOVZXBD(Mem{Base: ran, Index: x.i, Scale: 1}, path)
		VPSRLVD(path, paths, of)
		VPCMPEQD(number, left, x.live, some)
		VPTESTMD(one, of, some, some)
		KANDNW(x.live, some, others)
		behind, gone := x.room(some), x.room(others)
		for _, disp := range walkerFields {
			value := ZMM()
			VMOVDQU32(Mem{Base: x.from, Index: x.i, Scale: 4, Disp: disp}, value)
			if disp == walkersLeft {
				VMOVDQU32(ones, behind, Mem{Base: x.to, Index: x.at, Scale: 4, Disp: disp})
			} else {
				packTo(value, some, behind, Mem{Base: x.to, Index: x.at, Scale: 4, Disp: disp})
			}
			packTo(value, others, gone, Mem{Base: x.from, Index: kept, Scale: 4, Disp: disp})
		}
		VPCOMPRESSD_Z(path, others, path)
		VPMOVDB(path, gone, Mem{Base: ran, Index: kept, Scale: 1})
		addLanes(kept, others)
	})
	MOVQ(kept, Mem{Base: x.from, Disp: walkersN})
	x.end()

	TEXT("letGoAVX512", NOSPLIT, "func(to, from *uint64, hop uint32)")
	Pragma("noescape")
	Doc("letGoAVX512 is letGoGeneric, but for the path that they left. It needs AVX-512.")
	x = beginWalkers()
	hop := GP32()
	Load(Param("hop"), hop)
	VPBROADCASTD(hop, number)
	XORQ(kept, kept)
	x.lanes(func(left, ones reg.VecVirtual, some reg.OpmaskVirtual) {
		others := K()
		VPCMPEQD(number, left, x.live, some)
		KANDNW(x.live, some, others)
		behind, gone := x.room(some), x.room(others)
		for _, disp := range walkerFields {
			value := ZMM()
			VMOVDQU32(Mem{Base: x.from, Index: x.i, Scale: 4, Disp: disp}, value)
			packTo(value, some, behind, Mem{Base: x.to, Index: x.at, Scale: 4, Disp: disp})
			packTo(value, others, gone, Mem{Base: x.from, Index: kept, Scale: 4, Disp: disp})
		}
		addLanes(kept, others)
	})
	MOVQ(kept, Mem{Base: x.from, Disp: walkersN})
	x.end()

	TEXT("numberLeftAVX512", NOSPLIT, "func(left *uint32, n int, hop uint32) (nleft int)")
	Pragma("noescape")
	Doc("numberLeftAVX512 is how many of n records have left a path at a hop. It needs AVX-512.")
	lefts, records, nleft := Load(Param("left"), GP64()), GP64(), GP64()
	Load(Param("n"), records)
	Load(Param("hop"), hop)
	VPBROADCASTD(hop, number)
	XORQ(nleft, nleft)
	Label("count")
	found, some := lanesOf(records, "whole"), GP32()
	VPCMPEQD(Mem{Base: lefts}, number, found, found)
	KMOVW(found, some)
	POPCNTL(some, some)
	ADDQ(some.As64(), nleft)
	ADDQ(U8(64), lefts)
	SUBQ(U8(16), records)
	JA(LabelRef("count"))
	VZEROUPPER()
	Store(nleft, ReturnIndex(0))
	RET()

	TEXT("straysAVX512", NOSPLIT, "func(to, from *uint64)")
	Pragma("noescape")
	Doc("straysAVX512 is straysGeneric, but for the path that they left. It needs AVX-512.")
	x = beginWalkers()
	x.lanes(func(left, ones reg.VecVirtual, some reg.OpmaskVirtual) {
		VPCMPUD(U8(4), ones, left, x.live, some)
		KTESTW(some, some)
		JZ(LabelRef("next"))
		behind := x.room(some)
		for _, disp := range walkerFields {
			value := ZMM()
			VMOVDQU32(Mem{Base: x.from, Index: x.i, Scale: 4, Disp: disp}, value)
			packTo(value, some, behind, Mem{Base: x.to, Index: x.at, Scale: 4, Disp: disp})
		}
	})
	x.end()
}

var walkerFields = []int{walkersRecord, walkersLeft, walkersAt, walkersPlace, walkersValue, walkersEnded}

type walkerLanes struct {
	to, from, n, i, at reg.GPVirtual
	live               reg.OpmaskVirtual
}

func beginWalkers() *walkerLanes {
	x := &walkerLanes{to: GP64(), from: GP64(), n: GP64(), i: GP64(), at: GP64()}
	Load(Param("to"), x.to)
	Load(Param("from"), x.from)
	MOVQ(Mem{Base: x.from, Disp: walkersN}, x.n)
	MOVQ(Mem{Base: x.to, Disp: walkersN}, x.at)
	XORQ(x.i, x.i)
	return x
}

// lanes runs f for each sixteen, which says what some of them are.
func (x *walkerLanes) lanes(f func(left, ones reg.VecVirtual, some reg.OpmaskVirtual)) {
	ones := ZMM()
	VPTERNLOGD(U8(0xff), ones, ones, ones)
	Label("lanes")
	CMPQ(x.i, x.n)
	JGE(LabelRef("done"))
	behind := GP64()
	MOVQ(x.n, behind)
	SUBQ(x.i, behind)
	x.live = lanesOf(behind, "whole")
	left, some := ZMM(), K()
	VMOVDQU32(Mem{Base: x.from, Index: x.i, Scale: 4, Disp: walkersLeft}, left)
	f(left, ones, some)
	Label("next")
	addLanes(x.at, some)
	ADDQ(U8(16), x.i)
	JMP(LabelRef("lanes"))
	Label("done")
}

// addLanes adds to a number as many as a mask has.
func addLanes(to reg.GPVirtual, mask reg.OpmaskVirtual) {
	n := GP64()
	KMOVW(mask, n.As32())
	POPCNTL(n.As32(), n.As32())
	ADDQ(n, to)
}

// room is the first lanes, as many as of has.
func (x *walkerLanes) room(of reg.OpmaskVirtual) reg.OpmaskVirtual {
	n, ones, k := GP32(), GP32(), K()
	KMOVW(of, n)
	POPCNTL(n, n)
	MOVL(U32(0xFFFF), ones)
	BZHIL(n, ones, ones)
	KMOVW(ones, k)
	return k
}

func (x *walkerLanes) end() {
	MOVQ(x.at, Mem{Base: x.to, Disp: walkersN})
	VZEROUPPER()
	RET()
}

// packTo writes the lanes of value that which has, side by side.
func packTo(value reg.VecVirtual, which, room reg.OpmaskVirtual, to Mem) {
	packed := ZMM()
	VPCOMPRESSD_Z(value, which, packed)
	VMOVDQU32(packed, room, to)
}
