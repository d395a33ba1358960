package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/attr"
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// isa is an instruction set: a vector has a 64-bit lane for each of so many
// rows. The operations below are values in, new register out. An operand named
// m may be in memory.
type isa struct {
	name  string
	lanes int
}

var (
	avx512 = isa{"AVX512", 8}
	avx2   = isa{"AVX2", 4}
)

type vec = reg.VecVirtual

func (v isa) wide() bool { return v.lanes == 8 }

func (v isa) reg() vec {
	if v.wide() {
		return ZMM()
	}
	return YMM()
}

// half is a register with 32-bit lanes for the rows.
func (v isa) half() vec {
	if v.wide() {
		return YMM()
	}
	return XMM()
}

const rodata = attr.RODATA | attr.NOPTR

// rowset is a set of rows: a mask register, or in AVX2 a vector whose lanes
// have the top bit set. If it comes from eq or nonzero all bits are set.
type rowset = reg.Virtual

// constants are declared once, as 64 bytes of memory.
var constants = map[uint64]Mem{}

// rare gives a vector whose lanes are q, in memory.
func rare(q uint64) Mem {
	m, ok := constants[q]
	if !ok {
		m = GLOBL(fmt.Sprintf("lanes%016x", q), rodata)
		for i := range 8 {
			DATA(8*i, U64(q))
		}
		constants[q] = m
	}
	return m
}

// constant gives a vector whose lanes are q: in AVX-512 a register, loaded
// here, so before the loop; in AVX2 memory.
func (v isa) constant(q uint64) Op {
	if !v.wide() {
		return rare(q)
	}
	return v.load(rare(q))
}

// param gives a vector whose lanes are the 64 bits at m.
func (v isa) param(m Mem) vec {
	r := v.reg()
	VPBROADCASTQ(m, r)
	return r
}

func (v isa) load(m Op) vec {
	r := v.reg()
	v.move(m, r)
	return r
}

func (v isa) loadHalf(m Op) vec {
	r := v.half()
	v.moveHalf(m, r)
	return r
}

func (v isa) move(from, to Op) {
	if v.wide() {
		VMOVDQU64(from, to)
	} else {
		VMOVDQU(from, to)
	}
}

func (v isa) moveHalf(from, to Op) {
	if v.wide() {
		VMOVDQU32(from, to)
	} else {
		VMOVDQU(from, to)
	}
}

func (v isa) and(m Op, x vec) vec {
	r := v.reg()
	if v.wide() {
		VPANDQ(m, x, r)
	} else {
		VPAND(m, x, r)
	}
	return r
}

func (v isa) or(m Op, x vec) vec {
	r := v.reg()
	if v.wide() {
		VPORQ(m, x, r)
	} else {
		VPOR(m, x, r)
	}
	return r
}

func (v isa) xor(m Op, x vec) vec {
	r := v.reg()
	if v.wide() {
		VPXORQ(m, x, r)
	} else {
		VPXOR(m, x, r)
	}
	return r
}

// op is a three-operand instruction that both sets have by one name.
func (v isa) op(f func(...Op), m Op, x vec) vec {
	r := v.reg()
	f(m, x, r)
	return r
}

func (v isa) add(m Op, x vec) vec { return v.op(VPADDQ, m, x) }

// sub is x - m.
func (v isa) sub(m Op, x vec) vec { return v.op(VPSUBQ, m, x) }

// mul is the product of the low halves of the lanes.
func (v isa) mul(m Op, x vec) vec { return v.op(VPMULUDQ, m, x) }

func (v isa) shl(n uint8, x vec) vec {
	r := v.reg()
	VPSLLQ(U8(n), x, r)
	return r
}

func (v isa) shr(n uint8, x vec) vec {
	r := v.reg()
	VPSRLQ(U8(n), x, r)
	return r
}

// shlBy and shrBy shift each lane by its own count; counts from 64 on, as
// unsigned numbers, give 0.
func (v isa) shlBy(count, x vec) vec {
	r := v.reg()
	VPSLLVQ(count, x, r)
	return r
}

func (v isa) shrBy(count, x vec) vec {
	r := v.reg()
	VPSRLVQ(count, x, r)
	return r
}

func (v isa) eq(m Op, x vec) rowset {
	if v.wide() {
		k := K()
		VPCMPEQQ(m, x, k)
		return k
	}
	r := v.reg()
	VPCMPEQQ(m, x, r)
	return r
}

// nonzero are the rows in which x is not 0.
func (v isa) nonzero(x vec) rowset {
	if v.wide() {
		k := K()
		VPTESTMQ(x, x, k)
		return k
	}
	r, zero := v.reg(), v.zero()
	VPCMPEQQ(zero, x, r)
	VPXOR(v.ones(), r, r)
	return r
}

// signs are the rows in which x has its top bit set.
func (v isa) signs(x vec) rowset {
	if v.wide() {
		k := K()
		VPMOVQ2M(x, k)
		return k
	}
	return x
}

