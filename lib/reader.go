//go:build cgo && (linux || darwin)

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/dfaparse/dfaparse"
	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/input"
	"github.com/dfaparse/dfaparse/internal/output"
	"github.com/dfaparse/dfaparse/runtime"
)

// openOptions are the JSON of dfaparse_open.
type openOptions struct {
	Paths       fileNames `json:"paths"`
	Name        string    `json:"name"`
	Columns     []string  `json:"columns"`
	NRows       *int64    `json:"n_rows"`
	SkipRows    int64     `json:"skip_rows"`
	SkipLines   int64     `json:"skip_lines"`
	OnError     string    `json:"on_error"`
	MaxRejects  *int64    `json:"max_rejects"`
	KeepRejects *int64    `json:"keep_rejects"`
	Threads     int       `json:"threads"`
	BatchSize   int       `json:"batch_size"`
	Memory      int64     `json:"memory"`
	Shape       string    `json:"shape"`
	Union       string    `json:"union"`
	Hive        bool      `json:"hive"`
	FileColumn  string    `json:"file_column"`

	Split json.RawMessage `json:"split"` // one of the lines of splits
}

// keptRejects are how many are kept unless somebody asks for others.
const keptRejects = 1000

// ahead is how many batches are ready before they are asked for.
const ahead = 2

// reader is what a dfaparse_reader stands for: the inputs as one table, read by a goroutine
// that begins with the first batch that is asked for.
type reader struct {
	pending // the first input is opened, and its header read
	options *openOptions
	format  *format
	data    []byte
	schema  *arrow.Schema
	refs    atomic.Int64
	from    *dfaparse.Reader // of the goroutine, once it has begun
	first   sync.Once
	batches chan *exported // closed at the end: none is nil
	ended   chan struct{}
	failure error // why it ended, set before batches is closed

	mu      sync.Mutex
	stats   dfaparse.Stats
	rejects []*dfaparse.Reject
	hints   []string
}

// errCancelled is what becomes of a reading that somebody has ended.
var errCancelled = errors.New("the reading was cancelled")

func open(f *format, o *openOptions, data []byte) *reader {
	r := &reader{options: o, format: f, data: data, batches: make(chan *exported, ahead), ended: make(chan struct{})}
	r.refs.Store(1)
	r.pending.begin(func(context.Context) error {
		if err := f.made(); err != nil {
			return err
		}
		if err := r.begin(); err != nil {
			return err
		}
		r.schema = r.from.Schema()
		r.look()
		return nil
	})
	return r
}

var errNoInput = &dfaparse.OptionError{Option: "paths", Reason: "there is no input"}

// begin opens the inputs.
func (r *reader) begin() error {
	opts, err := r.readOptions()
	if err != nil {
		return err
	}
	if r.data != nil {
		r.from, err = dfaparse.OpenBytes(r.ctx, r.data, opts...)
		return err
	}
	paths, err := input.Expand(r.options.Paths)
	switch {
	case err != nil:
		return err
	case len(paths) == 0:
		return errNoInput
	case len(paths) == 1:
		r.from, err = dfaparse.Open(r.ctx, paths[0], opts...)
	default:
		r.from, err = dfaparse.OpenFiles(r.ctx, paths, opts...)
	}
	return err
}

// readOptions are those of the root package, for what is left to read.
func (r *reader) readOptions() ([]dfaparse.Option, error) {
	o := r.options
	opts := []dfaparse.Option{dfaparse.Program(r.format.program), dfaparse.With(runtime.WithReuse()), dfaparse.WithRejects(r.reject)}
	if o.Name != "" {
		opts = append(opts, dfaparse.WithName(o.Name))
	}
	if o.Columns != nil {
		opts = append(opts, dfaparse.WithColumns(o.Columns...))
	}
	if o.NRows != nil {
		if *o.NRows < 0 {
			return nil, &dfaparse.OptionError{Option: "n_rows", Reason: fmt.Sprintf("n_rows is %d, want 0 or more", *o.NRows)}
		}
		opts = append(opts, dfaparse.WithLimit(*o.NRows))
	}
	if o.SkipRows < 0 {
		return nil, &dfaparse.OptionError{Option: "skip_rows", Reason: fmt.Sprintf("skip_rows is %d, want 0 or more", o.SkipRows)}
	}
	if o.SkipRows > 0 {
		opts = append(opts, dfaparse.WithSkip(o.SkipRows))
	}
	if o.SkipLines != 0 {
		opts = append(opts, dfaparse.WithSkipLines(o.SkipLines))
	}
	if o.OnError != "" {
		mode, err := errorMode(o.OnError)
		if err != nil {
			return nil, err
		}
		opts = append(opts, dfaparse.WithErrorMode(mode))
	}
	if o.OnError == "" && o.KeepRejects != nil && r.format.program.OnError == dfa.Fail {
		opts = append(opts, dfaparse.WithErrorMode(dfa.Reject)) // there would be none to keep
	}
	if o.MaxRejects != nil {
		opts = append(opts, dfaparse.WithMaxRejects(*o.MaxRejects))
	}
	if o.Threads != 0 {
		opts = append(opts, dfaparse.WithThreads(o.Threads))
	}
	if o.BatchSize != 0 {
		opts = append(opts, dfaparse.WithBatchSize(o.BatchSize))
	}
	if o.Memory != 0 {
		opts = append(opts, dfaparse.WithMemory(o.Memory))
	}
	if o.Shape != "" {
		opts = append(opts, dfaparse.WithShape(o.Shape))
	}
	if o.Union != "" {
		opts = append(opts, dfaparse.WithUnion(o.Union))
	}
	if o.Hive {
		opts = append(opts, dfaparse.WithHive())
		if types := r.format.folders.Types; types != "" {
			opts = append(opts, dfaparse.WithTypes(types))
		}
		if r.format.folders.AllStrings {
			opts = append(opts, dfaparse.WithAllStrings())
		}
	}
	if o.FileColumn != "" {
		opts = append(opts, dfaparse.WithFileColumn(o.FileColumn))
	}
	if r.format.encoding != "" {
		opts = append(opts, dfaparse.WithEncoding(r.format.encoding))
	}
	if split, err := r.split(); err != nil {
		return nil, err
	} else if split != nil {
		opts = append(opts, dfaparse.WithSplit(split))
	}
	return append(opts, dfaparse.With(runtime.WithRejectDetails(r.kept()))), nil
}

