package convert

import (
	"bytes"
	"math/bits"
	"slices"
	"unsafe"

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

	measured measured // says which rows are null
	offsets  []int32  // scratch memory
	number   []int32  // by row of a batch that is not null: which one of the Fields it is
	first    int      // row of a batch, of those
	rows     int      // of a batch, with those that are null
	nulls    []uint64 // these, a bit a row

	outer     outerKeys
	outerEnds []int32          // 0, then by row that is not null: its outer keys and those before
	before    [blockRoom]int32 // the outer keys before a block
}

// outerKeys is where outer keys lie, unless vector code puts them side by side, and how many pairs come before those of
// each, and of all.
type outerKeys struct {
	n          int
	start, end []uint32
	pairs      []int32
}

// room makes room for n outer keys.
func (o *outerKeys) room(n int) {
	if n > len(o.pairs) {
		o.start, o.end, o.pairs = slices.Grow(o.start, 2*n)[:2*n], slices.Grow(o.end, 2*n)[:2*n], slices.Grow(o.pairs, 2*n)[:2*n]
	}
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
	x.ends, x.outer.n, x.outerEnds = x.ends[:0], 0, append(x.outerEnds[:0], 0)
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
		k := len(x.ends)
		s := x.start[k]
		to := at + blocksOf(x.end[k]-s)
		if !x.places(at, to, f.Src[s:x.end[k]]) {
			x.stopped = true
			x.cut(k)
			break
		}
		x.count(at, to, pairs)
		at, pairs, x.outer.n = to, int(x.blocks.before[to]), int(x.before[to])
		x.ends, x.outerEnds = append(x.ends, int32(pairs)), append(x.outerEnds, int32(x.outer.n))
	}
	return pairs, at
}

// begin finds the rows of f that are null.
func (x *nesting) begin(c *Converter, f *Fields) {
	n := f.Len()
	x.offsets = slices.Grow(x.offsets[:0], n+1)[:n+1]
	x.offsets[0] = 0
	x.measured.measure(c, f, x.offsets)
}

// take takes rows of f from row i on for a batch, and gives how many blocks those that are not null have.
func (x *nesting) take(c *Converter, f *Fields, i int) (nblocks int) {
	x.start, x.end = slices.Grow(x.start[:0], batchRows)[:batchRows], slices.Grow(x.end[:0], batchRows)[:batchRows]
	x.number = slices.Grow(x.number[:0], batchRows)[:batchRows]
	x.first, x.stopped = i, false
	starts, symbols := f.Start[:min(i+batchBlocks, f.Len())], uint64(len(f.Src))
	ends := f.End[:len(starts)]
	start, end, number := (*[batchRows]uint32)(x.start), (*[batchRows]uint32)(x.end), (*[batchRows]int32)(x.number)
	n, to := 0, len(starts)
	if c.def != nil {
		if null := x.measured.nulls.next(i, none); null < to {
			to, x.stopped = null, true
		}
	}
batch:
	for k := i &^ 63; k < to; k += 64 {
		set := ^x.measured.nulls[k>>6]
		if k < i {
			set &= all << (i & 63)
		}
		if to-k < 64 {
			set &= 1<<(to-k) - 1
		}
		for ; set != 0; set &= set - 1 {
			row := k + bits.TrailingZeros64(set)
			s, size := starts[row], ends[row]-starts[row]
			more := blocksOf(size)
			if n == batchRows || nblocks+more > batchBlocks && n > 0 {
				to, x.stopped = row, false
				break batch
			}
			if s >= InDecoded || size == 0 || more > batchBlocks || uint64(s)+uint64(more)*maskBlock > symbols {
				if size == 0 && c.emptyIsNull && c.def == nil {
					x.measured.nulls[k>>6] |= set & -set
					continue
				}
				to, x.stopped = row, true
				break batch
			}
			start[n], end[n], number[n] = s, ends[row], int32(row)
			n, nblocks = n+1, nblocks+more
		}
	}
	x.start, x.end, x.number, x.rows = x.start[:n], x.end[:n], x.number[:n], to-i
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
	for k := from; k < done; k++ {
		if leads := b.leads[k]; leads != 0 && !x.easy(src[b.base[k]:], leads) {
			done = k
		}
	}
	x.count(from, done, pairs)
	at = from
	for k := len(x.ends); k < len(x.start); k++ {
		end := at + blocksOf(x.end[k]-x.start[k])
		if end > done {
			break
		}
		at, rows = end, rows+1
		x.ends, x.outerEnds = append(x.ends, b.before[at]), append(x.outerEnds, x.before[at])
	}
	x.outer.n = int(x.before[at])
	return rows, at, int(b.before[at])
}

