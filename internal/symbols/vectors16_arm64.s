#include "textflag.h"

// The bits of a mask for eight symbols, twice.
DATA bitOfSymbol<>+0(SB)/8, $0x8040201008040201
DATA bitOfSymbol<>+8(SB)/8, $0x8040201008040201
GLOBL bitOfSymbol<>(SB), RODATA|NOPTR, $16

// MASK makes of 64 symbols that are all ones or 0, in V0 to V3, a mask in R4, which is
// also written and ORed to R5.
#define MASK \
	VAND	V31.B16, V0.B16, V0.B16 \
	VAND	V31.B16, V1.B16, V1.B16 \
	VAND	V31.B16, V2.B16, V2.B16 \
	VAND	V31.B16, V3.B16, V3.B16 \
	VADDP	V1.B16, V0.B16, V0.B16 \
	VADDP	V3.B16, V2.B16, V2.B16 \
	VADDP	V2.B16, V0.B16, V0.B16 \
	VADDP	V0.B16, V0.B16, V0.B16 \
	VMOV	V0.D[0], R4 \
	MOVD.P	R4, 8(R0) \
	ORR	R4, R5

// func findSymbol16(dst *uint64, src *byte, nblocks int, symbol byte) (some uint64)
TEXT ·findSymbol16(SB), NOSPLIT, $0-40
	MOVD	dst+0(FP), R0
	MOVD	src+8(FP), R1
	MOVD	nblocks+16(FP), R2
	MOVBU	symbol+24(FP), R3
	VDUP	R3, V30.B16
	MOVD	$bitOfSymbol<>(SB), R6
	VLD1	(R6), [V31.B16]
	MOVD	ZR, R5

loop:
	VLD1.P	64(R1), [V0.B16, V1.B16, V2.B16, V3.B16]
	VCMEQ	V30.B16, V0.B16, V0.B16
	VCMEQ	V30.B16, V1.B16, V1.B16
	VCMEQ	V30.B16, V2.B16, V2.B16
	VCMEQ	V30.B16, V3.B16, V3.B16
	MASK
	SUBS	$1, R2
	BNE	loop

	MOVD	R5, some+32(FP)
	RET

// AMONG makes the symbols of V that are in the set all ones, the others 0. V20 to V23
// are the set's rows and bits, V24 is 0x0F.
#define AMONG(V) \
	VAND	V24.B16, V.B16, V4.B16 \
	VUSHR	$4, V.B16, V5.B16 \
	VTBL	V4.B16, [V20.B16], V6.B16 \
	VTBL	V4.B16, [V21.B16], V7.B16 \
	VTBL	V5.B16, [V22.B16], V16.B16 \
	VTBL	V5.B16, [V23.B16], V17.B16 \
	VAND	V16.B16, V6.B16, V6.B16 \
	VAND	V17.B16, V7.B16, V7.B16 \
	VORR	V7.B16, V6.B16, V6.B16 \
	VCMTST	V6.B16, V6.B16, V.B16

// func findSet16(dst *uint64, src *byte, nblocks int, set *[64]byte) (some uint64)
TEXT ·findSet16(SB), NOSPLIT, $0-40
	MOVD	dst+0(FP), R0
	MOVD	src+8(FP), R1
	MOVD	nblocks+16(FP), R2
	MOVD	set+24(FP), R3
	VLD1	(R3), [V20.B16, V21.B16, V22.B16, V23.B16]
	MOVD	$bitOfSymbol<>(SB), R6
	VLD1	(R6), [V31.B16]
	VMOVI	$15, V24.B16
	MOVD	ZR, R5

loop:
	VLD1.P	64(R1), [V0.B16, V1.B16, V2.B16, V3.B16]
	AMONG(V0)
	AMONG(V1)
	AMONG(V2)
	AMONG(V3)
	MASK
	SUBS	$1, R2
	BNE	loop

	MOVD	R5, some+32(FP)
	RET
