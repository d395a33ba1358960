package cpu

import (
	"unsafe"

	"github.com/dfaparse/dfaparse/internal/convert"
)

// Records that have as many fields as those around them are indexed together, column by column. Where that changes
// every few records, or there is a rest, whatever is in it, each is indexed by itself, from the same marks.
const (
	fewRagged = 4  // records together that are indexed so,
	manyAlike = 16 // up to so many that are alike
)

// ragged indexes marked records one by one, as long as they may have as many fields as they have and are no longer alike,
// and end before limit. It gives their number, and where the next begins.
func (w *worker) ragged(ck *chunk, limit int) (nrows, start int) {
	k := w.masked
	most, same, alike, last := len(w.plainColumns), 0, 0, k.last
	if k.counts || k.leads != nil || k.anyDoubled != 0 {
		return 0, w.at
	}
	ofRest := -1 // the column that the rest is, if it is wanted
	if w.rest >= 0 {
		ofRest = w.dest[w.rest]
	}
	records := k.records[k.passed:k.nrecords]
	records = records[:min(len(records), w.maxRows-w.nrows)]
	delta, start := uint32(k.base-w.base), w.at
	for _, number := range records {
		n := int(number) - last
		if n != same {
			same, alike = n, 0
		}
		end := k.end(k.passed + nrows)
		if alike++; n <= max(w.fewest, k.least) || n > most && w.rest < 0 || n <= most && alike == manyAlike || end >= limit || end-start > w.plan.MaxRecord {
			break
		}
		plain, index := min(n, most), w.nrows+nrows
		row, wrong, marks := uintptr(index)*unsafe.Sizeof(delta), mark(0), k.marks[last:last+plain+1]
		if k.runs == nil {
			before := uint32(marks[0]&markOffset) + 1
			for c, m := range marks[1:] {
				to := &k.columns[c]
				around, at := uint32(min(m>>markEnclosed, 1)), uint32(m&markOffset)
				*(*uint32)(unsafe.Add(unsafe.Pointer(to.start), row)) = before + delta + around
				*(*uint32)(unsafe.Add(unsafe.Pointer(to.end), row)) = at + delta - around
				wrong |= m&to.check ^ to.want
				before = at + 1
			}
		} else {
			starts := k.runs.starts[last+1:][:plain]
			for c, m := range marks[1:] {
				to := &k.columns[c]
				*(*uint32)(unsafe.Add(unsafe.Pointer(to.start), row)) = uint32(starts[c]) + delta
				*(*uint32)(unsafe.Add(unsafe.Pointer(to.end), row)) = uint32(m&markOffset) + delta - uint32(min(m>>markEnclosed, 1))
				wrong |= m&to.check ^ to.want
			}
		}
		if wrong != 0 {
			break
		}
		for c := plain; c < most; c++ {
			to := &k.columns[c]
			*(*uint32)(unsafe.Add(unsafe.Pointer(to.start), row)) = convert.Absent
			*(*uint32)(unsafe.Add(unsafe.Pointer(to.end), row)) = 0
		}
		r, boundary := &w.rows[index], end
		if k.anyReturn != 0 && w.returned(ck, start, end) {
			if n <= most && k.endsLast(k.passed+nrows, end) {
				*(*uint32)(unsafe.Add(unsafe.Pointer(k.columns[n-1].end), row))--
			}
			boundary = w.boundary(ck, start, end)
		}
		if ofRest >= 0 {
			f := &w.fields[ofRest]
			f.Start[index], f.End[index] = convert.Absent, 0
			if n > most {
				f.Start[index], f.End[index] = uint32(k.begins(last, most)-w.base), uint32(boundary-w.base)
			}
		}
		if r.set(start, boundary, k.masks.Begin, 0); boundary == end {
			r.about |= k.line
		}
		nrows, last, start = nrows+1, int(number), end+1
	}
	for _, d := range k.absent {
		if d != ofRest {
			w.lacks(d, w.nrows, nrows)
		}
	}
	return nrows, start
}

// withRest indexes marked records as long as they have a rest, and end before limit. It gives their number, and where the
// next begins.
func (w *worker) withRest(ck *chunk, limit int) (nrows, start int) {
	if w.rest < 0 {
		return 0, w.at
	}
	return w.upToRest(ck, limit, len(w.plainColumns), w.dest[w.rest])
}

// upToRest is withRest, where the rest is behind so many fields, and goes to a column, if to any. Of each record it copies
// the marks of what is not the rest, and the one before, so that they lie as scatter wants them.
func (w *worker) upToRest(ck *chunk, limit, most, ofRest int) (nrows, start int) {
	k, start := w.masked, w.at
	if k.mixed || k.counts || k.leads != nil || k.anyDoubled != 0 {
		return 0, start
	}
	var rest *convert.Fields // nil if nobody wants it
	if ofRest >= 0 {
		rest = &w.fields[ofRest]
	}
	records := k.records[k.passed:k.nrecords]
	records = records[:min(len(records), w.maxRows-w.nrows)]
	width, last := most+1, k.last
	k.kept = grow(k.kept, k.room(width, len(records))*width+1+2*scatterRows)
	kept := k.kept[1:]
	for ; nrows < len(records); nrows++ {
		end := k.end(k.passed + nrows)
		if int(records[nrows])-last <= most || end >= limit || end-start > w.plan.MaxRecord {
			break
		}
		copy(kept[nrows*width:][:width], k.marks[last:])
		r, boundary := &w.rows[w.nrows+nrows], w.boundary(ck, start, end)
		if rest != nil {
			to := boundary
			if k.count > 0 && w.returned(ck, start, end) {
				to = end - 1
			}
			rest.Start[w.nrows+nrows], rest.End[w.nrows+nrows] = uint32(k.begins(last, most)-w.base), uint32(to-w.base)
		}
		if r.set(start, boundary, k.masks.Begin, 0); boundary == end {
			r.about |= k.line
		}
		last, start = int(records[nrows]), end+1
	}
	delta := uint32(k.base - w.base)
	if k.mixed = nrows > 0 && !scatter(k.plain[:width], k.wide[:width], k.kept, w.nrows, nrows, delta); nrows == 0 || k.mixed {
		return 0, w.at
	}
	if x := k.runs; x != nil {
		x.kept, last = grow(x.kept, len(k.kept)), k.last
		for r, number := range records[:nrows] {
			copy(x.kept[1+r*width:][:width], x.starts[last:])
			last = int(number)
		}
		x.scatter(0, width, x.kept, w.nrows, nrows, delta)
	}
	for _, d := range k.absent {
		if d != ofRest {
			w.lacks(d, w.nrows, nrows)
		}
	}
	return nrows, start
}

// room is how many of the next n marked records may have so many fields.
func (k *masked) room(nfields, n int) int { return min(n, (k.number-k.last)/nfields) }

// byRagged does what ragged and withRest do, and reports whether there were some; if so, the round is full, or it goes on.
func (w *worker) byRagged(ck *chunk, limit int) (why ended, ok bool) {
	nrows, start := w.withRest(ck, limit)
	if nrows == 0 {
		nrows, start = w.ragged(ck, limit)
	}
	if nrows == 0 {
		return goOn, false
	}
	w.settleEnclosed(ck, nrows)
	w.masked.pass(nrows)
	w.nrows += nrows
	w.leave(ck, start, w.row)
	if w.nrows == w.maxRows {
		return roundFull, true
	}
	return goOn, true
}
