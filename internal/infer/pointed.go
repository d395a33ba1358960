package infer

import (
	"bytes"
	"errors"
	"slices"

	"github.com/apache/arrow/go/v17/arrow/array"

	"github.com/dfaparse/dfaparse/dfa"
)

// This file is about numbers with points beside columns that have commas before fractions: there the point of 1.234 may
// stand between thousands, so that a fraction has to be shown by some value of the column.
//
//	amount;rate
//	1.234;0,5      1234 more often than 1.234

// errTold ends a reading that has nothing more to tell.
var errTold = errors.New("all columns have told what their points are")

// doubtPoints marks the columns of numbers all points of which may stand between thousands, if the commas of another one
// stand before fractions for sure. It reads these columns, up to the first value of each that tells.
func (t *Table) doubtPoints(read func(columns []string, use func(Records) error) error) error {
	if t.Keyed != nil || t.Given.Point != "" || t.Given.Thousands != "" || !slices.ContainsFunc(t.Columns, (*Column).hasFractions) {
		return nil
	}
	var open []*Column
	var names []string
	for _, c := range t.Columns {
		if f := c.first(); !c.Given && f != nil && f.typ.Kind == dfa.Float64 && f.typ.Point == 0 && f.typ.Thousands == 0 {
			c.thousands, open, names = true, append(open, c), append(names, c.Name)
		}
	}
	if len(open) == 0 {
		return nil
	}
	pointed := make([]bool, len(open))
	err := read(names, func(r Records) error {
		for r.Next() {
			rec := r.Record()
			for i, c := range open {
				some, told := pointsOf(rec.Column(i).(*array.String))
				pointed[i], c.thousands = pointed[i] || some, c.thousands && !told
			}
			if !slices.ContainsFunc(open, func(c *Column) bool { return c.thousands }) {
				return errTold
			}
		}
		return r.Err()
	})
	for i, c := range open {
		c.thousands = c.thousands && pointed[i]
	}
	if errors.Is(err, errTold) {
		return nil
	}
	return err
}

// pointsOf looks at numbers: whether some have points, and whether one tells that these stand before fractions, by what is
// around it, as in 1.5, .125 and 1.5e3, or that there are none between thousands.
func pointsOf(values *array.String) (some, told bool) {
	for i := 0; i < values.Len() && !told; i++ {
		b := bytes.TrimLeft(bytes.TrimSpace([]byte(values.Value(i))), "-")
		whole, after, pointed := bytes.Cut(b, []byte{'.'})
		if digitsIn(whole) < len(whole) || len(whole)+len(after) == 0 { // as NaN and what stands for no value
			continue
		}
		some = some || pointed
		told = len(whole) > 3 || pointed && (len(whole) == 0 || whole[0] == '0' || len(after) != 3 || digitsIn(after) < len(after))
	}
	return some, told
}
