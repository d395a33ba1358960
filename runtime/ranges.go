package runtime

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/symbols"
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
	Program   string `json:"program"`    // Fingerprint of what has read it, which has the separator that the input names
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
	jointly = 4 << 10
	// rangeTask is how many bytes the engine is handed at once: they stay in its cache. So
	// many are enough to see whether it meets more than a problem in rarely bytes, which
	// takes it longer than a tally takes.
	rangeTask  = 512 << 10
	rangeProbe = 16 << 10
	rangePiece = 16 << 10 // what is counted at once
	few        = 2        // states are counted from side by side, rather than stepped from until one is left
	rarely     = 256
	// tails are how many bytes before the end of a Range are stepped from the states that a
	// tally leaves possible there, until one remains.
	firstTail, mostTail = 4 << 10, 1 << 20
	// fewExits is the most symbols that are looked for in a state that others leave as it is.
	fewExits = 3
)

// Range reads data, which lie at an offset of the input. The Reader has read the head of that
// input, delivers no columns, and is used for nothing else. The bytes are stepped from
// all states until these have become one, or few; from the next record on a tally counts
// what is left. Where quotes matter and one state is left, the engine reads: that is faster
// where there are many.
func (r *Reader) Range(data []byte, offset int64) (*Range, error) {
	if !r.ranges() {
		return nil, ErrRanges
	}
	p := r.plan.Program
	x := &Range{Offset: offset, Size: int64(len(data)), LineStart: -1, Program: r.tables.program}
	w := &ranging{r: r, data: data, offset: offset, a: p.Automaton, table: p.Automaton.Table(), rangeTables: r.tables}
	var all []*outcome
	for s := range p.Automaton.NStates() {
		all = append(all, &outcome{state: dfa.StateID(s)})
	}
	left := 1
	if w.tally.local() {
		left = few
	}
	live, at := w.jointly(slices.Clone(all), 0, min(len(data), jointly), left)
	if w.tally.light() && (w.tally.local() || len(live) > 1) {
		w.count(at, live...)
	} else {
		for _, o := range live {
			if err := w.finish(o, at); err != nil {
				return nil, err
			}
		}
	}
	w.see(len(data))
	if x.Lines = w.lines; w.lines > 0 {
		x.LineStart = offset + int64(w.line)
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

// ranges reports whether the Reader reads Ranges, and prepares for it: they may then be read
// side by side where a tally is local.
func (r *Reader) ranges() bool {
	p := r.plan.Program
	if len(p.Directives) > 0 && p.Dynamic() || r.cr {
		return false
	}
	if r.tables == nil {
		r.tables = &rangeTables{exitsOf(p.Automaton.Table()), newTally(p.Automaton), r.Fingerprint()}
	}
	return true
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

// rangeTables are what all Ranges of a Program are read by.
type rangeTables struct {
	exits   [][]byte // per state, see exitsOf
	tally   *tally   // nil: there is none
	program string   // Range.Program
}

// ranging reads a Range.
type ranging struct {
	*rangeTables
	r      *Reader
	data   []byte
	offset int64
	a      *dfa.Automaton
	table  *dfa.Table

	blocks blocks // of the tally

	seen  int   // the lines of what is before this offset have been counted
	lines int64 // how many they are
	line  int   // offset behind the last
}

// see counts the lines of data[:to], as soon as it is in the cache.
func (w *ranging) see(to int) {
	if to <= w.seen {
		return
	}
	var l lines
	if l.count(w.data[w.seen:to]); l.last >= 0 {
		w.line = w.seen + l.last + 1
	}
	w.lines, w.seen = w.lines+l.n, to
}

// jointly steps live over data[at:to] until so many of them are left, and gives those that are,
// and how far it came.
func (w *ranging) jointly(live []*outcome, at, to, left int) ([]*outcome, int) {
	for n := 4; at < to && len(live) > left; n *= 2 {
		next := min(at+n, to)
		for _, o := range live {
			w.step(o, at, next, false)
		}
		at, live = next, merge(live)
	}
	return live, at
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

// errMalformed ends what the engine reads of a Range.
var errMalformed = errors.New("there is much that is malformed")

// finish reads what follows data[:at].
func (w *ranging) finish(o *outcome, at int) error {
	begins := w.step(o, at, len(w.data), true)
	if begins < 0 {
		return nil
	}
	malformed := false
	parse := func(p *Partition) (*Result, error) {
		if malformed && w.tally != nil {
			return nil, errMalformed
		}
		result, err := w.r.parser.Parse(w.r.o.ctx, p)
		if err != nil {
			return nil, err
		}
		if result.Err != nil {
			return nil, result.Err.Err
		}
		problems := 0
		for i := range result.Rows {
			problems += len(result.Rows[i].Problems)
		}
		o.records += int64(result.NRows())
		o.state, begins = result.State, begins+result.Consumed
		w.see(begins)
		malformed = problems*rarely > result.Consumed
		return result, nil
	}
	probe := &Partition{Data: w.data[begins:min(begins+rangeProbe, len(w.data))], State: o.state, Binding: w.r.binding}
	_, err := parse(probe)
	if err == nil {
		rest := &Partition{Data: w.data[begins:], State: o.state, Binding: w.r.binding}
		err = rest.Cut(rangeTask, parse)
	}
	if err == errMalformed {
		w.count(begins, o)
		return nil
	}
	if err != nil {
		return err
	}
	before := o.records
	if w.step(o, begins, len(w.data), false); o.records != before {
		return fmt.Errorf("byte %d: %w", w.offset+int64(begins), errUnaccounted)
	}
	return nil
}

// counted is an outcome of which a tally counts the records.
type counted struct {
	*outcome
	from  int       // where that begins
	by    *counting // of others too, which have come to the same state
	ahead int64     // of records, what it has more than by
	tails []tail    // in order
}

// tail is where the end of a Range begins, or a shorter one, and the Outline's state there.
type tail struct {
	at    int
	state dfa.StateID
}

// count reads what follows data[:at], from all states that are left, by the tally. That needs to
// know where the first record begins.
func (w *ranging) count(at int, live ...*outcome) {
	var all []*counted
	var lanes []*counting
	ends := []int{len(w.data)} // of pieces
	for tail := firstTail; tail <= mostTail; tail *= 16 {
		ends = append(ends, len(w.data)-tail)
	}
	for at < len(w.data) {
		to := min(at+rangePiece, len(w.data))
		if skew := int((w.offset + int64(to)) % symbols.Block); to-skew > at {
			to -= skew // of a file in memory as a whole, blocks are read faster so
		}
		for _, end := range ends {
			if end > at {
				to = min(to, end)
			}
		}
		w.tally.count(&w.blocks, w.data, at, to, lanes...)
		live = slices.DeleteFunc(live, func(o *outcome) bool {
			from := at
			if o.first == nil {
				from = w.step(o, at, to, true)
			}
			if from < 0 {
				return false
			}
			c := &counted{outcome: o, from: from, by: w.tally.from(o.state)}
			w.tally.count(&w.blocks, w.data, from, to, c.by)
			all, lanes = append(all, c), append(lanes, c.by)
			return true
		})
		w.see(to)
		at = to
		lanes = join(all, lanes)
		if slices.Contains(ends, at) {
			for _, c := range all {
				c.tails = append(c.tails, tail{at, c.by.state})
			}
		}
	}
	for _, c := range all {
		w.end(c)
	}
}

// join leaves one of those lanes that have come to the same state.
func join(all []*counted, lanes []*counting) (kept []*counting) {
	for _, l := range lanes {
		i := slices.IndexFunc(kept, func(k *counting) bool { return k.state == l.state })
		if i < 0 {
			kept = append(kept, l)
			continue
		}
		for _, c := range all {
			if c.by == l {
				c.by, c.ahead = kept[i], c.ahead+l.records-kept[i].records
			}
		}
	}
	return kept
}

// end finds the state at the end. A tally knows it but for what makes no difference to it: the rest
// is found by stepping the end from all states that it may be, and if more than one is
// left, all of it.
func (w *ranging) end(c *counted) {
	for _, tail := range slices.Backward(c.tails) {
		var live []*outcome
		for s, of := range w.tally.of {
			if of == tail.state {
				live = append(live, &outcome{state: dfa.StateID(s), first: c.first})
			}
		}
		live, from := w.jointly(live, tail.at, len(w.data), 1)
		if len(live) == 1 {
			w.step(live[0], from, len(w.data), false)
			c.records, c.state = c.records+c.by.records+c.ahead, live[0].state
			return
		}
	}
	w.step(c.outcome, c.from, len(w.data), false)
}

// ComposeRanges gives the Survey of an input that begins, behind what comes before the first
// record, at a checkpoint, and goes on with ranges, each where the one before it ends.
// skipLines is the option WithSkipLines of the Readers.
func ComposeRanges(p *dfa.Program, skipLines int64, start Checkpoint, ranges []*Range) (*Survey, error) {
	s := &Survey{Program: Fingerprint(p, skipLines), Checkpoints: []Checkpoint{start}}
	if len(ranges) > 0 {
		s.Program = ranges[0].Program
	}
	at := start
	for _, x := range ranges {
		if x.Offset != at.Offset || len(x.Of) != p.Automaton.NStates() || slices.ContainsFunc(x.Of, func(n int) bool { return n < 0 || n >= len(x.Lanes) }) {
			return nil, fmt.Errorf("the range at byte %d does not go on at byte %d", x.Offset, at.Offset)
		}
		if x.Program != ranges[0].Program {
			return nil, fmt.Errorf("the range at byte %d was read by another format than the first, or with other lines passed over", x.Offset)
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
