package convert

import (
	"bytes"
	"math/bits"
	"slices"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/columns"
	"github.com/dfaparse/dfaparse/internal/symbols"
)

// pairing finds keys and values in the masks of four symbols, 64 at a time, in maps
// whose automaton does no more than this:
//
//	                k e y = v   k = " v   = \ " "   k
//	separator                 1           1           1
//	key's end             1         1
//	quote                             1           1 1
//	lead of escapes                           1
//	keys            begin ^ . .   .   ^ .             ^
//
// A key ends at the first key sign or separator, and its value at the next separator,
// in quotes at the next quote. A separator may be two symbols that differ, of which the second may be the key sign too, and brackets may
// stand around a map. What else there is in a value, it leaves to the automaton.
type pairing struct {
	table  *dfa.Table
	signs  [6]byte     // separator, key's end, quote, lead; of a nesting, what ends and what begins a map
	have   [6]uint64   // all ones for each that there is
	two    bool        // separators have two symbols: signSep, and signOpen behind it
	around [2]byte     // brackets around maps: signClose is the second; 0: there are none
	empty  bool        // nothing need stand between them
	within dfa.StateID // in quotes
	itself [256]bool   // a symbol that stands for itself behind a lead, which is no data

	members *members // if these find keys and values, of which the above says nothing

	blocks  *pairBlocks
	start   []uint32 // of the rows of a batch
	end     []uint32
	ends    []int32 // by row of a batch: its pairs and those before
	lone    []int32 // pairs without a value
	coded   []int32 // pairs whose value has escapes, some more than once
	stopped bool    // the batch ends before a row that cannot be taken
	most    int     // rows of a batch: few where such rows come again and again
	texts   bool    // most of the batch is text that is passed over sooner than marked
	hard    bool    // so has the last row, other ones than for symbols that stand for themselves
	flawed  bool    // some rows of the batch have a fault, so that they are null, and no pairs:
	codes   [batchRows]Code

	rest     [2]*columns.Column // keys and values of rows of a batch behind one that is read by itself: see moveRest
	restEnds []int32            // by row: its pairs and those before
	replaced [batchRows]int64   // by row of a batch: how many bytes mend has replaced
}

// tries says when rows are tried by masks again, after some that these did not take.
type tries struct {
	left int // rows that are not tried
	last int // and how many it was last time, and one
}

// mostUntried is how many rows at most are not tried. Where so many are not as untriedAll, few rows are for masks.
const mostUntried, untriedAll = 63, 7

// due reports whether the next row is tried.
func (t *tries) due() bool {
	if t.left > 0 {
		t.left--
		return false
	}
	return true
}

// gave notes how many rows were taken.
func (t *tries) gave(rows int) {
	if t.last = 2*t.last + 1; rows > 0 {
		t.last = 0
	}
	t.last = min(t.last, mostUntried)
	t.left = max(t.last-1, 0)
}

// rest is gave where masks take longer than other ways do.
func (t *tries) rest() {
	t.last = min(2*t.last+1, packFew*batchRows)
	t.left = t.last
}

// pairBlocks is what is found in blocks of 64 symbols, those of rows one after the other.
type pairBlocks struct {
	signs  [6][blockRoom]uint64
	behind [blockRoom]uint64    // the symbol behind a row, in its last block
	places [4][blockRoom]uint64 // where keys begin and end, and where their values do
	leads  [blockRoom]uint64    // that begin escapes
	alone  [blockRoom]uint64    // the ends of keys without a value
	outer  [2][blockRoom]uint64 // of a nesting: where outer keys begin and end; of members: white space, and what only stands in strings
	base   [blockRoom]uint64    // of the first symbol
	before [blockRoom]int32     // the pairs before a block
}

// packedPairs is what packPairs works on: where the bytes of keys and values go, and their
// ends, relative to the memory; how many bytes there are; and whether a text goes on in the next block: 1 if so.
type packedPairs struct {
	keys, values       *byte
	keyEnds, valueEnds *int32
	keysAt, valuesAt   uint64
	keyOpen, valueOpen uint64
}

