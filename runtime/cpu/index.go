package cpu

import "github.com/dfaparse/dfaparse/dfa"

// index reads records from w.at on, until the round is full or ck's last
// record is read; it reports whether there may be more. Fields go straight to
// their columns: partition is part of it. Records that can be read by masks are, or
// else by brackets, by heads or by hops; what these leave is stepped.
func (w *worker) index(ck *chunk) (more bool) {
	limit := w.limit(ck)
	for {
		until, why := limit, goOn
		switch {
		case w.strides != nil:
			until, why = w.byStride(ck, limit)
		case w.masked != nil && w.masked.usable && w.at >= w.hopsTo:
			until, why = w.byMasks(ck, limit)
			w.cleared = false // masks write ahead of the rows that they read
			if why == goOn && until-w.at >= hopDetour && !w.masked.crossed && w.at >= w.hopsFrom && hasLeaps() && w.hops() != nil {
				w.hopsTo = until
				continue
			}
		case w.bracketed != nil && w.bracketed.usable:
			until, why = w.byBrackets(ck, limit)
		case w.headed != nil && w.headed.usable:
			until, why = w.byHeads(ck, limit)
		case w.hopper != nil:
			until, why = w.byHops(ck, limit)
			w.tryHops()
		}
		if why != goOn {
			return why == roundFull
		}
		w.until = min(until, limit)
		w.strip.size = min(max(w.until-w.at+shortStrip, shortStrip)+blockSize-1, stripSize) &^ (blockSize - 1)
		if more = w.bySteps(ck); !more || w.full() || w.until == limit {
			return more
		}
	}
}

// bySteps is index, with the automaton, up to the record that ends at or after
// w.until.
//
// It looks at the events of one strip after the other. Most do one of four
// simple things, which it does itself; for all else it calls step. All work on
// the same cursor.
func (w *worker) bySteps(ck *chunk) (more bool) {
	data, m, s, c := ck.part.Data, w.machine, &w.strip, &w.cursor
	w.open()
	special := false // the record is: see there
	base, columns := w.base, w.plainColumns

	next := c.at // the symbols from here on have not been stepped
strips:
	for {
		if next >= len(data) {
			w.catchUp(data, s, next)
			if why := w.run(ck, len(data)); why != goOn {
				return why == roundFull
			}
			if next = c.at; next < len(data) {
				special = c.record.special()
				continue
			}
			w.endOfData(ck)
			return false
		}
		allPlain, laned := w.scanLanes(data, next)
		if !laned {
			w.catchUp(data, s, next)
			allPlain = s.scan(data, m, c.at, next, c.row)
		}
		next = s.done
		events := s.events
		i := 0
		if allPlain && !special && c.field.bare() {
			var why ended
			if i, why = w.plainEvents(ck, events); why != goOn {
				return why == roundFull
			}
		}
		for ; i < len(events); i++ {
			q, e := s.from+events[i].offset(), events[i].entry()
			f := &c.field
			f.decode = f.decode || f.end >= 0 && q != c.at
			switch e.Kind() {
			case dfa.Data:
				f.decode = f.decode || f.end >= 0 || e&coded != 0
				c.row, c.at = e.Row(), q+1
				continue
			case dfa.Skip:
				f.decode = f.decode || e&coded != 0
				if f.value == q {
					f.value = q + 1
				} else if f.end < 0 {
					f.end = q
				}
				c.row, c.at = e.Row(), q+1
				continue
			case dfa.Field:
				if e&plain == 0 || f.decode || special || c.record.column >= len(columns) {
					break
				}
				column := &columns[c.record.column]
				end := f.end
				if end < 0 {
					end = q
				}
				column.start[w.nrows] = uint32(min(f.value, end) - base)
				column.end[w.nrows] = uint32(end - base)
				if column.class != class(e) && column.class != 0 && c.record.wrong < 0 {
					c.record.wrong, c.record.faulty, special = c.record.column, f.raw, true
				}
				c.record.column++
				c.beginField(q+1, e.Row())
				continue
			case dfa.Record:
				if e&plain == 0 || f.decode || special || c.record.column >= len(columns) || c.record.column < w.fewest || q-c.record.start > w.plan.MaxRecord {
					break
				}
				column := &columns[c.record.column]
				if column.class != class(e) && column.class != 0 {
					break
				}
				end := f.end
				if end < 0 {
					end = q
				}
				column.start[w.nrows] = uint32(min(f.value, end) - base)
				column.end[w.nrows] = uint32(end - base)
				if c.record.column+1 < w.width {
					w.pad(c.record.column + 1)
				}
				w.rows[w.nrows].set(c.record.start, q, c.record.begin, 0)
				w.nrows++
				c.record.start, c.record.begin, c.record.column = q+1, e.Next(), 0
				c.beginField(q+1, e.Row())
				if q >= w.until || w.nrows == w.maxRows {
					w.leave(ck, c.at, c.row)
					return q < ck.end && c.at < ck.stop
				}
				if w.sparse {
					w.absent()
				}
				continue
			}
			switch {
			case q == c.at:
			case s.laned:
				c.row = m.walk(data[c.at:q], c.row)
			default:
				c.row = m.after[state(c.row)]
			}
			if why := w.step(ck, q, e); why != goOn {
				return why == roundFull
			}
			special = c.record.special()
			if c.at <= q || c.at > next { // a boundary further back: what was stepped since is stepped again
				next = c.at
				continue strips
			}
			for i+1 < len(events) && s.from+events[i+1].offset() < c.at { // fields that have been passed
				i++
			}
		}
		if next < s.to {
			// The filler before the special symbol at next does something.
			w.catchUp(data, s, next)
			if why := w.run(ck, next); why != goOn {
				return why == roundFull
			}
			special = c.record.special()
			next = c.at
		}
	}
}

