package parquetfile

import (
	"encoding/binary"
	"math/bits"
)

// This file is the encoding "RLE / bit-packing hybrid" of levels and indices: runs
// of at least eight equal values are stored as one, the others in groups of
// eight with as many bits each as the largest needs.

type small interface{ ~uint8 | ~uint32 }

// widthOf is how many bits values up to limit need.
func widthOf(limit uint32) uint { return uint(bits.Len32(limit)) }

// appendHybrid appends values of width bits. The last group is filled up with
// zeros.
func appendHybrid[T small](dst []byte, values []T, width uint) []byte {
	for len(values) > 0 {
		if n := runLength(values); n >= 8 {
			dst = binary.AppendUvarint(dst, uint64(n)<<1)
			for k := uint(0); k < width; k += 8 {
				dst = append(dst, byte(uint32(values[0])>>k))
			}
			values = values[n:]
			continue
		}
		n := 8
		for n+8 <= len(values) && !uniform(values[n:n+8]) {
			n += 8
		}
		if n+8 > len(values) && n < len(values) { // the rest makes no run
			n = (len(values) + 7) &^ 7
		}
		dst = binary.AppendUvarint(dst, uint64(n/8)<<1|1)
		whole := min(n, len(values)) &^ 7
		dst = appendPacked(dst, values[:whole], width)
		if whole < n {
			var last [8]T
			copy(last[:], values[whole:])
			dst = appendPacked(dst, last[:], width)
		}
		values = values[min(n, len(values)):]
	}
	return dst
}

// runLength is how many values at the front are equal.
func runLength[T small](values []T) int {
	n := 1
	for n < len(values) && values[n] == values[0] {
		n++
	}
	return n
}

// uniform reports whether eight values are equal.
func uniform[T small](v []T) bool {
	_ = v[7]
	return (v[0]^v[1])|(v[0]^v[2])|(v[0]^v[3])|(v[0]^v[4])|(v[0]^v[5])|(v[0]^v[6])|(v[0]^v[7]) == 0
}

// appendPacked appends values, a multiple of eight of them, with width bits
// each, the first in the lowest bits.
func appendPacked[T small](dst []byte, values []T, width uint) []byte {
	word, filled := uint64(0), uint(0)
	for _, v := range values {
		word |= uint64(v) << filled
		if filled += width; filled >= 32 {
			dst = binary.LittleEndian.AppendUint32(dst, uint32(word))
			word >>= 32
			filled -= 32
		}
	}
	for ; filled > 0; filled -= 8 {
		dst = append(dst, byte(word))
		word >>= 8
	}
	return dst
}
