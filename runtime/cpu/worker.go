package cpu

import (
	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/convert"
)

// batchFields is about how many fields are indexed before they are converted:
// their places, 8 bytes a field, stay in the second-level cache.
const batchFields = 16 << 10

// maxBatchBytes bounds how far the fields of a batch lie apart, so that their
// places fit into 31 bits together with one record of the largest size.
const maxBatchBytes = 1 << 28

// worker reads one piece at a time.
type worker struct {
	plan  *runtime.Plan
	table *dfa.Table

	// How the records of the segment are shaped: see bind.
	binding *runtime.Binding
	dest    []int   // field number -> fields; -1: nobody wants it
	classes []uint8 // field number -> expected class; nil: nothing to check
	rest    int     // field number of the rest, -1
	sparse  bool    // records may lack any of their fields

	// The batch.
	maxRows int
	nrows   int
	base    int              // offset in the partition that places are relative to
	fields  []convert.Fields // one a Plan.Column
	starts  []int            // per row: the record,
	ends    []int            // its boundary,
	begins  []dfa.StateID    // and its context
	bad     []bool           // it has a structural problem
	line    *convert.Fields  // Widths: the whole record, as the one field that it is

	// The record being read.
	at     int
	state  dfa.StateID
	record record
	field  field
	seen   int              // directives of the piece
	rebind *runtime.Binding // set by the last of them, for the next batch
	found  int              // problems of the piece before this batch

	outputs []output
	splits  []*split
	errs    []convert.FieldError
}

func newWorker(plan *runtime.Plan, t *dfa.Table) (*worker, error) {
	n := len(plan.Columns)
	w := &worker{plan: plan, table: t, maxRows: min(max(batchFields/max(n, 1), 64), 4096)}
	w.sparse = len(plan.Program.Directives) > 0 || len(plan.Program.Widths) > 0
	for i := range t.Emissions {
		if e := &t.Emissions[i]; e.Boundary() && e.Column != dfa.NextColumn {
			w.sparse = true
		}
	}
	w.fields = make([]convert.Fields, n, n+1)
	if len(plan.Program.Widths) > 0 {
		w.fields = w.fields[:n+1]
		w.line = &w.fields[n]
	}
	for i := range w.fields {
		w.fields[i].Start = make([]uint32, w.maxRows)
		w.fields[i].End = make([]uint32, w.maxRows)
	}
	w.starts, w.ends = make([]int, w.maxRows), make([]int, w.maxRows)
	w.begins, w.bad = make([]dfa.StateID, w.maxRows), make([]bool, w.maxRows)
	return w, w.prepare()
}

// bind makes b the shape of the records that follow.
func (w *worker) bind(b *runtime.Binding) {
	if w.binding == b {
		return
	}
	w.binding, w.rest = b, b.Rest
	w.dest = append(w.dest[:0], make([]int, b.MaxFields)...)
	w.classes = nil
	for i := range w.dest {
		w.dest[i] = -1
	}
	wanted := make([]bool, len(w.plan.Columns))
	for _, o := range w.plan.Outputs {
		wanted[o.Column] = true
	}
	for c, f := range b.Source {
		if f < 0 {
			continue
		}
		if wanted[c] {
			w.dest[f] = c
		}
		if class := w.plan.Columns[c].Class; class != 0 {
			if w.classes == nil {
				w.classes = make([]uint8, b.MaxFields)
			}
			w.classes[f] = class
		}
	}
}

// full reports whether the batch has to be converted before another record.
func (w *worker) full(p int) bool {
	return w.nrows == w.maxRows || p-w.base > maxBatchBytes || w.rebind != nil
}

// read indexes and converts the records of pc.
func (w *worker) read(pc *piece) error {
	at, state, ok := pc.enter(w.table)
	if !ok {
		return nil
	}
	w.at, w.state, w.seen, w.rebind = at, state, 0, nil
	w.bind(pc.first)
	for more := true; more; {
		if w.at >= pc.stop {
			break
		}
		w.nrows, w.base, w.found = 0, w.at, len(pc.rows.Problems)
		for i := range w.fields {
			w.fields[i].Src, w.fields[i].Decoded = pc.part.Data[w.base:], w.fields[i].Decoded[:0]
		}
		more = w.index(pc)
		w.convert(pc)
		pc.rows.N += w.nrows
		if w.rebind != nil {
			w.bind(w.rebind)
			w.rebind = nil
		}
	}
	return nil
}

// fieldStart finds the first symbol of a field by reading its record again. It
// is the record's boundary if the record has no such field, and the last field
// of that number if it has several; field number rest is all from there on.
func fieldStart(p *dfa.Program, data []byte, start, boundary int, begin dfa.StateID, number, rest int) int {
	at := boundary
	p.Automaton.Walk(data[start:min(boundary+1, len(data))], begin, func(rec *dfa.RawRecord) bool {
		if len(p.Widths) > 0 {
			at = start
			for _, w := range p.Widths[:number] {
				at += w
			}
			at = min(at, boundary)
			return false
		}
		for _, f := range rec.Fields {
			whole := rest >= 0 && f.Column >= rest
			if f.Column == number || whole && number == rest {
				at = start + f.Start
			}
			if whole {
				break
			}
		}
		return false
	})
	return at
}
