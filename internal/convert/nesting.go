package convert

import (
	"bytes"
	"math/bits"
	"slices"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/columns"
	"github.com/dfaparse/dfaparse/internal/symbols"
)

// nesting finds both levels of keys, and values, in the masks of six symbols, 64 at a time, in
// maps of maps whose automaton does this with most of what is valid:
//
//	               [ i d   k e y = " v   = "   k = " "  ]  [
//	outer key        ^ .
//	key                    ^ . . .             ^ .
//	value                            ^ . . . .       ^
//
// An outer key ends at the first separator or closing bracket, a key at its sign, and a value,
// which is in quotes, at the next quote. The texts go into their columns as those of a pairing do.
// What else the automaton takes is left to it, as are errors.
type nesting struct {
	pairing        // of keys and values: signs, blocks, and what stands for itself behind a lead
	barred  uint64 // all ones if what ends a map is an error in a value

	rows      []int32 // by row of a batch: how many are not null up to it
	nulls     []int32 // those that are, by their number
	outer     []outerKey
	outerEnds []int32 // by row that is not null: its outer keys and those before
	innerEnds []int32 // by outer key: its pairs and those before
}

// outerKey is where an outer key lies, and how many pairs come before its own.
type outerKey struct {
	start, end uint32
	pairs      int32
}

// newNesting is nil if t is not such an automaton.
func newNesting(t *dfa.Table) *nesting {
	for c := range 256 {
		x := &nesting{pairing: pairing{table: t}}
		x.signs[signOpen] = byte(c)
		if isSkip(t, t.Entry(t.Start, byte(c))) && x.find('z') {
			for _, sign := range []int{signSep, signKey, signQuote, signClose, signOpen} {
				x.have[sign] = ^uint64(0)
			}
			x.findThemselves()
			return x
		}
	}
	return nil
}

// find finds the states of x.table, where ordinary is a symbol that is none of the signs.
func (x *nesting) find(ordinary byte) bool {
	t := x.table
	begin := t.Entry(t.Start, x.signs[signOpen]).Next()
	inOuter := t.Entry(begin, ordinary).Next()
	again := func(s dfa.StateID) bool { e := t.Entry(s, x.signs[signOpen]); return isSkip(t, e) && e.Next() == begin }
	var seps, ends, keys, quotes int
	for c := range 256 {
		if e := t.Entry(inOuter, byte(c)); isField(t, e, 0, 0) && again(e.Next()) {
			x.signs[signClose] = byte(c)
			ends++
		} else if isField(t, e, 0, 0) {
			x.signs[signSep] = byte(c)
			seps++
		}
	}
	if seps != 1 || ends != 1 {
		return false
	}
	sep, end := x.signs[signSep], x.signs[signClose]
	atKey, behind := t.Entry(inOuter, sep).Next(), t.Entry(inOuter, end).Next()
	inKey := t.Entry(atKey, ordinary).Next()
	for c := range 256 {
		if isField(t, t.Entry(inKey, byte(c)), 1, 0) {
			x.signs[signKey] = byte(c)
			keys++
		}
	}
	atValue := t.Entry(inKey, x.signs[signKey]).Next()
	for c := range 256 {
		if isSkip(t, t.Entry(atValue, byte(c))) {
			x.signs[signQuote] = byte(c)
			quotes++
		}
	}
	if keys != 1 || quotes != 1 {
		return false
	}
	key, quote := x.signs[signKey], x.signs[signQuote]
	x.within = t.Entry(atValue, quote).Next()
	if bytes.IndexByte([]byte{sep, key, quote, end}, x.signs[signOpen]) >= 0 {
		return false
	}
	for c := range 256 {
		b := byte(c)
		switch {
		case b == quote || isData(t.Entry(x.within, b), x.within):
		case b == end && t.Entry(x.within, b).Kind() == dfa.Error:
			x.barred = ^uint64(0)
		case x.have[signLead] == 0 && b != sep && b != key && b != end && b != x.signs[signOpen]:
			x.signs[signLead], x.have[signLead] = b, ^uint64(0)
		default:
			return false
		}
		if b == sep || b == key || b == quote || b == end {
			continue
		}
		if !isData(t.Entry(begin, b), inOuter) || !isData(t.Entry(inOuter, b), inOuter) || !isData(t.Entry(atKey, b), inKey) || !isData(t.Entry(inKey, b), inKey) {
			return false
		}
	}
	closed := t.Entry(x.within, quote)
	if !isField(t, closed, 2, 0) || key == sep || key == end || quote == sep || quote == end || quote == key {
		return false
	}
	next, last := t.Entry(closed.Next(), sep), t.Entry(closed.Next(), end)
	atEOF := t.EOF(behind)
	return isSkip(t, next) && next.Next() == atKey && isSkip(t, last) && last.Next() == behind && atEOF.Kind != dfa.Record && atEOF.Code == 0
}

