package cpu

import (
	"unsafe"

	"github.com/dfaparse/dfaparse/runtime"
)

// Marked records are indexed together as far as they have the same number of fields. Where many have too few, what is alike
// are a few in a row, and to begin again takes longer than to go from one to the next.

// fewAlike records in a row are indexed as fast one by one.
const fewAlike = 16

// fewColumns are those of records that are.
const fewColumns = 4

// tooFewFor is what is wrong with records of which nothing but the size is asked for.
var tooFewFor = runtime.Problem{What: runtime.TooFew, Output: -1, Field: -1}

// oneByOne indexes marked records one by one, whatever number of fields they have, as long as no more than fewAlike in a
// row have as many as there are columns. It ends before the one that ends at limit, and before the first that is for
// others, and reports whether there are records before.
func (w *worker) oneByOne(ck *chunk, limit int) bool {
	k, columns, width, begin := w.masked, w.masked.columns, len(w.masked.columns), w.masked.masks.Begin
	if k.anyReturn != 0 || !w.brief || width != len(w.dest) || len(k.absent) > 0 || !w.isDropped(&tooFewFor) {
		return false
	}
	at, last, i, base, delta, row := w.at, k.last, k.passed, k.base, uint32(k.base-w.base), w.nrows
	rows, marks, records, line, longest := w.rows[:w.maxRows], k.marks, k.records[:k.nrecords], k.line, w.plan.MaxRecord
	for run := 0; i < len(records) && row < len(rows) && run < fewAlike; i++ {
		number := int(records[i])
		end := base + marks[number].offset()
		if end >= limit || end-at > longest || k.isPassed(ck.part.Data, at, number-last) {
			break
		}
		r := &rows[row]
		r.set(at, end, begin, 0)
		r.about |= line
		switch n := number - last; {
		case n == width:
			start, enclosed, place := uint32(at-w.base), mark(0), 4*row
			for c, m := range marks[last+1:][:width] {
				x, end := &columns[c], uint32(m)+delta
				*(*uint32)(unsafe.Add(unsafe.Pointer(x.start), place)) = start
				*(*uint32)(unsafe.Add(unsafe.Pointer(x.end), place)) = end
				start, enclosed = end+1, enclosed|m
			}
			if enclosed > markOffset {
				goto others
			}
			row++
			run++
		case n <= w.fewest && len(w.omitted) < w.maxRows:
			w.nrows, run = row, 0
			w.reject(ck, end+1, &tooFewFor)
		default:
			goto others
		}
		last, at = number, end+1
	}
others:
	if i == k.passed {
		return false
	}
	w.nrows = row
	k.pass(i - k.passed)
	w.leave(ck, at, w.row)
	return true
}
