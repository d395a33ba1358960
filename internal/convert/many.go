package convert

import (
	"math/bits"

	"github.com/dfaparse/dfaparse/internal/symbols"
)

// This file finds keys and values in the blocks of all rows of a batch, one after the other, without a branch that
// depends on where a row ends. What a block leaves to the next one is carried by a bit; where a row begins nothing is,
// as a row that is not odd ends outside of quotes and keys.

// placePairsGeneric is pairing.places for blocks from up to to, each of a row that ends before to; it gives the
// first one with something odd, and to if there is none.
func placePairsGeneric(b *pairBlocks, from, to int, have *[6]uint64) (done int) {
	quoting, leading := have[signQuote], have[signLead]
	begins := uint64(1)
	var inside, escaped, separator, inKey, keyedBefore, opened, closed uint64
	for i := from; i < to; i++ {
		end := b.behind[i]
		inRow := end - 1
		l := b.signs[signLead][i] & leading & inRow
		by, last := symbols.EscapedBy(l, escaped)
		q := b.signs[signQuote][i] & quoting & inRow &^ by
		within := symbols.PrefixXor(q) ^ inside
		inside = uint64(int64(within) >> 63)
		b.leads[i] = l & within &^ by
		odd := end & within
		s, e := (b.signs[signSep][i]&inRow|end)&^within, b.signs[signKey][i]&inRow&^within
		starts := (s<<1 | separator | begins) & (inRow | end)
		sum, carry := bits.Add64(starts, ^(e | s), inKey)
		ends := sum & (e | s) // the first sign behind each start
		keyed, alone := ends&e, ends&s
		valueAt := keyed<<1 | keyedBefore
		opening, closing := q&within, q&^within
		afterOpener, afterCloser := opening<<1|opened, closing<<1|closed
		odd |= starts&ends | opening&^valueAt | afterCloser&^s
		b.places[0][i], b.places[1][i] = starts&inRow, ends
		b.places[2][i] = valueAt&^opening | afterOpener | alone
		b.places[3][i] = s&^afterCloser | closing
		b.alone[i] = alone
		if odd != 0 {
			return i
		}
		begins = uint64(asBit(end != 0))
		escaped, separator, inKey, keyedBefore, opened, closed = last, s>>63, carry, keyed>>63, opening>>63, closing>>63
	}
	return to
}

// placeNestingGeneric is the same for nesting.places.
func placeNestingGeneric(b *pairBlocks, from, to int, have *[6]uint64, barred uint64) (done int) {
	leading := have[signLead]
	begins := uint64(1)
	var inside, before, separator, ended, open, inOuter, inKey, keyed, opened, closed uint64
	for i := from; i < to; i++ {
		end := b.behind[i]
		inRow := end - 1
		l := b.signs[signLead][i] & leading & inRow
		by, last := symbols.EscapedBy(l, before)
		q := b.signs[signQuote][i] & inRow
		escaped := q & by
		q &^= by
		within := symbols.PrefixXor(q) ^ inside
		inside = uint64(int64(within) >> 63)
		b.leads[i] = l & within &^ by
		c := b.signs[signClose][i] & inRow
		odd := end&within | escaped&^within | c&within&^by&barred
		s, e := b.signs[signSep][i]&inRow&^within, b.signs[signKey][i]&inRow&^within
		c &^= within
		opens := c<<1 | ended | begins // where a map has to begin, or a row to end
		odd |= end &^ opens
		opens &^= end
		odd |= opens &^ b.signs[signOpen][i]
		opening, closing := q&within, q&^within
		signs := s | e | c | opening
		outers, keys := opens<<1|open, s<<1|separator
		outerSum, outerCarry := bits.Add64(outers, ^signs, inOuter)
		keySum, keyCarry := bits.Add64(keys, ^signs, inKey)
		outerEnds, keyEnds := outerSum&signs, keySum&signs // the first sign behind each that begins
		valueAt, behind := e<<1|keyed, closing<<1|closed
		odd |= (outers|keys)&signs | outerEnds&^(s|c) | (keyEnds ^ e) | ((s | c) ^ (outerEnds | behind)) | (opening ^ valueAt)
		b.places[0][i], b.places[1][i], b.places[2][i], b.places[3][i] = keys, keyEnds, opening<<1|opened, closing
		b.outer[0][i], b.outer[1][i] = outers, outerEnds
		if odd != 0 {
			return i
		}
		begins = uint64(asBit(end != 0))
		before, separator, ended, open, inOuter, inKey = last, s>>63, c>>63, opens>>63, outerCarry, keyCarry
		keyed, opened, closed = e>>63, opening>>63, closing>>63
	}
	return to
}