// hasBits are the rows in which x has bits of m set, which are top bits of
// bytes or words.
func (v isa) hasBits(m Op, x vec) rowset {
	if v.wide() {
		k := K()
		VPTESTMQ(m, x, k)
		return k
	}
	return v.sub(v.shr(1, v.and(m, x)), v.zero())
}

func (v isa) either(a, b rowset) rowset {
	if v.wide() {
		k := K()
		KORB(a, b, k)
		return k
	}
	return v.or(a, b.(vec))
}

func (v isa) both(a, b rowset) rowset {
	if v.wide() {
		k := K()
		KANDB(a, b, k)
		return k
	}
	return v.and(a, b.(vec))
}

// bits is the set with row i as bit i.
func (v isa) bits(a rowset) reg.GPVirtual {
	r := GP32()
	if v.wide() {
		KMOVB(a, r)
	} else {
		VMOVMSKPD(a, r)
	}
	return r
}

// pick is x in the rows of a, y in the others.
func (v isa) pick(a rowset, x Op, y vec) vec {
	r := v.reg()
	if v.wide() {
		VPBLENDMQ(x, y, a, r)
	} else {
		VBLENDVPD(a, x, y, r)
	}
	return r
}

// increment adds one in the rows of a, which come from eq or nonzero.
func (v isa) increment(a rowset, one Op, x vec) vec {
	r := v.reg()
	if v.wide() {
		v.move(x, r)
		VPADDQ(one, x, a, r)
	} else {
		VPSUBQ(a, x, r)
	}
	return r
}

// negate changes the sign in the rows of a, which come from eq or nonzero.
func (v isa) negate(a rowset, x vec) vec {
	r := v.reg()
	if v.wide() {
		v.move(x, r)
		VPSUBQ(x, v.zero(), a, r)
	} else {
		VPXOR(a, x, r)
		VPSUBQ(a, r, r)
	}
	return r
}

func (v isa) zero() vec {
	r := v.reg()
	if v.wide() {
		VPXORQ(r, r, r)
	} else {
		VPXOR(r, r, r)
	}
	return r
}

func (v isa) ones() vec {
	r := v.reg()
	if v.wide() {
		VPTERNLOGQ(U8(0xff), r, r, r)
	} else {
		VPCMPEQQ(r, r, r)
	}
	return r
}

// shuffle looks up bytes of index in a table of 16.
func (v isa) shuffle(t Op, index vec) vec {
	r := v.reg()
	VPSHUFB(index, v.load(t), r)
	return r
}

// widen gives 32-bit values 64 bits.
func (v isa) widen(m Op) vec {
	r := v.reg()
	VPMOVZXDQ(m, r)
	return r
}

// lookup gives table entries, 16 of 64 bits, by the low four bits of index;
// AVX2 wants the higher bits to be 0.
func (v isa) lookup(t table, index vec) vec {
	r := v.reg()
	if v.wide() {
		v.move(index, r)
		VPERMI2Q(t.high, t.low, r)
		return r
	}
	mask := v.ones()
	VPXOR(r, r, r)
	VPGATHERQQ(mask, Mem{Base: t.at, Index: index, Scale: 8}, r)
	return r
}

// table is 16 entries of 64 bits, the first eight in a register or all in memory.
type table struct {
	low  vec
	high Mem
	at   reg.Register
}

func (v isa) table(m Mem) table {
	if v.wide() {
		return table{low: v.load(m), high: m.Offset(64)}
	}
	at := GP64()
	LEAQ(m, at)
	return table{at: at}
}

// store writes the rows as integers of so many bytes.
func (v isa) store(x vec, to Mem, width int) {
	switch {
	case width == 8:
		v.move(x, to)
	case v.wide():
		map[int]func(...Op){1: VPMOVQB, 2: VPMOVQW, 4: VPMOVQD}[width](x, to)
	default:
		lo, hi := XMM(), XMM()
		VEXTRACTI128(U8(1), x, hi)
		VSHUFPS(U8(0x88), hi, x.AsX(), lo)
		switch width {
		case 4:
			VMOVDQU(lo, to)
		case 2:
			VPSHUFB(table16("words", []byte{0, 1, 4, 5, 8, 9, 12, 13}), lo, lo)
			VMOVQ(lo, to)
		case 1:
			VPSHUFB(table16("bytes", []byte{0, 4, 8, 12}), lo, lo)
			VMOVD(lo, to)
		}
	}
}

var tables16 = map[string]Mem{}

// table16 is a table of up to 16 bytes, four times.
func table16(name string, entries []byte) Mem {
	if m, ok := tables16[name]; ok {
		return m
	}
	m := GLOBL(name, rodata)
	for i := range 64 {
		b := byte(0)
		if i%16 < len(entries) {
			b = entries[i%16]
		}
		DATA(i, U8(b))
	}
	tables16[name] = m
	return m
}

// param is where a parameter is.
func param(name string) Mem {
	p, err := Param(name).Resolve()
	if err != nil {
		panic(err)
	}
	return p.Addr
}
