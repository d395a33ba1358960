package cpu

import (
	"sync"
	"sync/atomic"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/symbols"
)

// machine is an automaton prepared for one core. Symbols of its filler, runs
// of which do nothing after their first symbol, are passed over: only the
// special symbols are stepped, and they are found by masks.
//
// Entries have further bits, in the low byte that dfa.Entry leaves free:
//
//	bit  6..3              2          1
//	     class of a plain  careful    plain boundary
//	     boundary
type machine struct {
	*dfa.Table
	// jumps holds two tables: the entries of a special symbol right after
	// another, and, from gapOffset on, those of one after a run of filler, whose
	// state they begin in.
	jumps     []dfa.Entry
	gapOffset uintptr
	after     []uint32 // per state: the row after a run of filler
	stuck     []bool   // per state: each filler symbol leads back to it, and ends nothing
	// special are the symbols that are not filler.
	special *symbols.Set
	// lanes is the table of lanes, nil if there are none.
	lanes func() *laneTable
	// roles are what the symbols are to masks, nil if the automaton has no masks.
	roles *roles
	// runRoles are what they are where there are runs of separators, nil if these are no such masks.
	runRoles *roles
	// brackets finds records that are one value in brackets, nil if they are not.
	brackets func() *bracketed
	// heads are what records begin with of which no more than the length matters behind it, nil if they are not such.
	heads func() *heads
	// contexts finds the contexts of chunks; with one worker nobody asks.
	contexts func() *contexts
	// openStarts says of which fields the place of the data says where they begin; only problems ask.
	openStarts func() *starts
	leaving    func() [][]byte // see newLeaving; the same
	fates      func() *fates   // of records that masks read; the same
	maxLag     int             // the largest of any emission
	named      bool            // some say which column ends
	overtakes  bool            // a field may be found to have ended before the first symbol that may be its data
}

const (
	coded = dfa.Entry(1)
	// plain: a boundary that is its symbol, of the next column and, if it ends a
	// record, of data that is not malformed there.
	plain = dfa.Entry(1 << 1)
	// careful: what the first symbol of the run does has to be looked at.
	careful    = dfa.Entry(1 << 2)
	classShift = 3
	maxClass   = 15
)

func class(e dfa.Entry) uint8 { return uint8(e >> classShift & maxClass) }

// overtaken reports whether a field may be found to have ended so many symbols ago that it did before
// symbols in front of its data that are none, as blanks that are left out: then it has none.
func (m *machine) overtaken(a *dfa.Automaton) bool {
	symbols := oneOfEach(a)
	behind := make([][]uint32, m.maxLag+2) // rows in which the last symbol that is no data is so far back
	each := func(row uint32, yield func(e dfa.Entry)) {
		for _, c := range symbols {
			yield(m.Entries[row|uint32(c)])
		}
	}
	for s := range m.AtEOF {
		each(m.Row(dfa.StateID(s)), func(e dfa.Entry) {
			switch em := m.Emission(e); {
			case e.Kind() == dfa.Skip:
				behind[1] = append(behind[1], e.Row())
			case e.Boundary() && em.Lag > em.Open && em.Open > 0:
				k := int(em.Lag-em.Open) + 1
				behind[k] = append(behind[k], e.Row())
			}
		})
	}
	seen, found := map[uint32]bool{}, false
	for k := 1; k <= m.maxLag && !found; k++ {
		for _, row := range behind[k] {
			if seen[row] {
				continue
			}
			seen[row] = true
			each(row, func(e dfa.Entry) {
				if e.Boundary() {
					found = found || int(m.Emission(e).Lag) >= k
				} else {
					behind[k+1] = append(behind[k+1], e.Row())
				}
			})
		}
	}
	return found
}

// oneOfEach is a symbol of each group.
func oneOfEach(a *dfa.Automaton) []byte {
	symbols := make([]byte, a.NGroups)
	for c, g := range a.Group {
		symbols[g] = byte(c)
	}
	return symbols
}

// machineOf is newMachine, of the Program that was asked for last the same.
func machineOf(p *dfa.Program) *machine {
	if last := lastMachine.Load(); last != nil && last.program == p && last.automaton == p.Automaton && last.analysis == p.Analysis() {
		return last.machine
	}
	m := newMachine(p)
	lastMachine.Store(&made{p, p.Automaton, p.Analysis(), m})
	return m
}

// made is a machine and what it was made of.
type made struct {
	program   *dfa.Program
	automaton *dfa.Automaton
	analysis  *dfa.Analysis
	machine   *machine
}

var lastMachine atomic.Pointer[made]