const (
	signSep = iota
	signKey
	signQuote
	signLead
	signClose
	signOpen
)

// newPairing is nil if t is not such an automaton.
func newPairing(t *dfa.Table) *pairing {
	x := &pairing{table: t}
	if !x.find('z', t.Start, -1, -1) && !x.findBrackets('z') {
		return nil
	}
	x.findThemselves()
	return x
}

// findBrackets is find where brackets may stand around a map.
func (x *pairing) findBrackets(ordinary byte) bool {
	t := x.table
	for c := range 256 {
		e := t.Entry(t.Start, byte(c))
		if !isSkip(t, e) || e.Next() == t.Start {
			continue
		}
		in := t.Entry(e.Next(), ordinary).Next()
		for d := range 256 {
			inside := pairing{table: t}
			if !isSkip(t, t.Entry(in, byte(d))) || !inside.find(ordinary, e.Next(), -1, d) {
				continue
			}
			*x = pairing{table: t}
			if !x.find(ordinary, t.Start, c, -1) || x.two != inside.two || x.signs != inside.signs || x.have != inside.have {
				continue
			}
			if x.signs[signSep] == byte(d) || x.two && x.signs[signOpen] == byte(d) || x.have[signQuote] != 0 && x.signs[signQuote] == byte(d) {
				return false
			}
			x.around = [2]byte{byte(c), byte(d)}
			pieces, _, fault := t.Fields(x.around[:], nil, nil)
			x.empty = fault == 0 && len(pieces) == 0
			x.signs[signClose], x.have[signClose], x.have[signOpen] = byte(d), ^uint64(0), ^uint64(0)
			return true
		}
	}
	return false
}

// findThemselves finds what stands for itself behind a lead.
func (x *pairing) findThemselves() {
	t := x.table
	if lead := t.Entry(x.within, x.signs[signLead]); x.have[signLead] != 0 && lead.Kind() == dfa.Skip {
		for c := range 256 {
			e := t.Entry(lead.Next(), byte(c))
			b := []byte{x.signs[signLead], byte(c)}
			x.itself[c] = e.Kind() == dfa.Data && e.Next() == x.within && dfa.Decode(b, 1, t.Emission(e)) == byte(c)
		}
	}
}

