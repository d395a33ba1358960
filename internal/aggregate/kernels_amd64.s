#include "go_asm.h"
#include "textflag.h"

// Sixteen bytes of ones, then sixteen of zeros: what begins n before these masks a text of n bytes.
DATA textMasks<>+0(SB)/8, $-1
DATA textMasks<>+8(SB)/8, $-1
DATA textMasks<>+16(SB)/8, $0
DATA textMasks<>+24(SB)/8, $0
GLOBL textMasks<>(SB), RODATA|NOPTR, $32

// func shortAES(rounds *[5][16]byte, low, high uint64) uint64
TEXT ·shortAES(SB), NOSPLIT, $0-32
	MOVQ	rounds+0(FP), AX
	VMOVDQU	low+8(FP), X0 // and high
	VPXOR	(AX), X0, X0
	VMOVDQU	16(AX), X1
	VMOVDQU	32(AX), X2
	VMOVDQU	48(AX), X3
	VAESENC	X1, X0, X0
	VAESENC	X2, X0, X0
	VAESENC	X3, X0, X0
	VMOVQ	X0, ret+24(FP)
	RET

// func longAES(rounds *[5][16]byte, key *byte, n int) uint64
TEXT ·longAES(SB), NOSPLIT, $0-32
	MOVQ	rounds+0(FP), AX
	MOVQ	key+8(FP), SI
	MOVQ	n+16(FP), BX
	LEAQ	-16(SI)(BX*1), BX // the last 16
	VMOVDQU	16(AX), X1
	VMOVDQU	32(AX), X2
	VMOVDQU	48(AX), X3
	VMOVDQU	64(AX), X4
	VMOVDQU	(SI), X0
	VPXOR	(AX), X0, X0

more:
	VAESENC	X1, X0, X0
	VAESENC	X2, X0, X0
	ADDQ	$16, SI
	CMPQ	SI, BX
	JGE	last
	VPXOR	(SI), X0, X0
	JMP	more

last:
	VPXOR	(BX), X0, X0
	VAESENC	X3, X0, X0
	VAESENC	X4, X0, X0
	VAESENC	X1, X0, X0
	VMOVQ	X0, ret+24(FP)
	RET

// func findAES(rounds *[5][16]byte, data *byte, last, from int, offsets *int32, slots *slot, mask uint64, keys *byte, ends *int, groups *uint32, n int) int
TEXT ·findAES(SB), NOSPLIT, $0-96
	MOVQ	rounds+0(FP), AX
	VMOVDQU	(AX), X12
	VMOVDQU	16(AX), X13
	VMOVDQU	32(AX), X14
	VMOVDQU	48(AX), X15
	VMOVDQU	64(AX), X11
	MOVQ	data+8(FP), SI
	MOVQ	last+16(FP), R8
	MOVQ	from+24(FP), BX
	MOVQ	offsets+32(FP), R9
	MOVQ	slots+40(FP), R10
	MOVQ	mask+48(FP), R11
	MOVQ	groups+72(FP), DI
	MOVQ	n+80(FP), R12
	LEAQ	textMasks<>+16(SB), R13
	LEAQ	1(R11), R15
	SHLQ	$5, R15 // slot__size
	ADDQ	R10, R15 // the end of the slots
	XORL	CX, CX

key:
	MOVL	(R9)(CX*4), DX // where the key ends
	MOVQ	BX, AX
	SUBQ	DX, AX // its length, less than 0
	CMPQ	AX, $-16
	JLT	long
	CMPQ	BX, R8
	JGT	done
	VMOVDQU	(SI)(BX*1), X0
	VPAND	(R13)(AX*1), X0, X0
	VPXOR	X12, X0, X1
	VAESENC	X13, X1, X1
	VAESENC	X14, X1, X1
	VAESENC	X15, X1, X1
	VMOVQ	X1, BX
	ANDQ	R11, BX
	SHLQ	$5, BX
	ADDQ	R10, BX

probe:
	VPXOR	slot_low(BX), X0, X1
	VPTEST	X1, X1
	JNE	other
	MOVL	slot_size(BX), R14
	ADDL	AX, R14
	JNE	other
	MOVL	slot_group(BX), R14

found:
	SUBL	$1, R14
	JCS	done // the slot is free
	MOVL	R14, (DI)(CX*4)
	MOVQ	DX, BX
	INCQ	CX
	CMPQ	CX, R12
	JLT	key
	JMP	done

other:
	CMPL	slot_group(BX), $0
	JEQ	done
	ADDQ	$slot__size, BX
	CMPQ	BX, R15
	JNE	probe

done:
	MOVQ	CX, ret+88(FP)
	RET

long: // more than 16 bytes: the first 16 in X0, the last 16 in X2
	VMOVDQU	(SI)(BX*1), X0
	VMOVDQU	-16(SI)(DX*1), X2
	VPXOR	X12, X0, X1
	LEAQ	-16(SI)(DX*1), R14
	ADDQ	SI, BX

more:
	VAESENC	X13, X1, X1
	VAESENC	X14, X1, X1
	ADDQ	$16, BX
	CMPQ	BX, R14
	JGE	last
	VPXOR	(BX), X1, X1
	JMP	more

