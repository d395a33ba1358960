package cpu

import (
	"github.com/dfaparse/dfaparse/dfa"
)

// index reads records from w.at on, until the round is full or ck's last
// record is read; it reports whether there may be more. Fields go straight to
// their columns: partition is part of it. Records that can be read by masks are;
// the others are stepped.
func (w *worker) index(ck *chunk) (more bool) {
	limit := w.limit(ck)
	for {
		w.until = limit
		if k := w.masked; k != nil && k.usable {
			until, why := w.byMasks(ck, limit)
			if why != goOn {
				return why == roundFull
			}
			w.until = min(until, limit)
		}
		w.strip.size = min(max(w.until-w.at+shortStrip, shortStrip), stripSize)
		if more = w.bySteps(ck); !more || w.full() || w.until == limit {
			return more
		}
	}
}

// bySteps is index, with the automaton, up to the record that ends at or after
// w.until.
//
// It looks at the events of one strip after the other. Most do one of four
// simple things, which it does itself; for all else it calls step, handing
// over and taking back what it keeps in registers.
func (w *worker) bySteps(ck *chunk) (more bool) {
	data, m, s := ck.part.Data, w.machine, &w.strip
	row := m.Row(w.state) // after the symbol before p
	p := w.at             // the first symbol that was not read
	w.open(p, row)
	limit := w.until

	// The record and the field being read: see the types of the same names.
	start, begin, column := p, row, 0
	raw, value, end, decode, from := p, p, -1, false, row
	slow := false // the record is not plain, or not good
	nrows, base, columns := w.nrows, w.base, w.plainColumns

	next := p // the symbols from here on have not been stepped
strips:
	for {
		if next >= len(data) {
			w.give(start, begin, column, raw, value, end, decode, from, nrows)
			if why := w.run(ck, p, len(data), row); why != goOn {
				return why == roundFull
			}
			w.endOfData(ck, w.row)
			return false
		}
		allPlain := s.scan(data, m, p, next, row)
		next = s.done
		events := s.events[:s.n]
		i := 0
		if allPlain && end < 0 && !decode && !slow && value == raw {
			// Nothing but ends of fields and records: no field has anything
			// around it, so each begins where the one before ended.
			offset := s.from - base
			from32 := uint32(value - base)
			records := s.records
			for ; i < len(events); i++ {
				if column == 0 && records > 0 {
					w.record.begin = state(begin)
					if n := w.grid(s, i, records, nrows, start, limit); n > 0 {
						nrows += n
						records = 0
						i += n * len(columns)
						last := events[i-1]
						start, begin = s.from+last.offset()+1, last.entry().Row()
						from32 = uint32(start - base)
						if i == len(events) {
							break
						}
					} else {
						records = 0 // one record after the other
					}
				}
				e := events[i].entry()
				if column >= len(columns) {
					break
				}
				c := &columns[column]
				at := uint32(events[i].offset() + offset)
				if c.class != class(e) && c.class != 0 {
					break
				}
				if e.Kind() == dfa.Field {
					c.start[nrows] = from32
					c.end[nrows] = at
					from32 = at + 1
					column++
					continue
				}
				q := int(at) + base
				if column+1 != w.width || q-start > w.plan.MaxRecord {
					break
				}
				c.start[nrows] = from32
				c.end[nrows] = at
				from32 = at + 1
				w.rows[nrows] = rowPlace{start: start, end: q, begin: state(begin)}
				nrows++
				if records > 0 {
					records--
				}
				start, begin, column = q+1, e.Row(), 0
				if q >= limit || nrows == w.maxRows {
					w.leave(ck, start, begin, nrows)
					return q < ck.end && start < ck.stop
				}
			}
			if i > 0 {
				p, row = s.from+events[i-1].offset()+1, events[i-1].entry().Row()
				raw, value, from = p, p, row
			}
		}
		for ; i < len(events); i++ {
			q, e := s.from+events[i].offset(), events[i].entry()
			decode = decode || end >= 0 && q != p
			switch e.Kind() {
			case dfa.Data:
				decode = decode || end >= 0 || e&coded != 0
				row, p = e.Row(), q+1
				continue
			case dfa.Skip:
				decode = decode || e&coded != 0
				if value == q {
					value = q + 1
				} else if end < 0 {
					end = q
				}
				row, p = e.Row(), q+1
				continue
			case dfa.Field:
				if e&plain == 0 || decode || slow || column >= len(columns) {
					break
				}
				c := &columns[column]
				if end < 0 {
					end = q
				}
				c.start[nrows] = uint32(min(value, end) - base)
				c.end[nrows] = uint32(end - base)
				if c.class != class(e) && c.class != 0 && w.record.wrong < 0 {
					w.record.wrong, w.record.faulty, slow = column, raw, true
				}
				column++
				row, p = e.Row(), q+1
				raw, value, end, from = p, p, -1, row
				continue
			case dfa.Record:
				if e&plain == 0 || decode || column >= len(columns) || slow || column < w.fewest || q-start > w.plan.MaxRecord {
					break
				}
				c := &columns[column]
				if c.class != class(e) && c.class != 0 {
					break
				}
				if end < 0 {
					end = q
				}
				c.start[nrows] = uint32(min(value, end) - base)
				c.end[nrows] = uint32(end - base)
				if column+1 < w.width {
					w.nrows = nrows
					w.pad(column + 1)
				}
				w.rows[nrows] = rowPlace{start: start, end: q, begin: state(begin)}
				nrows++
				row, p = e.Row(), q+1
				start, begin, column = p, row, 0
				raw, value, end, from = p, p, -1, row
				if q >= limit || nrows == w.maxRows {
					w.leave(ck, start, begin, nrows)
					return q < ck.end && p < ck.stop
				}
				if w.sparse {
					w.nrows = nrows
					w.absent()
				}
				continue
			}
			if q != p {
				row = m.after[state(row)]
			}
			w.give(start, begin, column, raw, value, end, decode, from, nrows)
			if why := w.step(ck, q, row, e); why != goOn {
				return why == roundFull
			}
			start, begin, column = w.record.start, m.Row(w.record.begin), w.record.column
			raw, value, end, decode, from = w.field.raw, w.field.value, w.field.end, w.field.decode, w.field.row
			nrows, slow = w.nrows, w.record.special()
			row, p = w.row, w.at
			if p != q+1 { // a boundary further back: what was stepped since is stepped again
				next = p
				continue strips
			}
		}
		if next < s.to {
			// The filler before the special symbol at next does something.
			w.give(start, begin, column, raw, value, end, decode, from, nrows)
			if why := w.run(ck, p, next, row); why != goOn {
				return why == roundFull
			}
			start, begin, column = w.record.start, m.Row(w.record.begin), w.record.column
			raw, value, end, decode, from = w.field.raw, w.field.value, w.field.end, w.field.decode, w.field.row
			nrows, slow = w.nrows, w.record.special()
			row, p = w.row, w.at
			next = p
		}
	}
}

// limit is the offset from which on a record that ends is the last to be read.
func (w *worker) limit(ck *chunk) int {
	return min(ck.end, ck.stop-1, w.base+maxRoundBytes)
}

// give hands the loop's registers to the worker.
func (w *worker) give(start int, begin uint32, column, raw, value, end int, decode bool, from uint32, nrows int) {
	w.record.start, w.record.begin, w.record.column = start, state(begin), column
	f := &w.field
	if f.raw != raw {
		f.open, f.from, f.led = raw, raw, false
	}
	f.raw, f.value, f.end, f.decode, f.row = raw, value, end, decode, from
	w.nrows = nrows
}

// leave notes where the next record begins.
func (w *worker) leave(ck *chunk, start int, begin uint32, nrows int) {
	w.at, w.state, w.nrows = start, state(begin), nrows
	ck.next, ck.resume = w.at, w.state
}
