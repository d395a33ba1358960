package convert

import (
	"bytes"
	"math/bits"
	"slices"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/symbols"
)

// keyAhead finds the pairs of maps that end before a key only (dfa.KeyAhead), whose automaton does no
// more than this:
//
//	            a = x   y   b = 1
//	key's sign    1           1
//	keys        ^ .         ^ .
//	values          ^     .     ^ .
//
// Before each sign it goes back over what keys may have; where a pair's separator stands before
// that, the value before ends. A value with text before its first key is left to the automaton.
type keyAhead struct {
	table *dfa.Table
	is    dfa.KeyAhead
	sign  *symbols.Set
	lead  *symbols.Set // nil: there is none
	ofKey [256]bool
	value dfa.StateID // behind a sign
	data  dfa.StateID // in a value

	signs   []uint64 // of the row being read, by block
	leads   bool     // it has some
	escaped []uint64 // then: what stands behind one
}

// mostAheadBlocks is how long a row may be, in blocks.
const mostAheadBlocks = 512

// newKeyAhead is nil if the maps of t are none, or their automaton is not such a one.
func newKeyAhead(t *dfa.Type) *keyAhead {
	k, table := t.Ahead, t.Lex.Table()
	x := &keyAhead{table: table, is: *k}
	own := func(c int) bool { return byte(c) == k.Pair || byte(c) == k.Sign || k.Lead != 0 && byte(c) == k.Lead }
	for c := range 256 {
		if x.ofKey[c] = dfa.OfKey(byte(c)); x.ofKey[c] && own(c) {
			return nil
		}
	}
	inKey := table.Entry(table.Start, 'z').Next()
	sign := table.Entry(inKey, k.Sign)
	x.value = sign.Next()
	x.data = table.Entry(x.value, 'z').Next()
	behind := table.Entry(x.data, k.Pair).Next()
	if k.Pair == k.Sign || k.Lead == k.Pair || k.Lead == k.Sign || !isField(table, sign, 0, 0) || !endsAtEOF(table, x.value, 1) || !endsAtEOF(table, x.data, 1) {
		return nil
	}
	between := []dfa.StateID{x.value, x.data}
	if k.Run {
		between = append(between, behind)
		if em := table.EOF(behind); em.Kind != dfa.Record || em.Record != dfa.DataRecord || em.Column != 1 || em.Lag > 1 || em.Code != 0 {
			return nil
		}
	}
	for _, s := range between {
		if e := table.Entry(s, k.Pair); !isSkip(table, e) || e.Next() != behind {
			return nil
		}
	}
	var groups [256]int
	for c := range 256 {
		groups[t.Lex.Group[c]]++
		b := byte(c)
		if own(c) {
			continue
		}
		ok := isData(table.Entry(x.value, b), x.data) && isData(table.Entry(x.data, b), x.data)
		if ok && x.ofKey[c] {
			e := table.Entry(behind, b)
			ok = isData(table.Entry(table.Start, b), inKey) && isData(table.Entry(inKey, b), inKey) && isField(table, e, 1, 1) && e.Next() == inKey
		}
		if !ok {
			return nil
		}
	}
	if slices.Max(groups[:]) <= 3 { // what means nothing may be read as one of the three
		return nil
	}
	x.sign = symbols.NewSet(dfa.Bytes(k.Sign))
	if k.Lead != 0 {
		x.lead = symbols.NewSet(dfa.Bytes(k.Lead))
	}
	return x
}

// addAhead collects row i of f, if it has no more than keys with values; else it is false.
func (p *nested) addAhead(c *Converter, f *Fields, i int) bool {
	s, e := f.Start[i], f.End[i]
	n := uint64(e) - uint64(s)
	if s >= InDecoded || e == s || n > (mostAheadBlocks-1)*maskBlock || uint64(e)+maskBlock > uint64(len(f.Src)) || c.isNull(f.Src[s:e]) {
		return false
	}
	keys, values := &p.maps.keys[0].fields, &p.maps.values.fields
	x, at, first := p.keysAhead, int32(keys.Len()), int32(values.Len())
	if decoded := len(values.Decoded); !x.pairs(f.Src, s, e, keys, values) {
		keys.cut(int(at))
		values.cut(int(first))
		values.Decoded = values.Decoded[:decoded]
		return false
	}
	p.rows = append(p.rows, nestedRow{end: int(p.maps.addRow(at, first, s, e))})
	return true
}

