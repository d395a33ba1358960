package cpu

import (
	"bytes"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/runtime"
)

// Fork implements runtime.Forker.
func (p *parser) Fork() (runtime.Parser, error) {
	w, err := newWorker(p.plan, p.machine)
	if err != nil {
		return nil, err
	}
	return &parser{plan: p.plan, chunk: p.chunk, machine: p.machine, workers: []*worker{w}}, nil
}

// How much of the data's end a guess looks at: as little as will do.
const (
	leastLook = 4 << 10
	moreLook  = 8
)

// Guess implements runtime.Forker. The end of data is stepped, from where the
// automaton is in one state whatever it was in before, or, where quotes toggle,
// once from inside and once from outside of them: soon one of the two makes no
// sense, or both are the same.
func (p *parser) Guess(data []byte, b *runtime.Binding) (at int, state dfa.StateID, ok bool) {
	if len(p.plan.Program.Directives) > 0 {
		return 0, 0, false // they would have to be found first
	}
	c := p.machine.contexts()
	for look := leastLook; ; look *= moreLook {
		end := data[max(len(data)-look, 0):]
		if t, ok := p.guessLast(c, end, b); ok {
			return len(data) - len(end) + t.next, t.state, true
		}
		if len(end) == len(data) {
			return 0, 0, false
		}
	}
}

// guessLast is Guess for all of data.
func (p *parser) guessLast(c *contexts, data []byte, b *runtime.Binding) (trial, bool) {
	if len(c.sync) > 0 {
		first := len(data)
		for _, symbol := range c.sync {
			if i := bytes.IndexByte(data[:first], symbol); i >= 0 {
				first = i
			}
		}
		t := p.try(data, first+1, c.synced, b)
		return t, t.next > 0
	}
	g := c.guess
	if g == nil {
		return trial{}, false
	}
	from := 1
	for from < len(data) && (data[from-1] == g.toggle || data[from] == g.toggle) {
		from++ // beside a toggle the state is no usual one: it may be one of two
	}
	if from >= len(data) {
		return trial{}, false
	}
	outside, inside := p.try(data, from, g.state[0], b), p.try(data, from, g.state[1], b)
	switch {
	case outside.next > 0 && outside.next == inside.next && outside.state == inside.state:
		return outside, true // an error has led to where the truth is
	case outside.good > 0 && inside.odd():
		return outside, true
	case inside.good > 0 && outside.odd():
		return inside, true
	}
	return trial{}, false
}

// trial is what came of stepping from a state.
type trial struct {
	good, bad int         // records; the first, of which the beginning is not known, is none
	next      int         // after the last record, 0 if there was none
	state     dfa.StateID // the context there
}

// odd reports whether that makes no sense.
func (t *trial) odd() bool { return t.good == 0 || t.bad > 2*t.good }

// try steps data from an offset on, from a state.
func (p *parser) try(data []byte, from int, s dfa.StateID, b *runtime.Binding) (t trial) {
	m := p.machine
	row := m.Row(s)
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
