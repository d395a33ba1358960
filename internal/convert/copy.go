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
	run := copyPlain
	if hasAVX2 {
		seen = apartUTF8
	}
	if hasVBMI && n >= longText*len(from) && uintptr(unsafe.Pointer(b.data))%64 == 0 {
		run, seen = copyLines, allUTF8
	}
	for i := 0; i < len(from); i++ {
		b.from, b.offsets, b.rows = &from[i], &offsets[i], len(from)-i
		if i += run(&b); i == len(from) {
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
	buffers := [2][]byte{unsafe.Slice(b.src, b.length), unsafe.Slice(b.decoded, b.decodedLength)}
	offsets := unsafe.Slice(b.offsets, b.rows+1)
	for i, s := range unsafe.Slice(b.from, b.rows) {
		src := buffers[s>>31]
		s &^= InDecoded
		n := offsets[i+1] - offsets[i]
		if n > most || uint64(s)+most > uint64(len(src)) {
			return i
		}
		data := unsafe.Slice((*byte)(unsafe.Add(unsafe.Pointer(b.data), offsets[i])), most)
		*(*[16]byte)(data) = *(*[16]byte)(src[s:])
		if n > 16 {
			*(*[16]byte)(data[16:]) = *(*[16]byte)(src[s+16:])
		}
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
	return utf8.Valid(b)
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
