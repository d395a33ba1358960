package cpu

import (
	"bytes"
	"math/bits"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/runtime"
)

// Where fields may be in quotes, a record that is malformed leaves those behind it to be read anew: what is in quotes is
// counted from where the next one begins. So the records of a strip are marked up to it, its end as that of a record, and
// marking goes on behind it. Then those between such gaps are indexed together.
//
//	record     Oslo;"a;b"⏎x"y;1⏎"z";2⏎
//	ends           1     1        1  1
//	gap                        1

// gap is a marked record that makes no row.
type gap struct {
	number int              // of it
	what   *runtime.Problem // nil if it is passed over
}

// gaps is how a strip is marked.
type gaps struct {
	nfields int // of a record
	found   []gap
	sure    bool   // of what is left of the strip, nothing is for others
	doubled uint64 // not 0 if some marks are markDoubled
	returns bool   // there may be returns
}

// tooManyFor is what is wrong with records of which nothing but the size is asked for.
var tooManyFor = runtime.Problem{What: runtime.TooMany, Output: -1, Field: -1}

// aroundGaps indexes records of the strip from w.at on, and leaves out those that are malformed or have too few fields or
// too many: of these nothing but the size is asked for. A strip is no longer than records may be. It ends before the first
// that is for others, and reports whether there are records before.
func (w *worker) aroundGaps(ck *chunk, limit int) bool {
	k, x := w.masked, w.masked.near
	if k.settled || !w.isDropped(&tooFewFor) || !w.isDropped(&tooManyFor) || !w.markAroundGaps(ck.part.Data) {
		x.oneByOne = w.at + 1
		return false
	}
	nrows := min(k.nrecords-1, w.maxRows-max(w.nrows, len(w.omitted)))
	for nrows > 0 && x.end(k, nrows) >= limit {
		nrows--
	}
	if nrows == 0 {
		if x.oneByOne = max(x.oneByOne, w.at+1); w.at == x.from {
			k.reach = x.enough()
		}
		return false
	}
	w.indexAroundGaps(ck, nrows)
	if nrows == k.nrecords-1 && x.gaps.sure {
		x.to = x.from // what is left is no record
	}
	w.leave(ck, x.end(k, nrows)+1, w.row)
	return true
}

// indexAroundGaps indexes the next n marked records, and leaves gaps out.
func (w *worker) indexAroundGaps(ck *chunk, n int) {
	k, x, first, i := w.masked, w.masked.near, w.nrows, 0
	for _, g := range x.gaps.found {
		if g.number >= n {
			break
		}
		w.indexRun(ck, i, g.number)
		i = g.number + 1
		start, end := x.end(k, g.number)+1, x.end(k, i)
		if g.what == nil {
			ck.extents.Pass(dfa.DroppedRecord, end+1-start)
			continue
		}
		r, boundary := &w.rows[w.nrows], end
		if g.what != &malformedFor && k.masks.ReturnEnds && k.behindReturn(ck.part.Data, start, end) { // else what ends it is that
			boundary--
		}
		if r.set(start, boundary, k.masks.Begin, 0); boundary == end {
			r.about |= k.line
		}
		w.reject(ck, end+1, g.what)
		x.until = end + 1 + w.reach()
	}
	w.indexRun(ck, i, n)
	w.lacksBehind(x.gaps.nfields, first, w.nrows-first)
}

// indexRun makes rows of the marked records from number i up to another.
func (w *worker) indexRun(ck *chunk, i, to int) {
	if i == to {
		return
	}
	k, x := w.masked, w.masked.near
	n, marks, nrows := x.gaps.nfields, k.marks[k.records[i]:], to-i
	scatter(w.plainColumns[:n], k.columns[:n], marks, w.nrows, nrows, uint32(x.from-1-w.base))
	w.placeRun(ck, i, w.rows[w.nrows:][:nrows])
	if x.gaps.doubled != 0 {
		w.undoubleMarked(ck, marks[1:1+n*nrows], n)
	}
	w.nrows += nrows
}

