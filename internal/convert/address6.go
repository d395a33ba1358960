package convert

import (
	"encoding/binary"
	"math/bits"
	"unsafe"
)

// roomIPv6 is how many bytes putIPv6 may write: of a group eight at once.
const roomIPv6 = longestAddress + 8

// putIPv6 writes the text of an IPv6 address to b, which has roomIPv6 bytes, and gives its length. The first of the
// longest runs of groups that are 0 is two colons, if it is of more than one (RFC 5952).
func putIPv6(b []byte, ip *[16]byte) (n int) {
	_ = b[:roomIPv6]
	zeros := 0
	for i := range 8 {
		zeros |= asBit(groupIPv6(ip, i) == 0) << i
	}
	run := zeroRuns[zeros]
	for i := 0; i < 8; i++ {
		if i == int(run.from) {
			// The colon before it is behind the group before.
			if i == 0 {
				b[0], n = ':', 1
			}
			b[n] = ':'
			n++
			if i = int(run.to); i == 8 {
				return n
			}
		}
		digits, ndigits := hexDigits(groupIPv6(ip, i))
		*(*uint64)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(b)), n)) = digits | ':'<<(8*ndigits)
		n += ndigits + 1
	}
	return n - 1
}

func groupIPv6(ip *[16]byte, i int) uint16 { return binary.BigEndian.Uint16(ip[2*i:]) }

// hexDigits are the digits of v without zeros in front, the first in the lowest byte, and how many they are.
func hexDigits(v uint16) (digits uint64, n int) {
	x := uint64(v)>>8 | uint64(v)&0xff<<16
	x = x>>4&0x000f000f | x&0x000f000f<<8
	letters := (x + 0x06060606) >> 4 & 0x01010101
	n = (bits.Len16(v|1) + 3) / 4
	return (x + 0x30303030 + letters*('a'-'0'-10)) >> (32 - 8*n), n
}

// zeroRuns are, by which of eight groups are 0, those that are two colons: from the first to before the last; from is
// beyond all if there are none.
var zeroRuns = func() (runs [256]struct{ from, to uint8 }) {
	for zeros := range runs {
		most := 1
		runs[zeros].from = 8
		for from := range 8 {
			if n := bits.TrailingZeros8(^uint8(zeros >> from)); n > most {
				most = n
				runs[zeros].from, runs[zeros].to = uint8(from), uint8(from+n)
			}
		}
	}
	return runs
}()
