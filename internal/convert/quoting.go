package convert

import (
	"bytes"
	"math/bits"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/symbols"
)

// This file finds the elements of lists that are enclosed in quotes. The parity of quotes says what lies in
// them, as in a pairing:
//
//	           [ " a , b " , c ]
//	quote        1       1
//	within       1 1 1 1
//	separator                1

// findQuotes says whether listOdd encloses elements, in lists of a shape and in those in brackets, which
// end with close if that is not below 0.
func (x *listing) findQuotes(t *dfa.Table, plain, inside *listShape, close int) {
	if x.have[listOdd] == 0 || x.run {
		return
	}
	quote := x.signs[listOdd]
	lead, ok := plain.encloses(t, quote, -1)
	if close >= 0 && ok {
		var same int
		same, ok = inside.encloses(t, quote, close)
		ok = ok && same == lead
	}
	x.quoted, x.lead = ok, lead
}

// encloses reports whether a quote encloses whole elements of lists of the shape, and the one symbol that is
// more than data in there, -1: there is none.
func (x *listShape) encloses(t *dfa.Table, quote byte, close int) (lead int, ok bool) {
	begin := t.Entry(x.from, quote)
	within := begin.Next()
	if !isSkip(t, begin) || !isSkip(t, t.Entry(x.behind, quote)) || t.Entry(x.behind, quote).Next() != within {
		return 0, false
	}
	lead = -1
	for c := range 256 {
		if byte(c) == quote || isData(t.Entry(within, byte(c)), within) {
			continue
		}
		if lead >= 0 || byte(c) == x.sep || c == x.second || c == close {
			return 0, false
		}
		lead = c
	}
	end := t.Entry(within, quote)
	closed := end.Next()
	if !isSkip(t, end) || within == x.from || within == x.in || within == x.behind || closed == within {
		return 0, false
	}
	e := t.Entry(closed, x.sep)
	if x.second < 0 {
		ok = isField(t, e, dfa.NextColumn, 0) && e.Next() == x.behind
	} else if isData(e, e.Next()) {
		e = t.Entry(e.Next(), byte(x.second))
		em := t.Emission(e)
		ok = e.Kind() == dfa.Field && em.Column == dfa.NextColumn && em.Lag == 1 && em.Open == 1 && em.Code == 0 && !em.Coded() && e.Next() == x.behind
	}
	if close < 0 {
		return lead, ok && endsAtEOF(t, closed, dfa.NextColumn)
	}
	e = t.Entry(closed, byte(close))
	return lead, ok && isSkip(t, e) && endsAtEOF(t, e.Next(), dfa.NextColumn)
}

// enclose leaves the separators outside of quotes of src[s:e], whose blocks are those from from up to to, in
// places; in brackets s is the opening one, and e the closing one. It is false if the value is not for masks.
func (x *listing) enclose(src []byte, s, e uint32, opened bool, from, to int) bool {
	if x.lead >= 0 && bytes.IndexByte(src[s:e], byte(x.lead)) >= 0 {
		return false
	}
	b := x.blocks
	width := 1
	if x.have[listSecond] != 0 {
		width = 2
	}
	starts := uint64(1) // of elements
	if opened {
		starts = 2
	}
	var odd, inside, closed uint64
	for k := from; k < to; k++ {
		valid := b.behind[k] - 1
		q := b.signs[listOdd][k] & valid
		within := symbols.PrefixXor(q) ^ inside
		inside = uint64(int64(within) >> 63)
		m := b.signs[listSep][k] & valid &^ within
		if width == 2 {
			second := b.signs[listSecond][k] & valid >> 1
			if k+1 < to {
				second |= b.signs[listSecond][k+1] & (b.behind[k+1] - 1) << 63
			}
			m &= second
		}
		b.places[0][k] = m
		end := uint64(0)
		if last := uint64(e) - b.base[k]; last < maskBlock {
			end = 1 << last
		}
		starts |= m << width
		opening, closing := q&within, q&^within
		closed |= closing << 1
		odd |= opening&^starts | closed&^(m|end)
		if opened {
			odd |= b.signs[listClose][k]&valid&^within ^ end // it is there, and nowhere else
		}
		starts, closed = m>>(64-width), closing>>63
	}
	return odd|inside == 0
}

// enclosed is elements of a value with quotes.
func (x *listing) enclosed(fields *Fields, src []byte, s, e uint32, opened bool, from, to int) bool {
	if !x.enclose(src, s, e, opened, from, to) {
		return false
	}
	add := func(s, e uint32) {
		if s < e && src[s] == x.signs[listOdd] {
			s, e = s+1, e-1
		}
		fields.Push(s, e)
	}
	width := uint32(1)
	if x.have[listSecond] != 0 {
		width = 2
	}
	if opened {
		s++
	}
	for k := from; k < to; k++ {
		for m := x.blocks.places[0][k]; m != 0; m &= m - 1 {
			at := uint32(x.blocks.base[k]) + uint32(bits.TrailingZeros64(m))
			add(s, at)
			s = at + width
		}
	}
	add(s, e)
	return true
}
