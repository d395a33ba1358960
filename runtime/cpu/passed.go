package cpu

import (
	"math/bits"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/symbols"
	"github.com/dfaparse/dfaparse/runtime"
)

// Comments and blank lines, which are passed over, are found by masks as well: see dfa.Masks.Passes. What would be an end
// in them is none, but for that of the record, which is marked as one of a single field, or of none where there are runs.
// A blank line has nothing but its end: where there are no runs it is marked so without being looked for, see
// roles.blankless.
//
//	symbols    a,b⏎#c,d⏎e,f⏎
//	passed         11111
//	ends        1 1    1 1 1

// passed is what a marker has found in a strip, but in records that are passed over.
type passed struct {
	fields, returns, odd, oddFirst [stripBlocks]uint64
	within                         [stripBlocks]uint64     // these records
	before                         [stripBlocks + 1]uint64 // afterPassed, of each block
}

// passingBlocks is how many blocks are read so behind the last record that was passed over. Others are read faster without.
const passingBlocks = 16 * stripBlocks

// Where vector code reads other blocks that does not do it, fewInGo are read so behind such a record, and twice as many each
// time that there was another one in them, or that it came within soonPassed blocks.
const fewInGo, soonPassed, mostInGo = 4, 16, 2 * stripBlocks

// oddPassed is called where an odd block was found, as a record begins there that is passed over.
func (k *marker) oddPassed() {
	if k.passing = passingBlocks; k.sincePassed < soonPassed {
		k.moreInGo()
	} else {
		k.inGoAtOnce = max(k.inGoAtOnce/2, fewInGo)
	}
	k.sincePassed = 0
}

// moreInGo reads more blocks at once from now on.
func (k *marker) moreInGo() { k.inGoAtOnce = min(max(2*k.inGoAtOnce, fewInGo), mostInGo) }

// passingInGo is strip where records may be passed over and vector code would not do that.
func (k *marker) passingInGo(src []byte, marks []mark, records []uint32) int {
	n := min(len(src)/blockSize, max(k.inGoAtOnce, fewInGo))
	k.passing = n
	read := k.stripGeneric(src[:n*blockSize], marks, records)
	if k.passing > 0 {
		k.moreInGo()
	}
	return read
}

// takePassed takes what is in records that are passed over out of what was found in the n blocks of a strip. It reports
// whether that is looked for.
func (k *marker) takePassed(of *[nroles]*[stripBlocks]uint64, n int) bool {
	if k.passing == 0 && k.afterPassed == 0 {
		return false
	}
	often := k.passing == passingBlocks // there was one in the strip before
	if k.passing = max(k.passing-n, 0); k.afterPassed == 0 && !often && !k.mayPass(of, n) {
		return false
	}
	if k.over == nil {
		k.over = new(passed)
	}
	x, quoted, afterRecord, afterPassed := k.over, k.quoted, k.afterRecord, k.afterPassed
	const top = blockSize - 1
	for at := range n {
		last := of[recordRole][at]
		if quote := of[quoteRole][at]; quote|quoted != 0 {
			in := symbols.PrefixXor(quote) ^ quoted
			last &^= in
			quoted = uint64(int64(in) >> top)
		}
		oddFirst := of[oddFirstRole][at]
		begin := oddFirst & (last<<1 | afterRecord)
		if begin != 0 {
			k.passing = passingBlocks
		}
		x.before[at] = afterPassed
		within, after := passedFrom(begin|afterPassed, last)
		x.fields[at], x.returns[at] = of[fieldRole][at]&^within, of[returnRole][at]&^(within&^begin)
		x.odd[at], x.oddFirst[at], x.within[at] = of[oddRole][at]&^within, oddFirst&^begin, within
		afterRecord, afterPassed = last>>top, after
	}
	x.before[n] = afterPassed
	of[fieldRole], of[returnRole], of[oddRole], of[oddFirstRole] = &x.fields, &x.returns, &x.odd, &x.oddFirst
	return true
}

// mayPass reports whether one of n blocks may have a record that is passed over: whatever is in quotes.
func (k *marker) mayPass(of *[nroles]*[stripBlocks]uint64, n int) bool {
	const top = blockSize - 1
	some, before := uint64(0), k.afterRecord
	records, oddFirst := of[recordRole][:n], of[oddFirstRole][:n]
	for at, last := range records {
		some |= oddFirst[at] & (last<<1 | before)
		before = last >> top
	}
	return some != 0
}

// passedFrom is what is passed over of a block: from each of some symbols on up to the next that ends a record. If there is
// none, after is 1.
func passedFrom(from, last uint64) (within, after uint64) {
	sum, after := bits.Add64(^last, from, 0)
	return ^last ^ sum, after
}

// leavePassed is for what comes behind the first n blocks of the strip of takePassed.
func (k *marker) leavePassed(n int) { k.afterPassed = k.over.before[n] }

