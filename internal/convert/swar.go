package convert

import (
	"encoding/binary"
	"math/bits"
	"unsafe"
)

// Numbers of up to 16 symbols are read as one or two words: eight symbols a
// word, the first in the lowest byte. XOR with '0' makes digits their values;
// shifting left makes room in front, which zeros fill as leading zeros.

const (
	eachByte  = 0x0101010101010101
	asciiZero = '0' * eachByte
	asciiHigh = 0x80 * eachByte
	dotDigit  = ('.' ^ '0') * eachByte // see pointDigit
)

// word loads the eight symbols at s. The caller sees to it that they are there.
func word(src []byte, s uint32) uint64 { return binary.LittleEndian.Uint64(src[s:]) }

// eights loads the eight symbols at a place for loops that ask first whether they are there.
type eights struct{ src []byte }

func (w eights) has(s uint32) bool { return uint64(s)+8 <= uint64(len(w.src)) }

func (w eights) at(s uint32) uint64 {
	return *(*uint64)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(w.src)), s))
}

// packed are the ends of a text, to be compared with symbols by words.
type packed struct {
	first uint64 // eight symbols, or all with zeros behind them
	own   uint64 // the bits of first that are of the text
	last  uint64 // the last eight, if it has as many
}

func pack(text []byte) (p packed) {
	n := len(text)
	if n >= 8 {
		return packed{word(text, 0), ^uint64(0), word(text, uint32(n-8))}
	}
	var short [8]byte
	copy(short[:], text)
	return packed{first: word(short[:], 0), own: 1<<(8*n) - 1}
}

// notDigits is not 0 if a byte of x is above 9. A byte's carry can reach the
// next one only where its own bit 7 was set.
func notDigits(x uint64) uint64 { return (x + overDigits | x) & asciiHigh }

const overDigits = (0x80 - 10) * eachByte

// digits8 is the number that eight digits are, the first in the lowest byte:
// pairs, then fours, then all by one multiplication each.
func digits8(x uint64) uint64 {
	x = x * (10<<8 + 1) >> 8
	x = (x & 0x00FF00FF00FF00FF) * (100<<16 + 1) >> 16
	return (x & 0x0000FFFF0000FFFF) * (10000<<32 + 1) >> 32
}

// pointDigit is eight points, as x is given to findDot.
func pointDigit(point byte) uint64 { return uint64(point^'0') * eachByte }

// findDot is the bit offset of the first byte of x, XORed with '0', that is a
// dot, or what stands for one; 64 if none is.
func findDot(x, dots uint64) int {
	y := x ^ dots
	return bits.TrailingZeros64((y-eachByte)&^y&asciiHigh) &^ 7
}

// squeeze takes the byte at bit offset d out of x: the bytes before it move up.
func squeeze(x uint64, d int) uint64 {
	below := uint64(1)<<d - 1
	return x&^(below<<8|0xff) | x&below<<8
}

// pointed is how numbers of up to eight symbols are read of which one may be a point. With '0' XORed, digits have
// no bit of their high nibble, and the point has one: these bits of all symbols, times a number, have the number
// of the point in their highest nibble, if there is one point, which is then taken away and found to be it.
//
//	symbols    1 2 . 5, at the end
//	bits       0 0 0 0 0 0 1 0       the sixth, counted from 0: number 7
//	dot        0 0 0 0 0 0 . 0
//	before     1 1 1 1 1 1 0 0       these move up
type pointed struct {
	dots    uint64 // eight of it
	bit     uint64 // of each symbol; 0 if the point is none that is told by one
	places  uint64
	before  [16]uint64 // by the number of the point, 0 if there is none: the symbols before it,
	dot     [16]uint64 // itself,
	check   [16]uint64 // what notDigits adds: at its place, of which it has been taken, more than a 0 is wrong,
	divisor [2 * negative]float64
}

// negative is added to the number of the point for the divisor of a number below 0, or of -0.
const negative = 16

func newPointed(point byte) *pointed {
	p := &pointed{dots: pointDigit(point)}
	for i := range negative {
		p.check[i], p.divisor[i], p.divisor[i+negative] = overDigits, 1, -1
	}
	high := uint64(point^'0') >> 4
	if high == 0 {
		return p
	}
	bit := 4 + bits.TrailingZeros64(high)
	p.bit = eachByte << bit
	for at := range 7 { // a point behind all digits is none of a short number
		number := at + 1
		p.places |= uint64(number) << (60 - bit - 8*at)
		p.before[number], p.dot[number] = 1<<(8*at)-1, uint64(point^'0')<<(8*at)
		p.check[number] += 9 << (8 * at)
		p.divisor[number], p.divisor[number+negative] = powersOf10[7-at], -powersOf10[7-at]
	}
	return p
}

// digits takes the point out of the n symbols that w begins with, 1 to 8, and gives them right-aligned, as digits8
// wants them, and the number of the point. bad is not 0 if they are none.
func (p *pointed) digits(w uint64, n uint32) (x, at, bad uint64) {
	x = (w ^ asciiZero) << ((64 - 8*n) & 63)
	at = x & p.bit * p.places >> 60
	x ^= p.dot[at]
	bad = (x + p.check[at] | x) & asciiHigh
	before := x & p.before[at]
	return x ^ before | before<<8, at, bad
}

// behind is how many digits come after point number at.
func behind(at uint64) uint64 { return (8 - at) & 7 }
