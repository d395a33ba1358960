package output

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"

	"github.com/dfaparse/dfaparse/internal/near"
	"github.com/dfaparse/dfaparse/internal/parquetfile"
)

// Names are those of the columns of a schema.
func Names(schema *arrow.Schema) []string {
	names := make([]string, schema.NumFields())
	for i, f := range schema.Fields() {
		names[i] = f.Name
	}
	return names
}

// OptionError says which option does not go with the columns.
type OptionError = parquetfile.OptionError

// parseSorted reads an order as in "day", "n:desc"; nulls are last.
func parseSorted(columns []string, schema *arrow.Schema) (order []parquetfile.Sorted, err error) {
	for _, text := range columns {
		name, way, directed := strings.Cut(text, ":")
		if directed && way != "asc" && way != "desc" {
			return nil, &OptionError{What: fmt.Sprintf("sorted by %s: want COLUMN, COLUMN:asc or COLUMN:desc", text)}
		}
		at := schema.FieldIndices(name)
		if len(at) == 0 {
			return nil, &OptionError{What: fmt.Sprintf("there is no column %q to be sorted by%s", name, near.Hint(name, "the columns are ", Names(schema)))}
		}
		if f := schema.Field(at[0]); keyOf(f.Type) == nil {
			return nil, &OptionError{What: fmt.Sprintf("column %q is %s, by which nothing can be said to be sorted", name, TypeName(f))}
		}
		order = append(order, parquetfile.Sorted{Column: at[0], Descending: way == "desc"})
	}
	return order, nil
}

// inOrder is a Writer of records that are said to be in an order. Readers trust what the
// file says of it, so it has to be true.
type inOrder struct {
	Writer
	order  []parquetfile.Sorted
	schema *arrow.Schema
	last   []key // of the row before, nil: there is none
	rows   int64
}

// key is a value by which rows are sorted.
type key struct {
	null bool
	n    int64
	u    uint64
	s    string
}

// keyOf gives the values of a type as keys, all of which use the same part; nil if rows
// are not sorted by the type.
func keyOf(t arrow.DataType) func(a arrow.Array, row int) key {
	switch t.ID() {
	case arrow.INT8, arrow.INT16, arrow.INT32, arrow.INT64, arrow.DATE32, arrow.TIME32, arrow.TIME64, arrow.TIMESTAMP, arrow.DURATION:
		return func(a arrow.Array, row int) key { return key{n: integer(a, row)} }
	case arrow.UINT8:
		return func(a arrow.Array, row int) key { return key{u: uint64(a.(*array.Uint8).Value(row))} }
	case arrow.UINT16:
		return func(a arrow.Array, row int) key { return key{u: uint64(a.(*array.Uint16).Value(row))} }
	case arrow.UINT32:
		return func(a arrow.Array, row int) key { return key{u: uint64(a.(*array.Uint32).Value(row))} }
	case arrow.UINT64:
		return func(a arrow.Array, row int) key { return key{u: a.(*array.Uint64).Value(row)} }
	case arrow.STRING:
		return func(a arrow.Array, row int) key { return key{s: a.(*array.String).Value(row)} }
	}
	return nil
}

func integer(a arrow.Array, row int) int64 {
	switch a := a.(type) {
	case *array.Int8:
		return int64(a.Value(row))
	case *array.Int16:
		return int64(a.Value(row))
	case *array.Int32:
		return int64(a.Value(row))
	case *array.Int64:
		return a.Value(row)
	case *array.Date32:
		return int64(a.Value(row))
	case *array.Time32:
		return int64(a.Value(row))
	case *array.Time64:
		return int64(a.Value(row))
	case *array.Timestamp:
		return int64(a.Value(row))
	case *array.Duration:
		return int64(a.Value(row))
	}
	panic("output: " + a.DataType().Name() + " is no integer")
}

// Write writes a record if it is in the order.
func (o *inOrder) Write(rec arrow.Record) error {
	now := make([]key, len(o.order))
	for row := range int(rec.NumRows()) {
		decided := o.last == nil
		for k, s := range o.order {
			a := rec.Column(s.Column)
			if now[k] = (key{null: true}); !a.IsNull(row) {
				now[k] = keyOf(a.DataType())(a, row)
			}
			if decided {
				continue
			}
			switch order := compareKeys(&o.last[k], &now[k], s.Descending); {
			case order > 0:
				return fmt.Errorf("row %d is not in the order: %q comes before the row above it; nothing is written down that is not so", o.rows+int64(row)+1, o.schema.Field(s.Column).Name)
			case order < 0:
				decided = true
			}
		}
		if o.last == nil {
			o.last = make([]key, len(o.order))
		}
		o.last, now = now, o.last
	}
	for k := range o.last { // the record's memory is used again
		o.last[k].s = strings.Clone(o.last[k].s)
	}
	o.rows += rec.NumRows()
	return o.Writer.Write(rec)
}

// compareKeys compares two keys; nulls are last in either direction.
func compareKeys(a, b *key, descending bool) int {
	switch {
	case a.null || b.null:
		return map[bool]int{true: 1}[a.null] - map[bool]int{true: 1}[b.null]
	case descending:
		a, b = b, a
	}
	return cmp.Or(cmp.Compare(a.n, b.n), cmp.Compare(a.u, b.u), cmp.Compare(a.s, b.s))
}

// Flush has what is held written.
func (o *inOrder) Flush() error { return Flush(o.Writer) }

// Abort gives up what lies below.
func (o *inOrder) Abort() { Abort(o.Writer) }