// isPassed reports whether a marked record of n fields at an offset is passed over.
func (k *masked) isPassed(data []byte, at, n int) bool {
	return n == 0 || n == 1 && k.passes && k.masks.OddFirst.Has(data[at])
}

// unpassed is how many of the next nrows marked records, of one field each, come before one that is passed over.
func (k *masked) unpassed(data []byte, nrows int) int {
	for i := 1; i < nrows; i++ {
		if k.isPassed(data, k.end(k.passed+i-1)+1, 1) {
			return i
		}
	}
	return nrows
}

// fewAmongPassed records in a row are indexed together with those behind what is passed over: their marks are copied.
const fewAmongPassed = 12

// amongPassed indexes marked records that have as many fields as the first, few in a row, and passes over what is between
// them. It ends before what ends at limit, and reports whether there is something before. If so, the round is full, or it goes
// on.
func (w *worker) amongPassed(ck *chunk, limit int) (why ended, ok bool) {
	k, data, begin := w.masked, ck.part.Data, w.masked.masks.Begin
	if k.counts || k.leads != nil || k.settled || w.fixed || k.runs == nil && k.anyDoubled != 0 {
		return goOn, false
	}
	var over runtime.Extent
	n, nrows, last, start, i, between := 0, 0, k.last, w.at, k.passed, true
	for rows := w.rows[w.nrows:w.maxRows]; i < k.nrecords && nrows < len(rows); i++ {
		number, end := int(k.records[i]), k.end(i)
		if end >= limit {
			break
		}
		if k.isPassed(data, start, number-last) {
			over.Add(1, int64(end+1-start))
			last, start, between = number, end+1, true
			continue
		}
		if between && number-last > 1 && k.isRun(i, number-last) {
			break
		}
		between = false
		boundary := w.boundary(ck, start, end)
		if n == 0 {
			if n = number - last; n <= w.fewest || n > len(w.plainColumns) || k.count > 0 && n != k.count {
				break
			}
			k.kept = grow(k.kept, k.room(n, k.nrecords-i)*(n+1)+1+2*scatterRows)
		}
		if number-last != n || boundary-start > w.plan.MaxRecord {
			break
		}
		if k.runs == nil {
			copy(k.kept[1+nrows*(n+1):][:n+1], k.marks[last:])
		}
		r := &rows[nrows]
		if r.set(start, boundary, begin, 0); boundary == end {
			r.about |= k.line
		}
		nrows, last, start = nrows+1, number, end+1
	}
	switch {
	case i == k.passed || nrows > 0 && k.runs != nil && !w.fill(ck, n, nrows):
		return goOn, false
	case nrows > 0 && k.runs == nil && !w.fillKept(ck, n, nrows):
		return goOn, false
	}
	ck.extents.Dropped.Add(over.Records, over.Bytes)
	k.pass(i - k.passed)
	w.nrows += nrows
	if w.leave(ck, start, w.row); w.full() {
		return roundFull, true
	}
	return goOn, true
}

// isRun reports whether so many marked records from number i on have n fields that their marks are not to be copied.
func (k *masked) isRun(i, n int) bool {
	to := i + fewAmongPassed
	if to > k.nrecords || int(k.records[to-1]-k.records[i]) != (fewAmongPassed-1)*n { // mostly so where many are passed over
		return false
	}
	return alike(k.records[i:to], uint32(n)) == fewAmongPassed
}

// fillKept makes rows of records of which the marks of their n fields, and the one before, have been copied. It reports
// whether these are enclosed as they have to be.
func (w *worker) fillKept(ck *chunk, n, nrows int) bool {
	k, width := w.masked, n+1
	if !scatter(k.plain[:width], k.wide[:width], k.kept, w.nrows, nrows, uint32(k.base-w.base)) {
		return false
	}
	if k.anyReturn != 0 {
		for r, ends := 0, w.plainColumns[n-1].end[w.nrows:]; r < nrows; r++ {
			if end := k.base + k.kept[1+r*width+n].offset(); w.returned(ck, w.rows[w.nrows+r].start, end) {
				ends[r]--
			}
		}
	}
	w.lacksBehind(n, w.nrows, nrows)
	return true
}

// passOver goes on behind the marked records that are passed over, as many as come next.
func (w *worker) passOver(ck *chunk, limit int) (why ended) {
	k := w.masked
	for k.passed < k.nrecords && k.isPassed(ck.part.Data, w.at, int(k.records[k.passed])-k.last) {
		end := k.end(k.passed)
		ck.extents.Pass(dfa.DroppedRecord, end+1-w.at)
		k.pass(1)
		w.leave(ck, end+1, w.row)
		switch {
		case end >= ck.end || w.at >= ck.stop:
			return chunkDone
		case end >= limit || w.full():
			return roundFull
		}
	}
	return goOn
}
