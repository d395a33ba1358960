package cpu

import (
	"bytes"
	"math/bits"
	"slices"

	"github.com/dfaparse/dfaparse/dfa"
)

// With AVX2 symbols are not looked up for a strip as fast as blocks are marked. So no bits are kept: from behind each gap on
// blocks are marked up to the first that has something odd, and what is in front of that in a copy, which fillers follow.
//
//	blocks     Oslo;"a;b"⏎"z";x"y;1⏎Rome;2⏎
//	odd                           1
//	copy                 "z";______
//	ends           1     1   1

// marksBlocks reports whether there is vector code that marks records with quotes block by block, and none that looks symbols
// up.
func (k *masked) marksBlocks() bool {
	return hasMarkers() && k.vectors && !k.mapped() && k.quote && !k.bracket && !k.leading && !k.masks.Quote.Escape && k.filler >= 0
}

// opensSome reports whether the first quote of src, in which a record begins, is where fields begin.
func (k *masked) opensSome(src []byte) bool {
	at := bytes.IndexByte(src, k.masks.Quote.Open)
	return at == 0 || at > 0 && (k.masks.Fields.Has(src[at-1]) || k.masks.Records.Has(src[at-1]))
}

// markBlocksFrom is markFrom where vector code marks block by block, up to one in which something is odd. What is in front of
// that is marked again.
func (w *worker) markBlocksFrom(data []byte, at int) int {
	k, x := w.masked, w.masked.near
	known, odd := k.nrecords-1, nowhere
	if n := (x.to - at) / blockSize; n > 0 && k.nmarks <= k.maxMarks {
		if read := x.markBlocks(k, data[at:][:n*blockSize], at); read < n {
			odd = x.markUpTo(k, data, at+read*blockSize+bits.TrailingZeros64(k.odd))
		}
	}
	return w.goOnBehind(data, known, odd)
}

// markBlocks marks the ends in the blocks of src, in which a record begins and whose offset is at, and gives how many there are
// before one in which something is odd.
func (x *near) markBlocks(k *masked, src []byte, at int) (read int) {
	g := &x.gaps
	k.begin()
	k.passing, k.offset = 0, at-x.from+1
	read = k.strip(src, k.marks, k.records)
	g.doubled, g.returns = g.doubled|k.anyDoubled, g.returns || k.anyReturn != 0
	return read
}

// markUpTo marks what ends between the last marked record and an odd symbol, and gives where that is, or nowhere if it is too
// much: then a strip begins behind that record.
func (x *near) markUpTo(k *masked, data []byte, odd int) int {
	start, to := x.end(k, k.nrecords-1)+1, odd
	k.number = int(k.records[k.nrecords-1]) + 1
	if k.nmarks = k.number; odd-start > mostPadded || k.nmarks > k.maxMarks {
		return nowhere
	}
	for to > start && !k.masks.Records.Has(data[to-1]) && !k.masks.Fields.Has(data[to-1]) {
		to--
	}
	if to > start {
		x.markBlocks(k, k.pad(data[start:to]), start)
	}
	return odd
}

// indexOf is where the first of some symbols is in data, or negative if there is none.
func indexOf(data []byte, of dfa.Set) int {
	if of.Len() == 1 {
		return bytes.IndexByte(data, of.First())
	}
	return slices.IndexFunc(data, of.Has)
}