// find finds the states of t from start on, where ordinary is a symbol that is none of the signs.
// open, if it is not below 0, stands for something else at the start, and close everywhere but
// in quotes: it ends the map.
func (x *pairing) find(ordinary byte, start dfa.StateID, open, close int) bool {
	t := x.table
	inKey := t.Entry(start, ordinary).Next()
	var keys, seps int
	first := inKey // of the two symbols of a separator behind a key
	for c := range 256 {
		switch e := t.Entry(inKey, byte(c)); {
		case c == close:
		case isField(t, e, 0, 0):
			x.signs[signKey] = byte(c)
			keys++
		case isSkip(t, e):
			x.signs[signSep] = byte(c)
			seps++
		case isData(e, e.Next()) && e.Next() != inKey:
			first = e.Next()
			x.signs[signSep], x.two = byte(c), true
			seps++
		}
	}
	if keys != 1 || seps != 1 {
		return false
	}
	x.have[signSep], x.have[signKey] = ^uint64(0), ^uint64(0)
	sep, key := x.signs[signSep], x.signs[signKey]
	last := sep // symbol of a separator
	if x.two {
		seconds := 0
		for c := range 256 {
			if e := t.Entry(first, byte(c)); isSkip(t, e) && c != close {
				last = byte(c)
				seconds++
			}
		}
		if seconds != 1 || last == sep || t.Entry(first, ordinary).Next() != inKey {
			return false
		}
		x.signs[signOpen], x.have[signOpen] = last, ^uint64(0)
	}
	atValue := t.Entry(inKey, key).Next()
	inValue := t.Entry(atValue, ordinary).Next()
	firstInValue := inValue
	if x.two {
		firstInValue = t.Entry(inValue, sep).Next()
	}
	afterKey, afterValue := t.Entry(first, last).Next(), t.Entry(firstInValue, last).Next()
	for c := range 256 {
		if e := t.Entry(atValue, byte(c)); isSkip(t, e) && byte(c) != sep && c != close {
			x.signs[signQuote], x.within = byte(c), e.Next()
			x.have[signQuote] = ^uint64(0)
		}
	}
	quoted := x.have[signQuote] != 0
	quote := x.signs[signQuote]
	if quoted && (quote == key || quote == last) {
		return false
	}
	lag := uint16(1)
	if x.two {
		lag = 2
	}
	if quoted {
		closed := t.Entry(x.within, quote)
		for c := range 256 {
			switch {
			case byte(c) == quote || isData(t.Entry(x.within, byte(c)), x.within):
			case x.have[signLead] == 0 && byte(c) != sep && byte(c) != key: // none stands before an opening quote
				x.signs[signLead], x.have[signLead] = byte(c), ^uint64(0)
			default:
				return false
			}
		}
		after := t.Entry(closed.Next(), sep)
		if x.two {
			if !isSkip(t, after) {
				return false
			}
			after = t.Entry(after.Next(), last)
		}
		if !isSkip(t, closed) || !isSkip(t, after) || after.Next() != afterValue || close < 0 && !endsAtEOF(t, closed.Next(), 1) {
			return false
		}
		if close >= 0 && !x.closes(closed.Next(), close, 1, 0) {
			return false
		}
	}
	// begins reports whether a key begins with b behind a separator, and a field of column ends.
	begins := func(s dfa.StateID, column int16, b byte) bool {
		e := t.Entry(s, b)
		if e.Kind() != dfa.Field || e.Next() != t.Entry(inKey, b).Next() {
			return false
		}
		if !x.two {
			return isField(t, e, column, lag)
		}
		em := t.Emission(e)
		return em.Column == column && uint16(em.Lag) == lag && em.Open == 1 && em.Code == 0 && !em.Coded()
	}
	for c := range 256 {
		b := byte(c)
		if c == close {
			continue
		}
		sign := b == key || b == sep && !x.two
		ok := c == open || sign || b == sep || isData(t.Entry(start, b), inKey)
		ok = ok && (sign || b == sep || isData(t.Entry(inKey, b), inKey))
		ok = ok && (sign || begins(afterKey, 0, b) && begins(afterValue, 1, b))
		ok = ok && (b == sep || quoted && b == quote || isData(t.Entry(atValue, b), inValue))
		ok = ok && (b == sep || isData(t.Entry(inValue, b), inValue))
		if x.two && ok && b != last && b != sep {
			ok = (b == key || isData(t.Entry(first, b), inKey)) && isData(t.Entry(firstInValue, b), inValue)
		}
		if !ok {
			return false
		}
	}
	if x.two {
		for _, s := range []dfa.StateID{start, inKey, first} {
			if e := t.Entry(s, sep); !isData(e, first) {
				return false
			}
		}
		for _, s := range []dfa.StateID{atValue, inValue, firstInValue} {
			if e := t.Entry(s, sep); !isData(e, firstInValue) {
				return false
			}
		}
		if e := t.Entry(first, key); key != last && (!isField(t, e, 0, 0) || e.Next() != atValue) {
			return false
		}
		if e := t.Entry(firstInValue, last); !isSkip(t, e) {
			return false
		}
	} else {
		for _, s := range []dfa.StateID{atValue, inValue} {
			if e := t.Entry(s, sep); !isSkip(t, e) || e.Next() != afterValue {
				return false
			}
		}
	}
	behind := uint16(0)
	if x.two {
		behind = lag
	}
	for _, end := range []struct {
		s      dfa.StateID
		column int16
		lag    uint16
	}{{inKey, 0, 0}, {first, 0, 0}, {afterKey, 0, behind}, {atValue, 1, 0}, {inValue, 1, 0}, {firstInValue, 1, 0}, {afterValue, 1, behind}} {
		if close < 0 && !endsLate(t, end.s, end.column, end.lag) || close >= 0 && !x.closes(end.s, close, end.column, end.lag) {
			return false
		}
	}
	return true
}

