package runtime

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"github.com/dfaparse/dfaparse/dfa"
)

// This file is the pass over an input by readers that do not know of each other, on as
// many machines. Each reads a range of bytes, of which nobody knows in which state it
// begins: it finds out what comes of it for every state. Composed in order these are a
// Survey. What is composed is a state-transition vector with numbers.

// Range is what comes of a range of an input, for every state in which it may begin.
type Range struct {
	Offset    int64  `json:"offset"`
	Size      int64  `json:"size"`
	Lines     int64  `json:"lines"`      // line ends in it
	LineStart int64  `json:"line_start"` // offset behind the last of them, -1 if there is none
	Lanes     []Lane `json:"lanes"`      // different outcomes
	Of        []int  `json:"of"`         // by state in which it begins: the number of its lane
}

// Lane is what comes of a Range for some states.
type Lane struct {
	State   dfa.StateID `json:"state"`           // in which it ends
	Records int64       `json:"records"`         // data records that end in it
	First   *Checkpoint `json:"first,omitempty"` // the first record that begins in it, numbers counted from the range's beginning; nil: none does
}

func (l *Lane) same(m *Lane) bool {
	return l.State == m.State && l.Records == m.Records && (l.First == nil) == (m.First == nil) && (l.First == nil || *l.First == *m.First)
}

// ErrRanges is a format whose inputs are not read by Ranges: the columns of its records
// depend on directives, of which a range may have a part; or a lone \r ends lines.
var ErrRanges = errors.New("inputs of this format are not read by ranges")

const (
	// jointly is how many bytes of a Range are stepped from all states, at most.
	jointly = 16 << 10
	// rangeTask is how many bytes the engine is handed at once: they stay in its cache.
	rangeTask = 512 << 10
	// fewExits is the most symbols that are looked for in a state that others leave as it is.
	fewExits = 3
)

// Range reads data, which lie at an offset of the input. The Reader has read the head of that
// input, delivers no columns, and is used for nothing else. The bytes are stepped from
// all states until these have become one, or few; from the next record on the engine
// reads what is left.
func (r *Reader) Range(data []byte, offset int64) (*Range, error) {
	p := r.plan.Program
	if len(p.Directives) > 0 && p.Dynamic() || r.cr {
		return nil, ErrRanges
	}
	x := &Range{Offset: offset, Size: int64(len(data)), LineStart: -1}
	var l lines
	if l.count(data); l.last >= 0 {
		x.LineStart = offset + int64(l.last) + 1
	}
	x.Lines = l.n
	if r.exits == nil {
		r.exits = exitsOf(p.Automaton.Table())
	}
	w := &ranging{r: r, data: data, offset: offset, a: p.Automaton, table: p.Automaton.Table(), exits: r.exits}
	var all, live []*outcome
	for s := range p.Automaton.NStates() {
		all = append(all, &outcome{state: dfa.StateID(s)})
	}
	live = slices.Clone(all)
	at := 0
	for n := 4; at < min(len(data), jointly) && len(live) > 1; n *= 2 {
		to := min(at+n, len(data))
		for _, o := range live {
			w.step(o, at, to, false)
		}
		at, live = to, merge(live)
	}
	for _, o := range live {
		if err := w.finish(o, at); err != nil {
			return nil, err
		}
	}
	for _, o := range all {
		lane := o.lane()
		n := slices.IndexFunc(x.Lanes, func(l Lane) bool { return l.same(lane) })
		if n < 0 {
			n, x.Lanes = len(x.Lanes), append(x.Lanes, *lane)
		}
		x.Of = append(x.Of, n)
	}
	return x, nil
}

// outcome is what stepping from a state has come to.
type outcome struct {
	state   dfa.StateID
	records int64
	first   *Checkpoint
	into    *outcome // that it is like since, but for records; nil: none
	ahead   int64    // of records, what it has more than into
}

// lane is all that comes of o.
func (o *outcome) lane() *Lane {
	l := &Lane{o.state, o.records, o.first}
	for more := int64(0); o.into != nil; {
		more += o.ahead
		o = o.into
		l.State, l.Records = o.state, o.records+more
		if l.First == nil && o.first != nil {
			c := *o.first
			c.Records += more
			l.First = &c
		}
	}
	return l
}

// merge leaves one of those outcomes of which the same comes from here on.
func merge(live []*outcome) (kept []*outcome) {
	for _, o := range live {
		i := slices.IndexFunc(kept, func(k *outcome) bool { return k.state == o.state && (k.first == nil) == (o.first == nil) })
		if i < 0 {
			kept = append(kept, o)
			continue
		}
		o.into, o.ahead = kept[i], o.records-kept[i].records
	}
	return kept
}

// ranging reads a Range.
type ranging struct {
	r      *Reader
	data   []byte
	offset int64
	a      *dfa.Automaton
	table  *dfa.Table
	exits  [][]byte
}

// step steps o over data[at:to], or if next as far as a record begins behind one that has
// ended, and gives where that is; else -1.
func (w *ranging) step(o *outcome, at, to int, next bool) (begins int) {
	t, state := w.table, o.state
	for q := at; q < to; q++ {
		if exits := w.exits[state]; exits != nil {
			if q = w.find(exits, q, to); q == to {
				break
			}
		}
		e := t.Entry(state, w.data[q])
		state = e.Next()
		if e.Kind() != dfa.Record {
			continue
		}
		em := t.Emission(e)
		if em.Record == dfa.DataRecord {
			o.records++
		}
		begins := em.After(q)
		if begins < 0 {
			continue
		}
		if o.first == nil {
			o.first = w.checkpoint(begins, w.a.Resume(em, state), o.records)
		}
		if next {
			o.state = w.a.Resume(em, state)
			return begins
		}
	}
	o.state = state
	return -1
}

