package cpu

import (
	"math"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/convert"
)

// piece is a chunk and what became of it.
type piece struct {
	part       *runtime.Partition
	begin, end int         // the chunk; its worker has the records whose preceding boundary is in it
	state      dfa.StateID // the context at begin
	first      *runtime.Binding
	stop       int // offset of the directive that was refused

	rows       runtime.Rows
	next       int // after the last boundary, 0 if there was none
	resume     dfa.StateID
	binding    *runtime.Binding // the last that a directive here set, nil if none did
	directives []directive
}

func newPiece(plan *runtime.Plan) *piece {
	pc := &piece{}
	for _, o := range plan.Outputs {
		pc.rows.Columns = append(pc.rows.Columns, convert.NewColumn(&plan.Def(o).Type))
	}
	return pc
}

func (pc *piece) reset(part *runtime.Partition, begin, end int, state dfa.StateID) {
	for _, c := range pc.rows.Columns {
		c.Reset()
	}
	*pc = piece{
		part: part, begin: begin, end: end, state: state, first: part.Binding, stop: math.MaxInt,
		rows:       runtime.Rows{Columns: pc.rows.Columns, Problems: pc.rows.Problems[:0]},
		directives: pc.directives[:0],
	}
}

// enter gives the offset and the context of the first record that is pc's, and
// whether there is one.
func (pc *piece) enter(t *dfa.Table) (at int, state dfa.StateID, ok bool) {
	if pc.begin == 0 {
		return 0, pc.state, true
	}
	data := pc.part.Data
	row := t.Row(pc.state)
	for p := pc.begin; p < len(data); p++ {
		e := t.Entries[row|uint32(data[p])]
		row = e.Row()
		if e.Kind() != dfa.Record {
			continue
		}
		em := t.Emission(e)
		boundary := p - int(em.Lag)
		switch {
		case boundary < pc.begin:
		case boundary >= pc.end:
			return 0, 0, false
		default:
			return em.After(p), resume(t, em, e), true
		}
	}
	return 0, 0, false
}

// resume is the context of the record that follows the Record emission em of e.
func resume(t *dfa.Table, em *dfa.Emission, e dfa.Entry) dfa.StateID {
	if em.Lag > em.Open {
		return t.Start
	}
	return e.Next()
}

// work are the bits of an entry of which one is set unless the symbol is data
// that stands for itself.
const work = dfa.Entry(7<<29 | 1)

// field is the one being read. Its value is data[value:end], or up to its
// boundary if end < 0, unless it has to be decoded.
type field struct {
	raw    int  // its first symbol
	value  int  // its first data symbol, or what could still become it
	end    int  // the control symbol after the last data symbol; -1: none so far
	decode bool // its data symbols do not lie side by side as they are

	// Where decoding begins: [open, from) is data as it is; from there on the
	// automaton says, beginning in state.
	open, from int
	row        uint32
}

// record is the one being read.
type record struct {
	start   int
	begin   dfa.StateID
	column  int // of the next field
	rest    int // first symbol of the field from which on the record is one field; -1: not there yet
	wrong   int // the first column that is not enclosed as it should be; -1: none
	excess  int // the first column beyond those of the binding; -1: none
	surplus int // first symbol of the field of column excess
	faulty  int // first symbol of the field of column wrong

	code      dfa.ErrorCode
	at        int         // symbol without a transition
	offset    int         // where that is reported
	state     dfa.StateID // before it
	codeField int
}

// index reads records from w.at on, until the batch is full or pc's last
// record is read; it reports whether there may be more. Fields go straight to
// their columns: partition is part of it.
func (w *worker) index(pc *piece) (more bool) {
	data, t := pc.part.Data, w.table
	entries := t.Entries
	n := len(data)
	p, row := w.at, t.Row(w.state)
	w.open(p, row)
	for {
		from := p
		var e dfa.Entry
		for p < n {
			e = entries[row|uint32(data[p])]
			if e&work != 0 {
				break
			}
			row = e.Row()
			p++
		}
		f := &w.field
		if p > from && f.end >= 0 {
			f.decode = true
		}
		if p == n {
			if pc.part.Final {
				w.endOfInput(pc, row)
			}
			return false
		}
		switch e.Kind() {
		case dfa.Skip:
			if f.value == p {
				f.value = p + 1
			} else if f.end < 0 {
				f.end = p
			}
		case dfa.Data:
			f.decode = true
		case dfa.Error:
			w.blame(p, row, t.Emission(e))
		case dfa.Field:
			em := t.Emission(e)
			w.endField(pc, p-int(em.Lag), em)
			w.nextField(p, em, e.Row())
		case dfa.Record:
			em := t.Emission(e)
			boundary := p - int(em.Lag)
			w.blame(p, row, em)
			w.endField(pc, boundary, em)
			w.endRecord(pc, boundary, em)
			p = em.After(p)
			w.at, w.state = p, resume(t, em, e)
			pc.next, pc.resume = p, w.state
			row = t.Row(w.state)
			if boundary >= pc.end || p >= pc.stop {
				return false
			}
			if w.full(p) {
				return true
			}
			w.open(p, row)
			continue
		}
		row = e.Row()
		p++
	}
}