// placeRun notes where rows are, which the marked records from number i on are, and takes returns out of their last fields.
func (w *worker) placeRun(ck *chunk, i int, rows []rowPlace) {
	k, x := w.masked, w.masked.near
	start, base, begin, line := x.end(k, i)+1, x.from-1, k.masks.Begin, k.line
	if !x.gaps.returns {
		for j, number := range k.records[i+1:][:len(rows)] {
			end, r := base+k.marks[number].offset(), &rows[j]
			r.set(start, end, begin, 0)
			r.about |= line
			start = end + 1
		}
		return
	}
	data, ends := ck.part.Data, w.plainColumns[x.gaps.nfields-1].end[w.nrows:]
	for j := range rows {
		end, r := x.end(k, i+j+1), &rows[j]
		boundary := end
		if k.behindReturn(data, start, end) {
			if ends[j]--; k.masks.ReturnEnds {
				boundary--
			}
		}
		if r.set(start, boundary, begin, 0); boundary == end {
			r.about |= line
		}
		start = end + 1
	}
}

// markAroundGaps marks the records of the strip from w.at on, up to one that is for others. It reports whether it can do so
// from there.
func (w *worker) markAroundGaps(data []byte) bool {
	k, x := w.masked, w.masked.near
	g, first := &x.gaps, (w.at-x.from)%blockSize
	if g.returns = false; x.blocks {
		first = 0
	} else {
		g.returns = x.of[returnRole] != x.none
	}
	k.next = -1 // its marks are others
	k.marks[0], k.records[0] = mark(w.at-x.from), 0
	k.nmarks, k.number, k.nrecords = 1, 1, 1
	if first > 0 { // the end of the record before is marked again
		if k.nmarks, k.number, k.nrecords = 0, 0, 0; x.of[recordRole][(w.at-x.from)/blockSize]>>(first-1)&1 == 0 {
			return false
		}
	}
	g.found, g.sure, g.nfields, g.doubled = g.found[:0], true, len(w.plainColumns), 0
	for at := w.at; at != nowhere; {
		at = w.markFrom(data, at)
	}
	return true
}

// nowhere is where marking goes on if it does not.
const nowhere = -1

// markFrom marks records from one on that begins at at, up to one that is none of those, for which it makes a gap. It gives
// where to go on behind that.
func (w *worker) markFrom(data []byte, at int) int {
	k, x := w.masked, w.masked.near
	if x.blocks {
		return w.markBlocksFrom(data, at)
	}
	block, first := (at-x.from)/blockSize, uint((at-x.from)%blockSize)
	known := k.nrecords - 1   // the end of the record before, from which on records are alike
	if k.begin(); first > 0 { // it comes once more
		first, known, k.afterRecord, k.afterBlank = first-1, known+1, 0, 0
	}
	odd := nowhere
	if block < (x.to-x.from)/blockSize && k.nmarks <= k.maxMarks {
		if at := x.bitmaps.markFrom(k, data[x.from:x.to], x.classes, block, first); at >= 0 {
			odd = x.from + at
		}
	}
	return w.goOnBehind(data, known, odd)
}

// goOnBehind makes gaps of the marked records behind number known that are misfits, and of the one with an odd symbol behind
// them, if there is one, and gives where to go on.
func (w *worker) goOnBehind(data []byte, known, odd int) int {
	k, x := w.masked, w.masked.near
	g, next := &x.gaps, nowhere
	if g.doubled |= k.anyDoubled; w.findMisfits(known) && odd != nowhere {
		var what *runtime.Problem
		if next, what = w.lostFrom(data, x.end(k, k.nrecords-1)+1, odd); next != nowhere {
			g.found = append(g.found, gap{k.nrecords - 1, what})
		}
	}
	return g.goOn(x, k, next)
}

// findMisfits makes gaps of the marked records behind number known that have too few fields or too many. It reports whether
// all others have as many as they should, or else forgets those from the first that is for others on.
func (w *worker) findMisfits(known int) bool {
	k := w.masked
	g := &k.near.gaps
	for {
		if known += alike(k.records[known:k.nrecords], uint32(g.nfields)); known >= k.nrecords {
			return true
		}
		what := w.misfitFor(int(k.records[known] - k.records[known-1]))
		if what == nil {
			k.nrecords, g.sure, k.near.oneByOne = known, false, k.near.to // others may have as few, or as many
			return false
		}
		g.found = append(g.found, gap{known - 1, what})
	}
}

// misfitFor is what is wrong with a record of n fields, which are not as many as others have, or nil.
func (w *worker) misfitFor(n int) *runtime.Problem {
	switch b := w.binding; {
	case n <= w.fewest:
		return &tooFewFor
	case n > b.MaxFields && b.Rest < 0 && !b.Truncate:
		return &tooManyFor
	}
	return nil
}

