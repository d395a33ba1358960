package cpu

import (
	"math/bits"

	"github.com/dfaparse/dfaparse/internal/symbols"
)

// Where fields of a strip may be in quotes, what is in them depends on how many quotes there are from the beginning of the
// record on, and behind each record that is left out that is found anew: block by block, as records are indexed.
//
//	record     Oslo;"a;b"⏎"x";1⏎
//	quotes          1   1 1 1
//	inside          1111  11
//	ends           1     1   1 1

// nearBlock is what blocks leave to the next, and which symbols of the last are in quotes.
type nearBlock struct {
	inside uint64 // from an opening quote on, up to the closing one
	quoted uint64 // all ones if the next block begins inside

	// 1 if the symbol before it is one of these.
	afterRecord, afterField, afterClose, afterReturn uint64
}

// read finds the bits of near for what is not in quotes, of a block of the strip that begins in the state that the ones before
// have left, or, if first is less than the size of a block, in which a record begins there.
func (b *nearBlock) read(x *near, k *masked, block int, first uint) (ends, lasts, returned, odd uint64) {
	const top = blockSize - 1
	have, begins := ^uint64(0), uint64(0)
	if first < blockSize {
		have, begins = have<<first, 1<<first
	}
	of := x.of
	quotes, returns, last := of[quoteRole][block]&have, of[returnRole][block]&have, of[recordRole][block]&have
	in := symbols.PrefixXor(quotes) ^ b.quoted
	lasts = last &^ in
	fields := of[fieldRole][block] & have &^ in
	opens, closes := quotes&in, quotes&^in
	ends = fields | lasts
	afterRecord, afterField, afterClose := lasts<<1|b.afterRecord|begins, fields<<1|b.afterField, closes<<1|b.afterClose
	behind := returns&^in<<1 | b.afterReturn
	odd = opens&^(afterRecord|afterField|afterClose) | afterClose&^(ends|quotes|returns) | behind&^lasts
	if doubled := opens & afterClose; doubled != 0 {
		if x.doubled = true; !k.masks.Quote.Doubled {
			odd |= doubled
		}
	}
	odd |= (of[oddRole][block]&have|of[openRole][block]&have|of[closeRole][block]&have)&^in | of[oddQuotedRole][block]&have&in
	odd |= of[oddFirstRole][block]&have&afterRecord | of[oddNextRole][block]&have&afterField
	b.inside, b.quoted = in, uint64(int64(in)>>top)
	b.afterRecord, b.afterField, b.afterClose, b.afterReturn = lasts>>top, fields>>top, closes>>top, returns&^in>>top
	return ends, lasts, behind & lasts, odd
}

// opens reports whether some quote in the first n blocks of the strip may open a field.
func (x *near) opens(n int) bool {
	of, after := x.of, uint64(1)
	if of[quoteRole] == x.none {
		return false
	}
	for i, quotes := range of[quoteRole][:n] {
		ends := of[fieldRole][i] | of[recordRole][i]
		if quotes&(ends<<1|after) != 0 {
			return true
		}
		after = ends >> (blockSize - 1)
	}
	return false
}

// opensFirst reports whether of what ends fields or is odd to them quotes are the first, from at on, where a record begins, and
// one opens a field.
func (x *near) opensFirst(k *masked, data []byte, at int) bool {
	for block, have := (at-x.from)/blockSize, ^uint64(0)<<((at-x.from)%blockSize); block < (x.to-x.from)/blockSize; block, have = block+1, ^uint64(0) {
		quotes := x.of[quoteRole][block] & have
		first := quotes & -quotes
		if (x.of[recordRole][block]|x.of[oddRole][block])&have&(first-1) != 0 {
			return false
		}
		if first != 0 {
			p := x.from + block*blockSize + bits.TrailingZeros64(first)
			return p == at || k.masks.Fields.Has(data[p-1])
		}
	}
	return false
}

// enough is nearEnough, or nearQuoted.
func (x *near) enough() int {
	if x.quoted {
		return nearQuoted
	}
	return nearEnough
}