// endOfInput applies what the end of the input means.
func (w *worker) endOfInput(pc *piece, row uint32) {
	n := len(pc.part.Data)
	em := w.table.EOF(state(row))
	pc.next, pc.resume = n, state(row)
	if em.Kind != dfa.Record {
		return
	}
	w.blame(n, row, em)
	w.endField(pc, n-int(em.Lag), em)
	w.endRecord(pc, n-int(em.Lag), em)
}

// open begins a record.
func (w *worker) open(p int, row uint32) {
	w.record = record{start: p, begin: state(row), rest: -1, wrong: -1, excess: -1}
	w.field = field{raw: p, value: p, end: -1, open: p, from: p, row: row}
	if w.sparse {
		w.absent()
	}
}

// nextField begins the field after the one that ended at emission em of p.
func (w *worker) nextField(p int, em *dfa.Emission, row uint32) {
	raw := em.After(p)
	open := p - int(em.Lag) + 1 + int(em.Open)
	w.field = field{raw: raw, value: open, end: -1, open: open, from: p + 1, row: row}
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
func (w *worker) endField(pc *piece, boundary int, em *dfa.Emission) {
	r, f := &w.record, &w.field
	column := r.column
	if em.Column != dfa.NextColumn {
		column = int(em.Column)
	}
	r.column = column + 1
	var col *convert.Fields
	switch {
	case w.line != nil:
		col = w.line
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
	default:
		if w.classes != nil && r.wrong < 0 && w.classes[column] != 0 && w.classes[column] != em.Class {
			r.wrong, r.faulty = column, f.raw
		}
		if w.dest[column] < 0 {
			return
		}
		col = &w.fields[w.dest[column]]
	}
	if f.decode {
		w.decode(pc, boundary, col)
		return
	}
	end := boundary
	if f.end >= 0 && f.end < end {
		end = f.end
	}
	col.Start[w.nrows] = uint32(min(f.value, end) - w.base)
	col.End[w.nrows] = uint32(end - w.base)
}

// decode puts the decoded data symbols of the field into col.
func (w *worker) decode(pc *piece, boundary int, col *convert.Fields) {
	data, f := pc.part.Data, &w.field
	start := len(col.Decoded)
	col.Decoded = append(col.Decoded, data[min(f.open, boundary):min(f.from, boundary)]...)
	row := f.row
	for q := f.from; q < boundary; q++ {
		e := w.table.Entries[row|uint32(data[q])]
		if e.Kind() == dfa.Data {
			col.Decoded = append(col.Decoded, dfa.Decode(data, q, w.table.Emission(e)))
		}
		row = e.Row()
	}
	col.Start[w.nrows] = uint32(start) | convert.InDecoded
	col.End[w.nrows] = uint32(len(col.Decoded))
}

// endRecord closes the record that ends at boundary: a row, or nothing.
func (w *worker) endRecord(pc *piece, boundary int, em *dfa.Emission) {
	r := &w.record
	switch {
	case em.Record == dfa.DataRecord:
	case em.Record >= dfa.FirstDirective:
		w.directive(pc)
		return
	default:
		return
	}
	if w.line != nil {
		w.cut()
	}
	if r.rest >= 0 {
		w.takeRest(boundary)
	}
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
		w.starts[w.nrows], w.ends[w.nrows], w.begins[w.nrows] = r.start, boundary, r.begin
		w.bad[w.nrows] = false
		w.nrows++
		return
	}
	w.absent()
	problem.Row = pc.rows.N + w.nrows
	problem.Start, problem.End, problem.Begin, problem.Binding = r.start, boundary, r.begin, b
	pc.rows.Problems = append(pc.rows.Problems, problem)
	w.bad[w.nrows] = true
	w.nrows++
}

// takeRest makes the rest of the record one field, as written.
func (w *worker) takeRest(boundary int) {
	if d := w.dest[w.rest]; d >= 0 {
		w.fields[d].Start[w.nrows] = uint32(w.record.rest - w.base)
		w.fields[d].End[w.nrows] = uint32(boundary - w.base)
	}
}

// cut makes columns of fixed width of the record's one field.
func (w *worker) cut() {
	r := &w.record
	value, _ := w.line.At(w.nrows)
	start, at := w.line.Start[w.nrows], 0
	r.column = 0
	for i, width := range w.plan.Program.Widths {
		if at >= len(value) {
			return
		}
		to := min(at+width, len(value))
		if d := w.dest[i]; d >= 0 {
			w.place(&w.fields[d], value, start, at, to)
		}
		if at += width; at <= len(value) {
			r.column++ // one that is cut short does not count
		}
	}
	if at < len(value) {
		r.excess, r.surplus = r.column, r.start+at
		r.column++
	}
}

// place makes value[from:to] the field of the row, value being the line that
// starts at start.
func (w *worker) place(f *convert.Fields, value []byte, start uint32, from, to int) {
	if start < convert.InDecoded {
		f.Start[w.nrows], f.End[w.nrows] = start+uint32(from), start+uint32(to)
		return
	}
	f.Start[w.nrows] = uint32(len(f.Decoded)) | convert.InDecoded
	f.Decoded = append(f.Decoded, value[from:to]...)
	f.End[w.nrows] = uint32(len(f.Decoded))
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
