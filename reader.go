package dfaparse

import (
	"bytes"
	"context"
	"errors"
	"io"
	"iter"
	"os"
	"reflect"
	"sync/atomic"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"

	"github.com/dfaparse/dfaparse/internal/abreast"
	"github.com/dfaparse/dfaparse/internal/discover"
	"github.com/dfaparse/dfaparse/internal/input"
	"github.com/dfaparse/dfaparse/runtime"
)

// Reader reads an input as Arrow records. It is an array.RecordReader. Whoever
// opened it closes it. It is not safe for concurrent use: one goroutine uses it, or
// several one after the other. It reads with several threads by itself (WithThreads).
type Reader struct {
	r       readings
	in      *input.Input // nil: nothing is to be closed
	refs    atomic.Int64
	closed  atomic.Bool
	decided string
}

// readings are what a *runtime.Reader gives, or what is made of several.
type readings interface {
	array.RecordReader
	Stats() runtime.Stats
	Rejects() []*runtime.Reject
	Hints() []string
}

var _ array.RecordReader = (*Reader)(nil)

// Open begins to read the file path, decompressed if it is compressed (gzip,
// zstd, bzip2, xz, lz4, told by its first bytes). Where the system can, a file
// that is not is mapped into memory. Without an option that gives the format, the
// extensions .csv and .tsv do.
//
// The header is read at once, so that its errors are Open's. When ctx is done,
// the reading ends with ctx.Err().
func Open(ctx context.Context, path string, opts ...Option) (*Reader, error) {
	return open(ctx, path, opts, func() (*input.Input, error) { return input.Open(ctx, path, nil) })
}

// OpenReader begins to read what in gives, decompressed if it is compressed. It
// does not close in.
//
// Formats whose columns are named in the middle of the input (w3c) read it twice
// where in is an io.Seeker; otherwise a column that is named after the first
// record is an error.
func OpenReader(ctx context.Context, in io.Reader, opts ...Option) (*Reader, error) {
	if v := reflect.ValueOf(in); !v.IsValid() || v.Kind() == reflect.Pointer && v.IsNil() {
		return nil, errors.New("the input is nil")
	}
	name := "input"
	if f, ok := in.(*os.File); ok {
		name = f.Name()
	}
	return open(ctx, "", opts, func() (*input.Input, error) { return input.Of(ctx, in, name, nil) })
}

// OpenBytes begins to read data, which may be compressed. It copies none of it:
// data may not change until the Reader is closed, or has been read to its end.
func OpenBytes(ctx context.Context, data []byte, opts ...Option) (*Reader, error) {
	if input.Compressed(data) {
		return OpenReader(ctx, bytes.NewReader(data), opts...)
	}
	s, err := newSettings(ctx, "", opts)
	if err != nil {
		return nil, err
	}
	if s.joins() {
		return OpenReader(ctx, bytes.NewReader(data), opts...)
	}
	const name = "input"
	return s.newReader(nil, func() error { return discover.CutOffText(name, data, s.program) })(runtime.ReadBytes(data, s.program, s.options(name)...))
}

func open(ctx context.Context, path string, opts []Option, begin func() (*input.Input, error)) (*Reader, error) {
	s, err := newSettings(ctx, path, opts)
	if err != nil {
		return nil, err
	}
	if s.joins() && s.split != nil {
		return nil, errSplitJoined
	}
	if s.joins() {
		return s.join(ctx, []string{path}, func(string) (*input.Input, error) { return begin() })
	}
	in, err := begin()
	if err != nil {
		return nil, err
	}
	if err := s.resume(in); err != nil {
		in.Close()
		return nil, err
	}
	discover.WatchEnd(in, s.program)
	ropts := s.options(in.Name)
	if in.Plain == nil && !in.Changed.IsZero() {
		ropts = append([]runtime.Option{runtime.WithBaseTime(in.Changed.Add(runtime.BaseTimeSlack))}, ropts...)
	}
	return s.newReader(in, func() error { return discover.CutOff(in, s.program) })(abreast.Read(in, s.program, ropts...))
}

