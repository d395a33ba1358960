package convert

import (
	"math"
	"math/bits"
	"unsafe"
)

// textGroups is what the vector code for texts works on.
type textGroups struct {
	src           *byte
	length        int // of src; of more than 2^31-1, so many: places are not beyond
	decoded       *byte
	decodedLength int
	start         *uint32
	end           *uint32
	from          *uint32 // see measured
	offsets       *int32  // where the rows begin in data, and the last one ends
	nulls         *byte   // bit i: row i is null
	unknown       *byte   // bit i: row i may be
	tokens        *tokenSet
	data          *byte // of the Column
	rows          int
	at            uint32 // where the next row begins in data
	sum           uint64 // of the lengths
	any           uint32 // measured: a row is null: its low byte; unknown: the next. Copied: not 0 if they are perhaps not UTF-8, see copyFields
}

// tokenSet says which fields can be null tokens. The tables are of bits, 32 a
// word.
type tokenSet struct {
	bytes   [8]uint32 // tokens of one symbol
	lengths [8]uint32 // of tokens, 63 for all from 63 on
}

func newTokenSet(tokens []string) (t tokenSet) {
	for _, token := range tokens {
		n := min(len(token), 63)
		t.lengths[n/32] |= 1 << (n % 32)
		if n == 1 {
			t.bytes[token[0]/32] |= 1 << (token[0] % 32)
		}
	}
	return t
}

var noTokens tokenSet

// bit is bit i of a table.
func bit(table *[8]uint32, i uint32) bool { return table[i/32]>>(i%32)&1 == 1 }

// length reports whether a token has n symbols.
func (t *tokenSet) length(n uint32) bool { return bit(&t.lengths, min(n, 63)) }

// null reports whether b, which need not be trimmed, is a token.
func (t *tokenSet) null(c *Converter, b []byte) bool {
	switch {
	case len(b) == 1:
		return bit(&t.bytes, uint32(b[0]))
	case t.length(uint32(min(len(b), 63))):
		return isOneOf(c.nulls, b)
	}
	return false
}

// plain reports whether row i is absent, empty, or a token that lies in Src.
func (t *tokenSet) plain(c *Converter, f *Fields, i int) bool {
	s, e := f.Start[i], f.End[i]
	if s == Absent || s&^InDecoded == e {
		return true
	}
	return s < InDecoded && t.null(c, f.Src[s:e])
}

// measured is where the bytes of a round's rows are. Vector code measures groups
// of rows, and leaves to Go whether some are null; rows measures any.
type measured struct {
	from    []uint32 // Start; 0 if the field is absent. Rows that are null have no bytes.
	nulls   rowSet
	unknown rowSet
	any     bool // any is null

	start []uint32 // Absent where a token has been found

	short *shortTokens // see atOnce
}

// measure sets m, and the offsets of the rows of f in a Column's Data, the
// first of which is given, and gives the sum of their lengths. If it is beyond
// 2^31, offsets make no sense.
func (m *measured) measure(c *Converter, f *Fields, offsets []int32) uint64 {
	n := f.Len()
	if nwords := (n + 63) / 64; nwords > len(m.nulls) || n > cap(m.from) {
		m.from = make([]uint32, n)
		m.nulls, m.unknown = make(rowSet, nwords), make(rowSet, nwords)
	}
	m.from = m.from[:n]
	clear(m.nulls)
	start, tokens := f.Start, &c.tokens
	for {
		i, b := m.groups(f, start, tokens, offsets)
		m.any = b.any&0xff != 0
		if b.any>>8 == 0 || !m.find(c, f, i) {
			return b.sum + m.rows(c, f, start, offsets, i)
		}
		// Once more, with what has been found.
		start, tokens = append(m.start[:0], f.Start...), &noTokens
		m.start = start
		for i := m.nulls.next(0, none); i < n; i = m.nulls.next(i+1, none) {
			start[i] = Absent
		}
	}
}

// groups measures as many rows as vector code does, and gives how many.
func (m *measured) groups(f *Fields, start []uint32, tokens *tokenSet, offsets []int32) (int, textGroups) {
	groups := len(start) / groupRows
	if groups == 0 || len(f.Src) < fewestBytes || !hasAVX2 {
		return 0, textGroups{}
	}
	b := textGroups{
		src: unsafe.SliceData(f.Src), length: min(len(f.Src), math.MaxInt32),
		start: &start[0], end: &f.End[0], from: &m.from[0], offsets: &offsets[0], tokens: tokens, at: uint32(offsets[0]),
		nulls: (*byte)(unsafe.Pointer(&m.nulls[0])), unknown: (*byte)(unsafe.Pointer(&m.unknown[0])),
	}
	measureTextAVX2((*uintptr)(unsafe.Pointer(&b)), groups)
	return groups * groupRows, b
}

// find looks for tokens among the unknown ones of the first n rows, and reports
// whether there are any.
func (m *measured) find(c *Converter, f *Fields, n int) bool {
	found, literals := false, literals(f.Literal)
	for k := range (n + 63) / 64 {
		w := m.unknown[k]
		if rest := n - 64*k; rest < 64 {
			w &= 1<<rest - 1
		}
		for ; w != 0; w &= w - 1 {
			i := 64*k + bits.TrailingZeros64(w)
			if b, _ := f.At(i); c.tokens.null(c, b) && !literals.has(f, i) {
				m.nulls[k] |= w & -w
				found = true
			}
		}
	}
	return found
}

// rows measures the rows from i on, one by one.
func (m *measured) rows(c *Converter, f *Fields, start []uint32, offsets []int32, i int) uint64 {
	var sum uint64
	end, from, literals := f.End[:len(start)], m.from[:len(start)], literals(f.Literal)
	lengths := uint64(c.tokens.lengths[1])<<32 | uint64(c.tokens.lengths[0])
	at := offsets[i]
	offsets = offsets[1:][:len(start)]
	for ; i < len(start); i++ {
		s := start[i]
		n := end[i] - s&^InDecoded
		null := s == Absent
		if null {
			s = 0
		} else if lengths>>min(n, 63)&1 != 0 {
			if n == 1 && s < InDecoded {
				null = bit(&c.tokens.bytes, uint32(f.Src[s]))
			} else {
				b, _ := f.At(i)
				null = c.tokens.null(c, b)
			}
			null = null && !literals.has(f, i)
		}
		if null {
			m.nulls[i>>6] |= 1 << (i & 63)
			m.any = true
			n = 0
		}
		from[i] = s
		at += int32(n)
		offsets[i] = at
		sum += uint64(n)
	}
	return sum
}
