package main

import (
	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/ir"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// copyLines writes data line by line: a register has what is known of the line
// that is being filled, and a row begins with what is missing. So every line is
// stored once, whole, and is looked at for UTF-8 while it is in the register.
func copyLines() {
	TEXT("copyLinesAVX512", NOSPLIT, "func(b *uintptr) (done int)")
	Pragma("noescape")
	Doc("copyLinesAVX512 copies rows until one that ends within 64 bytes of the end of src or of decoded, and gives how many. " +
		"It sets any if it is not certain that they are UTF-8. data has to begin with a line. It needs AVX-512 with VBMI and VBMI2.")
	b := Load(Param("b"), GP64())
	field := fieldsOf(b)
	from, offsets := field(textFrom), field(textOffsets)
	// By the top bit of a place: what is added to it, and the last end; rows.
	places := AllocLocal(40)
	MOVQ(field(textRows), places.Offset(32))
	for i, disps := range [][2]int{{textSrc, textLength}, {textDecoded, textDecodedLength}} {
		MOVQ(field(disps[0]), places.Offset(8*i))
		length := field(disps[1])
		SUBQ(U8(64), length)
		MOVQ(length, places.Offset(16+8*i))
	}
	line, at := field(textData), GP64()
	{
		MOVL(Mem{Base: offsets}, at.As32())
		ADDQ(at, line)
		MOVQ(line, at)
		ANDL(U8(63), at.As32()) // filled, of the line
		SUBQ(at, line)
	}

	c := newCheck()
	x := ZMM()
	filled := K()
	ones := GP64()
	MOVQ(I32(-1), ones)
	mask := func() { // of what is filled
		m := GP64()
		SHLXQ(at, ones, m)
		NOTQ(m)
		KMOVQ(m, filled)
	}
	mask()
	VMOVDQU8_Z(Mem{Base: line}, filled, x)
	c.begin(x)

	i := GP64()
	XORQ(i, i)
	Label("row")
	CMPQ(i, places.Offset(32))
	JGE(LabelRef("done"))
	place, n, which, to := GP64(), GP64(), GP64(), GP64()
	MOVL(Mem{Base: from, Index: i, Scale: 4}, place.As32())
	MOVL(Mem{Base: offsets, Index: i, Scale: 4, Disp: 4}, n.As32())
	SUBL(Mem{Base: offsets, Index: i, Scale: 4}, n.As32())
	JZ(LabelRef("next"))
	address(place, n, which, to, places)
	c.first(Mem{Base: place})
	{
		k := K()
		m := GP64()
		SHLXQ(at, ones, m)
		KMOVQ(m, k)
		// avo does not know the instruction.
		Instruction(&ir.Instruction{
			Opcode: "VPEXPANDB", ISA: []string{"AVX512VBMI2"},
			Operands: []Op{Mem{Base: place}, k, x}, Inputs: []Op{Mem{Base: place}, k, x}, Outputs: []Op{x},
		})
	}
	SUBQ(at, place)
	ADDQ(n, at)
	CMPQ(at, U8(64))
	JL(LabelRef("next"))
	Label("line")
	VMOVDQA64(x, Mem{Base: line})
	c.line(x)
	ADDQ(U8(64), line)
	ADDQ(U8(64), place)
	VMOVDQU64(Mem{Base: place}, x)
	SUBQ(U8(64), at)
	CMPQ(at, U8(64))
	JGE(LabelRef("line"))
	Label("next")
	INCQ(i)
	JMP(LabelRef("row"))

	Label("done")
	mask()
	VMOVDQU8(x, filled, Mem{Base: line})
	VMOVDQU8_Z(x, filled, x)
	c.line(x)
	ORQ(c.carry, c.doubt)
	ORL(c.uncertain(), Mem{Base: Load(Param("b"), GP64()), Disp: textAny})
	Store(i, ReturnIndex(0))
	VZEROUPPER()
	RET()
}

// plainUTF8 looks at 64 bytes a turn.
func plainUTF8() {
	TEXT("plainUTF8AVX512", NOSPLIT, "func(b *byte, blocks int) (doubt uint32)")
	Pragma("noescape")
	Doc("plainUTF8AVX512 is 0 if it is certain that blocks of 64 bytes, at least one, are UTF-8, but for a sequence that they do not complete. " +
		"It needs AVX-512 with VBMI.")
	b, blocks := Load(Param("b"), GP64()), Load(Param("blocks"), GP64())
	c := newCheck()
	XORL(c.carry.As32(), c.carry.As32())
	x := ZMM()
	Label("block")
	VMOVDQU64(Mem{Base: b}, x)
	c.line(x)
	ADDQ(U8(64), b)
	DECQ(blocks)
	JNZ(LabelRef("block"))
	Store(c.uncertain(), ReturnIndex(0))
	VZEROUPPER()
	RET()
}

// check looks for UTF-8, 64 bytes at a time, by masks: continuations are where
// they have to be, one after each lead, two after some. Of leads that not all
// continuations may follow, and of four bytes, it is not certain.
type check struct {
	leads, threes, table reg.VecVirtual
	doubt                reg.GPVirtual
	odd                  reg.OpmaskVirtual
	carry                reg.GPVirtual // bit i: byte i of the next line has to be a continuation
}

func newCheck() *check {
	c := &check{leads: ZMM(), threes: ZMM(), table: ZMM(), doubt: GP64(), odd: K(), carry: GP64()}
	VMOVDQU64(repeated(0xc0), c.leads)
	VMOVDQU64(repeated(0xe0), c.threes)
	VMOVDQU64(oddLeads(), c.table)
	XORL(c.doubt.As32(), c.doubt.As32())
	KXORQ(c.odd, c.odd, c.odd)
	return c
}

var odd Mem

// oddLeads is a table of the bytes from 0xc0 on: not 0 if it is not certain of
// them.
func oddLeads() Mem {
	if odd.Base == nil {
		odd = GLOBL("oddLeads", rodata)
		for i := range 64 {
			is := byte(0)
			switch b := 0xc0 + i; {
			case b < 0xc2, b == 0xe0, b == 0xed, b >= 0xf0:
				is = 0xff
			}
			DATA(i, U8(is))
		}
	}
	return odd
}

// begin takes continuations at the beginning of x for right.
func (c *check) begin(x reg.VecVirtual) {
	k := K()
	high, lead := GP64(), GP64()
	VPMOVB2M(x, k)
	KMOVQ(k, high)
	VPCMPUB(U8(5), c.leads, x, k)
	KMOVQ(k, lead)
	ANDNQ(high, lead, high)
	LEAQ(Mem{Base: high, Disp: 1}, c.carry)
	XORQ(high, c.carry)
	SHRQ(U8(1), c.carry)
}

// first looks at the first byte of a row.
func (c *check) first(m Mem) {
	b := GP64()
	MOVBQSX(m, b)
	ADDQ(U8(64), b) // below 0: a continuation
	SHRQ(U8(63), b)
	ORQ(b, c.doubt)
}

// line looks at x, the next 64 bytes.
func (c *check) line(x reg.VecVirtual) {
	k, lead := K(), K()
	high, two, three, need := GP64(), GP64(), GP64(), GP64()
	t := ZMM()
	VPMOVB2M(x, k)
	KMOVQ(k, high)
	VPCMPUB(U8(5), c.leads, x, lead)
	KMOVQ(lead, two)
	VPCMPUB(U8(5), c.threes, x, k)
	KMOVQ(k, three)
	VPERMB(c.table, x, t)
	VPTESTMB(t, t, lead, k)
	KORQ(k, c.odd, c.odd)
	ANDNQ(high, two, high) // continuations
	LEAQ(Mem{Base: c.carry, Index: two, Scale: 2}, need)
	MOVQ(three, c.carry)
	SHLQ(U8(2), c.carry)
	ORQ(c.carry, need)
	XORQ(need, high)
	ORQ(high, c.doubt)
	SHRQ(U8(63), two)
	SHRQ(U8(62), three)
	LEAQ(Mem{Base: two, Index: three, Scale: 1}, c.carry)
}

// uncertain is not 0 if something was wrong, or may be, but for a sequence that
// is not complete.
func (c *check) uncertain() reg.GPVirtual {
	odd, is := GP64(), GP32()
	KMOVQ(c.odd, odd)
	XORL(is, is)
	ORQ(odd, c.doubt)
	SETNE(is.As8())
	return is
}