// closes reports whether a map ends with a field of column at symbol c, in state s.
func (x *pairing) closes(s dfa.StateID, c int, column int16, lag uint16) bool {
	e := x.table.Entry(s, byte(c))
	if !isSkip(x.table, e) {
		return false
	}
	if lag > 0 {
		lag++ // the symbol too
	}
	return endsLate(x.table, e.Next(), column, lag)
}

// endsLate is endsAtEOF of a field that has ended so many symbols before.
func endsLate(t *dfa.Table, s dfa.StateID, column int16, lag uint16) bool {
	em := t.EOF(s)
	return em.Kind == dfa.Record && em.Record == dfa.DataRecord && em.Column == column && uint16(em.Lag) == lag && em.Code == 0
}

func isSkip(t *dfa.Table, e dfa.Entry) bool { return e.Kind() == dfa.Skip && !t.Emission(e).Coded() }

// isData reports whether e is data that stands for itself and leads to state s.
func isData(e dfa.Entry, s dfa.StateID) bool {
	return e.Kind() == dfa.Data && !e.Coded() && e.Next() == s
}

// isField reports whether e ends a field of column, so many symbols before, and the next
// one begins behind that.
func isField(t *dfa.Table, e dfa.Entry, column int16, lag uint16) bool {
	em := t.Emission(e)
	return e.Kind() == dfa.Field && em.Column == column && uint16(em.Lag) == lag && em.Open == 0 && !em.Touch && em.Code == 0 && !em.Coded()
}

// endsAtEOF reports whether a value that ends in state s ends with a field of column.
func endsAtEOF(t *dfa.Table, s dfa.StateID, column int16) bool {
	em := t.EOF(s)
	return em.Kind == dfa.Record && em.Record == dfa.DataRecord && em.Column == column && em.Lag == 0 && em.Code == 0
}

// What a batch has at most.
const (
	batchRows   = 128
	batchBlocks = 512
	blockRoom   = batchBlocks + 8 // not to be some pages
)

// batch takes rows of f apart from row i on, before row to, and appends their keys and values: as many
// rows as can be taken, and x.ends has the ends of their pairs.
func (x *pairing) batch(c *Converter, f *Fields, i, to int, keys, values *Fields) (rows int) {
	pairs, blocks := x.mark(nil, c, f, i, to)
	if len(x.ends) == 0 {
		return 0
	}
	x.list(blocks, pairs, keys, values)
	first := values.Len() - pairs
	for _, k := range x.lone {
		values.Start[first+int(k)], values.End[first+int(k)] = Absent, 0
	}
	x.decode(f.Src, keys, values, first)
	return len(x.ends)
}