// exitsOf are, per state, the few symbols that do anything there, nil if they are many.
func exitsOf(t *dfa.Table) [][]byte {
	all := make([][]byte, len(t.AtEOF))
	for s := range all {
		var exits []byte
		for c := range 256 {
			if e := t.Entry(dfa.StateID(s), byte(c)); int(e.Next()) != s || e.Kind() == dfa.Record {
				exits = append(exits, byte(c))
			}
		}
		if len(exits) > 0 && len(exits) <= fewExits {
			all[s] = exits
		}
	}
	return all
}

// find is the offset of the first of some symbols, to if there is none.
func (w *ranging) find(symbols []byte, at, to int) int {
	const window = 4 << 10
	for ; at < to; at += window {
		part, found := w.data[at:min(at+window, to)], false
		for _, c := range symbols {
			if i := bytes.IndexByte(part, c); i >= 0 {
				part, found = part[:i], true
			}
		}
		if found {
			return at + len(part)
		}
	}
	return to
}

// checkpoint is where a record begins behind so many.
func (w *ranging) checkpoint(at int, state dfa.StateID, records int64) *Checkpoint {
	c := &Checkpoint{Offset: w.offset + int64(at), State: state, Directive: -1, Records: records, LineStart: -1}
	var l lines
	if l.count(w.data[:at]); l.last >= 0 {
		c.LineStart = w.offset + int64(l.last) + 1
	}
	c.Lines = l.n
	c.Look = lookAhead(w.a, mostLook(w.a), state, w.data[at:])
	return c
}

// finish reads what follows data[:at].
func (w *ranging) finish(o *outcome, at int) error {
	begins := w.step(o, at, len(w.data), true)
	if begins < 0 {
		return nil
	}
	rest := &Partition{Data: w.data[begins:], State: o.state, Binding: w.r.binding}
	err := rest.Cut(rangeTask, func(p *Partition) (*Result, error) {
		result, err := w.r.parser.Parse(w.r.o.ctx, p)
		if err != nil {
			return nil, err
		}
		if result.Err != nil {
			return nil, result.Err.Err
		}
		o.records += int64(result.NRows())
		o.state, begins = result.State, begins+result.Consumed
		return result, nil
	})
	if err != nil {
		return err
	}
	before := o.records
	if w.step(o, begins, len(w.data), false); o.records != before {
		return fmt.Errorf("byte %d: %w", w.offset+int64(begins), errUnaccounted)
	}
	return nil
}

// ComposeRanges gives the Survey of an input that begins, behind what comes before the first
// record, at a checkpoint, and goes on with ranges, each where the one before it ends.
// skipLines is the option WithSkipLines of the Readers.
func ComposeRanges(p *dfa.Program, skipLines int64, start Checkpoint, ranges []*Range) (*Survey, error) {
	s := &Survey{Program: Fingerprint(p, skipLines), Checkpoints: []Checkpoint{start}}
	at := start
	for _, x := range ranges {
		if x.Offset != at.Offset || len(x.Of) != p.Automaton.NStates() || slices.ContainsFunc(x.Of, func(n int) bool { return n < 0 || n >= len(x.Lanes) }) {
			return nil, fmt.Errorf("the range at byte %d does not go on at byte %d", x.Offset, at.Offset)
		}
		lane := &x.Lanes[x.Of[at.State]]
		if lane.First != nil && lane.First.Offset > s.End().Offset {
			c := *lane.First
			c.Records += at.Records
			c.Lines += at.Lines
			if c.LineStart < 0 {
				c.LineStart = at.LineStart
			}
			s.Checkpoints = append(s.Checkpoints, c)
		}
		at.Offset += x.Size
		at.State = lane.State
		at.Records += lane.Records
		at.Lines += x.Lines
		if x.LineStart >= 0 {
			at.LineStart = x.LineStart
		}
	}
	if e := p.Automaton.EOF(at.State); e.Kind == dfa.Record && e.Record == dfa.DataRecord {
		at.Records++
	}
	at.State, at.Look = 0, 0
	s.Checkpoints = append(s.Checkpoints, at)
	return s, nil
}

// mostLook is how many symbols of what follows a record may have to be seen before it is
// known to have ended, at most.
func mostLook(a *dfa.Automaton) (n int) {
	for i := range a.Emissions {
		if e := &a.Emissions[i]; e.Kind == dfa.Record && e.Lag > e.Open {
			n = max(n, int(e.Lag))
		}
	}
	return n
}

// lookAhead is how many bytes from where a record begins tell that the one before it has
// ended, in a state: not more than most, and none that tells of the end of this one.
func lookAhead(a *dfa.Automaton, most int, state dfa.StateID, data []byte) (n int) {
	for _, symbol := range data[:min(most, len(data))] {
		next, e := a.Step(state, symbol)
		if state = next; e.Kind == dfa.Record {
			break
		}
		n++
	}
	return n
}