// mark finds keys and values in as many rows of f from row i on as it can: in those that are not
// null and have no hard escapes. It gives how many pairs there are, and how many blocks have them.
func (x *nesting) mark(c *Converter, f *Fields, i int) (pairs, at int) {
	nblocks := x.take(c, f, i)
	x.ends, x.outer, x.outerEnds = x.ends[:0], x.outer[:0], x.outerEnds[:0]
	if len(x.start) == 0 {
		return 0, 0
	}
	if x.blocks == nil {
		x.blocks = new(pairBlocks)
	}
	x.blocks.find(f.Src, x.start, x.end, &x.signs, &x.have)
	byOne := 0 // rows that are not looked at with others
	for len(x.ends) < len(x.start) {
		if byOne == 0 {
			rows := 0
			rows, at, pairs = x.placesOfMany(at, nblocks, pairs, f.Src)
			if byOne = 1; rows == 0 {
				byOne = 8
			}
			continue
		}
		byOne = max(byOne-1, 0)
		k, outer := len(x.ends), len(x.outer)
		s := x.start[k]
		to := at + blocksOf(x.end[k]-s)
		more, ok := x.places(at, to, f.Src[s:x.end[k]], int32(pairs))
		if !ok {
			x.outer, x.stopped = x.outer[:outer], true
			x.cut(k)
			break
		}
		at = to
		pairs += more
		x.ends, x.outerEnds = append(x.ends, int32(pairs)), append(x.outerEnds, int32(len(x.outer)))
	}
	return pairs, at
}

// take takes rows of f from row i on for a batch, and gives how many blocks those that are not null have.
// Which are null is not known before, so nothing branches on it.
func (x *nesting) take(c *Converter, f *Fields, i int) (nblocks int) {
	x.start, x.end = slices.Grow(x.start[:0], batchRows+1)[:batchRows+1], slices.Grow(x.end[:0], batchRows+1)[:batchRows+1]
	x.rows, x.nulls = slices.Grow(x.rows[:0], batchBlocks)[:batchBlocks], slices.Grow(x.nulls[:0], batchBlocks+1)[:batchBlocks+1]
	x.stopped = false
	n, k, nulls := 0, 0, 0
	starts, symbols := f.Start[i:min(i+batchBlocks, f.Len())], uint64(len(f.Src))
	ends := f.End[i:][:len(starts)]
	start, end := (*[batchRows + 1]uint32)(x.start), (*[batchRows + 1]uint32)(x.end)
	for ; k < len(starts) && n < batchRows; k++ {
		s, size := starts[k], ends[k]-starts[k]
		null := asBit(s == Absent) | asBit(size == 0) | asBit(c.tokens.length(size)) // perhaps
		more := blocksOf(size) & (null - 1)
		if n > 0 && nblocks+more > batchBlocks {
			break
		}
		if (asBit(s >= InDecoded)|asBit(more > batchBlocks)|asBit(uint64(s)+uint64(more)*maskBlock > symbols))&^null != 0 {
			x.stopped = true
			break
		}
		start[n], end[n], x.nulls[nulls] = s, ends[k], int32(k)
		n, nulls, nblocks = n+1-null, nulls+null, nblocks+more
		x.rows[k] = int32(n)
	}
	x.start, x.end, x.rows = x.start[:n], x.end[:n], x.rows[:k]
	for _, k := range x.nulls[:nulls] {
		at := i + int(k)
		if s := f.Start[at]; c.def == nil && s < InDecoded && f.End[at]-s == 1 && bit(&c.tokens.bytes, uint32(f.Src[s])) {
			continue
		}
		if _, ok := c.value(f, at); ok || c.def != nil {
			x.stopped, x.rows = true, x.rows[:k]
			n = 0
			if k > 0 {
				n = int(x.rows[k-1])
			}
			x.start, x.end = x.start[:n], x.end[:n]
			nblocks = 0
			for r, s := range x.start {
				nblocks += blocksOf(x.end[r] - s)
			}
			break
		}
	}
	return nblocks
}

