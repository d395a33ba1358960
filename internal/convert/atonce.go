package convert

import (
	"math"
	"unsafe"

	"github.com/dfaparse/dfaparse/internal/columns"
)

// Without vector code the texts of a column are measured and copied a block of 64 rows at a time: by plainly where no
// row is null, by nullable where some are, without a branch for those that are absent, empty or one symbol. How much
// room the texts take is not counted beforehand, unless there may be too little.

const (
	// lineText is how many bytes are written at once.
	lineText = 32
	// blockRows are those of a word of a rowSet.
	blockRows = 64
	// blockText is more than the loops write for a block.
	blockText = blockRows*longText + lineText
	// fewDecoded is how many rows may lie elsewhere than in Src, before the column is given up.
	fewDecoded = 16
)

// plainTexts is what the loops work on.
type plainTexts struct {
	data, src   []byte
	start, end  []uint32
	offsets     []int32 // where each begins in data, and the last ends
	last        uint32  // where a text may begin in src
	lengths     uint64  // of tokens,
	short       *shortTokens
	nulls       rowSet
	roomForRest bool // there is, in data
}

// shortTokens says whether a text of no more than one symbol is null, by its length and its symbol, or whatever lies
// there.
type shortTokens [2 << 8]uint8

// atOnce does what measure and copyFields do if there is no vector code, few rows lie elsewhere than in Src, none is
// literal, no token is very long and the column has room for their bytes. It reports whether it has.
func (m *measured) atOnce(c *Converter, dst *columns.Column, f *Fields, offsets []int32) bool {
	src, n := f.Src, len(f.Start)
	lengths := uint64(c.tokens.lengths[1])<<32 | uint64(c.tokens.lengths[0])
	if hasAVX2 || len(src) < longText+lineText || lengths>>63 != 0 || len(f.Literal) > 0 {
		return false
	}
	if nwords := (n + 63) / 64; nwords > len(m.nulls) {
		m.nulls = make(rowSet, nwords)
	}
	clear(m.nulls)
	if m.short == nil {
		m.short = c.tokens.short()
	}
	had := len(dst.Data)
	t := plainTexts{
		data: dst.Data[:cap(dst.Data)], src: src, start: f.Start, end: f.End[:n], offsets: offsets[:n+1],
		last: uint32(min(len(src)-longText-lineText, math.MaxInt32)), lengths: lengths, short: m.short, nulls: m.nulls,
	}
	elsewhere := 0
	for i, nullable := 0, false; i < n; {
		to := min(i|(blockRows-1)+1, n)
		if !t.room(dst, i, 0) {
			dst.Data = dst.Data[:had]
			return false
		}
		if !nullable {
			i = t.plainly(i, to)
		}
		if i < to {
			i = t.nullable(i, to)
		}
		nullable = m.nulls[(to-1)/blockRows] != 0
		if i == to {
			continue
		}
		// It is long, near the end of Src or not in it, or perhaps a token.
		b, ok := f.At(i)
		if f.Start[i] >= InDecoded {
			elsewhere++
		}
		if !ok || c.tokens.null(c, b) {
			m.nulls[i>>6] |= 1 << (i & 63)
			b = nil
		}
		if elsewhere > fewDecoded+i/8 || !t.room(dst, i, len(b)) {
			dst.Data = dst.Data[:had]
			return false
		}
		t.offsets[i+1] = t.offsets[i] + int32(copy(t.data[t.offsets[i]:], b))
		i++
	}
	m.any = false
	for _, w := range m.nulls {
		m.any = m.any || w != 0
	}
	dst.Data = t.data[:t.offsets[n]]
	return true
}

// short is the table of the tokens of up to one symbol.
func (t *tokenSet) short() *shortTokens {
	short := new(shortTokens)
	for x := range uint32(1 << 8) {
		short[x] = uint8(asBit(t.length(0)))
		short[1<<8|x] = uint8(asBit(bit(&t.bytes, x)))
	}
	return short
}

// room sees to it that data has room for a text of so many bytes and for what the loops write from row i on, up to the
// end of its block, and reports whether that is possible.
func (t *plainTexts) room(dst *columns.Column, i, nbytes int) bool {
	at := int(t.offsets[i])
	if t.roomForRest || at+nbytes+blockText <= min(len(t.data), columns.MaxData) {
		return true
	}
	sum := uint64(0)
	end := t.end[i:]
	for k, s := range t.start[i:] {
		sum += uint64((end[k] - s) &^ InDecoded) // 1 of what is absent
	}
	if sum > uint64(columns.MaxData-at) {
		return false
	}
	dst.Data = dst.Grow(t.data[:at], int(sum)+slack)
	t.data = dst.Data[:cap(dst.Data)]
	t.roomForRest = true
	return true
}