// cut takes back the row that is the one from k on, counted from 0, which is not null, and those behind it.
func (x *nesting) cut(k int) { x.rows = int(x.number[k]) - x.first }

// places makes of the signs in blocks from up to to, which are those of value, where keys and values are; it is
// false if that is not for masks.
func (x *nesting) places(from, to int, value []byte) bool {
	b, n := x.blocks, len(value)
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
				return false
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
		opens, outers, keys, inOuter, inKey = c>>63, opens>>63, s>>63, outerCarry, keyCarry
		keyed, opened, closed = e>>63, opening>>63, closing>>63
	}
	return odd|inside == 0
}

// count counts outer keys and pairs: b.before and x.before say how many come before each of blocks from up to to, and
// before block to.
func (x *nesting) count(from, to, pairs int) {
	b, n := x.blocks, x.outer.n
	keys, outer := b.places[0][from:to], b.outer[0][from:to]
	pairsBefore, before := b.before[from:to+1], x.before[from:to+1]
	for k, m := range keys {
		pairsBefore[k], before[k] = int32(pairs), int32(n)
		pairs += bits.OnesCount64(m)
		n += bits.OnesCount64(outer[k])
	}
	pairsBefore[to-from], before[to-from] = int32(pairs), int32(n)
	if !hasVBMI { // while the masks are in the cache
		x.list(from, to)
	}
}

// list lists the outer keys of blocks from up to to. Two of a block are written whether there are as many or not.
func (x *nesting) list(from, to int) {
	b, o := x.blocks, &x.outer
	o.room(int(x.before[to]) + packSlack)
	begun, ended := o.n, o.n
	for k := from; k < to; k++ {
		base, keys, pairs := uint32(b.base[k]), b.places[0][k], int(b.before[k])
		begins, at := b.outer[0][k], begun
		begun += bits.OnesCount64(begins)
		for {
			start, before := (*[2]uint32)(o.start[at:]), (*[2]int32)(o.pairs[at:])
			first := begins & -begins
			start[0], before[0] = base+uint32(bits.TrailingZeros64(begins)), int32(pairs+bits.OnesCount64(keys&(first-1)))
			begins &= begins - 1
			first = begins & -begins
			start[1], before[1] = base+uint32(bits.TrailingZeros64(begins)), int32(pairs+bits.OnesCount64(keys&(first-1)))
			if begins &= begins - 1; begins == 0 {
				break
			}
			at += 2
		}
		ends, at := b.outer[1][k], ended
		ended += bits.OnesCount64(ends)
		for {
			end := (*[2]uint32)(o.end[at:])
			end[0] = base + uint32(bits.TrailingZeros64(ends))
			ends &= ends - 1
			end[1] = base + uint32(bits.TrailingZeros64(ends))
			if ends &= ends - 1; ends == 0 {
				break
			}
			at += 2
		}
	}
}