// newReader is the Reader of what runtime gives, or in is closed. cutOff looks for a list that nothing closes.
func (s *settings) newReader(in *input.Input, cutOff func() error) func(*runtime.Reader, error) (*Reader, error) {
	return func(from *runtime.Reader, err error) (*Reader, error) {
		if err != nil {
			if in != nil {
				in.Close()
			}
			return nil, err
		}
		r := &Reader{r: &whole{Reader: from, of: s, cutOff: cutOff}, in: in}
		r.refs.Store(1)
		return r, nil
	}
}

// whole reads an input, and says in the end whether that has been cut off.
type whole struct {
	*runtime.Reader
	of     *settings
	cutOff func() error
	ended  bool
	err    error // of a list that nothing closes
}

func (w *whole) Next() bool {
	if w.Reader.Next() {
		return true
	}
	if !w.ended && w.Reader.Err() == nil && w.of.split == nil && (w.of.limit == nil || w.Stats().Rows < *w.of.limit) {
		w.err = w.cutOff()
	}
	w.ended = true
	return false
}

func (w *whole) Err() error {
	if err := w.Reader.Err(); err != nil || w.of.forgiving {
		return err
	}
	return w.err
}

func (w *whole) Hints() []string {
	hints := w.Reader.Hints()
	if w.err != nil && w.of.forgiving {
		hints = append(hints[:len(hints):len(hints)], w.err.Error())
	}
	return hints
}

// Schema has a field for each column. Columns that directives name in the middle
// of a file that can be read again are there from the beginning.
func (r *Reader) Schema() *arrow.Schema { return r.r.Schema() }

// Records iterates over the records that are left. After the last, or after those
// before a failure, comes the error, with a nil record. A record is valid until
// the next one, unless it is retained.
func (r *Reader) Records() iter.Seq2[arrow.Record, error] {
	return func(yield func(arrow.Record, error) bool) {
		for r.Next() {
			if !yield(r.Record(), nil) {
				return
			}
		}
		if err := r.Err(); err != nil {
			yield(nil, err)
		}
	}
}

// Next advances to the next record and reports whether there is one.
func (r *Reader) Next() bool { return r.r.Next() }

// Record is the record that Next has advanced to.
func (r *Reader) Record() arrow.Record { return r.r.Record() }

// Err is why Next has said that there is no record, nil at the end of the input.
func (r *Reader) Err() error { return r.r.Err() }

// Stats counts bytes, records, rows, rejects and what else befell the input, so
// far; Stats.Account says what became of every byte.
func (r *Reader) Stats() Stats { return r.r.Stats() }

// Rejects are the first thousand records that were left out and, in mode null,
// fields that were made null, unless WithRejects hands them over.
func (r *Reader) Rejects() []*Reject { return r.r.Rejects() }

// Hints are sentences about what could be read and was probably not meant, as a
// header of one column that holds semicolons.
func (r *Reader) Hints() []string { return r.r.Hints() }

// Decided says in a sentence what was found out of how a delimited input is written, ""
// if nothing had to be: "separated by semicolon, a header, 4 columns".
func (r *Reader) Decided() string { return r.decided }

// Close ends the reading and closes what Open has opened. Records that were
// retained stay valid. Who reads on before the end gets an error that is an
// fs.ErrClosed. Closing twice does nothing.
func (r *Reader) Close() error {
	if !r.closed.Swap(true) {
		r.Release()
	}
	return nil
}

// Retain adds a reference, as Arrow's readers have them.
func (r *Reader) Retain() {
	r.refs.Add(1)
	r.r.Retain()
}

// Release takes a reference away; the last closes the Reader. It is Close for who
// has an array.RecordReader.
func (r *Reader) Release() {
	if r.in != nil && r.refs.Load() == 1 {
		r.in.GiveUp()
	}
	r.r.Release()
	if r.refs.Add(-1) == 0 && r.in != nil {
		r.in.Close()
	}
}