// mark finds keys and values in as many rows of f from row i on, before row to, as it can. It gives how many pairs
// there are, and how many blocks have them. With p it does so only in rows without hard escapes, and finds out which
// of those that it cannot take have a fault.
func (x *pairing) mark(p *nested, c *Converter, f *Fields, i, to int) (pairs, blocks int) {
	easy := p != nil
	x.start, x.end = x.start[:0], x.end[:0]
	x.ends, x.lone, x.coded = x.ends[:0], x.lone[:0], x.coded[:0]
	x.stopped, x.texts = false, false
	if x.flawed {
		x.flawed, x.codes = false, [batchRows]Code{}
	}
	if x.most == 0 {
		x.most = batchRows
	}
	defer func() {
		if x.most = min(2*x.most, batchRows); x.stopped {
			x.most = min(2*len(x.ends)+1, batchRows)
		}
		if x.texts {
			x.most = textRows
		}
	}()
	if x.members != nil {
		return x.markMembers(p, c, f, i, to)
	}
	nblocks, opened := 0, false
	for k := i; k < to && len(x.start) < x.most; k++ {
		s, size := f.Start[k], f.End[k]-f.Start[k]
		more := blocksOf(size)
		if len(x.start) > 0 && nblocks+more > batchBlocks {
			break
		}
		// Keys are compared by eight symbols from where they begin.
		if s >= InDecoded || size == 0 || c.tokens.length(size) || more > batchBlocks || !(eights{f.Src}).has(s+uint32(more)*maskBlock) {
			x.stopped = true
			break
		}
		if x.around[0] != 0 && f.Src[s] == x.around[0] {
			if s, size = s+1, size-2; int32(size) < 0 || size == 0 && !x.empty || f.Src[s+size] != x.around[1] {
				x.stopped = true
				break
			}
			opened = true
		}
		switch n := size; { // nothing begins behind the last separator
		case n == 0:
		case !x.two && f.Src[s+n-1] == x.signs[signSep]:
			size--
		case x.two && n > 1 && f.Src[s+n-2] == x.signs[signSep] && f.Src[s+n-1] == x.signs[signOpen]:
			size -= 2
		}
		more = blocksOf(size)
		nblocks += more
		x.start, x.end = append(x.start, s), append(x.end, s+size)
	}
	if len(x.start) == 0 {
		return 0, 0
	}
	if x.blocks == nil {
		x.blocks = new(pairBlocks)
	}
	x.blocks.find(f.Src, x.start, x.end, &x.signs, &x.have)
	if opened {
		if nblocks = x.untilClosed(f); nblocks == 0 {
			return 0, 0
		}
	}
	byOne := 0 // rows that are not looked at with others
	for at := 0; len(x.ends) < len(x.start); {
		if byOne == 0 && !x.two {
			rows := 0
			rows, at, pairs = x.placesOfMany(at, nblocks, pairs, f.Src, easy)
			if byOne = 1; rows == 0 {
				byOne = 8
			}
			continue
		}
		byOne = max(byOne-1, 0)
		row := len(x.ends)
		s, end := x.start[row], x.end[row]
		lone, to := len(x.lone), at+blocksOf(end-s)
		if s == end && x.empty && f.Src[s] == x.around[1] {
			x.blocks.forget(at, to)
			at, x.ends = to, append(x.ends, int32(pairs))
			continue
		}
		more := x.places(at, to, f.Src[s:end], int32(pairs))
		if more == 0 && x.leaveStrays(at, to) {
			more = x.places(at, to, f.Src[s:end], int32(pairs))
		}
		if more == 0 && easy {
			if x.codes[row] = p.faultOf(c, f, i+row); x.codes[row] != OK {
				x.blocks.forget(at, to)
				x.flawed, at, x.ends = true, to, append(x.ends, int32(pairs))
				continue
			}
		}
		if more == 0 || easy && x.hard {
			x.lone, x.stopped = x.lone[:lone], true
			return pairs, at
		}
		pairs += more
		at = to
		x.ends = append(x.ends, int32(pairs))
	}
	return pairs, nblocks
}

// untilClosed makes the batch end before a row in brackets in which the second one stands elsewhere too, or
// the lead of an escape, and gives how many blocks it has.
func (x *pairing) untilClosed(f *Fields) (at int) {
	for row, s := range x.start {
		var closes uint64
		to := at + blocksOf(x.end[row]-s)
		for k := at; k < to; k++ {
			closes |= (x.blocks.signs[signClose][k] | x.blocks.signs[signLead][k]&x.have[signLead]) & (x.blocks.behind[k] - 1)
		}
		if closes != 0 && s > 0 && f.Src[s-1] == x.around[0] {
			x.start, x.end, x.stopped = x.start[:row], x.end[:row], true
			return at
		}
		at = to
	}
	return at
}