// asBit is 1 for true.
func asBit(b bool) int {
	if b {
		return 1
	}
	return 0
}

// placesOfMany is places for the rows whose blocks begin at from, up to block to: for those before
// the first one that is not for masks. It gives where that begins.
func (x *nesting) placesOfMany(from, to, pairs int, src []byte) (rows, at, _ int) {
	b := x.blocks
	done := placeNesting(b, from, to, &x.have, x.barred)
	for at = from; len(x.ends) < len(x.start); rows++ {
		row := len(x.ends)
		end := at + blocksOf(x.end[row]-x.start[row])
		if end > done {
			break
		}
		first, outer := pairs, len(x.outer)
		for k := at; k < end; k++ {
			if leads := b.leads[k]; leads != 0 && !x.easy(src[b.base[k]:], leads) {
				x.outer = x.outer[:outer]
				return rows, at, first
			}
			x.outers(k, int32(pairs))
			pairs += bits.OnesCount64(b.places[0][k])
		}
		at = end
		x.ends, x.outerEnds = append(x.ends, int32(pairs)), append(x.outerEnds, int32(len(x.outer)))
	}
	return rows, at, pairs
}

// cut takes back the row that is the one from k on, counted from 0, which is not null, and those behind it.
func (x *nesting) cut(k int) {
	n := len(x.rows)
	for n > 0 && int(x.rows[n-1]) > k {
		n--
	}
	x.rows = x.rows[:n]
}

