package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// What a lane is in memory, see lane.
const (
	lanePlace = iota * 8
	laneLast
	laneNevents
	laneSize
)

// The bits of an entry that say that the event need not be noted, and that care is needed.
const (
	quietBit = 7
	careful  = 1 << 2
)

// lanes generates the steps of four lanes: each waits for its look into the table, the others go on.
// An event that need not be noted is written over by the next.
func lanes() {
	const n = 4
	TEXT("laneSteps", NOSPLIT, "func(lanes *uint64, table, events *uint64, n int)")
	Doc("laneSteps is stepsGeneric for at least one symbol; but behind a symbol that needs care the lanes that follow have not been stepped. It needs no vectors.")
	table, events := Load(Param("table"), GP64()), Load(Param("events"), GP64())
	lanes, count := Load(Param("lanes"), GP64()), Load(Param("n"), GP64())
	end := AllocLocal(8)
	var p, v, e [n]reg.GPVirtual // places, what they did, and numbers of events
	for i := range n {
		p[i], v[i], e[i] = GP64(), GP64(), GP64()
	}
	MOVQ(Mem{Base: lanes, Disp: lanePlace}, p[0])
	LEAQ(Mem{Base: p[0], Index: count, Scale: 4}, p[0])
	MOVQ(p[0], end)
	for i := range n {
		MOVQ(Mem{Base: lanes, Disp: i*laneSize + lanePlace}, p[i])
		MOVQ(Mem{Base: lanes, Disp: i*laneSize + laneLast}, v[i])
		MOVQ(Mem{Base: lanes, Disp: i*laneSize + laneNevents}, e[i])
	}
	Label("step")
	for i := range n {
		x := GP32()
		ADDQ(U8(4), p[i])
		MOVL(Mem{Base: p[i]}, x)
		MOVL(x, Mem{Base: events, Index: e[i], Scale: 8, Disp: 4})
		SHRL(U8(24), x)
		SHRQ(U8(32), v[i])
		ORQ(x.As64(), v[i])
		MOVQ(Mem{Base: table, Index: v[i], Scale: 8}, v[i])
		MOVL(v[i].As32(), Mem{Base: events, Index: e[i], Scale: 8})
		BTL(U8(quietBit), v[i].As32())
		SBBQ(I8(-1), e[i])
		TESTB(U8(careful), v[i].As8())
		JNZ(LabelRef("done"))
	}
	CMPQ(p[0], end)
	JB(LabelRef("step"))
	Label("done")
	lanes = Load(Param("lanes"), GP64())
	for i := range n {
		MOVQ(p[i], Mem{Base: lanes, Disp: i*laneSize + lanePlace})
		MOVQ(v[i], Mem{Base: lanes, Disp: i*laneSize + laneLast})
		MOVQ(e[i], Mem{Base: lanes, Disp: i*laneSize + laneNevents})
	}
	RET()
}

// gaps generates markGaps, eight places at a time, the last first: so what is loaded has not just been
// stored in part, for which the processor would wait.
func gaps() {
	TEXT("markGapsAVX2", NOSPLIT, "func(places *uint32, n int, gap uint32)")
	Doc("markGapsAVX2 is markGapsGeneric for so many places behind the first, a multiple of eight. It needs AVX2.")
	places, n := Load(Param("places"), GP64()), Load(Param("n"), GP64())
	gap, one, offset, zero, keep := YMM(), YMM(), YMM(), YMM(), YMM()
	VMOVD(Load(Param("gap"), GP32()), gap.AsX())
	VPBROADCASTD(gap.AsX(), gap)
	VMOVDQU(constant(4, func(int) uint64 { return 1 }), one)
	VMOVDQU(constant(4, func(int) uint64 { return 1<<24 - 1 }), offset)
	VMOVDQU(constant(4, func(int) uint64 { return 1<<31 - 1 }), keep)
	VPXOR(zero, zero, zero)
	Label("places")
	x, between := YMM(), YMM()
	VMOVDQU(Mem{Base: places, Index: n, Scale: 4, Disp: 4 - 32}, x)
	VPSUBD(Mem{Base: places, Index: n, Scale: 4, Disp: -32}, x, between)
	VPSUBD(one, between, between)
	VPAND(offset, between, between)
	VPCMPEQD(zero, between, between)
	VPANDN(gap, between, between)
	VPAND(keep, x, x)
	VPOR(between, x, x)
	VMOVDQU(x, Mem{Base: places, Index: n, Scale: 4, Disp: 4 - 32})
	SUBQ(U8(8), n)
	JNZ(LabelRef("places"))
	VZEROUPPER()
	RET()
}
