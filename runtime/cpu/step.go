package cpu

import (
	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/convert"
	"github.com/dfaparse/dfaparse/runtime"
)

// ended says why the reading of a round ends.
type ended uint8

const (
	goOn      ended = iota
	roundFull       // the rest of the chunk is for the next round
	chunkDone
)

// run steps the symbols up to q, which are filler, one by one as long as it has
// to. Then w.at is q, or further back if what a symbol ended lies there.
func (w *worker) run(ck *chunk, q int) ended {
	data, m := ck.part.Data, w.machine
	for w.at < q {
		if m.smooth(w.row) {
			w.field.decode = w.field.decode || w.field.end >= 0
			w.at, w.row = q, m.after[state(w.row)]
			break
		}
		if w.record.code != 0 && m.stuck[state(w.row)] { // of a malformed record no field counts
			w.at = q
			break
		}
		p := w.at
		if why := w.step(ck, p, m.Entries[w.row|uint32(data[p])]); why != goOn {
			return why
		}
		if w.at <= p { // behind the boundary may be more than filler
			break
		}
	}
	return goOn
}

// plainStep steps a symbol that ends nothing.
func (w *worker) plainStep(f *field, p int, row uint32, e dfa.Entry) {
	switch e.Kind() {
	case dfa.Data:
		f.decode = f.decode || f.end >= 0 || e.Coded()
	case dfa.Skip:
		f.decode = f.decode || e.Coded()
		if f.value == p {
			f.value = p + 1
		} else if f.end < 0 {
			f.end = p
		}
	case dfa.Error:
		w.blame(p, row, w.machine.Emission(e))
	}
}

// step steps the symbol at p, whatever it does; w.row is that of the state before
// it. Then w.at is where to go on.
func (w *worker) step(ck *chunk, p int, e dfa.Entry) ended {
	m, row := w.machine, w.row
	em := m.Emission(e)
	w.at, w.row = p+1, e.Row()
	switch e.Kind() {
	default:
		w.plainStep(&w.field, p, row, e)
	case dfa.Field:
		w.endField(ck, p-int(em.Lag), em)
		w.beginBehind(p, em)
		if w.record.rest >= 0 || w.record.excess >= 0 && w.record.column >= len(w.dest) && w.rest < 0 {
			w.passSurplus(ck.part.Data)
		}
	case dfa.Record:
		boundary := p - int(em.Lag)
		w.blame(p, row, em)
		w.endField(ck, boundary, em)
		if w.endRecord(ck, boundary, em.After(p), em) {
			return chunkDone
		}
		if em.Record != dfa.DataRecord {
			ck.extents.Pass(em.Record, em.After(p)-w.record.start)
		}
		next := m.resume(em, e)
		w.leave(ck, em.After(p), m.Row(next))
		if boundary >= ck.end || w.at >= ck.stop {
			return chunkDone
		}
		if boundary >= w.until || w.full() {
			return roundFull
		}
		w.open()
	}
	return goOn
}

// beginBehind begins the field behind the one that em has ended at p.
func (w *worker) beginBehind(p int, em *dfa.Emission) {
	open := em.Opens(p)
	w.field = field{raw: em.After(p), value: open, end: -1, decode: em.Escape, led: em.Escape, open: open, from: p + 1, row: w.row}
}

// passSurplus goes on to the last field of those that are counted only, as there are too many or they are
// in the rest: of the record, or up to one that has a number of its own.
func (w *worker) passSurplus(data []byte) {
	m, row, column := w.machine, w.row, w.record.column
	last, context := -1, row // where one ended, and the state behind it
	var by dfa.Entry
	for q, symbol := range data[w.at:] {
		e := m.Entries[row|uint32(symbol)]
		row = e.Row()
		if kind := e.Kind(); kind == dfa.Data || kind == dfa.Skip {
			continue
		} else if kind != dfa.Field || m.Emission(e).Column != dfa.NextColumn {
			break
		}
		column++
		last, context, by = w.at+q, row, e
	}
	if last >= 0 {
		w.at, w.row, w.record.column = last+1, context, column
		w.beginBehind(last, m.Emission(by))
	}
}

// endOfData is called when all symbols are read: of the input, or of what
// there is of it so far.
func (w *worker) endOfData(ck *chunk) {
	n, row := len(ck.part.Data), w.row
	ck.open = true
	if !ck.part.Final {
		if w.record.start > w.first {
			w.leave(ck, w.record.start, w.machine.Row(w.record.begin))
		}
		return
	}
	em := w.machine.EOF(state(row))
	ck.next, ck.resume = n, state(row)
	if em.Kind != dfa.Record {
		ck.extents.Tail += int64(n - w.record.start)
		return
	}
	w.blame(n, row, em)
	w.endField(ck, n-int(em.Lag), em)
	if w.endRecord(ck, n-int(em.Lag), n, em) {
		return
	}
	if em.Record != dfa.DataRecord {
		ck.extents.Pass(em.Record, n-w.record.start)
	}
}

// open begins a record.
func (w *worker) open() {
	w.record = record{start: w.at, begin: state(w.row), rest: -1, wrong: -1, excess: -1}
	w.beginField(w.at, w.row)
	if w.sparse {
		w.absent()
	}
}

// blame notes that the record is malformed, the first time that it is.
func (w *worker) blame(p int, row uint32, em *dfa.Emission) {
	r := &w.record
	if em.Code == 0 || r.code != 0 {
		return
	}
	r.code, r.at, r.offset, r.state, r.codeField = em.Code, p, p, state(row), r.column
	if em.Blame == dfa.BlameField {
		r.offset = w.field.raw
	}
}

