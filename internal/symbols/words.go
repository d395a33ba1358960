package symbols

import (
	"bytes"
	"encoding/binary"

	"github.com/dfaparse/dfaparse/dfa"
)

// Where there is no vector code (has16), symbols are looked for in two ways. Those that are
// rare are found one after the other by bytes.IndexByte, which the standard library
// has in assembly. Those that are not are found eight at a time, in words.

const (
	eachByte = 0x0101010101010101
	tops     = 0x80 * eachByte // the top bits of the symbols of a word
	lows     = ^uint64(tops)

	// hopGap is how far the symbols that are worth a call each lie apart on average.
	hopGap = 64
	// hopSlack is how many symbols may pass before that counts.
	hopSlack = 64
)

// Words is a set of symbols as it is looked for without AVX2.
type Words struct {
	symbols []byte // of the set, below 128, that have no neighbours
	ranges  []wordRange
	table   [256]uint8 // 1 for those of the set

	// Four rows of 16: by low nibble, the high nibbles 0 to 7 as bits, and 8 to 15; by high
	// nibble, its bit if it is one of the first eight, and if it is one of the others.
	nibbles [64]byte
}

// wordRange is a range of symbols, all below 128 or none. To the low seven bits of a
// symbol from adds a top bit from the first symbol on, beyond beyond the last; for each
// symbol of a word.
type wordRange struct{ from, beyond, upper uint64 } // upper: tops if the symbols are from 128 on

// maxInWords is how many symbols are looked for in words, and with a range how many:
// by a table it takes no longer than that, nor than two ranges.
const (
	maxInWords   = 4
	maxWithRange = 1
)

func NewWords(set dfa.Set) *Words {
	x := new(Words)
	for c := 0; c < 256; c++ {
		if !set.Has(byte(c)) {
			continue
		}
		first := c
		for x.table[c] = 1; c&127 != 127 && set.Has(byte(c+1)); c++ {
			x.table[c+1] = 1
		}
		if first == c && c < 128 {
			x.symbols = append(x.symbols, byte(c))
			continue
		}
		r := wordRange{from: uint64(128-first&127) * eachByte, beyond: uint64(127-c&127) * eachByte}
		if c >= 128 {
			r.upper = tops
		}
		x.ranges = append(x.ranges, r)
	}
	for c, is := range x.table {
		low, high := c&15, c>>4
		x.nibbles[high/8*16+low] |= is << (high & 7)
		x.nibbles[32+high/8*16+high] = 1 << (high & 7)
	}
	return x
}

// Find sets dst[i] to a bit for each symbol of block i of src that is in the set, for
// the len(dst) whole blocks of src. It reports whether there may be any.
func (x *Words) Find(dst []uint64, src []byte) (some bool) {
	if has16 {
		return x.find16(dst, src)
	}
	return x.findGeneric(dst, src)
}

// find16 is Find by vectors of sixteen symbols: NEON on arm64, SSSE3 on amd64.
func (x *Words) find16(dst []uint64, src []byte) (some bool) {
	if len(dst) == 0 {
		return false
	}
	_ = src[len(dst)*Block-1]
	if len(x.symbols) == 1 && len(x.ranges) == 0 {
		return findSymbol16(&dst[0], &src[0], len(dst), x.symbols[0]) != 0
	}
	return findSet16(&dst[0], &src[0], len(dst), &x.nibbles) != 0
}

// FindSymbol sets dst[i] to a bit for each symbol of block i of src that is this one. It is for
// a few blocks that lie here and there, where there is no AVX2.
func FindSymbol(dst []uint64, src []byte, symbol byte) {
	if len(dst) == 0 {
		return
	}
	_ = src[len(dst)*Block-1]
	if has16 {
		findSymbol16(&dst[0], &src[0], len(dst), symbol)
		return
	}
	clear(dst)
	find1(dst, src, uint64(symbol)*eachByte)
}

// findGeneric is find, in Go.
func (x *Words) findGeneric(dst []uint64, src []byte) (some bool) {
	src = src[:len(dst)*Block]
	if len(x.ranges) > 1 {
		findByTable(dst, src, &x.table)
		return true
	}
	clear(dst)
	var often [maxInWords]uint64
	n, most := 0, maxInWords
	if len(x.ranges) > 0 {
		most = maxWithRange
	}
	for _, symbol := range x.symbols {
		found, all := byCalls(dst, src, symbol)
		if some = some || found; all {
			continue
		}
		if n == most {
			findByTable(dst, src, &x.table)
			return true
		}
		often[n] = uint64(symbol) * eachByte
		n++
	}
	switch n {
	case 0:
	case 1:
		find1(dst, src, often[0])
	case 2:
		find2(dst, src, often[0], often[1])
	default:
		find4(dst, src, often[0], often[1], often[2], often[n-1])
	}
	for i := range x.ranges {
		some = findRange(dst, src, &x.ranges[i]) || some
	}
	return some
}

// findOften is findGeneric for a set of which some symbols come often: where there are
// several, it costs as much to tell the rare ones apart as to look for all at once.
func (x *Words) findOften(dst []uint64, src []byte) {
	switch n := len(x.symbols); {
	case n <= 2:
		x.findGeneric(dst, src)
	case n <= maxInWords && len(x.ranges) == 0:
		clear(dst)
		a, last := x.symbols, x.symbols[n-1]
		find4(dst, src, uint64(a[0])*eachByte, uint64(a[1])*eachByte, uint64(a[2])*eachByte, uint64(last)*eachByte)
	default:
		findByTable(dst, src, &x.table)
	}
}

