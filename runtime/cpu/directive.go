package cpu

import (
	"bytes"
	"context"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/runtime"
)

// directive is a record that is one, and the binding that it sets.
type directive struct {
	kind       dfa.RecordKind
	start, end int
	binding    *runtime.Binding
}

// directives finds out which binding is in force where each chunk begins, and
// after each directive. Then the chunks are read again.
func (p *parser) directives(ctx context.Context, part *runtime.Partition, chunks []*chunk) (*runtime.BindError, error) {
	err := p.parallel(ctx, len(chunks), func(w, i int) error {
		p.workers[w].clock.begin()
		chunks[i].collect(p.machine)
		p.workers[w].clock.lap(directiveStage)
		return nil
	})
	if err != nil {
		return nil, err
	}
	binding := part.Binding
	for i, ck := range chunks {
		ck.first = binding
		for j := range ck.directives {
			d := &ck.directives[j]
			b, err := p.plan.Bind(d.kind, bytes.TrimRight(part.Data[d.start:d.end], "\r\n"))
			if err != nil {
				for _, later := range chunks[i:] {
					later.stop = d.start
				}
				return &runtime.BindError{Offset: d.start, Err: err}, nil
			}
			if b != nil {
				binding = b
			}
			d.binding = binding
		}
	}
	return nil, nil
}

// collect finds the directives among ck's records.
func (ck *chunk) collect(m *machine) {
	at, begin, ok := ck.enter(m)
	if !ok {
		return
	}
	data, start, row := ck.part.Data, at, m.Row(begin)
	for p := at; p < len(data); p++ {
		e := m.Entries[row|uint32(data[p])]
		row = e.Row()
		if e.Kind() != dfa.Record {
			continue
		}
		em := m.Emission(e)
		boundary := p - int(em.Lag)
		ck.note(em.Record, start, boundary)
		if boundary >= ck.end {
			return
		}
		start, row = em.After(p), m.Row(m.resume(em, e))
		p = start - 1
	}
	if em := m.EOF(state(row)); ck.part.Final && em.Kind == dfa.Record {
		ck.note(em.Record, start, len(data)-int(em.Lag))
	}
}

func (ck *chunk) note(kind dfa.RecordKind, start, end int) {
	if kind >= dfa.FirstDirective {
		ck.directives = append(ck.directives, directive{kind: kind, start: start, end: end})
	}
}

// directive applies the directive that was just read, and ends at boundary. It reports
// whether the reading ends before it.
func (w *worker) directive(ck *chunk, kind dfa.RecordKind, boundary int) (stop bool) {
	if w.seen >= len(ck.directives) { // none were looked for
		if !w.plan.Program.Directives[kind-dfa.FirstDirective].Matters() {
			return false
		}
		again := ck.part.Again
		if again != nil && again(kind, bytes.TrimRight(ck.part.Data[w.record.start:boundary], "\r\n")) {
			return false
		}
		ck.missed = true
		if again != nil {
			w.leave(ck, w.record.start, w.machine.Row(w.record.begin))
		}
		return again != nil
	}
	d := ck.directives[w.seen]
	w.seen++
	ck.binding = d.binding
	if d.binding != w.binding { // the same again needs no new round
		w.rebind = d.binding
	}
	return false
}