// pack appends rows of f from row i on to dst, as pairing.pack does for maps without maps in them.
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
		x.packOuter(outer, blocks, pairs, f.Src)
	}
	utf8 := m.values.converter.impl.(*text).policy == dfa.KeepUTF8 ||
		validRows(outer, base[0], from[0], noUTF8) && validRows(keys, base[1], from[1], noUTF8) && validRows(values, base[2], from[2], noUTF8)
	mended := !utf8 && m.unique.replaces
	if mended {
		clear(x.replaced[:len(x.ends)])
		utf8 = x.mend(m.keys[0].converter, outer, base[0], from[0], x.outerEnds[1:]) &&
			x.mend(m.keys[1].converter, keys, base[1], from[1], x.ends) && x.mend(m.values.converter, values, base[2], from[2], x.ends)
	}
	ok = !x.stopped
	nouter, npairs, n := int32(0), int32(0), 0
	if utf8 {
		n = x.distinct(m.keyed, outer, keys, base)
	}
	if n > 0 {
		nouter, npairs = x.outerEnds[n], x.ends[n-1]
	}
	if n < len(x.ends) {
		outer.Truncate(base[0]+int(nouter), outer.Nulls)
		keys.Truncate(base[1]+int(npairs), keys.Nulls)
		values.Truncate(base[2]+int(npairs), values.Nulls)
		x.cut(n)
		ok = false
	}
	x.over(dst, m, base, nouter, npairs)
	first := dst.Len
	dst.AppendValid(x.rows)
	x.spread(dst.GrowOffsets(x.rows), int32(base[0]))
	dst.SetNulls(first, x.nulls)
	if c.required {
		for k := x.measured.nulls.next(i, none); k < i+x.rows; k = x.measured.nulls.next(k+1, none) {
			errs = append(errs, FieldError{first + k - i, IsNull})
		}
	}
	for k := 0; mended && k < n; k++ {
		x.noteMended(p, k, int(x.number[k]))
	}
	return x.rows, ok, errs
}

// spread sets the offsets of the rows of a batch, whose outer keys come behind base others, and x.nulls.
func (x *nesting) spread(offsets []int32, base int32) {
	nulls, n := x.measured.nulls, 0
	x.nulls = x.nulls[:0]
	for k := 0; k < len(offsets); k += 64 {
		at := x.first + k
		w := nulls[at>>6] >> (at & 63)
		if at>>6+1 < len(nulls) {
			w |= nulls[at>>6+1] << (64 - at&63)
		}
		part := offsets[k:min(k+64, len(offsets))]
		if len(part) < 64 {
			w &= 1<<len(part) - 1
		}
		x.nulls = append(x.nulls, w)
		for i := range part { // nothing branches on which are null
			n += int(^w & 1)
			w >>= 1
			part[i] = base + x.outerEnds[n]
		}
	}
}

// packOuter appends the outer keys of so many blocks to column, and notes the pairs before each.
func (x *nesting) packOuter(column *columns.Column, blocks, pairs int, src []byte) {
	o, from := &x.outer, len(column.Data)
	o.room(o.n + packSlack)
	data, ends := packInto(column, o.n, blocks*maskBlock)
	if hasVBMI {
		at := packOuters(x.blocks, blocks, src, data, from, ends, &o.pairs[0])
		column.Data, o.pairs[o.n] = column.Data[:at], int32(pairs)
		return
	}
	o.pairs[o.n] = int32(pairs)
	text, at, last := textPacker{data: unsafe.Pointer(data)}, uintptr(from), len(src)-packStep
	offsets := column.Offsets[len(column.Offsets)-o.n:]
	symbols := unsafe.Pointer(unsafe.SliceData(src))
	for k := range offsets {
		start, end := o.start[k], o.end[k]
		if int(end) <= last {
			at = text.copy(symbols, uintptr(start), uintptr(end), at)
		} else {
			at += uintptr(copy(column.Data[at:cap(column.Data)], src[start:end]))
		}
		offsets[k] = int32(at)
	}
	column.Data = column.Data[:at]
}

// distinct is how many rows have no outer key twice, and no key beside another, up to the first that has one, or of
// which it is not found out. Columns have base rows before those of the batch.
func (x *nesting) distinct(t *keyTable, outer, keys *columns.Column, base [3]int) (rows int) {
	if x.outer.n == 0 {
		return 0
	}
	ends := x.outerEnds[1:]
	rows = t.distinctRows(outer, base[0], 0, ends, false)
	good := t.distinctRows(keys, base[1], 0, x.outer.pairs[1:x.outer.n+1], false)
	for rows > 0 && int(ends[rows-1]) > good {
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
		offsets[k] = int32(base[1]) + x.outer.pairs[k+1]
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
