package zstdfast

import (
	"encoding/binary"
	"errors"
	"slices"

	"github.com/klauspost/compress/huff0"
)

const (
	magic     = 0xfd2fb528
	blockSize = 128 << 10 // the largest of the format
	// MaxSize is the longest text that is compressed: the format asks readers to
	// have room for as large a window.
	MaxSize = 8 << 20
)

// Types of blocks and of literals. RFC 8878, 3.1.1.2.2 and 3.1.1.3.1.1.
const (
	stored     = 0
	repeated   = 1 // one byte; of literals only
	compressed = 2
)

// Encoder compresses one text after the other, with memory that it keeps. The
// zero Encoder is ready; it is used by one goroutine.
type Encoder struct {
	matcher matcher
	coder   coder
	huffman huff0.Scratch
}

// Append appends src as a frame. It is at most MaxSize long.
func (e *Encoder) Append(dst, src []byte) []byte {
	dst = slices.Grow(dst, len(src)+len(src)/blockSize*3+32)
	const single, size4 = 1 << 5, 2 << 6 // no window beside the content, whose size has 4 bytes
	dst = binary.LittleEndian.AppendUint32(dst, magic)
	dst = binary.LittleEndian.AppendUint32(append(dst, single|size4), uint32(len(src)))
	e.matcher.reset(len(src))
	last := uint32(1)
	for from := 0; ; from += blockSize {
		to := min(from+blockSize, len(src))
		header := len(dst)
		dst = append(dst, 0, 0, 0)
		e.matcher.block(src, from, to)
		var after uint32
		dst = e.appendLiterals(dst, e.matcher.literals)
		dst, after = e.coder.append(dst, e.matcher.sequences, last)
		kind, size := compressed, len(dst)-header-3
		if size >= to-from {
			dst = append(dst[:header+3], src[from:to]...)
			kind, size = stored, to-from
		} else {
			last = after
		}
		head := kind<<1 | size<<3
		if to == len(src) {
			head |= 1
		}
		dst[header], dst[header+1], dst[header+2] = byte(head), byte(head>>8), byte(head>>16)
		if to == len(src) {
			return dst
		}
	}
}

// appendLiterals appends the section of literals.
func (e *Encoder) appendLiterals(dst, literals []byte) []byte {
	if len(literals) == 0 {
		return append(dst, stored)
	}
	e.huffman.Reuse = huff0.ReusePolicyNone
	out, _, err := huff0.Compress4X(literals, &e.huffman)
	n := len(literals)
	switch {
	case errors.Is(err, huff0.ErrUseRLE):
		return append(appendSize(dst, repeated, n), literals[0])
	case err != nil || len(out) >= n:
		return append(appendSize(dst, stored, n), literals...)
	case n < 1<<10: // four streams from here on
		dst = appendSizes(dst, 1, n, len(out))
	case n < 1<<14:
		dst = appendSizes(dst, 2, n, len(out))
	default:
		dst = appendSizes(dst, 3, n, len(out))
	}
	return append(dst, out...)
}

// appendSizes appends the head of compressed literals: both sizes have 10, 14 or
// 18 bits, by the format.
func appendSizes(dst []byte, format, n, size int) []byte {
	head := uint64(compressed | format<<2 | n<<4 | size<<(10+4*format))
	return append(dst, binary.LittleEndian.AppendUint64(nil, head)[:2+format]...)
}

// appendSize appends the head of literals that are not compressed.
func appendSize(dst []byte, kind, n int) []byte {
	switch {
	case n < 1<<5:
		return append(dst, byte(kind|n<<3))
	case n < 1<<12:
		return binary.LittleEndian.AppendUint16(dst, uint16(kind|1<<2|n<<4))
	}
	head := kind | 3<<2 | n<<4
	return append(dst, byte(head), byte(head>>8), byte(head>>16))
}
