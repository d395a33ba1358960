package convert

import (
	"bytes"
	"math/bits"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/symbols"
)

// members finds keys and values in the masks of eight kinds of symbols, 64 at a time, in maps whose automaton does
// this with most of what is valid, as that of JSON's objects does:
//
//	          { " k e y " : " v " , " k " : [ 1 , { } ] , " k " : 12 }
//	key           ^ . .               ^                     ^
//	value                   ^ . .           ^ . . . . .           ^.
//
// A key stands in quotes. A value is a string with its quotes, what is in brackets, or a word. White space may
// stand between them. What else the automaton takes is left to it, as are errors.
type members struct {
	kinds  [256]uint8      // by symbol
	sets   [8]*symbols.Set // by kind
	around [2]byte         // the brackets of a map
	deep   int             // how many may be open in a value
	strict bool            // what is not taken is an error, unless nothing but white space is there
}

// Kinds of symbols. One that is not for strings is a quote and a lead too.
const (
	kindSep = 1 << iota
	kindKey
	kindQuote
	kindLead
	kindClose
	kindOpen
	kindWhite
	kindOther  // it only stands in strings
	kindBarred = kindQuote | kindLead
)

// newMembers is nil if t is not such an automaton. lex is of t.
func newMembers(t *dfa.Table, lex *lexer) *members {
	x := &members{}
	if !hasAVX2 || lex == nil || !x.find(t, lex, 'z') {
		return nil
	}
	for k := range x.sets {
		var set dfa.Set
		for c, kinds := range x.kinds {
			if kinds>>k&1 != 0 {
				set = set.Union(dfa.Bytes(byte(c)))
			}
		}
		x.sets[k] = symbols.NewSet(set)
	}
	return x
}

