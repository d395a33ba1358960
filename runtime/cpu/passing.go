package cpu

import "github.com/dfaparse/dfaparse/dfa"

// Comments and blank lines take paths as records do, side by side with these, but no rows. A comment behind the data of a record
// is what is left of its line: no hops lead over that.
//
//	line     1,a⏎   # text⏎   2,b # text⏎
//	row      0                1
//	passed          ------        -----

// noRow is no row of a state.
const noRow = 1<<32 - 1

// mostBehind is how many states a comment behind the data of a record may have.
const mostBehind = 8

// behindLine is the row in which records begin behind a line of which, from the state of a row on, all that is left is passed
// over, whatever it is; noRow if it may be something else.
func (k *hopper) behindLine(from uint32) (row uint32) {
	if row, known := k.rowsBehind[from]; known {
		return row
	}
	row = k.findBehindLine(from)
	k.rowsBehind[from] = row
	return row
}

func (k *hopper) findBehindLine(from uint32) (row uint32) {
	m := k.machine
	row = noRow
	states := []dfa.StateID{state(from)}
	seen := map[dfa.StateID]bool{states[0]: true}
	for ; len(states) > 0; states = states[1:] {
		for g, symbol := range k.symbol {
			e := m.Entries[m.Row(states[0])|uint32(symbol)]
			if g != int(k.feed) {
				if kind := e.Kind(); kind != dfa.Data && kind != dfa.Skip || len(seen) > mostBehind {
					return noRow
				}
				if next := e.Next(); !seen[next] {
					seen[next], states = true, append(states, next)
				}
				continue
			}
			em := m.Emission(e)
			if e.Kind() != dfa.Record || em.Record != dfa.DroppedRecord || em.Code != 0 || em.Lag != 0 || em.Touch || em.After(0) != 1 {
				return noRow
			}
			next := m.Row(m.resume(em, e))
			if row != noRow && row != next {
				return noRow
			}
			row = next
		}
	}
	return row
}

// mayEndLine reports whether a symbol of h, behind its run, may be a line feed.
func (k *hopper) mayEndLine(h *hop) bool {
	for i := 0; i < 64; i += 8 {
		if h.mask>>i&0xFF != 0 && byte(h.same>>i) == '\n' {
			return true
		}
	}
	return h.accept>>k.feed&1 != 0
}

// isLine reports whether a record that began in a row, and what is passed over behind it in its line, are all of a line behind
// which others begin so: then a path may lead along it.
func (l *recordLast) isLine(begun uint32) bool {
	return l.kind <= dfa.DroppedRecord && (l.row == begun || l.behind == begun)
}

// pass notes that a line of the records abreast is passed over from an offset on.
func (b *abreast) pass(record, from uint32) {
	if !b.passes {
		b.passes = true
		for r := range b.records {
			b.passed[r] = noEnd
		}
	}
	b.passed[record] = from
}

// passesBehind reports whether what is left of the line of a record, from an offset on, is passed over from the state of a row
// behind which records begin in behind.
func (w *worker) passesBehind(record, at, behind uint32) bool {
	k := w.hopper
	b := k.abreast
	next := b.start[record+1]
	return behind == k.pathRow && !b.joining && !b.dropped && at < next && next != noEnd && int(next-1-at) <= min(w.plan.MaxRecord, windowMax)
}

// passLine goes on behind the line of a record that has been read by itself, if what is left of it is passed over.
func (w *worker) passLine(ck *chunk, record uint32) {
	k := w.hopper
	if at := uint32(w.at - k.from); w.passesBehind(record, at, k.behindLine(w.row)) {
		next := k.abreast.start[record+1]
		ck.extents.Pass(dfa.DroppedRecord, int(next-at))
		w.leave(ck, k.from+int(next), k.pathRow)
	}
}
