package convert

import (
	"encoding/binary"
	"unicode/utf8"
	"unsafe"
)

// slack is what copyFields may write beyond a value, and read beyond a field.
const slack = 32

// textBatch is what the vector code that copies fields works on.
type textBatch struct {
	src     *byte
	length  int
	start   *uint32
	end     *uint32
	data    *byte  // of the Column
	offsets *int32 // of the ends of the rows
	rows    int
	at      int // offset in data of the next row; moved on
}

// copyFields appends all rows of f, those that are absent as empty ones. They
// have sum bytes; if that is too much, dst is as it was.
func copyFields(dst *Column, f *Fields, sum uint64) bool {
	src := f.Src
	start := f.Start
	end := f.End[:len(start)]
	base := len(dst.Data)
	if sum > uint64(maxData-base) {
		return false
	}
	data := dst.grow(dst.Data, int(sum)+slack)
	to := dst.growOffsets(len(start))[:len(start)]
	b := textBatch{unsafe.SliceData(src), len(src), nil, nil, unsafe.SliceData(data), nil, 0, base}
	for i := 0; i < len(start); i++ {
		b.start, b.end, b.offsets, b.rows = &start[i], &end[i], &to[i], len(start)-i
		if i += copyPlain(&b); i == len(start) {
			break
		}
		// Too near to the end of src, or not in it.
		if field, ok := f.At(i); ok {
			b.at += copy(data[b.at:], field)
		}
		to[i] = int32(b.at)
	}
	dst.Data = data[:b.at]
	dst.appendValid(len(start))
	return true
}

// spans is the OR of the starts and, of rows that are all in Src, the sum of
// the lengths.
func spans(start, end []uint32) (sum uint64, all uint32) {
	i := 0
	if groups := len(start) / groupRows; groups > 0 && hasAVX2 {
		sum, all = spansAVX2(&start[0], &end[0], groups)
		i = groups * groupRows
	}
	for ; i < len(start); i++ {
		all |= start[i]
		sum += uint64(end[i] - start[i])
	}
	return sum, all
}

// copyPlain copies rows until one that is near the end of src, or, in Go, is
// long, and gives how many.
func copyPlain(b *textBatch) int {
	if hasAVX2 {
		return copyTextAVX2((*uintptr)(unsafe.Pointer(b)))
	}
	src := unsafe.Slice(b.src, b.length)
	start, end := unsafe.Slice(b.start, b.rows), unsafe.Slice(b.end, b.rows)
	to := unsafe.Slice(b.offsets, b.rows)
	o := b.at
	for i, s := range start {
		n := end[i] - s
		if n > slack || uint64(s)+slack > uint64(len(src)) {
			b.at = o
			return i
		}
		data := unsafe.Slice((*byte)(unsafe.Add(unsafe.Pointer(b.data), o)), slack)
		*(*[16]byte)(data) = *(*[16]byte)(src[s:])
		if n > 16 {
			*(*[16]byte)(data[16:]) = *(*[16]byte)(src[s+16:])
		}
		o += int(n)
		to[i] = int32(o)
	}
	b.at = o
	return b.rows
}

// validUTF8 is utf8.Valid.
func validUTF8(b []byte) bool {
	const block = 32
	if blocks := len(b) / block; blocks > 0 && hasAVX2 {
		if utf8AVX2(&b[0], blocks) != 0 {
			return false
		}
		// The rest, from the last sequence on that begins in the blocks.
		at := blocks*block - 1
		for last := at - 3; at > last && !utf8.RuneStart(b[at]); at-- {
		}
		b = b[at:]
	}
	return utf8.Valid(b)
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