// places makes of the signs in blocks from up to to, which are those of value, where keys and values are, and gives
// how many there are; ok is false if that is not for masks. pairs are there before.
func (x *nesting) places(from, to int, value []byte, pairs int32) (more int, ok bool) {
	b, n, first := x.blocks, len(value), pairs
	leading, barred := x.have[signLead], x.barred
	opens := uint64(1) // where a map has to begin
	var odd, inside, escaped, outers, keys, inOuter, inKey, keyed, opened, closed uint64
	for i := from; i < to; i++ {
		end := b.behind[i] // nothing has to begin there
		s, e, q := b.signs[signSep][i]&(end-1), b.signs[signKey][i]&(end-1), b.signs[signQuote][i]&(end-1)
		l, c := b.signs[signLead][i]&leading&(end-1), b.signs[signClose][i]&(end-1)
		var by uint64 // symbols behind a lead
		escapedQuotes := uint64(0)
		if l|escaped != 0 {
			by, escaped = symbols.EscapedBy(l, escaped)
			escapedQuotes = q & by
			q &^= by
		}
		within := symbols.PrefixXor(q) ^ inside // an opening quote and what follows, up to its closer
		b.leads[i] = l & within &^ by
		for m := by & within; m != 0; m &= m - 1 {
			if at := (i-from)*maskBlock + bits.TrailingZeros64(m); at >= n || !x.itself[value[at]] {
				return 0, false
			}
		}
		inside = uint64(int64(within) >> 63)
		odd |= escapedQuotes&^within | c&within&^by&barred
		s, e, c = s&^within, e&^within, c&^within
		opening, closing := q&within, q&^within
		signs := s | e | c | opening
		opens |= c << 1
		odd |= end &^ opens
		opens &^= end
		odd |= opens &^ b.signs[signOpen][i]
		outers |= opens << 1
		keys |= s << 1
		outerSum, outerCarry := bits.Add64(outers, ^signs, inOuter)
		keySum, keyCarry := bits.Add64(keys, ^signs, inKey)
		outerEnds, keyEnds := outerSum&signs, keySum&signs // the first sign behind each that begins
		valueAt, behind := e<<1|keyed, closing<<1|closed
		odd |= (outers|keys)&signs | outerEnds&^(s|c) | (keyEnds ^ e) | ((s | c) ^ (outerEnds | behind)) | (opening ^ valueAt)
		b.places[0][i], b.places[1][i], b.places[2][i], b.places[3][i] = keys, keyEnds, opening<<1|opened, closing
		b.outer[0][i], b.outer[1][i] = outers, outerEnds
		x.outers(i, pairs)
		pairs += int32(bits.OnesCount64(keys))
		opens, outers, keys, inOuter, inKey = c>>63, opens>>63, s>>63, outerCarry, keyCarry
		keyed, opened, closed = e>>63, opening>>63, closing>>63
	}
	return int(pairs - first), odd|inside == 0
}

// outers notes the outer keys of block i, with pairs before it.
func (x *nesting) outers(i int, pairs int32) {
	b := x.blocks
	base, keys := uint32(b.base[i]), b.places[0][i]
	for begin := b.outer[0][i]; begin != 0; begin &= begin - 1 {
		before := bits.OnesCount64(keys & (begin&-begin - 1))
		x.outer = append(x.outer, outerKey{start: base + uint32(bits.TrailingZeros64(begin)), pairs: pairs + int32(before)})
	}
	last := len(x.outer)
	for last > 0 && x.outer[last-1].end == 0 {
		last--
	}
	for end := b.outer[1][i]; end != 0 && last < len(x.outer); end &= end - 1 {
		x.outer[last].end = base + uint32(bits.TrailingZeros64(end))
		last++
	}
}

