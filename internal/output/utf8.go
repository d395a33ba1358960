package output

import (
	"fmt"
	"unicode/utf8"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
)

// utf8Only is a Writer of a form whose texts are UTF-8, as those of JSON, Arrow
// and Parquet are: it refuses others, which no reader would have to take, and
// which could only be written as something else.
type utf8Only struct {
	Writer
	form   string
	nested bool  // only texts in lists and maps are UTF-8
	rows   int64 // written
}

func (u *utf8Only) Write(rec arrow.Record) error {
	for k, c := range rec.Columns() {
		id := c.DataType().ID()
		if u.nested && id != arrow.LIST && id != arrow.MAP {
			continue
		}
		if row, text, ok := firstInvalid(c); !ok {
			in, hint := u.form, "write CSV or TSV, which keep bytes as they are, or "
			if u.nested {
				in, hint = "a list or map in "+u.form, ""
			}
			return fmt.Errorf("row %d, column %q: %q is not UTF-8, and %s has no other texts; %sask for --utf8 replace or reject, or make the column binary",
				u.rows+int64(row)+1, rec.ColumnName(k), text, in, hint)
		}
	}
	u.rows += rec.NumRows()
	return u.Writer.Write(rec)
}

// Flush has what is held written.
func (u *utf8Only) Flush() error { return Flush(u.Writer) }

// Abort gives up the output below.
func (u *utf8Only) Abort() { Abort(u.Writer) }

// firstInvalid finds the first row of a that holds text which is not UTF-8; ok if
// none does.
func firstInvalid(a arrow.Array) (row int, text string, ok bool) {
	switch a.DataType().ID() {
	case arrow.STRING, arrow.DICTIONARY, arrow.LIST, arrow.MAP:
		for i := range a.Len() {
			if text, ok := invalidIn(a, i); !ok {
				return i, text, false
			}
		}
	}
	return 0, "", true
}

// invalidIn finds such text in row i, however deep.
func invalidIn(a arrow.Array, i int) (text string, ok bool) {
	if a.IsNull(i) {
		return "", true
	}
	among := func(child arrow.Array, from, to int64) (string, bool) {
		for k := from; k < to; k++ {
			if text, ok := invalidIn(child, int(k)); !ok {
				return text, false
			}
		}
		return "", true
	}
	switch a := a.(type) {
	case *array.String:
		const most = 64
		if s := a.Value(i); !utf8.ValidString(s) {
			return s[:min(len(s), most)], false
		}
	case *array.Dictionary:
		return invalidIn(a.Dictionary(), a.GetValueIndex(i))
	case *array.List:
		from, to := a.ValueOffsets(i)
		return among(a.ListValues(), from, to)
	case *array.Map:
		from, to := a.ValueOffsets(i)
		if text, ok := among(a.Keys(), from, to); !ok {
			return text, false
		}
		return among(a.Items(), from, to)
	}
	return "", true
}
