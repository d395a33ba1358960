#include "textflag.h"

DATA nibble<>+0(SB)/1, $0x0f
GLOBL nibble<>(SB), RODATA|NOPTR, $1

// AMONG makes the symbols of X that are in the set all ones, the others 0, in A. Y0 to
// Y2 are the set's rows and bits, Y3 is 0x0F. The low nibble of a symbol selects a row of
// bits, one for each high nibble, the top bit which of two; the high nibble the bit.
#define AMONG(X, A, B, C) \
	VPAND	Y3, X, A \
	VPSRLW	$4, X, B \
	VPAND	Y3, B, B \
	VPSHUFB	A, Y1, C \
	VPSHUFB	A, Y0, A \
	VPBLENDVB	X, C, A, A \
	VPSHUFB	B, Y2, B \
	VPAND	B, A, A \
	VPCMPEQB	B, A, A

// func findSetAVX2(dst *uint64, src *byte, nblocks int, set *rows)
TEXT ·findSetAVX2(SB), NOSPLIT, $0-32
	MOVQ	dst+0(FP), DI
	MOVQ	src+8(FP), SI
	MOVQ	nblocks+16(FP), CX
	MOVQ	set+24(FP), DX
	VBROADCASTI128	(DX), Y0
	VBROADCASTI128	16(DX), Y1
	VBROADCASTI128	32(DX), Y2
	VPBROADCASTB	nibble<>(SB), Y3

block:
	VMOVDQU	(SI), Y4
	VMOVDQU	32(SI), Y8
	AMONG(Y4, Y5, Y6, Y7)
	AMONG(Y8, Y9, Y10, Y11)
	VPMOVMSKB	Y5, AX
	VPMOVMSKB	Y9, BX
	SHLQ	$32, BX
	ORQ	BX, AX
	MOVQ	AX, (DI)
	ADDQ	$64, SI
	ADDQ	$8, DI
	DECQ	CX
	JNZ	block
	VZEROUPPER
	RET