// pack appends rows of f from row i on to dst, as packRows does for maps without maps in them.
func (x *nesting) pack(p *nested, c *Converter, dst *columns.Column, f *Fields, i int, errs []FieldError) (rows int, ok bool, _ []FieldError) {
	m := p.maps
	pairs, blocks := x.mark(c, f, i)
	outer, inner := dst.Children[0], dst.Children[1]
	keys, leaves := inner.Children[0], inner.Children[1]
	values := leaves
	if m.lists != nil {
		values = leaves.Children[0]
	}
	texts := [3]*columns.Column{outer, keys, values}
	var base, from [3]int
	nbytes := blocks * maskBlock
	for k, t := range texts {
		base[k], from[k] = t.Len, len(t.Data)
		if len(t.Data)+nbytes > columns.MaxData || t.Len+nbytes > columns.MaxData {
			return 0, false, errs
		}
	}
	if blocks > 0 {
		t := packedPairs{keysAt: uint64(from[1]), valuesAt: uint64(from[2])}
		t.keys, t.keyEnds = packInto(keys, pairs, nbytes)
		t.values, t.valueEnds = packInto(values, pairs, nbytes)
		packPairs(x.blocks, blocks, f.Src, &t)
		keys.Data, values.Data = keys.Data[:t.keysAt], values.Data[:t.valuesAt]
		x.packOuter(outer, f.Src, nbytes)
	}
	utf8 := m.values.converter.impl.(*text).policy == dfa.KeepUTF8 ||
		validRows(outer, base[0], from[0], noUTF8) && validRows(keys, base[1], from[1], noUTF8) && validRows(values, base[2], from[2], noUTF8)
	mended := !utf8 && m.unique.replaces
	if mended {
		clear(x.replaced[:len(x.ends)])
		utf8 = x.mend(m.keys[0].converter, outer, base[0], from[0], x.outerEnds) &&
			x.mend(m.keys[1].converter, keys, base[1], from[1], x.ends) && x.mend(m.values.converter, values, base[2], from[2], x.ends)
	}
	ok = !x.stopped
	nouter, npairs, n := int32(0), int32(0), 0
	if utf8 {
		n = x.distinct(m.keyed, outer, keys, base, pairs)
	}
	if n > 0 {
		nouter, npairs = x.outerEnds[n-1], x.ends[n-1]
	}
	if n < len(x.outerEnds) {
		outer.Truncate(base[0]+int(nouter), outer.Nulls)
		keys.Truncate(base[1]+int(npairs), keys.Nulls)
		values.Truncate(base[2]+int(npairs), values.Nulls)
		x.cut(n)
		ok = false
	}
	x.over(dst, m, base, nouter, npairs)
	first := dst.Len
	dst.AppendValid(len(x.rows))
	offsets := dst.GrowOffsets(len(x.rows))
	before := int32(0)
	for k, n := range x.rows {
		offsets[k] = int32(base[0])
		if n > 0 {
			offsets[k] += x.outerEnds[n-1]
		}
		if n == before {
			dst.SetNull(first + k)
			if c.required {
				errs = append(errs, FieldError{first + k, IsNull})
			}
		} else if mended {
			x.noteMended(p, int(n)-1, i+k)
		}
		before = n
	}
	return len(x.rows), ok, errs
}

// packOuter appends the outer keys to column, which are nbytes at most.
func (x *nesting) packOuter(column *columns.Column, src []byte, nbytes int) {
	at := len(column.Data)
	packInto(column, len(x.outer), nbytes)
	offsets := column.Offsets[len(column.Offsets)-len(x.outer):]
	data := column.Data[:cap(column.Data)]
	for k := range x.outer {
		at += copy(data[at:], src[x.outer[k].start:x.outer[k].end])
		offsets[k] = int32(at)
	}
	column.Data = data[:at]
}

// distinct is how many rows have no outer key twice, and no key beside another, up to the first that has one, or of
// which it is not found out. There are so many pairs; columns have base rows before those of the batch.
func (x *nesting) distinct(t *keyTable, outer, keys *columns.Column, base [3]int, pairs int) (rows int) {
	if len(x.outer) == 0 {
		return 0
	}
	rows = t.distinctRows(outer, base[0], 0, x.outerEnds, false)
	x.innerEnds = x.innerEnds[:0]
	for _, o := range x.outer[1:] {
		x.innerEnds = append(x.innerEnds, o.pairs)
	}
	x.innerEnds = append(x.innerEnds, int32(pairs))
	good := t.distinctRows(keys, base[1], 0, x.innerEnds, false)
	for rows > 0 && int(x.outerEnds[rows-1]) > good {
		rows--
	}
	return rows
}

// over makes the maps that are values in dst, and the lists in these, of so many outer keys and pairs.
func (x *nesting) over(dst *columns.Column, m *maps, base [3]int, nouter, npairs int32) {
	inner := dst.Children[1]
	inner.AppendValid(int(nouter))
	offsets := inner.GrowOffsets(int(nouter))
	for k := range offsets {
		end := npairs
		if k+1 < len(offsets) {
			end = x.outer[k+1].pairs
		}
		offsets[k] = int32(base[1]) + end
	}
	if m.lists == nil {
		return
	}
	lists := inner.Children[1]
	lists.AppendValid(int(npairs))
	for k := range lists.GrowOffsets(int(npairs)) {
		lists.Offsets[base[1]+1+k] = int32(base[2] + 1 + k)
	}
}