// endField hands the field that ends at boundary to its column.
func (w *worker) endField(ck *chunk, boundary int, em *dfa.Emission) {
	r, f := &w.record, &w.field
	column := r.column
	if em.Column != dfa.NextColumn {
		column = int(em.Column)
	}
	r.column = column + 1
	switch {
	case w.fixed:
		return
	case w.rest >= 0 && (column >= w.rest || r.rest >= 0):
		if r.rest < 0 {
			r.rest = f.raw
		}
		return
	case column >= len(w.dest):
		if r.excess < 0 {
			r.excess, r.surplus = column, f.raw
		}
		return
	}
	if want := w.classes[column]; want != 0 && want != em.Class && r.wrong < 0 {
		r.wrong, r.faulty = column, f.raw
	}
	if w.dest[column] < 0 {
		return
	}
	col := &w.fields[w.dest[column]]
	if f.decode {
		w.decode(ck, boundary, col)
		if s := w.settlers[w.dest[column]]; s != nil && w.asWritten(ck, boundary) {
			s.Settle(col, w.nrows, &w.written)
		}
		return
	}
	end := boundary
	if f.end >= 0 && f.end < end {
		end = f.end
	}
	col.Start[w.nrows] = uint32(min(f.value, end) - w.base)
	col.End[w.nrows] = uint32(end - w.base)
}

// endRecord closes the record that ends at boundary, before the one at next: a row, or nothing. It
// reports whether the reading ends before it.
func (w *worker) endRecord(ck *chunk, boundary, next int, em *dfa.Emission) (stop bool) {
	r := &w.record
	switch {
	case em.Record == dfa.DataRecord:
	case em.Record >= dfa.FirstDirective:
		return w.directive(ck, em.Record, boundary)
	default:
		return false
	}
	if w.fixed {
		w.cut(boundary)
	}
	if r.rest >= 0 {
		w.takeRest(boundary)
	}
	w.rows[w.nrows].set(r.start, boundary, r.begin, em.Class)
	w.rows[w.nrows].about |= r.line
	b := w.binding
	problem := runtime.Problem{Output: -1, Field: -1, Offset: r.start}
	switch {
	case boundary-r.start > w.plan.MaxRecord:
		problem.What = runtime.TooLong
	case r.code != 0:
		problem.What, problem.Offset, problem.Field = runtime.Lexical, r.offset, r.codeField
		problem.Lexical, problem.State, problem.At = r.code, r.state, r.at
	case r.column < b.MinFields:
		problem.What, problem.Offset = runtime.TooFew, boundary
	case r.column > b.MaxFields && b.Rest < 0 && !b.Truncate:
		problem.What, problem.Field, problem.Offset = runtime.TooMany, r.excess, r.surplus
	case r.wrong >= 0:
		problem.What, problem.Field, problem.Offset = runtime.WrongClass, r.wrong, r.faulty
	default:
		if r.column < len(w.dest) && !w.sparse {
			w.pad(r.column)
		}
		if n := r.column - b.MaxFields; n > 0 && b.Rest < 0 {
			w.note(ck, w.nrows, runtime.Note{What: runtime.SurplusFields, N: n, Offset: r.surplus})
		}
		w.nrows++
		return false
	}
	w.reject(ck, next, &problem)
	return false
}

// reject makes no row of the record that the next row would be of, or a row without fields, as it has a
// problem. The record after it begins at next.
func (w *worker) reject(ck *chunk, next int, problem *runtime.Problem) {
	r, drops := &w.rows[w.nrows], w.isDropped(problem)
	if drops && w.brief {
		w.drop(w.nrows + len(w.omitted))
		w.sizes = append(w.sizes, ck.sizeOf(r, next))
	} else {
		w.add(ck, w.nrows, r, problem)
	}
	if drops {
		w.omitted = append(w.omitted, w.nrows)
		return
	}
	w.absent()
	w.rows[w.nrows].about |= rowBad
	w.spoilt = true
	w.nrows++
}

// takeRest makes the rest of the record one field, as written.
func (w *worker) takeRest(boundary int) {
	if d := w.dest[w.rest]; d >= 0 {
		w.fields[d].Start[w.nrows] = uint32(w.record.rest - w.base)
		w.fields[d].End[w.nrows] = uint32(boundary - w.base)
	}
}

// cut makes columns of fixed width of the record.
func (w *worker) cut(boundary int) {
	r := &w.record
	at := r.start
	r.column = 0
	if w.strides != nil {
		boundary++ // which is data
	}
	for i, width := range w.plan.Program.Widths {
		if at >= boundary {
			return
		}
		to := min(at+width, boundary)
		if d := w.dest[i]; d >= 0 {
			w.fields[d].Start[w.nrows], w.fields[d].End[w.nrows] = uint32(at-w.base), uint32(to-w.base)
		}
		at = to
		r.column++
	}
	if at < boundary {
		r.excess, r.surplus = r.column, at
		r.column++
	}
}

// pad makes the fields from number n on absent.
func (w *worker) pad(n int) {
	for _, d := range w.dest[n:] {
		if d >= 0 {
			w.fields[d].Start[w.nrows], w.fields[d].End[w.nrows] = convert.Absent, 0
		}
	}
}

// absent makes all fields of the row absent.
func (w *worker) absent() {
	for i := range w.fields {
		w.fields[i].Start[w.nrows], w.fields[i].End[w.nrows] = convert.Absent, 0
	}
}