func newMachine(p *dfa.Program) *machine {
	a := p.Automaton
	m := &machine{Table: a.Table(), maxLag: a.MaxLag()}
	m.jumps, m.gapOffset = make([]dfa.Entry, 2*len(m.Entries)), uintptr(len(m.Entries))
	direct, gap := m.jumps[:len(m.Entries)], m.jumps[len(m.Entries):]
	for i, e := range m.Entries {
		if em := m.Emission(e); isPlain(em) {
			e |= plain | dfa.Entry(em.Class)<<classShift
		}
		direct[i], gap[i] = e, careful
	}
	m.after, m.stuck = make([]uint32, len(a.States)), make([]bool, len(a.States))
	filler := m.filler()
	special := dfa.All().Minus(filler)
	m.special = symbols.NewSet(special)
	m.lanes = sync.OnceValue(func() *laneTable { return newLaneTable(m, a, special) })
	if x := p.Analysis(); x != nil { // a split has none, and steps
		m.roles = rolesOf(x.Masks)
		if x.Runs != nil && (x.Runs.Count == 0 || len(p.Shapes) == 0) {
			if m.runRoles = rolesOf(&x.Runs.Masks); m.runRoles != nil {
				m.runRoles.runs = x.Runs
			}
		}
	}
	for i := range m.Emissions {
		e := &m.Emissions[i]
		m.named = m.named || e.Boundary() && e.Column != dfa.NextColumn
	}
	m.overtakes = m.maxLag > 0 && m.overtaken(a)
	m.brackets = sync.OnceValue(func() *bracketed { return newBracketed(m) })
	m.heads = sync.OnceValue(func() *heads { return newHeads(m, a) })
	m.openStarts = sync.OnceValue(func() *starts { return openStarts(p, m) })
	m.leaving = sync.OnceValue(m.newLeaving)
	m.fates = sync.OnceValue(m.newFates)
	m.contexts = sync.OnceValue(func() *contexts { return newContexts(p, filler, m.special) })
	for s := range a.States {
		row := m.Row(dfa.StateID(s))
		if to, ok := m.afterRun(row, filler); ok {
			m.after[s] = to
			copy(gap[row:row+256], direct[to:to+256])
		}
		m.stuck[s] = m.isStuck(row, filler)
	}
	return m
}

// rolesOf is newRoles, nil if there are no masks or too many classes of symbols.
func rolesOf(masks *dfa.Masks) *roles {
	if masks == nil {
		return nil
	}
	if r := newRoles(masks); r.vectors {
		return r
	}
	return nil
}

func isPlain(em *dfa.Emission) bool {
	return em.Boundary() && em.Lag == 0 && !em.Touch && em.Column == dfa.NextColumn && em.Class <= maxClass &&
		em.Record == dfa.DataRecord && em.Code == 0
}

// filler is the set of symbols that are passed over in runs. In the states that
// hold the content of fields, those with a loop for most symbols, and in those
// in which fields begin, each is data for itself, and leads where most do. In
// other states, after an escape say, runs have to be looked at: rare states
// should not make a symbol special.
func (m *machine) filler() dfa.Set {
	begins := make([]bool, len(m.AtEOF))
	begins[m.Start] = true
	for _, e := range m.Entries {
		if e.Boundary() {
			begins[e.Next()] = true
		}
	}
	filler := dfa.All()
	for s := range m.AtEOF {
		to, set := m.majority(m.Row(dfa.StateID(s)))
		if set.Len() >= majority && (to == dfa.StateID(s) || begins[s]) {
			filler = filler.And(set)
		}
	}
	if filler == dfa.All() {
		return dfa.Set{} // no state holds content
	}
	return filler
}

// majority is what "most" symbols are, of 256.
const majority = 128

// majority is the state to which more than half of the symbols lead from row as
// data for themselves, and which symbols these are; if there is none, it is any
// state, and its symbols. It is found by Boyer and Moore's vote.
func (m *machine) majority(row uint32) (to dfa.StateID, set dfa.Set) {
	votes := 0
	for _, e := range m.Entries[row : row+256] {
		switch {
		case e.Kind() != dfa.Data || e.Coded():
		case votes == 0:
			to, votes = e.Next(), 1
		case e.Next() == to:
			votes++
		default:
			votes--
		}
	}
	for c, e := range m.Entries[row : row+256] {
		if e.Kind() == dfa.Data && !e.Coded() && e.Next() == to {
			set[c>>6] |= 1 << (c & 63)
		}
	}
	return to, set
}

// afterRun is the row in which every run of filler ends that begins in row. It
// reports whether there is one, and all symbols of the run are data for
// themselves.
func (m *machine) afterRun(row uint32, filler dfa.Set) (to uint32, ok bool) {
	for c := range uint32(256) {
		if !filler.Has(byte(c)) {
			continue
		}
		first := m.Entries[row|c]
		if !ok {
			to, ok = first.Row(), true
		}
		again := m.Entries[to|c]
		if first.Kind() != dfa.Data || first.Coded() || first.Row() != to ||
			again.Kind() != dfa.Data || again.Coded() || again.Row() != to {
			return 0, false
		}
	}
	return to, ok
}

// walk is the row behind text, from one on.
func (m *machine) walk(text []byte, row uint32) uint32 {
	for _, symbol := range text {
		row = m.Entries[row|uint32(symbol)].Row()
	}
	return row
}

// isStuck reports whether each symbol of the filler leads from row back to it, and ends nothing.
func (m *machine) isStuck(row uint32, filler dfa.Set) bool {
	for c, e := range m.Entries[row : row+256] {
		if filler.Has(byte(c)) && (e.Boundary() || e.Row() != row) {
			return false
		}
	}
	return true
}

// smooth reports whether a run of filler that begins in row can be passed over.
func (m *machine) smooth(row uint32) bool { return m.jumps[m.gapOffset+uintptr(row)]&careful == 0 }

// resume is the context of the record that follows the Record emission em of e.
func (m *machine) resume(em *dfa.Emission, e dfa.Entry) dfa.StateID {
	if em.Lag > em.Open {
		return m.Start
	}
	return e.Next()
}

// state is the state whose row of the table is row.
func state(row uint32) dfa.StateID { return dfa.Entry(row).Next() }
