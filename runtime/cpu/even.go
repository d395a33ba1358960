package cpu

import (
	"unsafe"

	"github.com/dfaparse/dfaparse/internal/convert"
	"github.com/dfaparse/dfaparse/runtime"
)

// Marked records that differ in their numbers of fields, where these may be missing or too many, are made even: each gets as
// many marks as there are columns and one more, which is that of no column. So all of them are indexed together, column by
// column, and only what is missing is written one by one.
//
//	records   1,b,c⏎2⏎3,b,c,d,e⏎        columns a, b, c
//	marks     ⏎ , , ⏎ ⏎ , , , , ⏎
//	even      ⏎ , , ⏎ │ ⏎ ⏎ ⏎ ⏎ │ ⏎ , , ,
type even struct {
	columns []plainColumn   // and the one that is none,
	checks  []scatterColumn // of which nothing is asked
	marks   []mark
}

const (
	evenMarks = 4096 // so many are made at once, which stay in the first-level cache
	manyEven  = 32   // up to so many that are alike without that
)

// bindEven prepares for records of the binding of w.
func (k *masked) bindEven(w *worker) {
	n := len(w.plainColumns)
	k.truncates = w.rest < 0 && w.binding.Truncate
	k.evens = k.usable && !w.fixed && !w.classed && w.rest < 0 && !k.counts && k.leads == nil && k.runs == nil && (w.fewest+1 < n || k.truncates)
	if !k.evens {
		return
	}
	x := &k.even
	x.columns = append(append(x.columns[:0], w.plainColumns...), plainColumn{w.sink, w.sink, 0, false})
	x.checks = append(append(x.checks[:0], k.columns...), scatterColumn{&w.sink[0], &w.sink[0], 0, 0})
}

// rows is how many records of so many columns are made even at once.
func (x *even) rows() int { return max(evenMarks/len(x.columns), scatterRows) }

// fill makes even the marks of records, of which it is given the numbers of the last, and gives how many: up to the first
// that is for others, or ends at limit.
func (x *even) fill(w *worker, records []uint32, limit int) (nrows int) {
	k, stride, most := w.masked, len(x.columns), len(x.columns)-1
	x.marks = grow(x.marks, (x.rows()+1)*stride+scatterRows)
	last, start, same := k.last, w.at, 0
	for i, number := range records {
		n := int(number) - last
		if n != same {
			if same = n; n <= most && manyFrom(records[i:], n) {
				return i
			}
		}
		end := k.base + k.marks[number].offset()
		if n <= max(w.fewest, k.least) || n > most && !k.truncates || end >= limit || end-start > w.plan.MaxRecord {
			return i
		}
		plain, row := min(n, most), x.marks[i*stride:][:stride]
		copy(row, k.marks[last:][:plain+1])
		for c := plain + 1; c < stride; c++ {
			row[c] = row[plain]
		}
		last, start = int(number), end+1
	}
	return len(records)
}

// manyFrom reports whether the records, of which the first has n fields, begin with manyEven that have as many. Mostly the
// last of these tells that they do not.
func manyFrom(records []uint32, n int) bool {
	return len(records) >= manyEven && int(records[manyEven-1]-records[0]) == n*(manyEven-1) && alike(records, uint32(n)) >= manyEven
}

// byEven indexes marked records of different numbers of fields, and reports whether there were some; if so, the round is full,
// or it goes on.
func (w *worker) byEven(ck *chunk, limit int) (why ended, ok bool) {
	k := w.masked
	if !k.evens || k.anyDoubled != 0 {
		return goOn, false
	}
	x, most, first := &k.even, len(w.plainColumns), w.nrows
	records := k.records[k.passed:k.nrecords]
	records = records[:min(len(records), w.maxRows-first, x.rows())]
	nrows := x.fill(w, records, limit)
	if nrows == 0 {
		return goOn, false
	}
	scatter(x.columns, x.checks, x.marks, first, nrows, uint32(k.base-w.base))
	last, start := k.last, w.at
	for i, number := range records[:nrows] {
		n, end, row := int(number)-last, k.base+k.marks[number].offset(), first+i
		at := 4 * uintptr(row)
		for c := n; c < most; c++ {
			to := &k.columns[c]
			*(*uint32)(unsafe.Add(unsafe.Pointer(to.start), at)) = convert.Absent
			*(*uint32)(unsafe.Add(unsafe.Pointer(to.end), at)) = 0
		}
		boundary := end
		if k.anyReturn != 0 && w.returned(ck, start, end) {
			if n <= most {
				w.plainColumns[n-1].end[row]--
			}
			boundary = w.boundary(ck, start, end)
		}
		if n > most {
			w.note(ck, row, runtime.Note{What: runtime.SurplusFields, N: n - most, Offset: k.base + k.marks[last+most].offset() + 1})
		}
		r := &w.rows[row]
		if r.set(start, boundary, k.masks.Begin, 0); boundary == end {
			r.about |= k.line
		}
		last, start = int(number), end+1
	}
	w.settleEnclosed(ck, nrows)
	for _, d := range k.absent {
		w.lacks(d, first, nrows)
	}
	k.pass(nrows)
	w.nrows += nrows
	w.leave(ck, start, w.row)
	if w.nrows == w.maxRows {
		return roundFull, true
	}
	return goOn, true
}
