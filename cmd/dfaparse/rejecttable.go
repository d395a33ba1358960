package main

import (
	"encoding/base64"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/dfaparse/dfaparse/internal/output"
	"github.com/dfaparse/dfaparse/runtime"
)

// rejectWriter is one form of a file of rejects.
type rejectWriter interface {
	add(r *runtime.Reject) error
	close() error // completes it
	abort()       // or gives it up
}

// rejectSchema has the keys of the JSON form, in its order.
var rejectSchema = arrow.NewSchema([]arrow.Field{
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
	{Name: "raw", Type: arrow.BinaryTypes.String, Nullable: true},
	{Name: "raw_base64", Type: arrow.BinaryTypes.String, Nullable: true},
	{Name: "nulled", Type: arrow.FixedWidthTypes.Boolean},
}, nil)

// What a rejectTable keeps in memory until it writes.
const (
	rejectRows  = 4096
	rejectBytes = 4 << 20
)

// rejectTable writes rejects as a table of one of output's kinds.
type rejectTable struct {
	b      *array.RecordBuilder
	w      output.Writer
	nrows  int
	nbytes int // of text
}

func newRejectTable(kind string, w io.Writer, spool string) (*rejectTable, error) {
	out, err := output.Open(kind, w, rejectSchema, output.Options{SpoolDir: spool})
	if err != nil {
		return nil, err
	}
	return &rejectTable{b: array.NewRecordBuilder(memory.DefaultAllocator, rejectSchema), w: out}, nil
}

func (t *rejectTable) add(r *runtime.Reject) error {
	column := 0
	next := func() array.Builder {
		column++
		return t.b.Field(column - 1)
	}
	text := func(s string) {
		next().(*array.StringBuilder).Append(s)
		t.nbytes += len(s)
	}
	number := func(n int64) { next().(*array.Int64Builder).Append(n) }
	text(strings.ToValidUTF8(r.File, "\uFFFD"))
	number(r.Offset)
	number(r.Line)
	number(r.Column)
	number(r.Record)
	number(r.Lines)
	text(r.Field)
	text(r.Detail)
	text(r.State)
	text(r.Expected)
	if utf8.Valid(r.Raw) {
		text(string(r.Raw))
		next().AppendNull()
	} else {
		next().AppendNull()
		text(base64.StdEncoding.EncodeToString(r.Raw))
	}
	next().(*array.BooleanBuilder).Append(r.FieldOnly)
	if t.nrows++; t.nrows < rejectRows && t.nbytes < rejectBytes {
		return nil
	}
	return t.flush()
}

func (t *rejectTable) flush() error {
	t.nrows, t.nbytes = 0, 0
	rec := t.b.NewRecord()
	defer rec.Release()
	return t.w.Write(rec)
}

func (t *rejectTable) close() error {
	if t.nrows > 0 {
		if err := t.flush(); err != nil {
			return err
		}
	}
	t.b.Release()
	return t.w.Close()
}

func (t *rejectTable) abort() {
	t.b.Release()
	output.Abort(t.w)
}