// blocksOf is how many blocks a row has, of which the last has the symbol behind it.
func blocksOf(size uint32) int { return int(size/maskBlock) + 1 }

// placesOfMany is places for the rows whose blocks begin at from, up to block to: for those before
// the first one that is not for masks, or not for these; with escapes they are unless only easy ones are
// wanted, and these are not. It gives where that begins.
func (x *pairing) placesOfMany(from, to, pairs int, src []byte, easy bool) (rows, at, _ int) {
	b := x.blocks
	done := placePairs(b, from, to, &x.have)
	before := pairs // of those of the batch
	for k := from; k < done; k++ {
		b.before[k] = int32(before)
		before += bits.OnesCount64(b.places[1][k])
	}
	b.before[done] = int32(before)
	rare := b.nextRare(from, done)
	first := len(x.ends)
	start := x.start[first:]
	stop := x.end[first:][:len(start)]
	x.ends = slices.Grow(x.ends, len(start))
	ends := x.ends[first:][:len(start)]
	for at = from; rows < len(start); rows++ {
		end := at + blocksOf(stop[rows]-start[rows])
		if end > done {
			break
		}
		if end > rare {
			if !x.rarely(at, end, src, easy) {
				break
			}
			rare = b.nextRare(end, done)
		}
		at = end
		ends[rows] = b.before[end]
	}
	x.ends = x.ends[:first+rows]
	if rows > 0 {
		pairs = int(ends[rows-1])
	}
	return rows, at, pairs
}

// nextRare is the first block from k on, before to, with a lead or a key without a value; to if there is none.
func (b *pairBlocks) nextRare(k, to int) int {
	for k < to && b.leads[k]|b.alone[k] == 0 {
		k++
	}
	return k
}

// rarely notes the keys without a value of a row, whose blocks are those from at up to end, and, unless only easy
// escapes are wanted, the values with some. It reports whether the row is for masks.
func (x *pairing) rarely(at, end int, src []byte, easy bool) bool {
	b, lone := x.blocks, len(x.lone)
	values := b.before[at] // that begin before a block
	for k := at; k < end; k++ {
		switch leads := b.leads[k]; {
		case leads == 0:
		case !easy:
			x.coded = eachPair(x.coded, leads, b.places[2][k], values)
		case !x.easy(src[b.base[k]:], leads):
			x.lone = x.lone[:lone]
			return false
		}
		values += int32(bits.OnesCount64(b.places[2][k]))
		if alone := b.alone[k]; alone != 0 {
			x.lone = eachPair(x.lone, alone, b.places[1][k], b.before[k])
		}
	}
	return true
}

// easy reports whether what is behind leads in text stands for itself.
func (x *pairing) easy(text []byte, leads uint64) bool {
	for ; leads != 0; leads &= leads - 1 {
		if !x.itself[text[bits.TrailingZeros64(leads)+1]] {
			return false
		}
	}
	return true
}

