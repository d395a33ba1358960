package output

import (
	"github.com/apache/arrow/go/v17/arrow"

	"github.com/dfaparse/dfaparse/internal/parquetfile"
)

// Pipelined is w in a goroutine of its own, so that records are written while
// the next are read; some few wait at a time. A failure of w shows at a later
// Write, or at Close. A Writer of Parquet works like that already.
func Pipelined(w Writer) Writer {
	if _, ok := w.(*parquetfile.Writer); ok {
		return w
	}
	p := &pipeline{w: w, records: make(chan arrow.Record, 2), failed: make(chan struct{}), done: make(chan struct{})}
	go p.run()
	return p
}

type pipeline struct {
	w       Writer
	records chan arrow.Record
	failed  chan struct{} // closed once err is set
	done    chan struct{} // closed at the end of run
	err     error
}

func (p *pipeline) run() {
	defer close(p.done)
	for rec := range p.records {
		if p.err == nil {
			if p.err = p.w.Write(rec); p.err != nil {
				close(p.failed)
			}
		}
		rec.Release()
	}
}

func (p *pipeline) Write(rec arrow.Record) error {
	select {
	case <-p.failed:
		return p.err
	default:
	}
	rec.Retain()
	select {
	case p.records <- rec:
		return nil
	case <-p.failed:
		rec.Release()
		return p.err
	}
}

// Close waits until all is written.
func (p *pipeline) Close() error {
	p.drain()
	if p.err != nil {
		Abort(p.w)
		return p.err
	}
	return p.w.Close()
}

// Abort gives up; records given before are still written.
func (p *pipeline) Abort() {
	p.drain()
	Abort(p.w)
}

func (p *pipeline) drain() {
	close(p.records)
	<-p.done
}
