package main

import (
	"context"
	goruntime "runtime"
	"slices"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/spf13/pflag"

	"github.com/dfaparse/dfaparse/internal/expr"
	"github.com/dfaparse/dfaparse/internal/output"
	"github.com/dfaparse/dfaparse/internal/sort"
	"github.com/dfaparse/dfaparse/runtime"
)

func sortFlag(f *pflag.FlagSet, order *string) {
	f.StringVar(order, "sort", "", "rows in the `ORDER` of columns, as 'time, host desc nulls first'")
}

// newSorted is the passage of --sort, through which rows go after those of --where; where may
// be nil. done is what to call in the end. It has the reader deliver the columns that are sorted
// by, and counts --limit itself.
func newSorted(order, where string, r *reading, w *writing) (p *passage, done func(), err error) {
	if order == "" {
		p, err = newWhere(where, r, w)
		return p, func() {}, err
	}
	parsed, err := sort.Parse(expr.Source{Name: "--sort", Text: order})
	if err != nil {
		return nil, nil, exprFault(err)
	}
	s := &sortWriter{limit: max(r.limit, 0)}
	none := r.limit == 0 // rows are wanted: only the columns are
	asked := slices.Clone(r.columns)
	if len(asked) > 0 {
		for _, name := range parsed.Columns() {
			if !slices.Contains(r.columns, name) && name != w.fileColumn {
				r.columns = append(r.columns, name)
			}
		}
	}
	if !none {
		r.limit = -1
	}
	through, err := newWhere(where, r, w)
	if err != nil {
		return nil, nil, err
	}
	p = &passage{
		isWhole: true,
		missing: func(no *runtime.NoColumnError) error {
			if slices.Contains(asked, no.Name) {
				return &usageError{err: no}
			}
			if err := parsed.CheckColumns(schemaOf(no.Columns)); err != nil || through == nil {
				return err
			}
			return through.missing(no)
		},
	}
	begin := func(j *job, schema *arrow.Schema, open openOutput) (output.Writer, error) {
		plan, err := parsed.Bind(schema)
		if err != nil {
			return nil, exprFault(err)
		}
		s.schema = schema
		if len(asked) > 0 {
			s.schema, s.columns = columnsOf(schema, append(slices.Clone(asked), w.fileColumn))
		}
		if s.Writer, err = open(s.schema); err != nil {
			return nil, err
		}
		o := sort.Options{Limit: s.limit, Threads: j.r.threads, Memory: j.memory.grouping()}
		if o.Threads == 0 {
			o.Threads = goruntime.GOMAXPROCS(0)
		}
		o.Numbers, _ = j.engine.(sort.Numbers)
		o.DeviceMemory = int64(j.r.gpuMemory)
		s.ctx, s.sorter, s.sorted = j.ctx, sort.New(plan, o), &j.sorted
		return s, nil
	}
	p.begin = begin
	if through != nil {
		p.isFull = through.isFull
		p.begin = func(j *job, schema *arrow.Schema, open openOutput) (output.Writer, error) {
			return through.begin(j, schema, func(schema *arrow.Schema) (output.Writer, error) { return begin(j, schema, open) })
		}
	}
	return p, func() {
		if s.sorter != nil {
			s.sorter.Close()
		}
	}, nil
}

// columnsOf is a schema of the columns named that are there, and their numbers; nil are all.
func columnsOf(schema *arrow.Schema, names []string) (*arrow.Schema, []int) {
	var fields []arrow.Field
	var at []int
	for i, f := range schema.Fields() {
		if names == nil || slices.Contains(names, f.Name) {
			fields, at = append(fields, f), append(at, i)
		}
	}
	md := schema.Metadata()
	return arrow.NewSchema(fields, &md), at
}

// sortWriter writes, when it is closed, the rows in their order.
type sortWriter struct {
	output.Writer
	ctx     context.Context
	sorter  *sort.Sorter
	sorted  *string // how, for --stats
	limit   int64
	schema  *arrow.Schema
	columns []int // nil: all
}

func (w *sortWriter) Write(rec arrow.Record) error { return w.sorter.Add(w.ctx, rec) }

func (w *sortWriter) Close() error {
	err := w.sorter.Finish(w.ctx, w.write)
	if *w.sorted = w.sorter.How(); err != nil {
		output.Abort(w.Writer)
		return err
	}
	return w.Writer.Close()
}

func (w *sortWriter) write(rec arrow.Record) error {
	if w.columns == nil {
		return w.Writer.Write(rec)
	}
	columns := make([]arrow.Array, len(w.columns))
	for i, c := range w.columns {
		columns[i] = rec.Column(c)
	}
	part := array.NewRecord(w.schema, columns, rec.NumRows())
	defer part.Release()
	return w.Writer.Write(part)
}

// Abort gives it up.
func (w *sortWriter) Abort() {
	w.sorter.Close()
	output.Abort(w.Writer)
}
