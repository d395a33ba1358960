package convert

import (
	"encoding/binary"
	"math"
	"unicode/utf8"
	"unsafe"

	"github.com/dfaparse/dfaparse/internal/columns"
)

// slack is what copyFields may write beyond a value, and read beyond a field.
const slack = 128

// longText is how many bytes texts have on average that are written line by
// line, if there is vector code for it.
const longText = 192

// copyFields appends the bytes of the rows of f, which m has measured, to
// dst.Data. offsets are those of the rows, and where the last ends. It says what it
// has seen of whether the rows are UTF-8.
func copyFields(dst *columns.Column, f *Fields, m *measured, offsets []int32) (seen seenUTF8) {
	from := m.from
	n := int(offsets[len(from)] - offsets[0])
	if n == 0 {
		return allUTF8
	}
	data := dst.Grow(dst.Data, n+slack)
	dst.Data = data[:len(dst.Data)+n]
	b := textGroups{
		src: unsafe.SliceData(f.Src), length: min(len(f.Src), math.MaxInt32),
		decoded: unsafe.SliceData(f.Decoded), decodedLength: min(cap(f.Decoded), math.MaxInt32),
		data: unsafe.SliceData(data),
	}
	if hasAVX2 {
		seen = apartUTF8
	}
	lines := hasVBMI && n >= longText*len(from) && uintptr(unsafe.Pointer(b.data))%64 == 0
	if lines {
		seen = allUTF8
	}
	for i := 0; i < len(from); i++ {
		b.from, b.offsets, b.rows = &from[i], &offsets[i], len(from)-i
		if lines { // no function value, which would put b on the heap
			i += copyLines(&b)
		} else {
			i += copyPlain(&b)
		}
		if i == len(from) {
			break
		}
		// Too near to the end of its buffer.
		src, s := f.Src, from[i]
		if s >= InDecoded {
			src, s = f.Decoded, s&^InDecoded
		}
		copy(data[offsets[i]:offsets[i+1]], src[s:])
		seen = noUTF8
	}
	if b.any != 0 {
		return noUTF8
	}
	return seen
}

// seenUTF8 is what is known of rows that have been copied.
type seenUTF8 uint8

const (
	noUTF8    seenUTF8 = iota // they may be UTF-8, or not
	apartUTF8                 // they are if their concatenation is: none begins inside a sequence
	allUTF8                   // they are
)

// copyPlain copies rows until one that is near the end of src or decoded, or,
// in Go, is long, and gives how many.
func copyPlain(b *textGroups) int {
	if hasAVX2 {
		return copyTextAVX2((*uintptr)(unsafe.Pointer(b)))
	}
	const most = 32
	buffers := [2]*byte{b.src, b.decoded}
	ends := [2]int{b.length, b.decodedLength}
	to := unsafe.Pointer(b.data)
	ats := unsafe.Slice(b.offsets, b.rows+1)
	at := ats[0]
	for i, end := range ats[1:] {
		s := *(*uint32)(unsafe.Add(unsafe.Pointer(b.from), 4*i))
		in := s >> 31
		s &^= InDecoded
		n := end - at
		if n > most || int(s)+most > ends[in] {
			return i
		}
		src, dst := unsafe.Add(unsafe.Pointer(buffers[in]), s), unsafe.Add(to, at)
		*(*[16]byte)(dst) = *(*[16]byte)(src)
		if n > 16 {
			*(*[16]byte)(unsafe.Add(dst, 16)) = *(*[16]byte)(unsafe.Add(src, 16))
		}
		at = end
	}
	return b.rows
}

// validUTF8 is utf8.Valid.
func validUTF8(b []byte) bool {
	const line, block = 64, 32
	if lines := len(b) / line; lines > 0 && hasVBMI && plainUTF8AVX512(&b[0], lines) == 0 {
		return utf8.Valid(lastFrom(b, lines*line))
	}
	if blocks := len(b) / block; blocks > 0 && hasAVX2 {
		return utf8AVX2(&b[0], blocks) == 0 && utf8.Valid(lastFrom(b, blocks*block))
	}
	if words := len(b) &^ 7; words > 0 && wordsUTF8(b[:words]) {
		return utf8.Valid(lastFrom(b, words))
	}
	return utf8.Valid(b)
}

// wordsUTF8 reports whether the whole words of b are UTF-8 up to the last sequence that begins
// there. If not it is not certain: so it is where there are leads that not all symbols which
// continue sequences may follow, or that begin sequences of four bytes.
func wordsUTF8(b []byte) bool {
	due := uint64(0) // by their top bits: symbols of the next word that continue sequences of the last
	for ; len(b) >= 8; b = b[8:] {
		x := binary.LittleEndian.Uint64(b)
		if x&asciiHigh|due == 0 {
			continue
		}
		b6, b5, b4, b3, b2, b1, b0 := x<<1, x<<2, x<<3, x<<4, x<<5, x<<6, x<<7
		lead := x & b6 & asciiHigh
		long := lead & b5
		uncertain := lead &^ long &^ (b4 | b3 | b2 | b1)               // C0, C1
		uncertain |= long & (b4 | ^(b3 | b2 | b1 | b0) | b3&b2&^b1&b0) // from F0 on, E0, ED
		if x&^b6&asciiHigh != lead<<8|long<<16|due || uncertain != 0 {
			return false
		}
		due = lead>>56 | long>>48
	}
	return true
}

// lastFrom is b from the last sequence on that begins before end.
func lastFrom(b []byte, end int) []byte {
	at := end - 1
	for last := at - 3; at > last && !utf8.RuneStart(b[at]); at-- {
	}
	return b[at:]
}

// isASCII reports whether no byte of b is above 127.
func isASCII(b []byte) bool {
	const block = 128
	if blocks := len(b) / block; blocks > 0 && hasAVX2 {
		if asciiAVX2(&b[0], blocks) != 0 {
			return false
		}
		b = b[blocks*block:]
	}
	var or uint64
	for len(b) >= 32 {
		or |= binary.LittleEndian.Uint64(b) | binary.LittleEndian.Uint64(b[8:]) |
			binary.LittleEndian.Uint64(b[16:]) | binary.LittleEndian.Uint64(b[24:])
		b = b[32:]
	}
	for _, v := range b {
		or |= uint64(v)
	}
	return or&asciiHigh == 0
}
