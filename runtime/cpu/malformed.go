package cpu

import (
	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/runtime"
)

// A record that hops leave is malformed as a rule. To say so takes no fields, only how many there
// were and where the automaton had no transition: it is stepped from the node at which hops left
// it, and behind its fault to the next line end where nothing else ends it.
//
//	2024-05-06 07:08:09 INFO main - started
//	├─────────────── hops ──▶├─ steps ─▶ ✗ ──▶ line end

// The same goes for a record with something odd that masks leave: it is stepped from where its last
// marked field ends.

// maxFaultless is how many symbols are stepped without a fault before the record is left to others.
const maxFaultless = 256

// unread is where the reading of a record goes on that others have begun.
type unread struct {
	at     int
	row    uint32
	column int // of the next field
	field  int // its first symbol, -1: not known
}

// malformed rejects the record at w.at, which hop has just left, if it is malformed, and passes it
// over if it is none. Else it does nothing, and reports that.
func (w *worker) malformed(ck *chunk, limit int) (why ended, ok bool) {
	k := w.hopper
	if k.leftNode < 0 {
		return goOn, false
	}
	n, at := k.nodes[k.leftNode], k.from+k.leftAt
	return w.stepMalformed(ck, limit, at+maxFaultless, unread{at, w.machine.Row(n.state), int(n.column), -1})
}

// stepMalformed is malformed, of what is left of the record, which is no fault of others if there
// is none before an offset.
func (w *worker) stepMalformed(ck *chunk, limit, last int, u unread) (why ended, ok bool) {
	m, data, b := w.machine, ck.part.Data, w.binding
	row, column, field := u.row, u.column, u.field
	excess, surplus := -1, 0
	if column > len(w.dest) {
		return goOn, false
	}
	endField := func(em *dfa.Emission) {
		if column = fieldNumber(em, column); column >= len(w.dest) && excess < 0 {
			excess, surplus = column, field
		}
		column++
	}
	problem := runtime.Problem{Output: -1, Field: -1, Offset: w.at}
	leaving, stayed, few := m.leaving(), 0, fewStay
	last = min(last, len(data))
	for q := u.at; q < last; q++ {
		e := m.Entries[row|uint32(data[q])]
		switch e.Kind() {
		case dfa.Field:
			em := m.Emission(e)
			endField(em)
			field = em.After(q)
		case dfa.Error, dfa.Record:
			em := m.Emission(e)
			if problem.Lexical == 0 && em.Code != 0 {
				problem.What, problem.Offset, problem.Field = runtime.Lexical, q, column
				problem.Lexical, problem.State, problem.At = em.Code, state(row), q
				if em.Blame == dfa.BlameField {
					if problem.Offset = field; field < 0 {
						return goOn, false
					}
				}
				last, few = len(data), 0
			}
			if e.Kind() == dfa.Error {
				break
			}
			boundary := q - int(em.Lag)
			if em.Record >= dfa.FirstDirective {
				return goOn, false
			}
			if em.Record != dfa.DataRecord {
				ck.extents.Pass(em.Record, em.After(q)-w.at)
				return w.passed(ck, limit, boundary, em, e)
			}
			endField(em)
			switch {
			case boundary-w.at > w.plan.MaxRecord:
				problem = runtime.Problem{What: runtime.TooLong, Output: -1, Field: -1, Offset: w.at}
			case problem.Lexical != 0:
			case w.fixed: // its columns are cut
				return goOn, false
			case column < b.MinFields:
				problem.What, problem.Offset = runtime.TooFew, boundary
			case column > b.MaxFields && b.Rest < 0 && !b.Truncate && surplus >= 0:
				problem.What, problem.Field, problem.Offset = runtime.TooMany, excess, surplus
			default:
				return goOn, false
			}
			w.rows[w.nrows].set(w.at, boundary, state(w.row), em.Class)
			w.reject(ck, em.After(q), &problem)
			return w.passed(ck, limit, boundary, em, e)
		}
		if stayed++; e.Row() != row {
			row, stayed = e.Row(), 0
		}
		if leave := leaving[state(row)]; stayed >= few && leave != nil {
			q += untilAny(data[q+1:last], leave)
			stayed = 0
		}
	}
	return goOn, false
}

// passed goes on behind the record that ended at boundary, by emission em of e.
func (w *worker) passed(ck *chunk, limit, boundary int, em *dfa.Emission, e dfa.Entry) (why ended, ok bool) {
	w.leave(ck, em.After(boundary+int(em.Lag)), w.machine.Row(w.machine.resume(em, e)))
	switch {
	case boundary >= ck.end || w.at >= ck.stop:
		return chunkDone, true
	case boundary >= limit || w.full():
		return roundFull, true
	}
	return goOn, true
}

// fieldNumber is the number of the field that em ends, if one is expected.
func fieldNumber(em *dfa.Emission, expected int) int {
	if em.Column != dfa.NextColumn {
		return int(em.Column)
	}
	return expected
}
