//go:build cuda

package gpu

import (
	"encoding/binary"
	"math/bits"
	"unsafe"
)

func bit(b []byte, i int) bool { return b[i>>3]>>(i&7)&1 == 1 }

func setBit(b []byte, i int, on bool) {
	if on {
		b[i>>3] |= 1 << (i & 7)
	} else {
		b[i>>3] &^= 1 << (i & 7)
	}
}

// ones counts the bits that are set.
func ones(b []byte) int {
	n := 0
	for ; len(b) >= 8; b = b[8:] {
		n += bits.OnesCount64(binary.LittleEndian.Uint64(b))
	}
	for _, v := range b {
		n += bits.OnesCount8(v)
	}
	return n
}

// cutBits clears the bits from n on of a bitmap of n bits.
func cutBits(b []byte, n int) {
	if n&7 != 0 {
		b[n>>3] &= 1<<(n&7) - 1
	}
}

// sizeOf is the size of a structure that lies in device memory.
func sizeOf[T any]() int {
	var v T
	return int(unsafe.Sizeof(v))
}

// bytesOf is the memory of a structure or of an array of them.
func bytesOf[T any](v []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(v))), len(v)*sizeOf[T]())
}

// valueOf is the value that the first bytes of b are.
func valueOf[T any](b []byte) *T { return (*T)(unsafe.Pointer(unsafe.SliceData(b))) }

// wordsOf is b as words.
func wordsOf(b []byte) []int32 {
	return unsafe.Slice((*int32)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/4)
}
