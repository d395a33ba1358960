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
	errors []uint32 // by block of the data, as bits
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
			x.texts, o.faulty = append(x.texts, i), false
		}
	}
	var begins []uint32
	if len(w.laid) > 0 {
		begins = w.plainColumns[0].start
	}
	data, first, end := ck.part.Data, w.placeOf(from).start, w.placeOf(to-1).end
	x.errors = convert.UTF8Errors(x.errors[:0], data[first:min(end+convert.UTF8Block, len(data))])
	row, last, next := from, -1, from+1
	for block, set := range x.errors {
		for ; set != 0; set &= set - 1 {
			at := uint32(first - w.base + block*convert.UTF8Block + bits.TrailingZeros32(set))
			for ; next < to; next++ {
				start := uint32(w.rows[next].start - w.base)
				if begins != nil {
					start = begins[next]
				}
				if start <= at {
					row = next
				} else if start < convert.InDecoded { // else it is not known where the row begins
					break
				}
			}
			if row != last && w.isInvalid(row, at) {
				last = row
				x.found++
				w.drop(w.recordOf(row))
				w.early.Rows = append(w.early.Rows, row-from)
			}
		}
	}
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
