package dfaparse

import (
	"context"
	"errors"
	"os"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/aggregate"
	"github.com/dfaparse/dfaparse/internal/input"
	"github.com/dfaparse/dfaparse/runtime"
)

// aggregator is an engine that groups rows where it has parsed them, as gpu does. An
// *aggregate.Elsewhere of it says that records are to be grouped.
type aggregator interface {
	AggregateFile(f *os.File, p *dfa.Program, bind func(*arrow.Schema) (*aggregate.Plan, error), o aggregate.Options, opts ...runtime.Option) (*aggregate.Aggregation, runtime.Stats, string, error)
}

// AggregateFile is Aggregate of the file path, of which it reads the columns of the query: what
// Open takes, it takes too. The engine of package runtime/gpu groups a file's rows on
// the device, where it can, and no record is made of them.
func AggregateFile(ctx context.Context, path string, q Query, opts ...Option) (array.RecordReader, error) {
	columns, err := q.Columns()
	if err != nil {
		return nil, err
	}
	opts = append(opts[:len(opts):len(opts)], WithColumns(columns...))
	if found, err := aggregateThere(ctx, path, q, opts); found != nil || err != nil {
		return found, err
	}
	r, err := Open(ctx, path, opts...)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return Aggregate(ctx, r, q)
}

// aggregateThere has the engine group, nil if it is none that does.
func aggregateThere(ctx context.Context, path string, q Query, opts []Option) (array.RecordReader, error) {
	s, err := newSettings(ctx, path, opts)
	if err != nil {
		return nil, err
	}
	e, ok := s.engine.(aggregator)
	if !ok || s.joins() || s.split != nil {
		return nil, nil
	}
	in, err := input.Open(ctx, path, nil)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	if in.Plain == nil || in.Base != 0 {
		return nil, nil
	}
	info, err := in.Plain.Stat()
	if err != nil {
		return nil, err
	}
	parsed, err := q.parse()
	if err != nil {
		return nil, err
	}
	var plan *aggregate.Plan
	bind := func(schema *arrow.Schema) (_ *aggregate.Plan, err error) {
		plan, err = parsed.Bind(schema)
		return plan, err
	}
	base := runtime.WithBaseTime(info.ModTime().Add(runtime.BaseTimeSlack))
	groups, _, _, err := e.AggregateFile(in.Plain, s.program, bind, aggregate.Options{Memory: q.Memory, Dir: q.Dir}, append([]runtime.Option{base}, s.options(in.Name)...)...)
	var other *aggregate.Elsewhere
	switch {
	case errors.As(err, &other) && ctx.Err() == nil:
		return nil, nil
	case err != nil:
		return nil, err
	}
	return newPulled(ctx, plan.Schema(), groups.Finish, groups.Close), nil
}
