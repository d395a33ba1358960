package cpu

import (
	"slices"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/runtime"
)

// How much of the data's end a guess looks at: as little as will do.
const (
	leastLook = 4 << 10
	moreLook  = 8
)

// maxGuessed bounds the states of automata that guesses are made of, and how many
// of them may still be possible when they are tried.
const (
	maxGuessed = 1 << 10
	maxTried   = 8
)

// Cut implements runtime.Cutter.
func (p *parser) Cut(n int, state dfa.StateID) (at int, next dfa.StateID, ok bool) {
	length, start := p.plan.Program.Stride(), p.plan.Program.Automaton.Start
	if length == 0 || state != start {
		return 0, 0, false
	}
	return n - n%length, start, true
}

// Guess implements runtime.Forker. The end of data is stepped from every state.
// Most automata are in one of two or three states after some symbols, whatever
// they were in before, such as inside and outside of quotes: which of them
// makes sense soon shows.
func (p *parser) Guess(data []byte, b *runtime.Binding) (at int, state dfa.StateID, ok bool) {
	if len(p.plan.Program.Directives) > 0 { // they would have to be found first
		return 0, 0, false
	}
	if len(p.plan.Program.Cells) > 0 { // see Cut
		return 0, 0, false
	}
	if len(p.machine.AtEOF) > maxGuessed {
		return 0, 0, false
	}
	for look := leastLook; ; look *= moreLook {
		end := data[max(len(data)-look, 0):]
		if t, ok := p.guessLast(end, b); ok {
			return len(data) - len(end) + t.next, t.state, true
		}
		if len(end) == len(data) {
			return 0, 0, false
		}
	}
}

// guessLast is Guess for all of data.
func (p *parser) guessLast(data []byte, b *runtime.Binding) (t trial, ok bool) {
	m := p.machine
	rows := make([]uint32, len(m.AtEOF))
	for s := range rows {
		rows[s] = m.Row(dfa.StateID(s))
	}
	from := 0
	for step := 4; from < len(data) && len(rows) > 1; step *= 2 {
		part := data[from:min(from+step, len(data)/4)]
		if len(part) == 0 {
			break
		}
		for i, row := range rows {
			for _, symbol := range part {
				row = m.Entries[row|uint32(symbol)].Row()
			}
			rows[i] = row
		}
		slices.Sort(rows)
		rows = slices.Compact(rows)
		from += len(part)
	}
	if len(rows) > maxTried {
		return trial{}, false
	}
	same, sensible := true, 0
	for i, row := range rows {
		next := p.try(data, from, row, b)
		if i > 0 && !next.sameAs(&t) {
			same = false
		}
		switch {
		case next.odd():
			if i == 0 {
				t = next
			}
		case sensible == 0:
			t, sensible = next, 1
		case !next.sameAs(&t):
			sensible++
		}
	}
	return t, t.next > 0 && (same || sensible == 1)
}

// trial is what came of stepping from a state.
type trial struct {
	good, bad int         // records; the first, of which the beginning is not known, is none
	next      int         // after the last record, 0 if there was none
	state     dfa.StateID // the context there
}

// odd reports whether that makes no sense.
func (t *trial) odd() bool { return t.good == 0 || t.bad > 2*t.good }

// sameAs reports whether what follows t is what follows u.
func (t *trial) sameAs(u *trial) bool { return t.next == u.next && t.state == u.state }

// try steps data from an offset on, in the state of a row.
func (p *parser) try(data []byte, from int, row uint32, b *runtime.Binding) (t trial) {
	m := p.machine
	fields, begun, wrong := 0, false, false
	for q := from; q < len(data); q++ {
		e := m.Entries[row|uint32(data[q])]
		row = e.Row()
		switch e.Kind() {
		case dfa.Error:
			wrong = true
		case dfa.Field:
			fields++
		case dfa.Record:
			em := m.Emission(e)
			fields++
			wrong = wrong || em.Code != 0 || fields < b.MinFields || fields > b.MaxFields && b.Rest < 0 && !b.Truncate
			switch {
			case !begun || em.Record != dfa.DataRecord:
			case wrong:
				t.bad++
			default:
				t.good++
			}
			if em.After(q) == q+1 { // the record ends without a look at the next one
				t.next, t.state = q+1, e.Next()
			}
			fields, begun, wrong = 0, true, false
		}
	}
	return t
}