// places makes of the signs in blocks from up to to, which are those of value, where keys and values are,
// and gives how many there are; 0 if that is not for masks. pairs are there before.
func (x *pairing) places(from, to int, value []byte, pairs int32) int {
	b, n := x.blocks, len(value)
	first, lone, coded := pairs, len(x.lone), len(x.coded)
	quoting, leading := x.have[signQuote], x.have[signLead]
	var odd, inside, escaped uint64
	width := 1 // of a separator
	if x.two {
		width = 2
	}
	starts := uint64(1) // the last separator's carry: a key begins
	var inKey, atValue, opened, closed uint64
	x.hard = false
	for i := from; i < to; i++ {
		end := b.behind[i]
		s, e, q, l := b.signs[signSep][i]&(end-1)|end, b.signs[signKey][i]&(end-1), b.signs[signQuote][i]&quoting&(end-1), b.signs[signLead][i]&leading&(end-1)
		if x.two {
			second := b.signs[signOpen][i] & (end - 1) >> 1
			if i+1 < to {
				second |= b.signs[signOpen][i+1] & (b.behind[i+1] - 1) << 63
			}
			s &= second | end
		}
		var by uint64 // symbols behind a lead
		if l|escaped != 0 {
			by, escaped = symbols.EscapedBy(l, escaped)
			q &^= by
		}
		within := symbols.PrefixXor(q) ^ inside // an opening quote and what follows, up to its closer
		b.leads[i] = l & within &^ by
		for m := by & within; m != 0; m &= m - 1 {
			at := (i-from)*maskBlock + bits.TrailingZeros64(m)
			x.hard = x.hard || at >= n || !x.itself[value[at]]
		}
		inside = uint64(int64(within) >> 63)
		s, e = s&^within, e&^within
		starts |= s << width
		sum, carry := bits.Add64(starts, ^(e | s), inKey)
		ends := sum & (e | s) // the first sign behind each start
		keyed, alone := ends&e, ends&s
		valueAt := keyed<<1 | atValue
		opening, closing := q&within, q&^within
		afterOpener, afterCloser := opening<<1|opened, closing<<1|closed
		odd |= starts&ends | opening&^valueAt | afterCloser&^s
		b.places[0][i], b.places[1][i] = starts&(end-1), ends
		b.places[2][i] = valueAt&^opening | afterOpener | alone
		b.places[3][i] = s&^afterCloser | closing
		if alone != 0 {
			x.lone = eachPair(x.lone, alone, ends, pairs)
		}
		if l &= within; l != 0 {
			x.coded = eachPair(x.coded, l, b.places[2][i], pairs-int32(atValue|opened))
		}
		pairs += int32(bits.OnesCount64(ends))
		starts, inKey, atValue, opened, closed = s>>(64-width), carry, keyed>>63, opening>>63, closing>>63
	}
	if odd|inside != 0 {
		x.lone, x.coded = x.lone[:lone], x.coded[:coded]
		return 0
	}
	return int(pairs - first)
}

// leaveStrays takes those quotes out of blocks from up to to, which are those of a row, that neither begin a value nor
// end one that is in quotes, and reports whether there are any.
func (x *pairing) leaveStrays(from, to int) (some bool) {
	if x.two || x.have[signQuote] == 0 {
		return false
	}
	b, leading := x.blocks, x.have[signLead]
	inKey, open := true, false
	valueAt, behindLead := -1, -1
	for i := from; i < to; i++ {
		inRow := b.behind[i] - 1
		s, q, l := b.signs[signSep][i]&inRow, b.signs[signQuote][i]&inRow, b.signs[signLead][i]&leading&inRow
		for m := s | q | l | b.signs[signKey][i]&inRow; m != 0; m &= m - 1 {
			bit, at := m&-m, (i-from)*maskBlock+bits.TrailingZeros64(m)
			switch {
			case open && l&bit != 0 && at != behindLead:
				behindLead = at + 1
			case open:
				open = q&bit == 0 || at == behindLead
			case l&bit != 0:
			case q&bit != 0 && at == valueAt:
				open = true
			case q&bit != 0:
				b.signs[signQuote][i] ^= bit
				some = true
			case s&bit != 0:
				inKey = true
			case inKey:
				inKey, valueAt = false, at+1
			}
		}
	}
	return some
}

// eachPair appends the pairs that have the marks, where pairs begin or end at those of
// among, from number first on.
func eachPair(pairs []int32, marks, among uint64, first int32) []int32 {
	for ; marks != 0; marks &= marks - 1 {
		pairs = append(pairs, first+int32(bits.OnesCount64(among&(marks^(marks-1))))-1)
	}
	return pairs
}

// forget takes the places out of blocks from up to to.
func (b *pairBlocks) forget(from, to int) {
	for i := range b.places {
		clear(b.places[i][from:to])
	}
}

