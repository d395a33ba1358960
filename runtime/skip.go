package runtime

import (
	"bytes"

	"github.com/dfaparse/dfaparse/dfa"
)

// longest is the carry-over that may still become a record: more of it than
// this is a record longer than the limit, whatever follows.
func (r *Reader) longest(p *dfa.Program) int { return r.o.maxRecord + p.Automaton.MaxLag() + 1 }

// skipRecord passes over the record at the head of the data, which is longer
// than the limit and not all there, and keeps only its beginning for the
// reject. If the record turns out to be data, it is judged as any other
// malformed record. over says that the input ended with it.
func (r *Reader) skipRecord() (over bool, err error) {
	r.pos.count()
	begin, start := r.state, r.pos
	head := bytes.Clone(r.src.data[:min(len(r.src.data), maxRaw)])
	kind, ended, over, err := r.passRecord(r.plan.Program.Automaton, r.advancePast)
	if err != nil {
		r.stats.Bytes = start.offset - r.from
		return over, err
	}
	r.pos.count()
	of := size{r.pos.offset - start.offset, r.pos.lines - start.lines}
	if r.pos.line < r.pos.offset {
		of.lines++
	}
	if start.pend && len(head) > 0 && head[0] == '\n' {
		of.lines++ // as sizeUpTo counts, which does not see the CR before it
	}
	t := Extents{Tail: of.bytes}
	switch {
	case ended && kind == dfa.DataRecord:
		t = Extents{Data: of.bytes}
	case ended:
		t = Extents{}
		t.Pass(kind, int(of.bytes))
	}
	r.fate = fate{records: r.stats.Records}
	if ended {
		if err = r.tooLong(kind, start, head, begin, of); err != nil && r.fate.rejected.Records == 0 {
			r.stats.Bytes = start.offset - r.from
			return over, err
		}
	}
	r.book(&t, of.bytes*r.fate.skipped)
	return over, err
}

// passRecord passes over the record at the head of the data in bounded memory:
// it runs the automaton and drops, by advance, what the automaton has read.
// over says that the input ended; where no record ended with it, ended is false.
func (r *Reader) passRecord(a *dfa.Automaton, advance func(nbytes int)) (kind dfa.RecordKind, ended, over bool, err error) {
	state := r.state
	keep := a.MaxLag()
	seen := 0 // bytes of the data already read by the automaton
	for {
		data := r.src.data
		for q := seen; q < len(data); q++ {
			next, e := a.Step(state, data[q])
			state = next
			if e.Kind == dfa.Record {
				advance(e.After(q))
				r.state = a.Resume(e, next)
				return e.Record, true, false, nil
			}
		}
		if r.src.final() {
			e := a.EOF(state)
			advance(len(data))
			return e.Record, e.Kind == dfa.Record, true, nil
		}
		if r.src.err != nil {
			return 0, false, false, r.inputError()
		}
		if err := r.o.ctx.Err(); err != nil {
			return 0, false, false, err
		}
		drop := len(data) - min(keep, len(data))
		advance(drop)
		seen = len(data) - drop
		r.src.more()
	}
}

// tooLong judges the record that was passed over.
func (r *Reader) tooLong(kind dfa.RecordKind, start position, head []byte, begin dfa.StateID, of size) error {
	if err := r.longDirective(r.plan.Program, kind, start); err != nil {
		return err
	}
	if kind != dfa.DataRecord {
		return nil
	}
	defer func(pos position) { r.pos = pos }(r.pos)
	r.pos, r.cursor = start, start
	p := &Partition{Data: head}
	problem := Problem{What: TooLong, Output: -1, Field: -1, End: len(head), Begin: begin, Binding: r.binding}
	defer func() { r.stats.Records++ }()
	if r.stats.Records < r.o.skip {
		r.fate.skipped++
		return nil
	}
	_, err := r.judge(p, []Problem{problem}, r.stats.Records+1, of)
	return err
}
