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

// EQUAL writes the mask of the symbols of Y4 and Y5 that are those of S, and adds it to SOME.
#define EQUAL(S, OFFSET, SOME) \
	VPCMPEQB	S, Y4, Y6 \
	VPCMPEQB	S, Y5, Y7 \
	VPMOVMSKB	Y6, AX \
	VPMOVMSKB	Y7, BX \
	SHLQ	$32, BX \
	ORQ	BX, AX \
	ORQ	AX, SOME \
	MOVQ	AX, OFFSET(DI)

// func findEachAVX2(dst *[MostEach][Strip]uint64, src *byte, nblocks int, symbols *[MostEach]byte, some *[MostEach]uint64)
TEXT ·findEachAVX2(SB), NOSPLIT, $0-40
	MOVQ	dst+0(FP), DI
	MOVQ	src+8(FP), SI
	MOVQ	nblocks+16(FP), CX
	MOVQ	symbols+24(FP), DX
	VPBROADCASTB	(DX), Y0
	VPBROADCASTB	1(DX), Y1
	VPBROADCASTB	2(DX), Y2
	VPBROADCASTB	3(DX), Y3
	XORL	R8, R8
	XORL	R9, R9
	XORL	R10, R10
	XORL	R11, R11

each:
	PREFETCHT0	4096(SI)
	VMOVDQU	(SI), Y4
	VMOVDQU	32(SI), Y5
	EQUAL(Y0, 0, R8)
	EQUAL(Y1, 512, R9)
	EQUAL(Y2, 1024, R10)
	EQUAL(Y3, 1536, R11)
	ADDQ	$64, SI
	ADDQ	$8, DI
	DECQ	CX
	JNZ	each
	MOVQ	some+32(FP), DX
	MOVQ	R8, (DX)
	MOVQ	R9, 8(DX)
	MOVQ	R10, 16(DX)
	MOVQ	R11, 24(DX)
	VZEROUPPER
	RET
