package cpu

import (
	"unsafe"

	"github.com/dfaparse/dfaparse/internal/convert"
)

// Records that have as many fields as those around them are indexed together, column by column. Where that changes
// every few records, each is indexed by itself, from the same marks.
const (
	fewRagged = 4  // records together that are indexed so,
	manyAlike = 16 // up to so many that are alike
)

// ragged indexes marked records one by one, as long as they may have as many fields as they have and are no longer alike,
// and end before limit. It gives their number, and where the next begins.
func (w *worker) ragged(ck *chunk, limit int) (nrows, start int) {
	k, columns := w.masked, w.plainColumns
	most, same, alike, last := len(columns), 0, 0, k.last
	if w.rest >= 0 || k.counts || k.leads != nil || k.anyDoubled != 0 {
		return 0, w.at
	}
	records := k.records[k.passed:k.nrecords]
	records = records[:min(len(records), w.maxRows-w.nrows)]
	delta, start := uint32(k.base-w.base), w.at
	for _, number := range records {
		n := int(number) - last
		if n != same {
			same, alike = n, 0
		}
		end := k.base + k.marks[number].offset()
		if alike++; alike == manyAlike || n <= w.fewest || n > most || end >= limit || end-start > w.plan.MaxRecord {
			break
		}
		row, marks := uintptr(w.nrows+nrows)*unsafe.Sizeof(delta), k.marks[last:number+1]
		before, wrong := uint32(marks[0]&markOffset), mark(0)
		for c, m := range marks[1:] {
			to := &k.columns[c]
			around, at := uint32(min(m>>markEnclosed, 1)), uint32(m&markOffset)
			*(*uint32)(unsafe.Add(unsafe.Pointer(to.start), row)) = before + delta + 1 + around
			*(*uint32)(unsafe.Add(unsafe.Pointer(to.end), row)) = at + delta - around
			wrong |= m&to.check ^ to.want
			before = at
		}
		if wrong != 0 {
			break
		}
		for c := n; c < most; c++ {
			to := &k.columns[c]
			*(*uint32)(unsafe.Add(unsafe.Pointer(to.start), row)) = convert.Absent
			*(*uint32)(unsafe.Add(unsafe.Pointer(to.end), row)) = 0
		}
		r, boundary := &w.rows[w.nrows+nrows], end
		if k.anyReturn != 0 && w.returned(ck, start, end) {
			*(*uint32)(unsafe.Add(unsafe.Pointer(k.columns[n-1].end), row))--
			boundary = w.boundary(ck, start, end)
		}
		if r.set(start, boundary, k.masks.Begin, 0); boundary == end {
			r.about |= k.line
		}
		nrows, last, start = nrows+1, int(number), end+1
	}
	for _, d := range k.absent {
		w.lacks(d, w.nrows, nrows)
	}
	return nrows, start
}
