package cpu

import "github.com/dfaparse/dfaparse/dfa"

// Comments and blank lines, which are passed over, are marked as records without fields: see dfa.Masks.Passes. So the fields
// of the records around them lie one behind the other, and are indexed together.
//
//	symbols    a,b⏎#c,d⏎e,f⏎
//	marks       1 1      1 1
//	records       1    1   1

// fewAmongPassed records are indexed together with those behind what is passed over.
const fewAmongPassed = 64

// amongPassed indexes marked records that have as many fields as the first, and passes over what is between them. It
// ends before what ends at limit, and reports whether there is something before. If so, the round is full, or it goes on.
func (w *worker) amongPassed(ck *chunk, limit int) (why ended, ok bool) {
	k, begin := w.masked, w.masked.masks.Begin
	if k.counts || k.leads != nil || w.fixed {
		return goOn, false
	}
	var passed struct{ records, bytes int64 }
	n, nrows, last, start, i := 0, 0, k.last, w.at, k.passed
	for rows := w.rows[w.nrows:w.maxRows]; i < k.nrecords && nrows < len(rows); i++ {
		end, of := k.end(i), int(k.records[i])-last
		if end >= limit {
			break
		}
		if of == 0 {
			passed.records, passed.bytes, start = passed.records+1, passed.bytes+int64(end+1-start), end+1
			continue
		}
		if n == 0 {
			n = of
		}
		boundary := w.boundary(ck, start, end)
		if of != n || boundary-start > w.plan.MaxRecord {
			break
		}
		r := &rows[nrows]
		if r.set(start, boundary, begin, 0); boundary == end {
			r.about |= k.line
		}
		nrows, last, start = nrows+1, int(k.records[i]), end+1
	}
	if i == k.passed || n <= w.fewest && n > 0 || n > len(w.plainColumns) || nrows > 0 && !w.fill(ck, n, nrows) {
		return goOn, false
	}
	ck.extents.Dropped.Add(passed.records, passed.bytes)
	k.pass(i - k.passed)
	w.nrows += nrows
	if w.leave(ck, start, w.row); w.full() {
		return roundFull, true
	}
	return goOn, true
}

// passOver goes on behind the marked records that are passed over, of which no field is marked, as many as come next.
func (w *worker) passOver(ck *chunk, limit int) (why ended) {
	k := w.masked
	for k.passed < k.nrecords && int(k.records[k.passed]) == k.last {
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