// plainly copies rows from i up to another, or to the first that may be null, is long, near the end of src or not in
// it, and gives its number. It calls nothing, so that all it needs stays in registers, and writes up to a line beyond a
// value.
func (t *plainTexts) plainly(i, to int) int {
	start, end, offsets := t.start[i:to], t.end[i:to], t.offsets[i:][:to-i+1]
	lengths, last := t.lengths, t.last
	at := offsets[0]
	end, offsets = end[:len(start)], offsets[1:][:len(start)]
	src, data := unsafe.Pointer(unsafe.SliceData(t.src)), unsafe.Pointer(unsafe.SliceData(t.data))
	k := 0
	for ; k < len(start); k++ {
		s := start[k]
		n := end[k] - s
		if n >= longText || s > last || lengths>>(n&63)&1 != 0 && n < 64 {
			break
		}
		from, to := unsafe.Add(src, s), unsafe.Add(data, at)
		*(*[16]byte)(to) = *(*[16]byte)(from)
		if n > 16 {
			*(*[16]byte)(unsafe.Add(to, 16)) = *(*[16]byte)(unsafe.Add(from, 16))
			for x := uint32(lineText); x < n; x += lineText {
				*(*[16]byte)(unsafe.Add(to, x)) = *(*[16]byte)(unsafe.Add(from, x))
				*(*[16]byte)(unsafe.Add(to, x+16)) = *(*[16]byte)(unsafe.Add(from, x+16))
			}
		}
		at += int32(n)
		offsets[k] = at
	}
	return i + k
}

// nullable is plainly for rows some of which are absent, empty or of one symbol: it stops at none of these, and notes
// which of them are null. It measures first, and then copies.
func (t *plainTexts) nullable(i, to int) int {
	start, end, offsets := t.start[i:to], t.end[i:to], t.offsets[i:][:to-i+1]
	longer, last, short := t.lengths&^3, t.last, t.short
	at := offsets[0]
	end, offsets = end[:len(start)], offsets[1:][:len(start)]
	src := unsafe.Pointer(unsafe.SliceData(t.src))
	set := uint64(0)
	k := 0
	for ; k < len(start); k++ {
		s := start[k]
		n := end[k] - s // 1 of what is absent,
		absent := uint32((uint64(s) + 1) >> 32)
		s += absent // which is 0 then
		if n >= longText || s > last || longer>>(n&63)&1 != 0 && n < 64 {
			break
		}
		null := absent | uint32(short[n&1<<8|uint32(*(*byte)(unsafe.Add(src, s)))])&((n-2)>>31)
		set = set>>1 | uint64(null)<<63
		at += int32(n & (null - 1))
		offsets[k] = at
	}
	t.nulls[i>>6] |= set >> (blockRows - k) << (i & 63)
	t.copy(i, i+k)
	return i + k
}

// copy copies rows that have been measured.
func (t *plainTexts) copy(i, to int) {
	start, offsets := t.start[i:to], t.offsets[i:][:to-i+1]
	at := offsets[0]
	offsets = offsets[1:][:len(start)]
	src, data := unsafe.Pointer(unsafe.SliceData(t.src)), unsafe.Pointer(unsafe.SliceData(t.data))
	for k, s := range start {
		s += uint32((uint64(s) + 1) >> 32) // 0 of what is absent
		from, to := unsafe.Add(src, s), unsafe.Add(data, at)
		*(*[16]byte)(to) = *(*[16]byte)(from)
		*(*[16]byte)(unsafe.Add(to, 16)) = *(*[16]byte)(unsafe.Add(from, 16))
		n := uint32(offsets[k] - at)
		at += int32(n)
		for x := uint32(lineText); x < n; x += lineText {
			*(*[16]byte)(unsafe.Add(to, x)) = *(*[16]byte)(unsafe.Add(from, x))
			*(*[16]byte)(unsafe.Add(to, x+16)) = *(*[16]byte)(unsafe.Add(from, x+16))
		}
	}
}
