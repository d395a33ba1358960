package cpu

import (
	"bytes"
	"cmp"
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
	return p.plan.Program.CutStride(n, state)
}

// Guess implements runtime.Forker. The end of data is stepped from every state.
// Most automata are in one of two or three states after some symbols, whatever
// they were in before, such as inside and outside of quotes: which of them
// makes sense soon shows.
func (p *parser) Guess(data []byte, b *runtime.Binding) (at, ahead int, state dfa.StateID, ok bool) {
	if len(p.plan.Program.Cells) > 0 { // see Cut
		return 0, 0, 0, false
	}
	if len(p.machine.AtEOF) > maxGuessed {
		return 0, 0, 0, false
	}
	for look := leastLook; ; look *= moreLook {
		end := data[max(len(data)-look, 0):]
		t, ok := p.guessAgain(end, b)
		if !ok {
			if t, ok = p.guessLast(end, b); ok && t.next > 0 {
				p.guessed.Store(uint64(t.state)<<8 | uint64(end[t.next-1]) | guessKnown)
			}
		}
		if ok {
			return len(data) - len(end) + t.next, t.seen - t.next, t.state, true
		}
		if len(end) == len(data) {
			return 0, 0, 0, false
		}
	}
}

// guessAgain is guessLast where the last guess shows where records begin: behind the same symbol, in
// the same state. That is tried at a few places, which takes no longer for many states. What is
// guessed makes sense, but nobody has asked whether something else would too.
func (p *parser) guessAgain(data []byte, b *runtime.Binding) (t trial, ok bool) {
	last := p.guessed.Load()
	if last&guessKnown == 0 || len(p.machine.AtEOF) <= fewStates {
		return t, false
	}
	at := 0
	for range againTried {
		n := bytes.IndexByte(data[at:], byte(last))
		if n < 0 {
			break
		}
		at += n + 1
		if t = p.try(data, at, p.machine.Row(dfa.StateID(last&^guessKnown>>8)), b); t.bad == 0 && t.good >= againGood {
			return t, true
		}
	}
	return t, false
}

// Bounds of guessAgain: of so few states all are tried; elsewhere so many places are, and so many
// records make sense that follow one of them.
const (
	fewStates  = 64
	againTried = 16
	againGood  = 3
)

// guessKnown is a bit of parser.guessed.
const guessKnown = 1 << 63

// guessLast is Guess for all of data.
func (p *parser) guessLast(data []byte, b *runtime.Binding) (t trial, ok bool) {
	m := p.machine
	may := make([]suspect, len(m.AtEOF))
	for s := range may {
		may[s].row = m.Row(dfa.StateID(s))
	}
	from := 0
	for step := 4; from < len(data) && len(may) > 1; step *= 2 {
		part := data[from:min(from+step, len(data)/4)]
		if len(part) == 0 {
			break
		}
		for i := range may {
			may[i].step(m, part)
		}
		may = distinct(may)
		if from += len(part); len(may) > maxTried && from >= leastSeen {
			if n := likely(may); n > 0 && n <= maxTried {
				break
			}
		}
	}
	if len(may) > maxTried { // brackets may be any number deep: only the right number ends records
		may = slices.DeleteFunc(may, suspect.unlikely)
	}
	if len(may) > maxTried {
		return trial{}, false
	}
	same, sensible := true, 0
	for i := range may {
		next := p.try(data, from, may[i].row, b)
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

// leastSeen is how many symbols all states are stepped by if they do not become few.
const leastSeen = 250

func likely(may []suspect) (n int) {
	for _, x := range may {
		if !x.unlikely() {
			n++
		}
	}
	return n
}

// suspect is a state that data may have led to, and what came on the way there.
type suspect struct {
	row     uint32
	records int
	erred   bool
}

// unlikely reports whether data has made no sense so far, or has no record.
func (x suspect) unlikely() bool { return x.erred || x.records == 0 }

func (x *suspect) step(m *machine, part []byte) {
	for _, symbol := range part {
		e := m.Entries[x.row|uint32(symbol)]
		x.row = e.Row()
		switch e.Kind() {
		case dfa.Record:
			x.records++
		case dfa.Error:
			x.erred = true
		}
	}
}

// distinct are those of may with different states, of which each has come to its state in
// the best way.
func distinct(may []suspect) []suspect {
	slices.SortFunc(may, func(x, y suspect) int {
		if c := cmp.Compare(x.row, y.row); c != 0 || x.erred == y.erred {
			return cmp.Or(c, cmp.Compare(y.records, x.records))
		}
		if x.erred {
			return 1
		}
		return -1
	})
	return slices.CompactFunc(may, func(x, y suspect) bool { return x.row == y.row })
}

// trial is what came of stepping from a state.
type trial struct {
	good, bad int         // records; the first, of which the beginning is not known, is none
	next      int         // after the last record, 0 if there was none
	seen      int         // after the symbol that showed its end
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
			t.next, t.state, t.seen = em.After(q), m.resume(em, e), q+1
			fields, begun, wrong = 0, true, false
		}
	}
	return t
}
