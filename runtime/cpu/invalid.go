package cpu

import (
	"math/bits"
	"unicode/utf8"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/convert"
	"github.com/dfaparse/dfaparse/runtime"
)

// Where many rows are left out as a text of theirs is not UTF-8, these are found before any text is appended: the data
// is looked through at once, and where an error shows, the texts there are checked. Others are found as they are appended.

// manyInvalid: one of so many rows, or more, has a text that is not UTF-8.
const manyInvalid = 256

// invalid is what is known of texts that are not UTF-8.
type invalid struct {
	many   bool // there were many among rows not long ago
	rows   int  // of so many since
	found  int  // these were
	texts  []int
	errors []uint64 // by block of the data, as bits
}

// findInvalid finds such rows, of those from up to to of the round, of outputs that are late.
func (w *worker) findInvalid(ck *chunk, from, to int) {
	x := &w.invalid
	if x.rows >= manyInvalid {
		x.many = x.found*manyInvalid >= x.rows
		x.rows, x.found = 0, 0
	}
	x.rows += to - from
	if !x.many || w.plan.UTF8 != dfa.RejectUTF8 || len(w.laid) > 0 && (len(w.plainColumns) == 0 || !w.plainColumns[0].wanted) {
		return
	}
	x.texts = x.texts[:0]
	for i := range w.outputs {
		if o := &w.outputs[i]; o.late && w.isDropped(&runtime.Problem{What: runtime.Value, Output: i}) {
			x.texts = append(x.texts, i)
		}
	}
	var begins []uint32
	if len(w.laid) > 0 {
		begins = w.plainColumns[0].start
	}
	data, first, end := ck.part.Data, w.placeOf(from).start, w.placeOf(to-1).end
	x.errors = convert.UTF8Errors(x.errors[:0], data[first:min(end+convert.UTF8Block, len(data))])
	row := from
	for block, set := range x.errors {
		for ; set != 0; set &= set - 1 {
			at := uint32(first - w.base + block*convert.UTF8Block + bits.TrailingZeros64(set))
			row = w.rowAt(begins, row, to, at)
			if record := w.recordOf(row); !w.isLeftOut(record) && w.isInvalid(row, at) {
				x.found++
				w.drop(record)
			}
		}
	}
}

// rowAt is the row of those from one on, up to to, in which the symbol at a place is, or an earlier one behind which it is
// not known where others begin.
func (w *worker) rowAt(begins []uint32, row, to int, at uint32) int {
	const stride = 16
	if begins == nil {
		for ; row+stride < to && uint32(w.rows[row+stride].start-w.base) <= at; row += stride {
		}
		for ; row+1 < to && uint32(w.rows[row+1].start-w.base) <= at; row++ {
		}
		return row
	}
	for ; row+stride < to && begins[row+stride] <= at; row += stride {
	}
	for next := row + 1; next < to; next++ {
		if start := begins[next]; start <= at {
			row = next
		} else if start < convert.InDecoded { // else it is not where the row begins
			break
		}
	}
	return row
}

// isInvalid reports whether the text of a row that an error shows at is not UTF-8: that shows up to three symbols behind
// what is wrong.
func (w *worker) isInvalid(row int, at uint32) bool {
	for _, i := range w.invalid.texts {
		o := &w.outputs[i]
		f := o.fields
		if start, end := f.Start[row], f.End[row]; start > at || at > end {
			continue
		} else if start < 3 || (f.Src[start-1]|f.Src[start-2]|f.Src[start-3]) >= utf8.RuneSelf || at == end {
			return o.converter.IsInvalid(f, row)
		}
		return o.converter.IsValue(f, row) // as is all in front of it
	}
	return false
}
