package output

import (
	"slices"
	"strings"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"

	"github.com/dfaparse/dfaparse/runtime"
)

// This file has what tables of rejects are the same in, whoever writes them.

// RejectSchema is that of a table of rejects, by the keys of their JSON form; raw are its columns for
// the records themselves.
func RejectSchema(raw ...arrow.Field) *arrow.Schema {
	fields := []arrow.Field{
		{Name: "file", Type: arrow.BinaryTypes.String},
		{Name: "offset", Type: arrow.PrimitiveTypes.Int64},
		{Name: "line", Type: arrow.PrimitiveTypes.Int64},
		{Name: "column", Type: arrow.PrimitiveTypes.Int64},
		{Name: "record", Type: arrow.PrimitiveTypes.Int64},
		{Name: "lines", Type: arrow.PrimitiveTypes.Int64},
		{Name: "field", Type: arrow.BinaryTypes.String},
		{Name: "error", Type: arrow.BinaryTypes.String},
		{Name: "state", Type: arrow.BinaryTypes.String},
		{Name: "expected", Type: arrow.BinaryTypes.String},
	}
	return arrow.NewSchema(append(slices.Concat(fields, raw), arrow.Field{Name: "nulled", Type: arrow.FixedWidthTypes.Boolean}), nil)
}

// AppendReject appends a reject to a table of such a schema, but for the columns of the record itself,
// of which it gives the first.
func AppendReject(b *array.RecordBuilder, r *runtime.Reject) (raw int) {
	text := func(s string) {
		b.Field(raw).(*array.StringBuilder).Append(s)
		raw++
	}
	text(strings.ToValidUTF8(r.File, "\uFFFD"))
	for _, n := range []int64{r.Offset, r.Line, r.Column, r.Record, r.Lines} {
		b.Field(raw).(*array.Int64Builder).Append(n)
		raw++
	}
	for _, s := range []string{r.Field, r.Detail, r.State, r.Expected} {
		text(s)
	}
	b.Field(len(b.Fields()) - 1).(*array.BooleanBuilder).Append(r.FieldOnly)
	return raw
}
