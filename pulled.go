package dfaparse

import (
	"context"
	"iter"
	"sync/atomic"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"

	"github.com/dfaparse/dfaparse/runtime"
)

// pulled are records of what hands them to a function, as results of Aggregate and Sort.
type pulled struct {
	refs    atomic.Int64
	schema  *arrow.Schema
	next    func() (arrow.Record, error, bool)
	stop    func()
	close   func()
	current arrow.Record
	ended   bool // all have been handed over
	closed  bool
	err     error
}

var _ array.RecordReader = (*pulled)(nil)

// newPulled gives what finish hands over; end is called when it is released.
func newPulled(ctx context.Context, schema *arrow.Schema, finish func(context.Context, func(arrow.Record) error) error, end func()) *pulled {
	p := &pulled{schema: schema, close: end}
	p.refs.Store(1)
	p.next, p.stop = iter.Pull2(func(yield func(arrow.Record, error) bool) {
		stopped := false
		err := finish(ctx, func(rec arrow.Record) error {
			if stopped = !yield(rec, nil); stopped {
				return context.Canceled
			}
			return nil
		})
		if err != nil && !stopped {
			yield(nil, err)
		}
	})
	return p
}

// Schema implements array.RecordReader, and so do the others.
func (p *pulled) Schema() *arrow.Schema { return p.schema }
func (p *pulled) Record() arrow.Record  { return p.current }
func (p *pulled) Err() error            { return p.err }
func (p *pulled) Retain()               { p.refs.Add(1) }

func (p *pulled) Next() bool {
	if p.err != nil {
		return false
	}
	if p.closed && !p.ended {
		p.err = runtime.ErrClosed
		return false
	}
	var ok bool
	p.current, p.err, ok = p.next()
	if !ok {
		p.current, p.ended = nil, true
	}
	return ok && p.err == nil
}

// Release implements array.RecordReader. Who goes on before the end gets an error that is an fs.ErrClosed.
func (p *pulled) Release() {
	if p.refs.Add(-1) == 0 {
		p.closed = true
		p.stop()
		p.close()
	}
}
