package convert

import (
	"math/bits"
	"slices"

	"github.com/dfaparse/dfaparse/dfa"
)

// listing finds the elements of lists in the masks of four symbols, 64 at a time, in lists whose
// automaton does no more than this:
//
//	           a , b c , ,   [ a , b ]
//	separator    1     1 1       1
//	close                            1
//	elements   ^ .   ^ . ^ .   ^ . ^ .
//
// An element ends at a separator of one symbol, a run of them, or two that differ. Values with a symbol
// that may mean something else, as the lead of an escape, are left to the automaton; if it is a quote, only those
// in which more than whole elements is enclosed (quoting.go).
type listing struct {
	signs       [6]byte   // of listSep and on
	have        [6]uint64 // all ones for each that there is
	run         bool      // a run of separators is one
	open, close byte      // around lists, if have[listClose]
	quoted      bool      // what listOdd is encloses elements,
	lead        int       // in which this symbol is more than data; -1: none is
	blocks      *pairBlocks
	start, end  []uint32 // of rows of a batch that have symbols
}

const (
	listSep    = iota
	listSecond // behind the first symbol of a separator
	listClose
	listOdd // what is left to the automaton
)

// newListing is nil if t is not such an automaton.
func newListing(t *dfa.Table) *listing {
	x := &listing{}
	plain, ok := listShapeOf(t, t.Start)
	if !ok {
		return nil
	}
	odd := plain.odd
	inside, close := plain, -1
	for c := range 256 {
		e := t.Entry(t.Start, byte(c))
		if !isSkip(t, e) || e.Next() == t.Start {
			continue
		}
		in, ok := listShapeOf(t, e.Next())
		if !ok || in.sep != plain.sep || in.second != plain.second || in.run != plain.run {
			continue // a quote
		}
		inside = in
		for d := range 256 {
			if inside.closes(t, byte(d)) {
				x.open, x.close = byte(c), byte(d)
				x.signs[listClose], x.have[listClose], close = byte(d), ^uint64(0), d
				odd[c], inside.odd[d] = plain.oddBehind[c], false
			}
		}
		for d := range 256 {
			odd[d] = odd[d] || inside.odd[d]
		}
		break
	}
	x.run = plain.run
	x.signs[listSep], x.have[listSep] = plain.sep, ^uint64(0)
	if plain.second >= 0 {
		x.signs[listSecond], x.have[listSecond] = byte(plain.second), ^uint64(0)
	}
	for c, is := range odd {
		if is && x.have[listOdd] != 0 {
			return nil
		}
		if is {
			x.signs[listOdd], x.have[listOdd] = byte(c), ^uint64(0)
		}
	}
	if x.have[listClose] != 0 && (plain.second == int(x.close) || plain.sep == x.close) {
		return nil
	}
	x.findQuotes(t, &plain, &inside, close)
	return x
}

// listShape is what an automaton does with a list from some state on.
type listShape struct {
	from, in, behind dfa.StateID // at the start, in an element, behind a separator
	first            dfa.StateID // behind the first of its two symbols
	sep              byte
	second           int // -1: there is one symbol
	run              bool
	odd              [256]bool // symbols that mean something else
	oddBehind        [256]bool // those that do not only at the start
}

func listShapeOf(t *dfa.Table, from dfa.StateID) (x listShape, ok bool) {
	const ordinary = 'z'
	x = listShape{from: from, in: t.Entry(from, ordinary).Next(), second: -1}
	found := 0
	for c := range 256 {
		e := t.Entry(x.in, byte(c))
		switch next := e.Next(); {
		case isData(e, x.in):
			continue
		case isField(t, e, dfa.NextColumn, 0):
			x.behind = next
		case isSkip(t, e) && isField(t, t.Entry(next, ordinary), dfa.NextColumn, 1):
			x.behind, x.run = next, true
		case isData(e, next) && isData(t.Entry(next, ordinary), x.in):
			for d := range 256 {
				e := t.Entry(next, byte(d))
				if em := t.Emission(e); e.Kind() == dfa.Field && em.Column == dfa.NextColumn && em.Lag == 1 && em.Open == 1 && em.Code == 0 && !em.Coded() {
					x.first, x.behind, x.second = next, e.Next(), d
					found++
				}
			}
			found--
		default:
			x.odd[c] = true
			continue
		}
		x.sep = byte(c)
		found++
	}
	if found != 1 || x.second == int(x.sep) {
		return x, false
	}
	for c := range 256 {
		b := byte(c)
		if b == x.sep {
			continue
		}
		x.oddBehind[c] = x.odd[c]
		if e := t.Entry(x.behind, b); x.run && !(isField(t, e, dfa.NextColumn, 1) && e.Next() == x.in) || !x.run && !isData(e, x.in) {
			x.oddBehind[c] = true
		}
		if x.second >= 0 && c != x.second && !isData(t.Entry(x.first, b), x.in) {
			x.oddBehind[c] = true
		}
		x.odd[c] = x.oddBehind[c] || !isData(t.Entry(from, b), x.in)
	}
	for _, s := range []dfa.StateID{from, x.behind, x.in} {
		e := t.Entry(s, x.sep)
		switch {
		case x.second >= 0:
			ok = isData(e, x.first) && isData(t.Entry(x.first, x.sep), x.first)
		case x.run && s == from:
			ok = isSkip(t, e) && e.Next() == from
		case x.run:
			ok = isSkip(t, e) && e.Next() == x.behind
		default:
			ok = isField(t, e, dfa.NextColumn, 0) && e.Next() == x.behind
		}
		if !ok {
			return x, false
		}
	}
	if x.second >= 0 && x.odd[x.second] {
		return x, false
	}
	if from != t.Start {
		return x, true
	}
	return x, isNothingAtEOF(t, from) && endsAtEOF(t, x.in, dfa.NextColumn) && endsAtEOF(t, x.behind, dfa.NextColumn) &&
		(x.second < 0 || endsAtEOF(t, x.first, dfa.NextColumn))
}

