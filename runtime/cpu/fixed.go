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
	absent []int    // fields that no record has
	starts []uint32 // where the records of the round begin, from its base
	most   int      // records that are looked at together: fewer after some that do not fit
}

// fewestCut is how many these are at least.
const fewestCut = 4

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
	if x.starts == nil {
		x.starts, x.most = make([]uint32, w.maxRows), w.maxRows
	}
}

// indexFixed is indexMarked for records that are cut by widths.
func (w *worker) indexFixed(ck *chunk, limit int) (until int, why ended) {
	k := w.masked
	x := &w.widths
	nrows, start, boundary := w.place(ck, min(k.nrecords-k.passed, w.maxRows-w.nrows, x.most), limit)
	if nrows == 0 {
		return boundary, goOn
	}
	rows := w.rows[w.nrows:][:nrows]
	n := w.cutRows(rows)
	if x.most = min(2*x.most, w.maxRows); n < nrows {
		x.most = 2*n + fewestCut
	}
	if n == 0 {
		return w.misfit(ck, 0, limit)
	} else if n < nrows {
		nrows, start, boundary = n, rows[n].start, rows[n-1].end
	}
	k.pass(nrows)
	w.nrows += nrows
	w.leave(ck, start, w.row)
	switch {
	case boundary >= limit && (boundary >= ck.end || start >= ck.stop):
		return -1, chunkDone
	case boundary >= limit || w.nrows == w.maxRows:
		return -1, roundFull
	}
	return -1, goOn
}

// cutRows fills the columns of the next rows, up to the first record that has fewer or
// more fields than it may, and gives how many that are.
func (w *worker) cutRows(rows []rowPlace) (n int) {
	x, b := &w.widths, w.binding
	starts := x.starts[:len(rows)]
	for i := range rows {
		starts[i] = uint32(rows[i].start - w.base)
	}
	for n < len(rows) {
		size := rows[n].end - rows[n].start
		end := n + 1
		for end < len(rows) && rows[end].end-rows[end].start == size {
			end++
		}
		reached := 0
		for reached < len(x.cuts) && x.cuts[reached].from < size {
			reached++
		}
		if reached < b.MinFields || reached > b.MaxFields || size > x.cuts[len(x.cuts)-1].to {
			return n
		}
		for i := range x.cuts {
			c := &x.cuts[i]
			if c.column < 0 {
				continue
			}
			f := &w.fields[c.column]
			if first := w.nrows + n; i < reached {
				stride(f.Start[first:][:end-n], f.End[first:], starts[n:end], uint32(c.from), uint32(min(c.to, size)))
			} else {
				lack(f, first, end-n)
			}
		}
		for _, d := range x.absent {
			lack(&w.fields[d], w.nrows+n, end-n)
		}
		n = end
	}
	return n
}

// stride fills a column of records that begin at starts.
func stride(start, end, starts []uint32, from, to uint32) {
	start, end = start[:len(starts)], end[:len(starts)]
	for i, s := range starts {
		start[i], end[i] = s+from, s+to
	}
}

// lack makes a column absent in n rows.
func lack(f *convert.Fields, first, n int) {
	for r := first; r < first+n; r++ {
		f.Start[r], f.End[r] = convert.Absent, 0
	}
}
