#include "textflag.h"

DATA sixteen<>+0(SB)/8, $0x0f0f0f0f0f0f0f0f
DATA sixteen<>+8(SB)/8, $0x0f0f0f0f0f0f0f0f
DATA sixteen<>+16(SB)/8, $0x8080808080808080
DATA sixteen<>+24(SB)/8, $0x8080808080808080
GLOBL sixteen<>(SB), RODATA|NOPTR, $32

// MASK writes the mask of 64 symbols, of which R8, R9, R10 and R11 have sixteen bits each, and
// adds it to R12.
#define MASK \
	SHLQ	$16, R9 \
	SHLQ	$32, R10 \
	SHLQ	$48, R11 \
	ORQ	R9, R8 \
	ORQ	R11, R10 \
	ORQ	R10, R8 \
	ORQ	R8, R12 \
	MOVQ	R8, (DI) \
	ADDQ	$64, SI \
	ADDQ	$8, DI

// func findSymbol16(dst *uint64, src *byte, nblocks int, symbol byte) (some uint64)
TEXT ·findSymbol16(SB), NOSPLIT, $0-40
	MOVQ	dst+0(FP), DI
	MOVQ	src+8(FP), SI
	MOVQ	nblocks+16(FP), CX
	MOVBLZX	symbol+24(FP), AX
	MOVL	AX, X0
	PXOR	X1, X1
	PSHUFB	X1, X0
	XORL	R12, R12

symbol:
	MOVOU	(SI), X1
	MOVOU	16(SI), X2
	MOVOU	32(SI), X3
	MOVOU	48(SI), X4
	PCMPEQB	X0, X1
	PCMPEQB	X0, X2
	PCMPEQB	X0, X3
	PCMPEQB	X0, X4
	PMOVMSKB	X1, R8
	PMOVMSKB	X2, R9
	PMOVMSKB	X3, R10
	PMOVMSKB	X4, R11
	MASK
	DECQ	CX
	JNZ	symbol
	MOVQ	R12, some+32(FP)
	RET

// AMONG gives the bits of the sixteen symbols at SI that are not in the set. X0 and X1 are the
// set's rows, of which a symbol selects one by its low nibble if its top bit is not set, or
// is; X2 has the bit of its high nibble.
#define AMONG(OFFSET, BITS) \
	MOVOU	OFFSET(SI), X6 \
	MOVO	X6, X7 \
	MOVO	X0, X8 \
	MOVO	X1, X9 \
	MOVO	X2, X10 \
	PSHUFB	X6, X8 \
	PXOR	X4, X6 \
	PSHUFB	X6, X9 \
	PSRLW	$4, X7 \
	PAND	X3, X7 \
	PSHUFB	X7, X10 \
	POR	X9, X8 \
	PAND	X10, X8 \
	PCMPEQB	X5, X8 \
	PMOVMSKB	X8, BITS

// func findSet16(dst *uint64, src *byte, nblocks int, set *[64]byte) (some uint64)
TEXT ·findSet16(SB), NOSPLIT, $0-40
	MOVQ	dst+0(FP), DI
	MOVQ	src+8(FP), SI
	MOVQ	nblocks+16(FP), CX
	MOVQ	set+24(FP), DX
	MOVOU	(DX), X0
	MOVOU	16(DX), X1
	MOVOU	32(DX), X2
	MOVOU	48(DX), X3
	POR	X3, X2
	MOVOU	sixteen<>+0(SB), X3
	MOVOU	sixteen<>+16(SB), X4
	PXOR	X5, X5
	XORL	R12, R12

set:
	AMONG(0, R8)
	AMONG(16, R9)
	AMONG(32, R10)
	AMONG(48, R11)
	XORL	$0xFFFF, R8
	XORL	$0xFFFF, R9
	XORL	$0xFFFF, R10
	XORL	$0xFFFF, R11
	MASK
	DECQ	CX
	JNZ	set
	MOVQ	R12, some+32(FP)
	RET
