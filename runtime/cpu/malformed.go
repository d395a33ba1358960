package cpu

import (
	"bytes"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/runtime"
)

// A record that hops leave is malformed as a rule. To say so takes no fields, only how many there
// were and where the automaton had no transition: it is stepped from the node at which hops left
// it, and behind its fault to the next line end where nothing else ends it.
//
//	2024-05-06 07:08:09 INFO main - started
//	├─────────────── hops ──▶├─ steps ─▶ ✗ ──▶ line end

// maxFaultless is how many symbols are stepped without a fault before the record is left to others.
const maxFaultless = 256

// malformed rejects the record at w.at, which hop has just left, if it is malformed. Else it does
// nothing, and reports that.
func (w *worker) malformed(ck *chunk, limit int) (why ended, ok bool) {
	k, m, data := w.hopper, w.machine, ck.part.Data
	if k.leftNode < 0 {
		return goOn, false
	}
	n := k.nodes[k.leftNode]
	row, column := m.Row(n.state), int(n.column)
	problem := runtime.Problem{Output: -1, Field: -1, Offset: w.at}
	last := min(k.from+k.leftAt+maxFaultless, len(data))
	for q := k.from + k.leftAt; q < last; q++ {
		e := m.Entries[row|uint32(data[q])]
		switch e.Kind() {
		case dfa.Field:
			column = fieldNumber(m.Emission(e), column) + 1
		case dfa.Error, dfa.Record:
			em := m.Emission(e)
			if problem.Lexical == 0 && em.Code != 0 {
				if em.Blame == dfa.BlameField { // its beginning is not known
					return goOn, false
				}
				problem.What, problem.Offset, problem.Field = runtime.Lexical, q, column
				problem.Lexical, problem.State, problem.At = em.Code, state(row), q
				last = len(data)
			}
			if e.Kind() == dfa.Error {
				break
			}
			boundary := q - int(em.Lag)
			switch {
			case em.Record != dfa.DataRecord:
				return goOn, false
			case boundary-w.at > w.plan.MaxRecord:
				problem = runtime.Problem{What: runtime.TooLong, Output: -1, Field: -1, Offset: w.at}
			case problem.Lexical != 0:
			case fieldNumber(em, column)+1 < w.binding.MinFields:
				problem.What, problem.Offset = runtime.TooFew, boundary
			default:
				return goOn, false
			}
			w.rows[w.nrows].set(w.at, boundary, state(w.row), em.Class)
			w.reject(ck, problem)
			w.leave(ck, em.After(q), m.Row(m.resume(em, e)))
			switch {
			case boundary >= ck.end || w.at >= ck.stop:
				return chunkDone, true
			case boundary >= limit || w.full():
				return roundFull, true
			}
			return goOn, true
		}
		row = e.Row()
		if problem.Lexical != 0 && k.stuck(row) {
			n := bytes.IndexByte(data[q+1:], '\n')
			if n < 0 {
				break
			}
			q += n
		}
	}
	return goOn, false
}

// fieldNumber is the number of the field that em ends, if one is expected.
func fieldNumber(em *dfa.Emission, expected int) int {
	if em.Column != dfa.NextColumn {
		return int(em.Column)
	}
	return expected
}

// stuck reports whether no symbol but a line feed leads out of a row, or ends something there.
func (k *hopper) stuck(row uint32) bool {
	known := &k.faulty[state(row)]
	if *known == 0 {
		*known = 1
		if k.count[k.feed] == 1 && k.leadBack(row) {
			*known = 2
		}
	}
	return *known == 2
}

// leadBack reports whether all symbols but those of the group of LF lead from a row back to it, and
// end nothing.
func (k *hopper) leadBack(row uint32) bool {
	for g, symbol := range k.symbol {
		if e := k.machine.Entries[row|uint32(symbol)]; uint8(g) != k.feed && (e.Boundary() || e.Row() != row) {
			return false
		}
	}
	return true
}
