package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/ir"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// constant is 64 bytes of what f gives, each of so many bytes.
func constant(nbytes int, f func(i int) uint64) Mem {
	nconstants++
	m := GLOBL(fmt.Sprint("marker", nconstants), RODATA|NOPTR)
	for i := range 64 / nbytes {
		if nbytes == 1 {
			DATA(i, U8(f(i)))
		} else {
			DATA(4*i, U32(f(i)))
		}
	}
	return m
}

var nconstants int

func load(m Mem) reg.VecVirtual {
	z := ZMM()
	VMOVDQU64(m, z)
	return z
}

// logic is d = f(d, a, b), bit by bit.
func logic(d, a, b reg.VecVirtual, f func(d, a, b uint8) uint8) {
	VPTERNLOGQ(U8(f(0xF0, 0xCC, 0xAA)), b, a, d)
}

// compress puts the bytes of mask side by side.
func compress(bytes reg.VecVirtual, mask reg.GPVirtual) reg.VecVirtual {
	kept := K()
	KMOVQ(mask, kept)
	return compressBy(bytes, kept)
}

// compressBy is compress for a mask that is a register of masks.
func compressBy(bytes reg.VecVirtual, kept reg.OpmaskVirtual) reg.VecVirtual {
	packed := ZMM()
	// avo does not know the instruction.
	Instruction(&ir.Instruction{
		Opcode: "VPCOMPRESSB", Suffixes: []string{"Z"}, ISA: []string{"AVX512VBMI2"},
		Operands: []Op{bytes, kept, packed}, Inputs: []Op{bytes, kept}, Outputs: []Op{packed},
	})
	return packed
}

// vector is an instruction that avo does not know, or not of 512 bits.
func vector(opcode, isa string, imm, a, b, to Op) {
	Instruction(&ir.Instruction{Opcode: opcode, ISA: []string{isa},
		Operands: []Op{imm, a, b, to}, Inputs: []Op{a, b}, Outputs: []Op{to}})
}
