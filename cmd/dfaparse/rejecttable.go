package main

import (
	"encoding/base64"
	"io"
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
var rejectSchema = output.RejectSchema(
	arrow.Field{Name: "raw", Type: arrow.BinaryTypes.String, Nullable: true},
	arrow.Field{Name: "raw_base64", Type: arrow.BinaryTypes.String, Nullable: true},
)

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
	raw := output.AppendReject(t.b, r)
	text := string(r.Raw)
	as, other := t.b.Field(raw).(*array.StringBuilder), t.b.Field(raw+1).(*array.StringBuilder)
	if !utf8.Valid(r.Raw) {
		text = base64.StdEncoding.EncodeToString(r.Raw)
		as, other = other, as
	}
	as.Append(text)
	other.AppendNull()
	t.nbytes += len(r.File) + len(r.Field) + len(r.Detail) + len(r.State) + len(r.Expected) + len(text)
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