// pairs appends the keys and values of src[s:e]; it is false if that is left to the automaton.
func (x *keyAhead) pairs(src []byte, s, e uint32, keys, values *Fields) bool {
	value := src[s:e]
	n := len(value)
	x.find(src[s:], n)
	first, from := true, 0 // where the value of the key before begins
	for b, set := range x.signs {
		for ; set != 0; set &= set - 1 {
			q := b*maskBlock + bits.TrailingZeros64(set)
			j := q
			for j > 0 && x.ofKey[value[j-1]] {
				j--
			}
			if j == q || j > 0 && (value[j-1] != x.is.Pair || x.leads && x.isEscaped(j-1)) {
				continue // the sign is data
			}
			if first && j > 0 || !first && !x.end(src, s, from, j-1, values) {
				return false
			}
			keys.Push(s+uint32(j), s+uint32(q))
			first, from = false, q+1
		}
	}
	return !first && x.end(src, s, from, n, values)
}

// end appends the value src[s+from:s+to] less separators at its end, if they may be repeated.
func (x *keyAhead) end(src []byte, s uint32, from, to int, values *Fields) bool {
	value := src[s:]
	for x.is.Run && to > from && value[to-1] == x.is.Pair && !(x.leads && x.isEscaped(to-1)) {
		to--
	}
	if !x.leads || bytes.IndexByte(value[from:to], x.is.Lead) < 0 {
		values.Push(s+uint32(from), s+uint32(to))
		return true
	}
	at := len(values.Decoded)
	t := x.table
	begin, data := t.Row(x.value), t.Row(x.data)
	row := begin
	for q := from; q < to; q++ {
		c := value[q]
		e := t.Entries[row|uint32(c)]
		if (c == x.is.Pair || c == x.is.Sign) && !x.isEscaped(q) { // it means nothing
			if row != begin && row != data {
				return false
			}
			values.Decoded, row = append(values.Decoded, c), data
			continue
		}
		switch e.Kind() {
		case dfa.Data:
			values.Decoded = append(values.Decoded, dfa.Decode(value, q, t.Emission(e)))
		case dfa.Skip:
		default:
			return false
		}
		row = e.Row()
	}
	if row != begin && row != data {
		return false
	}
	values.Start, values.End = append(values.Start, uint32(at)|InDecoded), append(values.End, uint32(len(values.Decoded)))
	return true
}

// isEscaped reports whether a lead stands before a symbol of the row.
func (x *keyAhead) isEscaped(at int) bool { return x.escaped[at/maskBlock]>>(at%maskBlock)&1 != 0 }

// find finds the signs and what is escaped in the n symbols that src begins with, behind which a block
// stands.
func (x *keyAhead) find(src []byte, n int) {
	nblocks := (n + maskBlock - 1) / maskBlock
	if nblocks > len(x.escaped) {
		x.signs, x.escaped = make([]uint64, nblocks), make([]uint64, nblocks)
	}
	x.signs = x.signs[:nblocks]
	x.sign.FindBlocks(x.signs, src)
	if rest := n % maskBlock; rest > 0 {
		x.signs[nblocks-1] &= 1<<rest - 1
	}
	if x.leads = x.lead != nil && bytes.IndexByte(src[:n], x.is.Lead) >= 0; !x.leads {
		return
	}
	x.lead.FindBlocks(x.escaped[:nblocks], src)
	var last uint64
	for b := range x.signs {
		x.escaped[b], last = symbols.EscapedBy(x.escaped[b], last)
		x.signs[b] &^= x.escaped[b]
	}
}
