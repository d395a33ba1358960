package cpu

import (
	"github.com/dfaparse/dfaparse/internal/convert"
	"github.com/dfaparse/dfaparse/runtime"
)

// Marked records that differ in their numbers of fields, where these may be missing or too many, are made even: each gets as
// many marks as there are columns and one more, which is that of no column. So all of them are indexed together, column by
// column. A field that is missing ends before it begins then, and is made absent. How many fields a record has decides no
// branch: no processor foresees it.
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
// that is for others, or ends at limit; and the least number of fields that one of them has.
func (x *even) fill(w *worker, records []uint32, limit int) (nrows, least int) {
	k, stride, most := w.masked, len(x.columns), len(x.columns)-1
	last, start, same, least := k.last, w.at, 0, most
	for ; nrows < len(records); nrows++ {
		number := int(records[nrows])
		n, end := number-last, k.base+k.marks[number].offset()
		if n <= max(w.fewest, k.least) || n > most && !k.truncates || end >= limit || end-start > w.plan.MaxRecord {
			break
		}
		if n <= most && manyFrom(records[nrows:], n, same) {
			break
		}
		same, least = n, min(least, n)
		last, start = number, end+1
	}
	if nrows > 0 {
		x.marks = grow(x.marks, (x.rows()+1)*stride+scatterRows)
		makeEven(x.marks, most, k.marks, k.last, records[:nrows])
	}
	return nrows, least
}

// evenGeneric copies to each row of to, of most marks and one more, the marks of a record and the one before, or the first of
// these. Behind the last one, if there are fewer, it is put again. Records are the numbers of their last marks; last is that
// of the record before.
func evenGeneric(to []mark, most int, marks []mark, last int, records []uint32) {
	for i, number := range records {
		plain, row := min(int(number)-last, most), to[i*(most+1):][:most+1]
		copy(row, marks[last:][:plain+1])
		for c := plain + 1; c <= most; c++ {
			row[c] = row[plain]
		}
		last = int(number)
	}
}

// missingGeneric makes those fields of rows from first on absent that records, as those of evenGeneric, have not: of even marks
// they end before they begin.
func missingGeneric(columns []plainColumn, first, last int, records []uint32) {
	for i, number := range records {
		row := first + i
		for c := int(number) - last; c < len(columns); c++ {
			columns[c].start[row], columns[c].end[row] = convert.Absent, 0
		}
		last = int(number)
	}
}

// manyFrom reports whether the records, of which the first has n fields, and the one before it had another number, begin with
// manyEven that have as many. Mostly the last of these tells that they do not.
func manyFrom(records []uint32, n, before int) bool {
	return len(records) >= manyEven && int(records[manyEven-1]-records[0]) == n*(manyEven-1) && n != before && alike(records, uint32(n)) >= manyEven
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
	nrows, least := x.fill(w, records, limit)
	if nrows == 0 {
		return goOn, false
	}
	scatter(x.columns, x.checks, x.marks, first, nrows, uint32(k.base-w.base))
	missing(w.plainColumns, least, first, k.last, records[:nrows])
	last, start := k.last, w.at
	for i, number := range records[:nrows] {
		n, end, row := int(number)-last, k.base+k.marks[number].offset(), first+i
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