// errorMode is the one of a name.
func errorMode(name string) (dfa.ErrorMode, error) {
	modes := dfa.ErrorModes()
	mode := slices.IndexFunc(modes, func(m dfa.ErrorMode) bool { return m.String() == name })
	if mode < 0 {
		return 0, &dfaparse.OptionError{Option: "on_error", Reason: fmt.Sprintf("on_error is %q, want fail, null or reject", name)}
	}
	return modes[mode], nil
}

// kept is how many rejects are kept.
func (r *reader) kept() int {
	switch o := r.options; {
	case o.KeepRejects == nil:
		return keptRejects
	case *o.KeepRejects < 0 || *o.KeepRejects > math.MaxInt32:
		return math.MaxInt32
	default:
		return int(*o.KeepRejects)
	}
}

func (r *reader) reject(x *dfaparse.Reject) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.rejects) < r.kept() {
		r.rejects = append(r.rejects, x)
	}
	return nil
}

// look notes the counts, which other threads ask for.
func (r *reader) look() {
	s := r.from.Stats()
	r.mu.Lock()
	r.stats, r.hints = s, r.from.Hints()
	r.mu.Unlock()
}

// start lets the goroutine begin.
func (r *reader) start() {
	r.first.Do(func() {
		go func() {
			defer close(r.ended)
			defer close(r.batches)
			defer func() {
				if x := recover(); x != nil {
					r.failure = panicError(x)
				}
			}()
			if r.failure = r.readAll(); r.failure != nil && r.ctx.Err() != nil {
				r.failure = errCancelled
			}
		}()
	})
}

func (r *reader) readAll() error {
	defer r.from.Close()
	defer r.look()
	for r.from.Next() {
		b, err := exportRecord(r.from.Record())
		if err != nil {
			return err
		}
		r.look()
		select {
		case r.batches <- b:
		case <-r.ctx.Done():
			b.release()
			return r.ctx.Err()
		}
	}
	return r.from.Err()
}

// take gives the next batch, nil at the end; waiting is true if there is none after so long.
func (r *reader) take(wait time.Duration) (b *exported, waiting bool, err error) {
	if ok, err := r.ready(wait); !ok || err != nil {
		return nil, !ok, err
	}
	r.start()
	b, ok := within(r.batches, wait)
	switch {
	case b != nil || !ok:
		return b, !ok, nil
	case r.failure == nil && r.refs.Load() <= 0: // batches that were ready may have been given back
		return nil, false, errCancelled
	}
	return nil, false, r.failure
}

// release drops a reference; the last ends the reading, waits until it has ended, and is
// told of it. It does not wait for an input that does not open.
func (r *reader) release() (last bool) {
	if r.refs.Add(-1) != 0 {
		return false
	}
	r.cancel()
	if ok, _ := r.ready(0); ok {
		r.end()
	} else {
		go r.end()
	}
	return true
}

// end gives back what the reading has, once it has ended.
func (r *reader) end() {
	if r.made() != nil {
		return
	}
	r.first.Do(func() { // nobody has asked for a batch, and who asks now gets none
		r.from.Close()
		r.failure = errCancelled
		close(r.batches)
		close(r.ended)
	})
	for b := range r.batches {
		b.release()
	}
	<-r.ended
}

// statsJSON are the counts, by the names that the Python package has.
func (r *reader) statsJSON() string {
	r.mu.Lock()
	s, hints := r.stats, r.hints
	r.mu.Unlock()
	if hints == nil {
		hints = []string{}
	}
	text, _ := json.Marshal(map[string]any{
		"bytes": s.Bytes, "records": s.Records, "rows": s.Rows, "rejected": s.Rejected,
		"rejected_lines": s.RejectedLines, "nulled": s.Nulled, "replaced": s.Replaced,
		"surplus_fields": s.SurplusFields, "skipped": s.Account.Skipped.Records,
		"batches": s.Batches, "hints": hints,
	})
	return string(text)
}

// rejectSchema has the columns that the command writes rejects with, but for those of a
// record that is no UTF-8: raw is bytes.
var rejectSchema = output.RejectSchema(arrow.Field{Name: "raw", Type: arrow.BinaryTypes.Binary})

// rejectRecord is a record of the rejects so far.
func (r *reader) rejectRecord() arrow.Record {
	r.mu.Lock()
	rejects := r.rejects
	r.mu.Unlock()
	b := array.NewRecordBuilder(memory.DefaultAllocator, rejectSchema)
	defer b.Release()
	for _, x := range rejects {
		raw := output.AppendReject(b, x)
		b.Field(raw).(*array.BinaryBuilder).Append(x.Raw)
	}
	return b.NewRecord()
}