// find fills blocks, row after row: as many whole blocks as have the row's symbols and
// one more.
func (b *pairBlocks) find(src []byte, start, end []uint32, signs *[6]byte, have *[6]uint64) {
	if hasAVX2 {
		findSigns(b, src, start, end, signs, have[signOpen] != 0)
		return
	}
	at := 0
	for i, s := range start {
		from := at
		for to := at + blocksOf(end[i]-s); at < to; at++ {
			b.base[at], b.behind[at] = uint64(s)+uint64(at-from)*maskBlock, 0
		}
		for k, sign := range signs {
			if have[k] != 0 {
				symbols.FindSymbol(b.signs[k][from:at], src[s:], sign)
			}
		}
		b.behind[at-1] = 1 << ((end[i] - start[i]) % maskBlock)
	}
}

// list appends so many pairs, whose places are in so many blocks.
func (x *pairing) list(blocks, pairs int, keys, values *Fields) {
	var to [4][]uint32
	for i, places := range []*[]uint32{&keys.Start, &keys.End, &values.Start, &values.End} {
		n := len(*places)
		*places = slices.Grow(*places, pairs+maskBlock)[:n+pairs]
		to[i] = (*places)[n : n+pairs+maskBlock]
	}
	if pairs == 0 {
		return
	}
	b := x.blocks
	if hasVBMI {
		listPairsAVX512(&b.signs[0][0], blocks, &to[0][0], &to[1][0], &to[2][0], &to[3][0])
		return
	}
	for i := range to {
		places, n := to[i], 0
		for k := range blocks {
			base := uint32(b.base[k])
			for m := b.places[i][k]; m != 0; m &= m - 1 {
				places[n] = base + uint32(bits.TrailingZeros64(m))
				n++
			}
		}
	}
}

// decode takes the escapes out of the values that have some, from pair first on.
func (x *pairing) decode(src []byte, keys, values *Fields, first int) {
	last := int32(-1)
	for _, k := range x.coded {
		if k == last {
			continue
		}
		last = k
		i := first + int(k)
		at := len(values.Decoded)
		var ok bool
		if values.Decoded, ok = x.unescape(values.Decoded, src[:values.End[i]], int(values.Start[i])); !ok {
			values.Decoded = values.Decoded[:at]
			x.cut(k, first, keys, values)
			return
		}
		values.Start[i], values.End[i] = uint32(at)|InDecoded, uint32(len(values.Decoded))
	}
}

// unescape appends what stands in quotes, from b[q] to the end of b; ok is false if the
// automaton has an error there, or is not where quotes may close. What comes before may be
// asked for: a symbol can be made of several.
func (x *pairing) unescape(to, b []byte, q int) (_ []byte, ok bool) {
	within := x.table.Row(x.within)
	row := within
	for ; q < len(b); q++ {
		if row == within {
			if b[q] == x.signs[signQuote] { // a lead stands before it, but is none here
				return to, false
			}
			n := bytes.IndexByte(b[q:], x.signs[signLead])
			if n < 0 {
				return append(to, b[q:]...), true
			}
			to = append(to, b[q:q+n]...)
			q += n
		}
		e := x.table.Entries[row|uint32(b[q])]
		switch e.Kind() {
		case dfa.Data:
			to = append(to, dfa.Decode(b, q, x.table.Emission(e)))
		case dfa.Skip:
		default:
			return to, false
		}
		row = e.Row()
	}
	return to, row == within
}

// cut takes back the row of pair k and those after it.
func (x *pairing) cut(k int32, first int, keys, values *Fields) {
	row := len(x.ends)
	for row > 0 && x.ends[row-1] > k {
		row--
	}
	x.ends = x.ends[:row]
	pairs := 0
	if row > 0 {
		pairs = int(x.ends[row-1])
	}
	keys.cut(keys.Len() - (values.Len() - first) + pairs)
	values.cut(first + pairs)
}
