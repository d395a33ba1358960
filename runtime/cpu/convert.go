package cpu

import (
	"math/bits"
	"slices"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/columns"
	"github.com/dfaparse/dfaparse/internal/convert"
	"github.com/dfaparse/dfaparse/runtime"
)

// output is one column to deliver.
type output struct {
	fields    *convert.Fields
	converter *convert.Converter
	column    int            // of the Plan
	split     *split         // that fields are a part of, nil if they are a whole column
	cells     *convert.Cells // of numbers in binary records, else nil
	late      bool           // it is text, which is appended behind the others
}

// prepare makes the converters of the plan's outputs.
func (w *worker) prepare() error {
	opt := convert.Options{UTF8: w.plan.UTF8, BaseTime: w.plan.BaseTime}
	splits := map[int]*split{}
	for i, o := range w.plan.Outputs {
		if opt.Look = nil; w.plan.Look != nil {
			opt.Look = w.plan.Look(w.plan.Def(o).Name)
		}
		c, err := convert.NewConverter(w.plan.Def(o), opt)
		if err != nil {
			return err
		}
		out := output{fields: &w.fields[o.Column], converter: c, column: o.Column}
		if w.strides != nil && w.plan.Program.Cells[o.Column].Kind != dfa.TextCell {
			out.cells = convert.NewCells(c, w.plan.Def(o), &w.plan.Program.Cells[o.Column], w.plan.Program.Widths[o.Column])
		}
		if o.Part >= 0 {
			s := splits[o.Column]
			if s == nil {
				def := &w.plan.Columns[o.Column]
				s = newSplit(def, o.Column, i)
				if w.plan.Look != nil && def.Split.Keyed && def.Hidden {
					s.splitter.LookAtOthers(w.plan.Look(def.Name))
				}
				splits[o.Column] = s
				w.splits = append(w.splits, s)
			}
			out.fields, out.split = &s.parts[o.Part], s
		}
		out.late = w.plan.Look == nil && w.plan.UTF8 != dfa.ReplaceUTF8 && out.split == nil && out.cells == nil && w.plan.Def(o).Type.Kind == dfa.String
		w.outputs = append(w.outputs, out)
	}
	for i := range w.outputs {
		if o := &w.outputs[i]; o.split == nil && splits[o.column] != nil {
			o.converter.TakeOthers(splits[o.column].splitter)
		}
	}
	return nil
}

// convert appends the rows of the round to ck's columns.
func (w *worker) convert(ck *chunk) {
	if w.nrows == 0 {
		if len(w.omitted) > 0 {
			w.leaveOut(ck, &ck.last().rows, 0, 0)
		}
		return
	}
	for i := range w.fields {
		f := &w.fields[i]
		f.Start, f.End = f.Start[:w.nrows], f.End[:w.nrows]
	}
	if w.shapes >= 0 {
		w.nameShapes()
	}
	for _, s := range w.splits {
		s.run(&w.fields[s.column])
		for _, row := range s.misfits {
			w.report(ck, row, s.column, &runtime.Problem{What: runtime.Part, Output: s.output, Field: w.number(s.column)})
		}
	}
	w.clock.lap(splitStage)
	for from := 0; from < w.nrows; {
		b := ck.last()
		n := min(w.nrows-from, b.room)
		w.append(ck, &b.rows, from, from+n)
		b.room -= n - w.leaveOut(ck, &b.rows, from, from+n)
		from += n
	}
	w.sortProblems(ck)
	if own := ck.notes[w.noted:]; len(own) > 1 {
		runtime.SortNotes(own)
	}
	for i := range w.fields {
		f := &w.fields[i]
		f.Start, f.End = f.Start[:w.maxRows], f.End[:w.maxRows]
	}
}

// shapeNames are the names of shapes, one behind the other, and where each begins and ends. The text goes on behind the
// last as far as a converter's loop reads at once: what is in convert.Fields.Decoded no loop of enums takes.
type shapeNames struct {
	text       []byte
	start, end []uint32
}

func newShapeNames(shapes []dfa.Shape) *shapeNames {
	x := &shapeNames{}
	for _, s := range shapes {
		x.start = append(x.start, uint32(len(x.text)))
		x.text = append(x.text, s.Name...)
		x.end = append(x.end, uint32(len(x.text)))
	}
	x.text = append(x.text, make([]byte, blockSize)...)
	return x
}

// nameShapes makes the names of their shapes a field of the rows.
func (w *worker) nameShapes() {
	f, x := &w.fields[w.shapes], w.shapeNames
	f.Src = x.text
	for row := range w.nrows {
		f.Start[row], f.End[row] = convert.Absent, 0
		if r := w.placeOf(row); !r.bad() && r.shape() > 0 {
			f.Start[row], f.End[row] = x.start[r.shape()-1], x.end[r.shape()-1]
		}
	}
}