// find finds the states of t and the kinds of symbols, where ordinary is one of words. It looks at what is taken, not
// at what is left to the automaton.
func (x *members) find(t *dfa.Table, lex *lexer, ordinary byte) bool {
	// leading is the only symbol that leads from s as it should.
	leading := func(s dfa.StateID, ok func(e dfa.Entry) bool) (symbol byte, to dfa.StateID) {
		n := 0
		for c := range 256 {
			if e := t.Entry(s, byte(c)); e.Next() != s && ok(e) {
				symbol, to = byte(c), e.Next()
				n++
			}
		}
		if n != 1 {
			return 0, s
		}
		return symbol, to
	}
	skips := func(e dfa.Entry) bool { return isSkip(t, e) }
	in := func(s dfa.StateID) bool { return isData(t.Entry(s, ordinary), s) } // a text of any symbols
	open, first := leading(t.Start, skips)
	quote, inKey := leading(first, func(e dfa.Entry) bool { return isSkip(t, e) && in(e.Next()) })
	closing, end := leading(first, func(e dfa.Entry) bool { return isSkip(t, e) && !in(e.Next()) })
	sign := t.Entry(inKey, quote).Next()
	key, atValue := leading(sign, skips)
	inText, inWord, nested := t.Entry(atValue, quote).Next(), t.Entry(atValue, ordinary).Next(), t.Entry(atValue, open).Next()
	lead, behindLead := leading(inKey, func(e dfa.Entry) bool { return isData(e, e.Next()) })
	textLead, after := t.Entry(inText, lead).Next(), t.Entry(inText, quote).Next()
	sep, next := leading(after, func(e dfa.Entry) bool { return isPairEnd(t, e) && e.Next() != end })
	r := lex.enclosing[nested]
	if r == nil || r.after != t.Row(after) || r.lead != int(lead) || r.outside[quote] != isQuote || r.outside[open] != isOpen || r.outside[closing] != isClose {
		return false
	}
	x.around, x.deep = [2]byte{open, closing}, r.deep
	skip := func(s dfa.StateID, c byte, to dfa.StateID) bool {
		e := t.Entry(s, c)
		return isSkip(t, e) && e.Next() == to
	}
	data := func(s dfa.StateID, c byte, to dfa.StateID) bool { return isData(t.Entry(s, c), to) }
	ends := func(s dfa.StateID, c byte, to dfa.StateID) bool {
		e := t.Entry(s, c)
		return isPairEnd(t, e) && e.Next() == to
	}
	ok := skip(t.Start, open, first) && skip(first, quote, inKey) && skip(first, closing, end) && skip(next, quote, inKey) &&
		isKeyEnd(t, t.Entry(inKey, quote)) && skip(sign, key, atValue) && data(atValue, quote, inText) && data(inText, quote, after) &&
		ends(after, sep, next) && ends(after, closing, end) && ends(inWord, sep, next) && ends(inWord, closing, end)
	for i := range 256 {
		c := byte(i)
		switch is := r.outside[c]; {
		case c == sep:
			x.kinds[c] = kindSep
		case c == key:
			x.kinds[c] = kindKey
		case c == quote:
			x.kinds[c] = kindQuote
		case c == lead:
			x.kinds[c] = kindLead
		case is == isOpen:
			x.kinds[c] = kindOpen
			ok = ok && data(atValue, c, nested)
		case is == isClose:
			x.kinds[c] = kindClose
		case is == isInside && data(atValue, c, inWord):
			ok = ok && data(inWord, c, inWord)
		case is == isInside && skip(sign, c, sign):
			x.kinds[c] = kindWhite
			for _, s := range []dfa.StateID{t.Start, first, next, atValue, after, end} {
				ok = ok && skip(s, c, s)
			}
			ok = ok && skip(inWord, c, after)
		default:
			x.kinds[c] = kindOther
		}
		if c == sep || c == key {
			ok = ok && r.outside[c] == isInside
		}
		if !data(inText, c, inText) && c != quote && c != lead {
			x.kinds[c] |= kindBarred
			continue
		}
		ok = ok && data(behindLead, c, inKey) && data(textLead, c, inText) && r.escaped[c]
		switch {
		case c == lead:
			ok = ok && data(inKey, c, behindLead) && data(inText, c, textLead)
		case c != quote:
			ok = ok && data(inKey, c, inKey) && r.inside[c]
		}
	}
	for _, kinds := range x.kinds[128:] {
		ok = ok && kinds == x.kinds[128]
	}
	if atEOF := t.EOF(end); !ok || atEOF.Kind == dfa.Record || atEOF.Code != 0 {
		return false
	}
	between := []betweenTexts{{t.Start, kindWhite, []byte{open}}, {first, kindWhite, []byte{quote, closing}}, {next, kindWhite, []byte{quote}},
		{sign, kindWhite, []byte{key}}, {atValue, kindWhite | kindOpen, []byte{quote}}, {inWord, kindWhite, []byte{sep, closing}},
		{after, kindWhite, []byte{sep, closing}}, {end, kindWhite, nil}}
	texts := []dfa.StateID{inKey, behindLead, inText, textLead}
	x.strict = true
	for depth, s := 1, nested; depth <= x.deep; depth++ {
		kinds := uint8(kindWhite | kindOpen | kindClose | kindSep | kindKey)
		if depth == x.deep {
			kinds &^= kindOpen
		}
		between = append(between, betweenTexts{s, kinds, []byte{quote}})
		in := t.Entry(s, quote).Next()
		texts = append(texts, in, t.Entry(in, lead).Next())
		s = t.Entry(s, open).Next()
	}
	isError := func(s dfa.StateID, c byte) bool {
		e := t.Entry(s, c)
		return e.Kind() == dfa.Error && t.Emission(e).Code != 0
	}
	cut := func(s dfa.StateID) bool { em := t.EOF(s); return em.Kind == dfa.Record && em.Code != 0 }
	for _, b := range between {
		x.strict = x.strict && (b.s == t.Start || b.s == end || cut(b.s))
		words := b.s == atValue || b.s == inWord || b.kinds&kindClose != 0
		for i, kinds := range x.kinds {
			c := byte(i)
			if c != quote && c != lead {
				kinds &^= kindBarred
			}
			x.strict = x.strict && (kinds&b.kinds != 0 || words && kinds == 0 || bytes.IndexByte(b.symbols, c) >= 0 || isError(b.s, c))
		}
	}
	for _, s := range texts {
		x.strict = x.strict && cut(s)
		for c, kinds := range x.kinds {
			x.strict = x.strict && (kinds&kindBarred != kindBarred || isError(s, byte(c)))
		}
	}
	return true
}

// betweenTexts is what is taken in a state that is in no text: symbols of these kinds, and these symbols.
type betweenTexts struct {
	s       dfa.StateID
	kinds   uint8
	symbols []byte
}

// isKeyEnd reports whether e ends a key.
func isKeyEnd(t *dfa.Table, e dfa.Entry) bool {
	em := t.Emission(e)
	return e.Kind() == dfa.Field && (em.Column == dfa.NextColumn || em.Column == 0) && em.Lag == 0 && !em.Touch && em.Code == 0 && !em.Escape && !em.Coded()
}

// isPairEnd reports whether e ends a value and its pair.
func isPairEnd(t *dfa.Table, e dfa.Entry) bool {
	em := t.Emission(e)
	return e.Kind() == dfa.Record && em.Record == dfa.DataRecord && (em.Column == dfa.NextColumn || em.Column == 1) && em.Lag == 0 && em.Code == 0 && !em.Escape && !em.Coded()
}

// memberBlocks is how many blocks a row has at most: in longer ones most is text, which is passed over sooner than marked.
const memberBlocks = 64

// textRows is how many rows are looked at where most was text before: that is passed over sooner than marked.
const textRows = packFew / 2

