package arrow18

import (
	"iter"
	"sync/atomic"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	array17 "github.com/apache/arrow/go/v17/arrow/array"
)

// Reader reads the records of a reader of v17. It is an array.RecordReader of
// v18. Retain and Release may be called by several goroutines at a time, the
// rest by one.
type Reader struct {
	refs   atomic.Int64
	from   array17.RecordReader
	schema *arrow.Schema
	record arrow.RecordBatch // nil before the first, and after the last
}

var _ array.RecordReader = (*Reader)(nil)

// Wrap is a Reader of what is left of r. It keeps r until it is released; the
// caller's own reference of r remains the caller's to release. Whoever calls Next
// of r meanwhile takes a record away from the Reader.
func Wrap(r array17.RecordReader) *Reader {
	r.Retain()
	w := &Reader{from: r, schema: Schema(r.Schema())}
	w.refs.Add(1)
	return w
}

// Retain adds a reference.
func (r *Reader) Retain() { r.refs.Add(1) }

// Release takes a reference away. The last one releases the current record and
// the reader of v17. Records that were retained stay valid.
func (r *Reader) Release() {
	if r.refs.Add(-1) == 0 {
		r.drop()
		r.from.Release()
	}
}

// Schema is the schema of the records.
func (r *Reader) Schema() *arrow.Schema { return r.schema }

// Next reads the next record, and releases the one before. It is false at the
// end of the input and where reading failed: Err says which.
func (r *Reader) Next() bool {
	r.drop()
	if !r.from.Next() {
		return false
	}
	record, schema := r.from.Record(), r.schema
	if record.Schema() != r.from.Schema() {
		schema = Schema(record.Schema())
	}
	r.record = newRecord(schema, record)
	return true
}

func (r *Reader) drop() {
	if r.record != nil {
		r.record.Release()
		r.record = nil
	}
}

// RecordBatch is the record that Next read. It is the Reader's, and valid until
// the next Next or Release: Retain it to keep it.
func (r *Reader) RecordBatch() arrow.RecordBatch { return r.record }

// Record is RecordBatch, by the name that it had in v17.
func (r *Reader) Record() arrow.RecordBatch { return r.record }

// Err is why Next was false: nil at the end of the input, otherwise the error of
// the reader of v17, as it is.
func (r *Reader) Err() error { return r.from.Err() }

// Records ranges over the records that are left. A record is valid until the
// next one is asked for, as with Next. An error is the last that is given, with
// a nil record.
func (r *Reader) Records() iter.Seq2[arrow.RecordBatch, error] {
	return func(yield func(arrow.RecordBatch, error) bool) {
		for r.Next() {
			if !yield(r.record, nil) {
				return
			}
		}
		if err := r.Err(); err != nil {
			yield(nil, err)
		}
	}
}