// append appends the rows from up to to of the round to rows.
func (w *worker) append(ck *chunk, rows *runtime.Rows, from, to int) {
	if w.strides != nil {
		w.appendSteady(ck, rows, from, to)
	}
	w.gone.Rows = w.gone.Rows[:0]
	for i := range w.outputs {
		if !w.brief || !w.outputs[i].late {
			w.appendColumn(ck, rows.Columns[i], i, from, to)
		}
	}
	if w.brief {
		w.findInvalid(ck, from, to)
		w.emptyGone(from, to)
		for i := range w.outputs {
			if w.outputs[i].late {
				w.appendColumn(ck, rows.Columns[i], i, from, to)
			}
		}
	}
	rows.N += to - from
}

// fewEmptied: of so many rows less than one is as fast taken out with its texts.
const fewEmptied = 16

// emptyGone makes those texts empty that are appended behind the other columns, of rows from from up to to that are known
// by then to be left out: they are taken out without others moving.
func (w *worker) emptyGone(from, to int) {
	if !w.dropped || !slices.ContainsFunc(w.outputs, func(o output) bool { return o.late }) {
		return
	}
	first, last := w.records(from, to)
	if n := w.countGone(from, to, first, last); n*fewEmptied < to-from && !w.invalid.many {
		return
	}
	w.gone.Rows = w.goneRows(w.gone.Rows[:0], from, first, last)
	for i := range w.outputs {
		o := &w.outputs[i]
		isFirst := len(w.laid) > 0 && len(w.dest) > 0 && w.dest[0] == o.column
		if !o.late || isFirst && w.fewest <= 0 {
			continue
		}
		f := o.fields
		for _, row := range w.gone.Rows {
			row += from
			switch s := f.Start[row]; {
			case s == convert.Absent:
			case isFirst: // its start is where the record begins
				f.End[row] = s &^ convert.InDecoded
			default: // its end may be where the record ends
				f.Start[row] = f.End[row] | s&convert.InDecoded
			}
		}
	}
}

// appendColumn appends the rows from up to to of the round to the column of output i.
func (w *worker) appendColumn(ck *chunk, column *columns.Column, i, from, to int) {
	o, f := &w.outputs[i], &w.view
	o.fields.Slice(f, from, to)
	replaced, first := o.converter.Replaced(), column.Len
	if o.steady() {
		first -= w.wholeRows(from, to) // which are there
	}
	counted := w.brief && !w.spoilt && w.isDropped(&runtime.Problem{What: runtime.Value, Output: i})
	o.converter.TakenOut = counted && o.split == nil
	if o.cells != nil {
		w.appendCells(ck, o, column, from, to)
	} else {
		w.errs = o.converter.Append(column, f, w.errs[:0])
	}
	if o.converter.Replaced() != replaced {
		o.converter.EachReplaced(f, func(row int, nbytes int64) {
			row += from
			w.note(ck, row, runtime.Note{What: runtime.ReplacedBytes, N: int(nbytes), Offset: w.placeOf(row).start})
		})
	}
	for _, e := range w.errs {
		row := e.Row - first + from
		if o.split != nil && o.split.isMisfit(row) {
			continue
		}
		if counted {
			if e.Code == convert.InvalidUTF8 {
				w.invalid.found++
			}
			w.drop(w.recordOf(row))
			continue
		}
		w.report(ck, row, o.column, &runtime.Problem{What: runtime.Value, Output: i, Field: w.number(o.column), Code: e.Code})
	}
}

// leaveOut takes those of the last rows, from up to to of the round, out of the
// columns that the reader will leave out, and gives their number. Records that have no
// row in the round are counted here. If worker.gone has as many rows, it has these.
func (w *worker) leaveOut(ck *chunk, rows *runtime.Rows, from, to int) int {
	own := ck.problems[w.found:]
	if len(own) == 0 && !w.dropped || w.plan.Drops == nil {
		return 0
	}
	first, last := w.records(from, to)
	rows.N += last - first - (to - from)
	if w.brief {
		w.forget(ck, first, last)
	} else {
		for i := range own {
			if record := own[i].Row - ck.nrows; record >= first && record < last && w.isDropped(&own[i]) {
				w.drop(record)
			}
		}
	}
	gone := w.gone.Rows
	if len(gone) != w.countGone(from, to, first, last) {
		gone = w.goneRows(gone[:0], from, first, last)
	}
	for i := first >> 6; i<<6 < last; i++ {
		set, begin := w.dropsOf(i, first, last), max(i<<6, first)
		rows.Gone.Add(rows.N-last+begin, set>>(begin-i<<6))
		ck.ngone += bits.OnesCount64(set)
		w.drops[i] &^= set
	}
	if w.brief {
		for i := range w.sizes[first-from : last-to] {
			rows.Left.Add(&w.sizes[first-from+i])
		}
		w.addSizes(ck, &rows.Left, gone, from)
	}
	if w.gone.Rows = gone; len(gone) > 0 {
		w.gone.Prepare(to-from, packer())
		for _, c := range rows.Columns {
			c.RemoveAll(c.Len-(to-from), &w.gone)
		}
	}
	return len(gone)
}

// records are those of the rows of the round from one up to another, with those between and around that have no row.
func (w *worker) records(from, to int) (first, last int) {
	if first, last = w.before(from), to+len(w.omitted); to < w.nrows {
		last = w.before(to)
	}
	return first, last
}

