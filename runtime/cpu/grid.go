package cpu

import "github.com/dfaparse/dfaparse/dfa"

// gridRecords is the fewest records that are worth a grid.
const gridRecords = 2

// grid takes the records that end at the events of s from number i on, all of
// which are plain boundaries, if the events are a grid: every so many of them
// ends a record, as many as there are columns. It fills one column after the
// other, and reports how many records it took, 0 if this is no place for it.
//
// The first record begins at start, in state begin; records is how many of the remaining
// events end one; a record that ends at or after limit is not for the grid.
func (w *worker) grid(s *strip, i, records, nrows, start int, begin dfa.StateID, limit int) int {
	n := len(w.plainColumns)
	if n == 0 || records < gridRecords || n != w.width || w.classed || w.plan.MaxRecord < laneSymbols || nrows+records >= w.maxRows {
		return 0
	}
	events := s.events[i:]
	last := records*n - 1
	if last >= len(events) || s.from+events[last].offset() >= limit || s.from+events[n-1].offset()-start > w.plan.MaxRecord {
		return 0
	}
	// If every n-th event up to there ends a record, these are all that do: the
	// others end fields.
	for k := n - 1; k <= last; k += n {
		if events[k].entry().Kind() != dfa.Record {
			return 0
		}
	}

	base := w.base
	offset := uint32(s.from - base)
	for c := range w.plainColumns {
		column := &w.plainColumns[c]
		if !column.wanted {
			continue
		}
		starts := column.start[nrows : nrows+records]
		ends := column.end[nrows:][:len(starts)]
		k := c
		if c == 0 {
			starts[0], ends[0] = uint32(start-base), uint32(events[0].offset())+offset
			starts, ends = starts[1:], ends[1:]
			k = n
		}
		for r := range starts {
			starts[r] = uint32(events[k-1].offset()) + offset + 1
			ends[r] = uint32(events[k].offset()) + offset
			k += n
		}
	}
	rows := w.rows[nrows : nrows+records]
	for r := range rows {
		e := events[r*n+n-1]
		end := s.from + e.offset()
		rows[r].set(start, end, begin, 0)
		start, begin = end+1, e.entry().Next()
	}
	return records
}