// goOn prepares for the records from next on, and gives that. If it is nowhere, there are none.
func (g *gaps) goOn(x *near, k *masked, next int) int {
	k.number = int(k.records[k.nrecords-1]) + 1
	if k.nmarks = k.number; next != nowhere && (x.blocks || (next-x.from)%blockSize == 0) { // else its end is marked with what comes behind
		k.marks[k.nmarks], k.records[k.nrecords] = mark(next-x.from), uint32(k.number)
		k.nmarks, k.number, k.nrecords = k.nmarks+1, k.number+1, k.nrecords+1
	}
	return next
}

// lostFrom is where the next record begins behind the one at start, whose first odd symbol is at p, and what is wrong with
// that: nil if it is passed over. It is nowhere if that is not in the strip, or for others.
func (w *worker) lostFrom(data []byte, start, p int) (next int, what *runtime.Problem) {
	k, x, m := w.masked, w.masked.near, w.machine
	if p == start && k.passes && k.masks.OddFirst.Has(data[p]) && (!k.masks.Return.Has(data[p]) || p+1 < x.to && k.masks.Records.Has(data[p+1])) {
		return w.behindRecord(data, p), nil
	}
	for at, row := w.unreadOdd(data, max(start, x.from+k.marks[k.nmarks-1].offset()), start, p); at <= p; at++ {
		e := m.Entries[row|uint32(data[at])]
		row = e.Row()
		if kind := e.Kind(); kind == dfa.Error && m.Emission(e).Code != 0 && m.fates().lost[state(row)] {
			return w.behindRecord(data, at+1), &malformedFor
		} else if kind != dfa.Data && kind != dfa.Skip {
			break
		}
	}
	x.gaps.sure = false
	return nowhere, nil
}

// unreadOdd is from where on, and in which row, the field that begins at field, of the record at start, is read up to its
// first odd symbol at p.
func (w *worker) unreadOdd(data []byte, field, start, p int) (at int, row uint32) {
	k, m := w.masked, w.machine
	row = m.Row(k.masks.Next)
	if field == start {
		row = m.Row(k.masks.Begin)
	}
	q := k.masks.Quote
	bare := q == nil || data[field] != q.Open
	switch {
	case p-field < 3 || bare && m.Entries[row|uint32(data[field])].Kind() != dfa.Data:
		return field, row
	case bare: // all in front of it is content, or a return
		return p - 1, m.Entries[row|uint32(data[field])].Row()
	case k.inQuotes(data, field, p):
		return p, k.inside(m)
	case data[p-1] == q.Close:
		return p - 1, k.inside(m)
	}
	return p - 2, k.inside(m) // behind a return
}

// inQuotes reports whether there is an odd number of quotes from one offset of the strip up to another.
func (k *masked) inQuotes(data []byte, from, to int) bool {
	x := k.near
	if x.blocks {
		return bytes.Count(data[from:to], []byte{k.masks.Quote.Open})&1 != 0
	}
	quotes, first, last := x.of[quoteRole], (from-x.from)/blockSize, (to-x.from)/blockSize
	n := bits.OnesCount64(quotes[last] & (1<<((to-x.from)%blockSize) - 1))
	for block := first; block < last; block++ {
		n += bits.OnesCount64(quotes[block])
	}
	return (n-bits.OnesCount64(quotes[first]&(1<<((from-x.from)%blockSize)-1)))&1 != 0
}

// behindRecord is behind the next symbol from p on that ends records outside of quotes, or nowhere if there is none in the
// strip.
func (w *worker) behindRecord(data []byte, p int) int {
	x := w.masked.near
	if x.blocks {
		if n := indexOf(data[min(p, x.to):x.to], w.masked.masks.Records); n >= 0 {
			return p + n + 1
		}
		return nowhere
	}
	for block, have := (p-x.from)/blockSize, ^uint64(0)<<((p-x.from)%blockSize); block < (x.to-x.from)/blockSize; block, have = block+1, ^uint64(0) {
		if set := x.of[recordRole][block] & have; set != 0 {
			return x.from + block*blockSize + bits.TrailingZeros64(set) + 1
		}
	}
	return nowhere
}
