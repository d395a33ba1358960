package main

import (
	"errors"
	"os"

	"github.com/apache/arrow/go/v17/arrow"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/aggregate"
	"github.com/dfaparse/dfaparse/internal/input"
	"github.com/dfaparse/dfaparse/runtime"
)

// aggregator is an engine that groups rows where it has parsed them. An
// *aggregate.Elsewhere of it says that records are to be grouped, as of any engine.
type aggregator interface {
	AggregateFile(f *os.File, p *dfa.Program, bind func(*arrow.Schema) (*aggregate.Plan, error), o aggregate.Options, opts ...runtime.Option) (*aggregate.Aggregation, runtime.Stats, string, error)
}

// aggregateElsewhere has the engine group an input, if it is a whole file and nothing but groups
// is asked for; done reports whether it has. j.grouped says how it went.
func (j *job) aggregateElsewhere(in *input.Input, path string) (done bool, err error) {
	e, ok := j.engine.(aggregator)
	if !ok || j.through == nil || j.through.plan == nil {
		return false, nil
	}
	if why := j.notElsewhere(in, path); why != "" {
		j.grouped = (&aggregate.Elsewhere{Why: why}).Error()
		return false, nil
	}
	info, err := in.Plain.Stat()
	if err != nil {
		return false, err
	}
	opts := append([]runtime.Option{
		runtime.WithBaseTime(info.ModTime().Add(runtime.BaseTimeSlack)), runtime.WithContext(j.ctx), runtime.WithName(in.Name),
	}, j.opts...)
	var schema *arrow.Schema
	bind := func(s *arrow.Schema) (*aggregate.Plan, error) {
		schema = s
		aligned, err := j.matched.Align(in, s)
		if err == nil && aligned != nil {
			err = errors.New("its columns are put in order")
		}
		if err != nil {
			return nil, &aggregate.Elsewhere{Why: err.Error()}
		}
		plan, err := j.through.plan(s)
		if err != nil { // which is said of the records' schema, too
			return nil, &aggregate.Elsewhere{Why: err.Error()}
		}
		return plan, nil
	}
	groups, stats, how, err := e.AggregateFile(in.Plain, j.program, bind, aggregate.Options{Memory: j.memory.grouping()}, append(opts, j.matched.Options(path)...)...)
	if j.grouped = how; err != nil {
		var other *aggregate.Elsewhere
		if errors.As(err, &other) && j.ctx.Err() == nil {
			j.grouped = other.Error()
			return false, nil
		}
		return false, err
	}
	if err := j.begin(0, in, schema); err != nil {
		groups.Close()
		return false, err
	}
	j.through.take(groups)
	j.total.Add(&stats)
	j.progress.add(int(stats.Bytes))
	return true, nil
}

// notElsewhere is why records are wanted of an input, "" if they are not.
func (j *job) notElsewhere(in *input.Input, path string) string {
	switch {
	case len(j.paths) > 1:
		return "there are several inputs"
	case in.Plain == nil || path == "-" || in.Base != 0:
		return "the input is not a file as it lies there"
	case j.r.limit >= 0 || j.r.skip > 0:
		return "rows are chosen by their number"
	case j.memory != nil:
		return "memory is bounded"
	case j.r.growing || j.r.shape != "":
		return "not all of the input is read"
	case j.matched.Widens() || j.chosen.table != nil:
		return "columns are made of texts, or of names of folders"
	}
	return ""
}