// markMembers is mark for maps of members. Without p it ends before a row that masks do not take.
func (x *pairing) markMembers(p *nested, c *Converter, f *Fields, i, to int) (pairs, blocks int) {
	m, nblocks := x.members, 0
	for k := i; k < to && len(x.start) < x.most; k++ {
		s, e := f.Start[k], f.End[k]
		more := blocksOf(e - s)
		if len(x.start) > 0 && nblocks+more > batchBlocks {
			break
		}
		if s >= InDecoded || s == e || c.tokens.length(e-s) || more > memberBlocks {
			x.stopped = true
			break
		}
		var found bool
		if s, e, found = m.inside(f.Src, s, e); uint64(s)+uint64(blocksOf(e-s))*maskBlock > uint64(len(f.Src)) {
			x.stopped = true
			break
		}
		if !found && p == nil {
			x.stopped = true
			break
		}
		if !found {
			x.codes[len(x.start)], x.flawed = p.malformed, true // perhaps
		}
		nblocks += blocksOf(e - s)
		x.start, x.end = append(x.start, s), append(x.end, e)
	}
	if len(x.start) == 0 {
		return 0, 0
	}
	if x.blocks == nil {
		x.blocks = new(pairBlocks)
	}
	findKinds(m, x.blocks, f.Src, x.start, x.end)
	// Blocks from at up to done are not odd, and those before next have been looked at. So many rows are looked at one by
	// one.
	at, done, next, byOne := 0, 0, 0, 0
	for row, s := range x.start {
		to := at + blocksOf(x.end[row]-s)
		if byOne > 0 {
			byOne--
		} else if at >= next && hasVBMI {
			if done = placeMembers(x.blocks, at, nblocks); to > done {
				byOne = 8
			}
			next = done + 1
		}
		more, ok := 0, x.codes[row] == OK
		if ok && to <= done {
			for _, ends := range x.blocks.places[1][at:to] {
				more += bits.OnesCount64(ends)
			}
		} else if ok {
			more, ok = m.places(x.blocks, at, to)
		}
		if !ok && p == nil {
			x.stopped = true
			break
		}
		if !ok {
			if x.codes[row] = p.malformed; !m.strict || s == f.End[i+row] {
				x.codes[row] = p.faultOf(c, f, i+row)
			}
			if x.codes[row] == OK {
				x.stopped = true
				break
			}
			x.blocks.forget(at, to)
			x.flawed = true
		}
		pairs, at = pairs+more, to
		x.ends = append(x.ends, int32(pairs))
	}
	if x.texts = at > pairs; p != nil { // of a Splitter, which has bridges else: these take about as long for a pair as masks for a block
		x.texts = x.blocks.mostText(pairs, at)
	}
	x.stopped = x.stopped || x.texts
	return pairs, at
}

// mostText reports whether few of so many blocks, which have so many pairs, have what begins or ends texts and brackets,
// or a lead.
func (b *pairBlocks) mostText(pairs, blocks int) bool {
	if blocks <= pairs {
		return false
	}
	marks := 0
	for k := range blocks {
		marks += bits.OnesCount64(b.signs[signQuote][k] | b.signs[signLead][k] | b.signs[signOpen][k] | b.signs[signClose][k])
	}
	return blocks > marks
}

// inside is where what stands in the brackets of a map begins and ends, which lies in src from s up to e, with
// what is white there; they are not found if it is none.
func (x *members) inside(src []byte, s, e uint32) (_, _ uint32, found bool) {
	white := func(at uint32) bool { return x.kinds[src[at]]&kindWhite != 0 }
	for s < e && white(s) {
		s++
	}
	for s < e && white(e-1) {
		e--
	}
	if e-s < 2 || src[s] != x.around[0] || src[e-1] != x.around[1] {
		return s, s, false
	}
	for s, e = s+1, e-1; s < e && white(s); {
		s++
	}
	return s, e, true
}

// findKinds fills blocks with the masks of kinds, row after row, as pairBlocks.find does with those of signs.
func (x *members) findKinds(b *pairBlocks, src []byte, start, end []uint32) {
	at := 0
	for i, s := range start {
		from := at
		for to := at + blocksOf(end[i]-s); at < to; at++ {
			b.base[at], b.behind[at] = uint64(s)+uint64(at-from)*maskBlock, 0
		}
		for k := range b.signs {
			x.sets[k].FindBlocks(b.signs[k][from:at], src[s:])
		}
		for k := range b.outer {
			x.sets[len(b.signs)+k].FindBlocks(b.outer[k][from:at], src[s:])
		}
		b.behind[at-1] = 1 << ((end[i] - s) % maskBlock)
	}
}

