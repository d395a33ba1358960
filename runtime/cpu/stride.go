package cpu

import (
	"encoding/binary"
	"math/bits"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/columns"
	"github.com/dfaparse/dfaparse/internal/convert"
	"github.com/dfaparse/dfaparse/runtime"
)

// This file reads binary records: all have the same length, so that nothing has to be looked at
// to know where they are. Their automaton, which counts symbols, is run over the last one
// alone, if that is cut off.

// strideBlock is how many bytes of records are a round: they stay in the first-level cache
// while one column after the other is made of them.
const strideBlock = 24 << 10

// leastStrides is how many records are a round however long they are: less than a call for a
// column is worth. Steady cells alone have blocks of their own, and rounds of mostStrides or so many
// cells.
const leastStrides, mostStrides, strideCells = 384, 4096, 1 << 20

// strides is what a worker knows of binary records.
type strides struct {
	length int
	at     []int // by column: where its cell is in a record
	steady []steadyCells
}

func newStrides(p *dfa.Program) *strides {
	length := p.Stride()
	if length == 0 {
		return nil
	}
	s := &strides{length: length}
	at := 0
	for _, w := range p.Widths {
		s.at = append(s.at, at)
		at += w
	}
	return s
}

// strideRound is how many records are a round.
func (w *worker) strideRound() int {
	for i := range w.outputs {
		if !w.outputs[i].steady() {
			return min(max(strideBlock/w.strides.length, leastStrides), mostStrides)
		}
	}
	return min(max(strideCells/len(w.fields), leastStrides), mostStrides)
}

// statesOf is the order of the states of an automaton that counts to n.
func statesOf(a *dfa.Automaton, n int) (order []dfa.StateID) {
	state := a.Start
	for range n {
		order = append(order, state)
		state, _ = a.Step(state, 0)
	}
	return order
}

// byStride is index, as far as records are all there.
func (w *worker) byStride(ck *chunk, limit int) (until int, why ended) {
	s := w.strides
	data := ck.part.Data
	n := min((len(data)-w.at)/s.length, w.maxRows-w.nrows, max(limit-w.at, 0)/s.length+1)
	if n == 0 || s.length-1 > w.plan.MaxRecord {
		return limit, goOn
	}
	begin := w.machine.Start
	w.laid = append(w.laid, laid{first: w.nrows, nrows: n, start: w.at, distance: s.length})
	for i := range w.fields {
		if !w.wanted[i] || w.plan.Program.Cells[i].Kind != dfa.TextCell {
			continue
		}
		w.placeTexts(i, data, n)
	}
	w.nrows += n
	w.leave(ck, w.at+n*s.length, w.machine.Row(begin))
	switch boundary := w.at - 1; {
	case boundary >= ck.end || w.at >= ck.stop:
		return 0, chunkDone
	case boundary >= limit || w.full():
		return 0, roundFull
	}
	return limit, goOn
}

// placeTexts says where the texts of the next n records are.
func (w *worker) placeTexts(column int, data []byte, n int) {
	s, cell, width := w.strides, &w.plan.Program.Cells[column], w.plan.Program.Widths[column]
	f := &w.fields[column]
	start, end := f.Start[w.nrows:][:n], f.End[w.nrows:][:n]
	at := w.at - w.base + s.at[column]
	for i := range start {
		start[i], end[i] = uint32(at), uint32(at+width)
		at += s.length
	}
	if cell.Pad == "" {
		return
	}
	pad, text := cell.Pad[0], data[w.base:]
	if width <= 8 && n > 0 && int(start[n-1])+8 <= len(text) { // eight bytes at once, those behind it shifted out
		pads, shift := uint64(pad)*(^uint64(0)/255), 64-8*width
		for i, from := range start {
			other := (binary.LittleEndian.Uint64(text[from:]) ^ pads) << shift
			end[i] = from + uint32(width-min(bits.LeadingZeros64(other)/8, width))
		}
		return
	}
	for i, from := range start {
		to := end[i]
		for to > from && text[to-1] == pad {
			to--
		}
		end[i] = to
	}
}

// strideRows and strideMost are how many records, at least and at most, steady cells of all columns
// are made of together. What the first column reads is in the first-level cache for the others then,
// unless records are so long that a call for each column is worth more.
const strideRows, strideMost = 128, 512

// steadyCells is where the values of a column go that are made together with others.
type steadyCells struct {
	fill      convert.Filler
	out       []byte
	at, width int // of a cell in a record; of a value
}

func (o *output) steady() bool { return o.cells != nil && o.cells.Steady() }

// wholeRows is the number of those from up to to that are complete records: all, unless the last one
// of all is cut off.
func (w *worker) wholeRows(from, to int) int {
	if w.placeOf(to - 1).bad() {
		to--
	}
	return to - from
}

// appendSteady appends the steady cells of the rows from up to to of the round, complete records, to
// their columns.
func (w *worker) appendSteady(ck *chunk, rows *runtime.Rows, from, to int) {
	n := w.wholeRows(from, to)
	if n == 0 {
		return
	}
	w.strides.steady = w.strides.steady[:0]
	for i := range w.outputs {
		if o := &w.outputs[i]; o.steady() {
			c := rows.Columns[i]
			w.strides.steady = append(w.strides.steady, steadyCells{o.cells.Filler(), o.cells.Reserve(c, n), w.strides.at[o.column], c.Form.Width})
		}
	}
	if len(w.strides.steady) == 0 {
		return
	}
	length := w.strides.length
	data := ck.part.Data[w.placeOf(from).start:][:n*length]
	block := min(max(length/2, strideRows), strideMost)
	for first := 0; first < n; first += block {
		last := min(first+block, n)
		for k := range w.strides.steady {
			c := &w.strides.steady[k]
			c.fill(c.out[first*c.width:last*c.width], data[first*length+c.at:last*length], length)
		}
	}
}

// appendCells appends the numbers of the rows from up to to of the round to an output's column.
func (w *worker) appendCells(ck *chunk, o *output, column *columns.Column, from, to int) {
	good := from + w.wholeRows(from, to)
	w.errs = w.errs[:0]
	if good > from && !o.steady() {
		w.errs = o.cells.Append(column, ck.part.Data[w.placeOf(from).start+w.strides.at[o.column]:], w.strides.length, good-from, w.errs)
	}
	if good < to {
		var none convert.Fields
		none.PushAbsent()
		w.errs = o.cells.AppendFields(column, &none, w.errs)
	}
}