// byCalls finds a symbol in src call by call. It stops if the symbol is not rare; all
// reports whether it has not.
func byCalls(dst []uint64, src []byte, symbol byte) (some, all bool) {
	n := 0
	for at := 0; ; at++ {
		i := bytes.IndexByte(src[at:], symbol)
		if i < 0 {
			return n > 0, true
		}
		at += i
		dst[at/Block] |= 1 << (at % Block)
		if n++; n*hopGap > at+hopSlack {
			return true, false
		}
	}
}

// transpose makes a mask of top bits: bit i of byte k of x is that of symbol k of word i.
func transpose(x uint64) uint64 {
	t := (x ^ x>>7) & 0x00AA00AA00AA00AA
	x ^= t ^ t<<7
	t = (x ^ x>>14) & 0x0000CCCC0000CCCC
	x ^= t ^ t<<14
	t = (x ^ x>>28) & 0x00000000F0F0F0F0
	return x ^ t ^ t<<28
}

// find1 adds the symbols that are a, which is a word of them, to dst.
func find1(dst []uint64, src []byte, a uint64) {
	for i := range dst {
		dst[i] |= equal((*[Block]byte)(src[i*Block:]), a)
	}
}

// equal has a bit for each symbol of a block that is a, which is a word of them.
func equal(b *[Block]byte, a uint64) uint64 {
	m := differs(b[0:8], a) & tops >> 7
	m |= differs(b[8:16], a) & tops >> 6
	m |= differs(b[16:24], a) & tops >> 5
	m |= differs(b[24:32], a) & tops >> 4
	m |= differs(b[32:40], a) & tops >> 3
	m |= differs(b[40:48], a) & tops >> 2
	m |= differs(b[48:56], a) & tops >> 1
	m |= differs(b[56:64], a) & tops
	return transpose(^m)
}

// differs has the top bits of the symbols of a word that are not those of a.
func differs(b []byte, a uint64) uint64 {
	x := binary.LittleEndian.Uint64(b) ^ a
	return x&lows + lows | x
}

// find2 is find1 for two symbols below 128.
func find2(dst []uint64, src []byte, a, b uint64) {
	for i := range dst {
		block := (*[Block]byte)(src[i*Block:])
		m := among2(block[0:8], a, b) >> 7
		m |= among2(block[8:16], a, b) >> 6
		m |= among2(block[16:24], a, b) >> 5
		m |= among2(block[24:32], a, b) >> 4
		m |= among2(block[32:40], a, b) >> 3
		m |= among2(block[40:48], a, b) >> 2
		m |= among2(block[48:56], a, b) >> 1
		m |= among2(block[56:64], a, b)
		dst[i] |= transpose(m)
	}
}

// among2 has the top bits of the symbols of a word that are those of a or b, and no others.
func among2(src []byte, a, b uint64) uint64 {
	w := binary.LittleEndian.Uint64(src)
	v := w & lows
	return ((tops - (v ^ a)) | (tops - (v ^ b))) & tops &^ w
}

// find4 is find1 for four symbols below 128.
func find4(dst []uint64, src []byte, a, b, c, d uint64) {
	for i := range dst {
		block := (*[Block]byte)(src[i*Block:])
		m := among4(block[0:8], a, b, c, d) >> 7
		m |= among4(block[8:16], a, b, c, d) >> 6
		m |= among4(block[16:24], a, b, c, d) >> 5
		m |= among4(block[24:32], a, b, c, d) >> 4
		m |= among4(block[32:40], a, b, c, d) >> 3
		m |= among4(block[40:48], a, b, c, d) >> 2
		m |= among4(block[48:56], a, b, c, d) >> 1
		m |= among4(block[56:64], a, b, c, d)
		dst[i] |= transpose(m)
	}
}

func among4(src []byte, a, b, c, d uint64) uint64 {
	w := binary.LittleEndian.Uint64(src)
	v := w & lows
	return ((tops - (v ^ a)) | (tops - (v ^ b)) | (tops - (v ^ c)) | (tops - (v ^ d))) & tops &^ w
}

// findRange adds the symbols of a range to dst. It reports whether there are any.
func findRange(dst []uint64, src []byte, r *wordRange) bool {
	from, beyond, lower := r.from, r.beyond, r.upper^tops
	some := uint64(0)
	for i := range dst {
		block := (*[Block]byte)(src[i*Block:])
		m := ofRange(block[0:8], from, beyond, lower) >> 7
		m |= ofRange(block[8:16], from, beyond, lower) >> 6
		m |= ofRange(block[16:24], from, beyond, lower) >> 5
		m |= ofRange(block[24:32], from, beyond, lower) >> 4
		m |= ofRange(block[32:40], from, beyond, lower) >> 3
		m |= ofRange(block[40:48], from, beyond, lower) >> 2
		m |= ofRange(block[48:56], from, beyond, lower) >> 1
		m |= ofRange(block[56:64], from, beyond, lower)
		some |= m
		dst[i] |= transpose(m)
	}
	return some != 0
}

// ofRange has the top bits of the symbols of a word that are in a range, and no others.
func ofRange(src []byte, from, beyond, lower uint64) uint64 {
	w := binary.LittleEndian.Uint64(src)
	v := w & lows
	return ((v + from) ^ (v + beyond)) & (w ^ lower) & tops
}

// findByTable sets dst to the symbols of src that are 1 in table.
func findByTable(dst []uint64, src []byte, table *[256]uint8) {
	for i := range dst {
		block := (*[Block]byte)(src[i*Block:])
		m := uint64(0)
		for j := 0; j < Block; j += 8 {
			b := block[j : j+8]
			m = m>>8 | uint64(table[b[0]]|table[b[1]]<<1|table[b[2]]<<2|table[b[3]]<<3|
				table[b[4]]<<4|table[b[5]]<<5|table[b[6]]<<6|table[b[7]]<<7)<<56
		}
		dst[i] = m
	}
}
