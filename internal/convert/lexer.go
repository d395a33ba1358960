package convert

import (
	"math/bits"

	"github.com/dfaparse/dfaparse/dfa"
)

// lexer takes values apart as Table.Fields does. In a smooth state all symbols but
// the special ones are data and leave it, so that they are passed over at once. What
// it does not take, escapes, errors and fields that are not one piece of the value,
// it leaves to Table.Fields.
type lexer struct {
	table   *dfa.Table
	special symbolSet
	smooth  []bool // by state
	careful []bool // by entry: it is left to Table.Fields
	// turns are by state and special symbol: what comes of it and of the ordinary
	// symbol behind it.
	turns []turn
	masks []uint64
}

// turn is two steps from a smooth state: a special symbol ends a field, or the
// ordinary one behind it says that it has; that is data of the next field.
type turn struct {
	row    uint32 // after both
	is     bool
	record bool
	class  uint8
	column int16
}

// symbolSet is a set of symbols below 128.
type symbolSet struct {
	rows [16]byte // by low nibble: high nibbles as bits
	bits [16]byte // by high nibble: its bit
	has  [256]bool
	// number is that of a symbol in the set, counted from 0.
	number [256]uint8
	n      int
}

func newSymbolSet(has [256]bool) symbolSet {
	s := symbolSet{has: has}
	for b := range 128 {
		s.bits[b>>4] = 1 << (b >> 4)
		if has[b] {
			s.rows[b&15] |= 1 << (b >> 4)
			s.number[b] = uint8(s.n)
			s.n++
		}
	}
	for b := 8; b < 16; b++ {
		s.bits[b] = 0xff // which no row is: that of a symbol above 127 is 0
	}
	return s
}

const maskBlock = 64

// find sets dst[i] to the bits of the symbols of block i of b that are in the set.
// All blocks are whole.
func (s *symbolSet) find(dst []uint64, b []byte) {
	if len(dst) == 0 {
		return
	}
	b = b[:maskBlock*len(dst)]
	if hasAVX2 {
		findSymbolsAVX2(&dst[0], &b[0], len(dst), &s.rows[0])
		return
	}
	for i := range dst {
		var m uint64
		for k, c := range b[maskBlock*i:][:maskBlock] {
			if s.has[c] {
				m |= 1 << k
			}
		}
		dst[i] = m
	}
}

// newLexer is nil if values of t cannot be read so.
func newLexer(t *dfa.Table) *lexer {
	x := &lexer{table: t, smooth: make([]bool, len(t.AtEOF)), careful: make([]bool, len(t.Entries))}
	plain := make([]bool, len(t.AtEOF)) // states that are reached without a careful entry
	todo := []dfa.StateID{t.Start}
	plain[t.Start] = true
	for len(todo) > 0 {
		s := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for c := range 256 {
			i := t.Row(s) | uint32(c)
			e := t.Entries[i]
			em := t.Emission(e)
			switch e.Kind() {
			case dfa.Data, dfa.Skip:
				x.careful[i] = em.Escape || e.Coded()
			case dfa.Field:
				x.careful[i] = em.Escape || em.Code != 0
			case dfa.Record:
				x.careful[i] = em.Escape || em.Code != 0 || em.Record != dfa.DataRecord
			default:
				x.careful[i] = true
			}
			if next := e.Next(); !x.careful[i] && !plain[next] {
				plain[next] = true
				todo = append(todo, next)
			}
		}
	}
	for _, ordinary := range []byte("z~Z") {
		if x.prepare(plain, ordinary) {
			return x
		}
	}
	return nil
}

// prepare finds the smooth states, and the symbols that are not like an ordinary
// one there. It is false if there are none, or too many.
func (x *lexer) prepare(plain []bool, ordinary byte) bool {
	t := x.table
	var special [256]bool
	found := false
	for s := range plain {
		if !plain[s] {
			continue
		}
		row := t.Row(dfa.StateID(s))
		i := row | uint32(ordinary)
		e := t.Entries[i]
		x.smooth[s] = !x.careful[i] && e.Kind() == dfa.Data && e.Row() == row
		found = found || x.smooth[s]
		for c := range 256 {
			special[c] = special[c] || t.Entries[row|uint32(c)] != e
		}
	}
	n := 0
	for c, is := range special {
		if is && c > 127 {
			return false
		}
		if is {
			n++
		}
	}
	if x.special = newSymbolSet(special); !found || n > 32 {
		return false
	}
	x.turns = make([]turn, len(plain)*x.special.n)
	for s := range plain {
		for c := range 256 {
			if x.smooth[s] && special[c] {
				x.turns[s*x.special.n+int(x.special.number[c])] = x.turn(t.Row(dfa.StateID(s))|uint32(c), ordinary)
			}
		}
	}
	return true
}