// places makes of the kinds in blocks from up to to, which are those of a row, where keys and values are, and gives how
// many there are; ok is false if that is not for masks.
func (x *members) places(b *pairBlocks, from, to int) (pairs int, ok bool) {
	if b.behind[from] == 1 && to == from+1 {
		b.forget(from, to)
		return 0, true
	}
	var odd, inside, escaped uint64
	depth, nested := 0, uint64(0) // brackets that are open; all ones if some are
	begins := uint64(1)           // behind what begins a key
	// What a block leaves to the next.
	var keyed, ended, ofValue, opened, inWord, inKey, inPair, beforeKey, beforeValue, behind uint64
	for i := from; i < to; i++ {
		end := b.behind[i]
		inRow := end - 1
		q, l := b.signs[signQuote][i]&inRow, b.signs[signLead][i]&inRow
		barred := q & l
		q, l = q^barred, l^barred
		if l|escaped != 0 {
			var by uint64
			by, escaped = symbols.EscapedBy(l, escaped)
			q, l = q&^by, l&^by
		}
		within := symbols.PrefixXor(q) ^ inside // an opening quote and what follows, up to its closer
		inside = uint64(int64(within) >> 63)
		opening, closing := q&within, q&^within
		outside := inRow &^ (within | closing)
		odd |= barred&within | l&^within | b.outer[1][i]&outside
		opens, closes := b.signs[signOpen][i]&outside, b.signs[signClose][i]&outside
		region := nested // of values in brackets
		if opens|closes != 0 {
			if region = symbols.PrefixXor(opens|closes) ^ nested; depth < 2 && opens&^region|closes&region == 0 { // as nearly always
				depth, nested = int(region>>63), uint64(int64(region)>>63)
				region |= closes
			} else if region, opens, closes, depth, ok = x.deeper(opens, closes, depth); !ok {
				return 0, false
			} else {
				nested = -uint64(asBit(depth > 0))
			}
		}
		opening, closing, outside = opening&^region, closing&^region, outside&^region
		white := b.outer[0][i] & outside
		s, e := b.signs[signSep][i]&outside, b.signs[signKey][i]&outside
		word := outside &^ (white | s | e)
		s |= end

		behindWord := word<<1 | inWord
		atoms := opening | opens | word&^behindWord
		keys, valueAt := (s<<1|begins)&(inRow|end), e<<1|keyed
		atEnd := behindWord &^ word
		behindAtom := (closing|closes)<<1 | ended | atEnd
		begins, keyed, ended, inWord = s>>63, e>>63, (closing|closes)>>63, word>>63
		if white|beforeKey|beforeValue|behind != 0 {
			keys, beforeKey = firstNot(white, keys, beforeKey)
			valueAt, beforeValue = firstNot(white, valueAt, beforeValue)
			behindAtom, behind = firstNot(white, behindAtom, behind)
		}
		sum, carry := bits.Add64(keys, ^closing, inKey)
		keyEnds := sum & closing // the first quote behind each
		inKey = carry
		sum, inPair = bits.Add64(keys, ^(s | e), inPair)
		odd |= keys&^opening | valueAt&^atoms | atoms&^(keys|valueAt) | behindAtom&^(s|e) | (sum&(s|e) ^ e)
		closes |= closing &^ keyEnds
		b.places[0][i], b.places[1][i] = keys<<1|opened, keyEnds
		b.places[2][i], b.places[3][i] = valueAt, closes<<1|ofValue|atEnd
		b.leads[i] = 0
		opened, ofValue = keys>>63, closes>>63
		pairs += bits.OnesCount64(keyEnds)
	}
	if odd|inside|nested != 0 {
		return 0, false
	}
	return pairs, true
}

// firstNot is the first symbol that is not in white from each of starts on, and of what a block has left.
func firstNot(white, starts, left uint64) (first, leaves uint64) {
	sum, carry := bits.Add64(starts, white, left)
	return sum &^ white, carry
}

// deeper finds what is in brackets in a block, where these are in each other, of which so many are open: the outermost
// that open and close, and what is in them. It is not ok if one closes that is not open, or too many are.
func (x *members) deeper(opens, closes uint64, depth int) (region, outerOpens, outerCloses uint64, _ int, ok bool) {
	first := uint64(asBit(depth > 0)) // of what is open
	for m := opens | closes; m != 0; m &= m - 1 {
		bit := m & -m
		if opens&bit != 0 {
			if depth == 0 {
				first, outerOpens = bit, outerOpens|bit
			}
			if depth++; depth > x.deep {
				return 0, 0, 0, 0, false
			}
			continue
		}
		if depth--; depth < 0 {
			return 0, 0, 0, 0, false
		}
		if depth == 0 {
			region, outerCloses = region|(bit<<1-first), outerCloses|bit
		}
	}
	if depth > 0 {
		region |= -first
	}
	return region, outerOpens, outerCloses, depth, true
}
