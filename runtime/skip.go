package runtime

import (
	"bytes"

	"github.com/dfaparse/dfaparse/dfa"
)

// longest is the carry-over that may still become a record: more of it than
// this is a record longer than the limit, whatever follows.
func (r *Reader) longest(p *dfa.Program) int { return r.o.maxRecord + lag(p.Automaton) + 1 }

// lag is the largest Lag of any emission.
func lag(a *dfa.Automaton) int {
	n := 0
	for i := range a.Emissions {
		n = max(n, int(a.Emissions[i].Lag))
	}
	return n
}

// skipRecord passes over the record at the head of the data, which is longer
// than the limit and not all there, in bounded memory: it runs the automaton
// and keeps only the beginning for the reject. If the record turns out to be
// data, it is judged as any other malformed record.
func (r *Reader) skipRecord() error {
	a := r.plan.Program.Automaton
	begin, state := r.state, r.state
	head := bytes.Clone(r.src.data[:min(len(r.src.data), maxRaw)])
	start := r.pos
	keep := lag(a)
	seen := 0 // bytes of the data already read by the automaton
	for {
		data := r.src.data
		for q := seen; q < len(data); q++ {
			next, e := a.Step(state, data[q])
			state = next
			if e.Kind == dfa.Record {
				r.advancePast(e.After(q))
				r.state = a.Resume(e, next)
				return r.tooLong(e.Record, start, head, begin)
			}
		}
		if r.src.final() {
			e := a.EOF(state)
			r.advancePast(len(data))
			if e.Kind == dfa.Record {
				return r.tooLong(e.Record, start, head, begin)
			}
			return nil
		}
		if r.src.err != nil {
			return r.inputError()
		}
		if err := r.o.ctx.Err(); err != nil {
			return err
		}
		drop := len(data) - min(keep, len(data))
		r.advancePast(drop)
		seen = len(data) - drop
		r.src.more()
	}
}

// tooLong judges the record that was passed over.
func (r *Reader) tooLong(kind dfa.RecordKind, start position, head []byte, begin dfa.StateID) error {
	if kind != dfa.DataRecord {
		return nil
	}
	defer func(pos position) { r.pos = pos }(r.pos)
	r.pos, r.cursor = start, start
	p := &Partition{Data: head}
	problem := Problem{What: TooLong, Output: -1, Field: -1, End: len(head), Begin: begin, Binding: r.binding}
	defer func() { r.stats.Records++ }()
	if r.stats.Records < r.o.skip {
		return nil
	}
	_, err := r.judge(p, []Problem{problem}, r.stats.Records+1)
	return err
}
