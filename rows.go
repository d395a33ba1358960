package dfaparse

import (
	"errors"
	"fmt"
	"iter"
	"reflect"
	"unsafe"

	"github.com/dfaparse/dfaparse/internal/rows"
)

// rowsAtOnce is how many rows are put into structs at a time: few enough to
// stay in a core's first cache, and to let their strings go soon.
const rowsAtOnce = 128

// Rows iterates over the rows of r as values of T, a struct type. Each of its
// exported fields takes the column that its tag names,
//
//	type Trip struct {
//		Pickup   time.Time `dfa:"tpep_pickup_datetime"`
//		Distance float64   `dfa:"trip_distance"`
//		Note     *string   `dfa:"note,optional"` // the file need not have it
//		Tip      float64   `dfa:"tip,zero"`      // null is 0
//		Internal int       `dfa:"-"`
//	}
//
// or, without a tag, the column of its name, in which capitals and _ - do not
// count. Fields of embedded structs are fields of T.
//
// The schema is checked once, before the first row: a column goes into a field
// only if that holds all its values exactly (an i32 into int32, int64, int,
// float64), with two exceptions that are usual: a decimal goes into a float64
// as the nearest, and a map with a key twice keeps the last. Beyond numbers
// text and tokens go into string kinds, binary into []byte, dates and time
// stamps into time.Time, durations and times of day into time.Duration,
// addresses into netip.Addr, UUIDs into [16]byte, decimals into decimal128.Num
// and string too, lists into slices, maps into maps.
//
// The sequence ends after the last row, or with an error. The strings of up to
// 128 neighbouring rows share memory.
func Rows[T any](r *Reader) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var none T
		matching, err := rows.Match(r.Schema(), reflect.TypeFor[T]())
		if err != nil {
			yield(none, fmt.Errorf("dfaparse: %w", err))
			return
		}
		var block [rowsAtOnce]T
		before := int64(0)
		for rec, err := range r.Records() {
			if err != nil {
				yield(none, err)
				return
			}
			record := matching.Of(rec)
			total := int(rec.NumRows())
			for from := 0; from < total; from += rowsAtOnce {
				n, err := record.Fill(unsafe.Pointer(&block[0]), from, min(from+rowsAtOnce, total))
				for i := range n {
					if !yield(block[i], nil) {
						return
					}
				}
				if err != nil {
					yield(none, rowError(err, before))
					return
				}
			}
			before += int64(total)
		}
	}
}

// rowError says which of all rows an error is about; before are those of
// earlier records.
func rowError(err error, before int64) error {
	e := (*rows.Error)(nil)
	if !errors.As(err, &e) {
		return err
	}
	return &RowError{Row: before + int64(e.Row) + 1, Column: e.Column, Field: e.Field, Err: e.Err}
}
