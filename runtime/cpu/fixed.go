package cpu

import "github.com/dfaparse/dfaparse/internal/convert"

// This file reads records that are cut by widths. Their ends are marked as those of
// others are; what is in between nobody looks at. Fields lie at the same distances
// from the beginning of each record, so that a column is filled for as many records
// as have the same length in one loop.

// widthCut is where a column lies in a record.
type widthCut struct {
	column   int // of worker.fields, -1: nobody wants it
	from, to int
}

// widths are the columns of records that are cut by widths.
type widths struct {
	cuts   []widthCut
	absent []int // fields that no record has
}

// bind prepares for the records of the binding of w.
func (x *widths) bind(w *worker) {
	x.cuts, x.absent = x.cuts[:0], x.absent[:0]
	source := make([]bool, len(w.fields))
	at := 0
	for i, width := range w.plan.Program.Widths {
		d := -1
		if i < len(w.dest) {
			d = w.dest[i]
		}
		if d >= 0 {
			source[d] = true
		}
		x.cuts = append(x.cuts, widthCut{d, at, at + width})
		at += width
	}
	for i, has := range source {
		if !has {
			x.absent = append(x.absent, i)
		}
	}
}

// indexFixed is indexMarked for records that are cut by widths.
func (w *worker) indexFixed(ck *chunk, limit int) (until int, why ended) {
	k := w.masked
	nrows, size := k.asLong(w.at, w.maxRows-w.nrows)
	start := w.at + nrows*(size+1)
	boundary := start - 1
	if boundary < limit && k.anyReturn == 0 && boundary-w.at <= w.plan.MaxRecord {
		if !w.cutAlike(w.nrows, nrows, w.at, size+1, size) {
			return w.misfit(ck, 0, limit)
		}
		w.laid = append(w.laid, laid{first: w.nrows, nrows: nrows, start: w.at, distance: size + 1})
	} else {
		if nrows, start, boundary = w.place(ck, nrows, limit); nrows == 0 {
			return boundary, goOn
		}
		n := w.cutRows(w.rows[w.nrows:][:nrows])
		if n == 0 {
			return w.misfit(ck, 0, limit)
		} else if n < nrows {
			start, boundary = w.rows[w.nrows+n].start, w.rows[w.nrows+n-1].end
			nrows = n
		}
	}
	return w.placed(ck, limit, nrows, start, boundary)
}

// asLong is how many of the marked records, at most so many, are as long as the first, which
// begins at at, and how long that is.
func (k *masked) asLong(at, most int) (n, size int) {
	most = min(most, k.nrecords-k.passed)
	last := k.end(k.passed)
	size = last - at
	for n = 1; n < most; n++ {
		end := k.end(k.passed + n)
		if end-last-1 != size {
			break
		}
		last = end
	}
	return n, size
}

// cutRows fills the columns of the next rows, up to the first record that has fewer or
// more fields than it may, and gives how many that are.
func (w *worker) cutRows(rows []rowPlace) (n int) {
	for n < len(rows) {
		start, size, distance := rows[n].start, rows[n].end-rows[n].start, 0
		end := n + 1
		for end < len(rows) && rows[end].end-rows[end].start == size {
			if end == n+1 {
				distance = rows[end].start - start
			} else if rows[end].start-rows[end-1].start != distance {
				break
			}
			end++
		}
		if !w.cutAlike(w.nrows+n, end-n, start, distance, size) {
			return n
		}
		n = end
	}
	return n
}

// cutAlike fills the columns of n rows from first on, whose records have a size, and begin at start
// and then at the same distance from one another. It reports whether they have as many fields
// as they may.
func (w *worker) cutAlike(first, n, start, distance, size int) bool {
	x, b := &w.widths, w.binding
	reached := 0
	for reached < len(x.cuts) && x.cuts[reached].from < size {
		reached++
	}
	if reached < b.MinFields || reached > b.MaxFields || size > x.cuts[len(x.cuts)-1].to {
		return false
	}
	at := uint32(start - w.base)
	for i := range x.cuts {
		c := &x.cuts[i]
		if c.column < 0 {
			continue
		}
		if f := &w.fields[c.column]; i < reached {
			stride(f.Start[first:][:n], f.End[first:], at+uint32(c.from), uint32(min(c.to, size)-c.from), uint32(distance))
		} else {
			lack(f, first, n)
		}
	}
	for _, d := range x.absent {
		lack(&w.fields[d], first, n)
	}
	return true
}

// stride fills a column whose fields have a size, and begin at at and then at the same distance
// from one another.
func stride(start, end []uint32, at, size, distance uint32) {
	end = end[:len(start)]
	for i := range start {
		start[i], end[i] = at, at+size
		at += distance
	}
}

// lack makes a column absent in n rows.
func lack(f *convert.Fields, first, n int) {
	for r := first; r < first+n; r++ {
		f.Start[r], f.End[r] = convert.Absent, 0
	}
}