// turn is that of entry i and an ordinary symbol.
func (x *lexer) turn(i uint32, ordinary byte) (r turn) {
	t := x.table
	first := t.Entries[i]
	k := first.Row() | uint32(ordinary)
	second := t.Entries[k]
	if x.careful[i] || x.careful[k] {
		return r
	}
	ends := first
	switch em := t.Emission(second); {
	case first.Boundary() && t.Emission(first).Lag == 0 && t.Emission(first).Open == 0 && second.Kind() == dfa.Data:
	case first.Kind() == dfa.Skip && second.Boundary() && em.Lag == 1 && em.Open == 0:
		ends = second
	default:
		return r
	}
	em := t.Emission(ends)
	return turn{row: second.Row(), is: true, record: ends.Kind() == dfa.Record, class: em.Class, column: em.Column}
}

// fields is Table.Fields of a value of which nothing is decoded; ok is false if it
// is one that is left.
func (x *lexer) fields(value []byte, pieces []dfa.Piece) (_ []dfa.Piece, ok bool) {
	x.find(value)
	t := x.table
	entries, careful, smooth := t.Entries, x.careful, x.smooth
	row, column := t.Row(t.Start), int32(0)
	start, end := 0, 0 // data of the field
	n := len(value)
	for p := 0; p < n; p++ {
		if smooth[row>>8] {
			q := x.next(p, n)
			if q > p {
				if start == end {
					start = p
				} else if end != p {
					return pieces, false
				}
				end = q
			}
			if p = q; p == n {
				break
			}
		}
		if smooth[row>>8] && p+1 < n && x.masks[(p+1)/maskBlock]>>((p+1)%maskBlock)&1 == 0 {
			r := &x.turns[int(row>>8)*x.special.n+int(x.special.number[value[p]])]
			if r.is && start < end {
				if r.column != dfa.NextColumn {
					column = int32(r.column)
				}
				pieces = append(pieces, dfa.Piece{Column: column, Class: r.class, Start: uint32(start), End: uint32(end)})
				if column++; r.record {
					column = 0
				}
				p++
				start, end, row = p, p+1, r.row
				continue
			}
		}
		i := row | uint32(value[p])
		if careful[i] {
			return pieces, false
		}
		e := entries[i]
		row = e.Row()
		switch e.Kind() {
		case dfa.Data:
			if start == end {
				start = p
			} else if end != p {
				return pieces, false
			}
			end = p + 1
		case dfa.Field, dfa.Record:
			em := t.Emission(e)
			if em.Column != dfa.NextColumn {
				column = int32(em.Column)
			}
			boundary := p - int(em.Lag)
			end = min(end, boundary)
			pieces = append(pieces, dfa.Piece{Column: column, Class: em.Class, Start: uint32(min(start, end)), End: uint32(end)})
			start, end = boundary+1+int(em.Open), p+1
			if column++; e.Kind() == dfa.Record {
				column = 0
			}
		}
	}
	em := t.EOF(dfa.StateID(row >> 8))
	if em.Kind != dfa.Record {
		return pieces, em.Code == 0
	}
	if em.Code != 0 || em.Record != dfa.DataRecord {
		return pieces, false
	}
	if em.Column != dfa.NextColumn {
		column = int32(em.Column)
	}
	end = min(end, n-int(em.Lag))
	return append(pieces, dfa.Piece{Column: column, Class: em.Class, Start: uint32(min(start, end)), End: uint32(end)}), true
}

// next is the first special symbol from p on, n if there is none.
func (x *lexer) next(p, n int) int {
	b := p / maskBlock
	if m := x.masks[b] >> (p % maskBlock); m != 0 {
		return p + bits.TrailingZeros64(m)
	}
	for b++; b < len(x.masks); b++ {
		if m := x.masks[b]; m != 0 {
			return b*maskBlock + bits.TrailingZeros64(m)
		}
	}
	return n
}

// find sets masks to the special symbols of value.
func (x *lexer) find(value []byte) {
	n := len(value)
	nblocks := (n + maskBlock - 1) / maskBlock
	if nblocks > cap(x.masks) {
		x.masks = make([]uint64, 2*nblocks)
	}
	x.masks = x.masks[:nblocks]
	if cap(value) >= nblocks*maskBlock {
		x.special.find(x.masks, value[:nblocks*maskBlock])
	} else {
		whole := n / maskBlock
		x.special.find(x.masks[:whole], value)
		var last [maskBlock]byte
		copy(last[:], value[whole*maskBlock:])
		x.special.find(x.masks[whole:], last[:])
	}
	if rest := n % maskBlock; rest > 0 {
		x.masks[nblocks-1] &= 1<<rest - 1
	}
}