last:
	VPXOR	X2, X1, X1
	VAESENC	X15, X1, X1
	VAESENC	X11, X1, X1
	VAESENC	X13, X1, X1
	VMOVQ	X1, BX
	ANDQ	R11, BX
	SHLQ	$5, BX
	ADDQ	R10, BX

probeLong:
	VPXOR	slot_low(BX), X0, X1
	VPTEST	X1, X1
	JNE	otherLong
	MOVL	slot_size(BX), R14
	ADDL	AX, R14
	JNE	otherLong // as of a free slot, whose size is 0
	MOVL	slot_group(BX), R14
	MOVQ	ends+64(FP), DX
	MOVQ	(DX)(R14*8), DX // the group is one less: where its key ends
	ADDQ	keys+56(FP), DX
	VPXOR	-16(DX), X2, X1
	VPTEST	X1, X1
	JNE	otherLong
	MOVL	(R9)(CX*4), R8
	ADDQ	SI, R8 // where the key ends
	LEAQ	16(AX), R14

same: // 16 bytes that begin so much, less than 0, before both ends
	CMPQ	R14, $-16
	JGE	foundLong
	VMOVDQU	(R8)(R14*1), X1
	VPXOR	(DX)(R14*1), X1, X1
	ADDQ	$16, R14
	VPTEST	X1, X1
	JEQ	same

otherLong:
	CMPL	slot_group(BX), $0
	JEQ	done
	ADDQ	$slot__size, BX
	CMPQ	BX, R15
	JNE	probeLong
	JMP	done

foundLong:
	MOVL	slot_group(BX), R14
	MOVL	(R9)(CX*4), DX
	MOVQ	last+16(FP), R8
	JMP	found

// func addWholes(states *uint64, size int, bounds bool, values *int64, step int, groups *uint32, n int)
TEXT ·addWholes(SB), NOSPLIT, $0-56
	MOVQ	states+0(FP), SI
	MOVQ	size+8(FP), R8
	MOVBLZX	bounds+16(FP), BX
	MOVQ	values+24(FP), R9
	MOVQ	step+32(FP), R10
	MOVQ	groups+40(FP), DI
	MOVQ	n+48(FP), R12
	LEAQ	(DI)(R12*4), R12

value:
	MOVL	(DI), AX
	IMULQ	R8, AX
	ADDQ	SI, AX
	MOVQ	(R9), DX
	MOVQ	DX, CX
	SARQ	$63, CX
	INCQ	(AX)
	ADDQ	DX, 8(AX)
	ADCQ	$0, CX // 0 unless the sum's sign changes, or it has more than 64 bits
	JNE	high

bound:
	TESTL	BX, BX
	JEQ	next
	CMPQ	DX, 24(AX)
	JLT	least
	CMPQ	DX, 32(AX)
	JGT	greatest

next:
	ADDQ	R10, R9
	ADDQ	$4, DI
	CMPQ	DI, R12
	JLT	value
	RET

high:
	ADDQ	CX, 16(AX)
	JMP	bound

least:
	MOVQ	DX, 24(AX)
	CMPQ	DX, 32(AX)
	JLE	next

greatest:
	MOVQ	DX, 32(AX)
	JMP	next

// func addFloats(states *uint64, size int, bounds bool, units float64, values *float64, groups *uint32, n int) int
TEXT ·addFloats(SB), NOSPLIT, $0-64
	MOVQ	states+0(FP), SI
	MOVQ	size+8(FP), R8
	MOVBLZX	bounds+16(FP), BX
	VMOVSD	units+24(FP), X2
	VXORPS	X3, X3, X3
	MOVQ	values+32(FP), R9
	MOVQ	groups+40(FP), DI
	MOVQ	n+48(FP), R12
	MOVQ	$0x8000000000000000, R11
	MOVQ	BX, R13
	SHLQ	$4, R13
	ADDQ	$8, R13 // where the near sum is in a state: behind the bounds, if there are
	XORL	CX, CX

value:
	MOVQ	(R9)(CX*8), DX
	VMULSD	(R9)(CX*8), X2, X0
	VCVTTSD2SIQ	X0, R10
	VCVTSI2SDQ	R10, X3, X1
	VUCOMISD	X1, X0
	JNE	done // it is no whole number of units, or one of more than 63 bits,
	JPS	done // or no number
	MOVL	(DI)(CX*4), AX
	IMULQ	R8, AX
	ADDQ	SI, AX
	INCQ	(AX)
	TESTL	BX, BX
	JEQ	sum
	MOVQ	DX, R14 // its number in the order of floats
	SARQ	$63, R14
	ORQ	R11, R14
	XORQ	R14, DX
	CMPQ	DX, 8(AX)
	JCS	least
	CMPQ	DX, 16(AX)
	JHI	greatest

sum:
	ADDQ	R13, AX
	MOVQ	R10, DX
	SARQ	$63, DX
	ADDQ	R10, (AX)
	ADCQ	DX, 8(AX)
	INCQ	CX
	CMPQ	CX, R12
	JLT	value

done:
	MOVQ	CX, ret+56(FP)
	RET

least:
	MOVQ	DX, 8(AX)
	CMPQ	DX, 16(AX)
	JLS	sum

greatest:
	MOVQ	DX, 16(AX)
	JMP	sum