// dropsOf are the drops of word number i that are of records from first up to last.
func (w *worker) dropsOf(i, first, last int) uint64 {
	set := w.drops[i] & (^uint64(0) << max(first-i<<6, 0))
	if behind := last - i<<6; behind < 64 {
		set &= 1<<behind - 1 // others are of the next portion
	}
	return set
}

// countGone is how many of the rows from from up to to are left out, whose records are those from first up to last.
func (w *worker) countGone(from, to, first, last int) int {
	n := to - from - (last - first) // less those without a row
	for i := first >> 6; i<<6 < last; i++ {
		n += bits.OnesCount64(w.dropsOf(i, first, last))
	}
	return n
}

// goneRows appends the rows, as numbers from from on, whose records are left out, of those from first up to last.
func (w *worker) goneRows(rows []int, from, first, last int) []int {
	k := first - from // omitted records before
	for i := first >> 6; i<<6 < last; i++ {
		for set := w.dropsOf(i, first, last); set != 0; set &= set - 1 {
			record := i<<6 + bits.TrailingZeros64(set)
			for k < len(w.omitted) && w.omitted[k]+k < record {
				k++
			}
			if k == len(w.omitted) || w.omitted[k]+k != record {
				rows = append(rows, record-k-from)
			}
		}
	}
	return rows
}

// forget drops the problems of records that are left out, of the round's from first up to last.
func (w *worker) forget(ck *chunk, first, last int) {
	own := slices.DeleteFunc(ck.problems[w.found:], func(p runtime.Problem) bool {
		record := p.Row - ck.nrows
		return record >= first && record < last && w.drops[record>>6]>>(record&63)&1 != 0
	})
	ck.problems = ck.problems[:w.found+len(own)]
}

// drop notes that a record of the round is left out.
func (w *worker) drop(record int) {
	w.drops[record>>6] |= 1 << (record & 63)
	w.dropped = true
}

// isLeftOut reports whether drop was called for a record of the round.
func (w *worker) isLeftOut(record int) bool { return w.drops[record>>6]>>(record&63)&1 != 0 }

// isDropped is Plan.Drops.
func (w *worker) isDropped(p *runtime.Problem) bool {
	return w.dropping != nil && w.dropping[(p.Output+1)*runtime.NWhats+int(p.What)]
}

// askDrops fills the table of isDropped.
func (w *worker) askDrops() {
	if w.plan.Drops == nil {
		return
	}
	for output := -1; output < len(w.plan.Outputs); output++ {
		for what := range runtime.What(runtime.NWhats) {
			w.dropping = append(w.dropping, w.plan.Drops(&runtime.Problem{Output: output, What: what}))
		}
	}
}

// before is how many records of the round are before a row, and the omitted ones right
// before it.
func (w *worker) before(row int) int {
	if n := len(w.omitted); n == 0 || w.omitted[n-1] < row {
		return row + n // while records are being read
	}
	i, n := min(w.earlier, len(w.omitted)), len(w.omitted) // most rows that are asked for are in order
	for more := mostAhead; i < n && more > 0 && w.omitted[i] < row; more-- {
		i++
	}
	if i < n && w.omitted[i] < row || i > 0 && w.omitted[i-1] >= row {
		i, _ = slices.BinarySearch(w.omitted, row)
	}
	w.earlier = i
	return row + i
}

// recordOf is the number of a row's record in the round.
func (w *worker) recordOf(row int) int {
	if len(w.omitted) == 0 {
		return row
	}
	return w.before(row+1) - 1
}

// report adds a problem of a column of row of the round, unless its record is
// malformed as a whole. Where its field begins is found by sortProblems, unless its
// place says it.
func (w *worker) report(ck *chunk, row, column int, problem *runtime.Problem) {
	r := w.placeOf(row)
	if r.bad() {
		return
	}
	if w.brief && w.isDropped(problem) {
		w.drop(w.recordOf(row))
		return
	}
	problem.Offset = r.end
	if problem.Field >= 0 {
		problem.Offset = w.fieldStart(ck.part.Data, r, row, column, problem.Field)
	}
	w.add(ck, row, r, problem)
}

// add completes a problem of row of the round with the row's record, which is at r.
func (w *worker) add(ck *chunk, row int, r *rowPlace, problem *runtime.Problem) {
	problem.Row = ck.nrows + w.recordOf(row)
	problem.Start, problem.End, problem.Begin, problem.Binding = r.start, r.end, r.begin(), w.binding
	if n := len(ck.problems); n == cap(ck.problems) { // of bad files there are many
		ck.problems = slices.Grow(ck.problems, max(n, 64))
	}
	ck.problems = append(ck.problems, *problem)
}

// note adds a note about row of the round.
func (w *worker) note(ck *chunk, row int, n runtime.Note) {
	n.Row = ck.nrows + w.recordOf(row)
	ck.notes = append(ck.notes, n)
}

// number is the number of a column in the record, -1 if the segment lacks it.
func (w *worker) number(column int) int { return w.binding.Source[column] }
