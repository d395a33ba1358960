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

// directives finds out which binding is in force where each piece begins, and
// after each directive. Then the pieces are read again.
func (p *parser) directives(ctx context.Context, part *runtime.Partition, pieces []*piece) (*runtime.BindError, error) {
	err := p.parallel(ctx, len(pieces), func(w, i int) error {
		p.workers[w].clock.begin()
		pieces[i].collect(p.machine)
		p.workers[w].clock.lap(directiveStage)
		return nil
	})
	if err != nil {
		return nil, err
	}
	binding := part.Binding
	for i, pc := range pieces {
		pc.first = binding
		for j := range pc.directives {
			d := &pc.directives[j]
			b, err := p.plan.Bind(d.kind, bytes.TrimRight(part.Data[d.start:d.end], "\r\n"))
			if err != nil {
				for _, later := range pieces[i:] {
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

// mayDirect is a guess that saves reading twice: whether something looks like a
// directive that sets a binding. What is one the automaton says, not the prefix.
func (p *parser) mayDirect(data []byte) bool {
	for _, d := range p.plan.Program.Directives {
		if d.Action == dfa.SchemaDirective && bytes.Contains(data, []byte(d.Prefix)) {
			return true
		}
	}
	return false
}

// collect finds the directives among pc's records.
func (pc *piece) collect(m *machine) {
	at, begin, ok := pc.enter(m)
	if !ok {
		return
	}
	data, start, row := pc.part.Data, at, m.Row(begin)
	for p := at; p < len(data); p++ {
		e := m.Entries[row|uint32(data[p])]
		row = e.Row()
		if e.Kind() != dfa.Record {
			continue
		}
		em := m.Emission(e)
		boundary := p - int(em.Lag)
		pc.note(em.Record, start, boundary)
		if boundary >= pc.end {
			return
		}
		start, row = em.After(p), m.Row(m.resume(em, e))
		p = start - 1
	}
	if em := m.EOF(state(row)); pc.part.Final && em.Kind == dfa.Record {
		pc.note(em.Record, start, len(data)-int(em.Lag))
	}
}

func (pc *piece) note(kind dfa.RecordKind, start, end int) {
	if kind >= dfa.FirstDirective {
		pc.directives = append(pc.directives, directive{kind: kind, start: start, end: end})
	}
}

// directive applies the directive that was just read.
func (w *worker) directive(pc *piece, kind dfa.RecordKind) {
	if w.seen >= len(pc.directives) { // none were looked for
		pc.missed = pc.missed || w.plan.Program.Directives[kind-dfa.FirstDirective].Action == dfa.SchemaDirective
		return
	}
	d := pc.directives[w.seen]
	w.seen++
	pc.binding = d.binding
	w.rebind = d.binding
}