// isNothingAtEOF reports whether a value that ends in state s has nothing more.
func isNothingAtEOF(t *dfa.Table, s dfa.StateID) bool {
	em := t.EOF(s)
	return em.Kind == dfa.Skip && em.Code == 0
}

// closes reports whether symbol c ends a list that from begins, wherever it stands.
func (x *listShape) closes(t *dfa.Table, c byte) bool {
	states := []dfa.StateID{x.from, x.in, x.behind}
	if x.second >= 0 {
		states = append(states, x.first)
	}
	for _, s := range states {
		e := t.Entry(s, c)
		if !isSkip(t, e) || s == x.from && !isNothingAtEOF(t, e.Next()) || s != x.from && !endsAtEOF(t, e.Next(), dfa.NextColumn) {
			return false
		}
	}
	return true
}

// listRows collects rows of f from row i on, before row to, by masks, and gives how many.
func (p *nested) listRows(c *Converter, f *Fields, i, to int) (rows int) {
	x := p.lists
	x.start, x.end = x.start[:0], x.end[:0]
	nblocks, k := 0, i
	for ; k < to && k-i < batchRows; k++ {
		s, e := f.Start[k], f.End[k]
		if s >= InDecoded || e == s {
			continue
		}
		more := blocksOf(e - s)
		if nblocks+more > batchBlocks && len(x.start) > 0 {
			break
		}
		if !x.takes(f, s, e) {
			continue
		}
		nblocks += more
		x.start, x.end = append(x.start, s), append(x.end, e)
	}
	if x.blocks == nil {
		x.blocks = new(pairBlocks)
	}
	if len(x.start) > 0 {
		x.blocks.find(f.Src, x.start, x.end, &x.signs, &x.have)
	}
	part := p.elements.(lists).part
	at := 0 // block
	for row := i; row < k; row++ {
		s, e := f.Start[row], f.End[row]
		r := nestedRow{}
		switch null := s == Absent; {
		case null, s < InDecoded && c.isNull(f.Src[s:e]):
			r.null, r.code = true, IsNull
			if !null && e > s && x.takes(f, s, e) {
				at += blocksOf(e - s)
			}
		case s >= InDecoded:
			p.add(c, f, row)
			continue
		case e == s:
		case !x.takes(f, s, e):
			p.add(c, f, row)
			continue
		default:
			end := at + blocksOf(e-s)
			if !x.elements(&part.fields, f.Src, s, e, at, end) {
				p.add(c, f, row)
				at = end
				continue
			}
			at = end
		}
		r.end = part.fields.Len()
		p.rows = append(p.rows, r)
	}
	return k - i
}

// takes reports whether the blocks of a value lie in the source, and are not too many.
func (x *listing) takes(f *Fields, s, e uint32) bool {
	more := blocksOf(e - s)
	return more <= batchBlocks && uint64(s)+uint64(more)*maskBlock <= uint64(len(f.Src))
}

// elements adds the elements of src[s:e], whose blocks are those from from up to to; none, and it is
// false, if that is left to the automaton.
func (x *listing) elements(fields *Fields, src []byte, s, e uint32, from, to int) bool {
	b := x.blocks
	opened := x.have[listClose] != 0 && src[s] == x.open
	if !opened && x.run && x.have[listClose] != 0 && src[s] == x.signs[listSep] {
		return false // an opening bracket may follow
	}
	if opened && e-s < 2 {
		return false // where both brackets are the same symbol, it is only one of them
	}
	var odd uint64
	for k := from; k < to; k++ {
		odd |= b.signs[listOdd][k] & x.have[listOdd] & (b.behind[k] - 1)
	}
	if opened {
		e--
	}
	if opened && odd == 0 {
		for k := from; k < to; k++ {
			closes := b.signs[listClose][k] & (b.behind[k] - 1)
			if last := uint64(e) - b.base[k]; last < maskBlock {
				closes ^= 1 << last // it is there, and nowhere else
			}
			if closes != 0 {
				return false
			}
		}
	}
	if odd != 0 {
		return x.quoted && x.enclosed(fields, src, s, e, opened, from, to)
	}
	if opened {
		if s++; s == e {
			return true
		}
	}
	n, most := fields.Len(), int(e-s)+1
	if n+most > cap(fields.Start) || n+most > cap(fields.End) {
		fields.Start, fields.End = slices.Grow(fields.Start, most), slices.Grow(fields.End, most)
	}
	starts, ends := fields.Start[:n+most], fields.End[:n+most]
	two := x.have[listSecond] != 0
	width := uint32(1)
	if two {
		width = 2
	}
	for k := from; k < to; k++ {
		m := b.signs[listSep][k] & (b.behind[k] - 1)
		if two {
			second := b.signs[listSecond][k] & (b.behind[k] - 1) >> 1
			if k+1 < to {
				second |= b.signs[listSecond][k+1] & (b.behind[k+1] - 1) << 63
			}
			m &= second
		}
		base := uint32(b.base[k])
		for ; m != 0; m &= m - 1 {
			at := base + uint32(bits.TrailingZeros64(m))
			starts[n], ends[n] = s, at
			if !x.run || at > s {
				n++
			}
			s = at + width
		}
	}
	starts[n], ends[n] = s, e
	if !x.run || e > s {
		n++
	}
	fields.Start, fields.End = starts[:n], ends[:n]
	return true
}