// plainEvents indexes by events that are all plain boundaries, as far as nothing
// is odd about the fields and records that they end, and gives how many these
// are. No field has anything around it, so each begins where the one before ended.
func (w *worker) plainEvents(ck *chunk, events []event) (n int, why ended) {
	s, c, columns := &w.strip, &w.cursor, w.plainColumns
	nrows, base, limit := w.nrows, w.base, w.until
	start, begin, column := c.record.start, c.record.begin, c.record.column
	offset := s.from - base
	from := uint32(c.field.value - base)
	records := s.records
	i := 0
	for ; i < len(events); i++ {
		if column == 0 && records > 0 {
			if n := w.grid(s, i, records, nrows, start, begin, limit); n > 0 {
				nrows += n
				records = 0
				i += n * len(columns)
				last := events[i-1]
				start, begin = s.from+last.offset()+1, last.entry().Next()
				from = uint32(start - base)
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
		x := &columns[column]
		at := uint32(events[i].offset() + offset)
		if x.class != class(e) && x.class != 0 {
			break
		}
		if e.Kind() == dfa.Field {
			x.start[nrows] = from
			x.end[nrows] = at
			from = at + 1
			column++
			continue
		}
		q := int(at) + base
		if column+1 != w.width || q-start > w.plan.MaxRecord {
			break
		}
		x.start[nrows] = from
		x.end[nrows] = at
		from = at + 1
		w.rows[nrows].set(start, q, begin, 0)
		nrows++
		if records > 0 {
			records--
		}
		start, begin, column = q+1, e.Next(), 0
		if q >= limit || nrows == w.maxRows {
			w.nrows = nrows
			w.leave(ck, start, e.Row())
			if q < ck.end && start < ck.stop {
				return i + 1, roundFull
			}
			return i + 1, chunkDone
		}
	}
	w.nrows = nrows
	c.record.start, c.record.begin, c.record.column = start, begin, column
	if i > 0 {
		last := events[i-1]
		c.beginField(s.from+last.offset()+1, last.entry().Row())
	}
	return i, goOn
}

// hopDetour is how many symbols there are at least of which records are read by hops in place of steps, as they are
// odd to masks again and again. Without leaps they take as long as steps, and longer where fields are quoted.
var hopDetour = 4 << 10 // fewer in tests

// After so many records it is looked whether hops read most of them side by side: else steps take less time, and hops are
// not tried again before so many symbols, twice as many each time.
const hopsTrial, hopsWaitMin, hopsWaitMax = 128, 64 << 10, 64 << 20

// tryHops leaves records to masks and steps again if hops that read them instead do so one by one.
func (w *worker) tryHops() {
	k := w.hopper
	if w.at >= w.hopsTo || k.read < hopsTrial {
		return
	}
	if 2*k.lone > k.read {
		w.hopsWait = min(max(2*w.hopsWait, hopsWaitMin), hopsWaitMax)
		w.hopsTo, w.hopsFrom = 0, w.at+w.hopsWait
	}
	k.read, k.lone = 0, 0
}

// hops is the hopper, nil if there is none.
func (w *worker) hops() *hopper {
	if w.hopper == nil {
		w.hopper = newHopper(w.plan.Program, w.machine)
	}
	return w.hopper
}

// limit is the offset from which on a record that ends is the last to be read, or the last
// of the round.
func (w *worker) limit(ck *chunk) int {
	return max(min(ck.end, ck.stop-1-w.machine.maxLag, w.base+maxRoundBytes), w.at)
}

// leave notes where the next record begins.
func (w *worker) leave(ck *chunk, start int, row uint32) {
	w.at, w.row = start, row
	ck.next, ck.resume = start, state(row)
}
