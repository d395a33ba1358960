package reference

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/dfaparse/dfaparse/runtime"
)

// Engine is the reference engine, "reference".
var Engine runtime.Engine = engine{}

type engine struct{}

// Name is "reference".
func (engine) Name() string { return "reference" }

// Open prepares to run plan over one input.
func (engine) Open(plan *runtime.Plan, cfg runtime.Config) (runtime.Parser, error) {
	return open(plan, cfg)
}

func open(plan *runtime.Plan, cfg runtime.Config) (*parser, error) {
	if cfg.Chunk < 1 || cfg.Threads < 1 {
		return nil, fmt.Errorf("reference: chunks of %d bytes, %d threads: want at least 1 of each", cfg.Chunk, cfg.Threads)
	}
	converters, err := NewConverters(plan)
	if err != nil {
		return nil, err
	}
	return &parser{plan: plan, grid: Grid{Chunk: cfg.Chunk, Threads: cfg.Threads}, converters: converters}, nil
}

type parser struct {
	plan       *runtime.Plan
	grid       Grid
	converters *Converters
	measured   func(stage string) // called when a stage is done; nil unless it measures
}

var errPartition = errors.New("reference: a partition of 2 GiB or more")

// Parse runs the stages over one partition, one after the other. The Result
// shares no memory with those of other calls.
func (p *parser) Parse(ctx context.Context, in *runtime.Partition) (*runtime.Result, error) {
	a := p.plan.Program.Automaton
	if int(in.State) >= a.NStates() {
		return nil, fmt.Errorf("reference: a partition in state %d of %d", in.State, a.NStates())
	}
	if len(in.Data) > math.MaxInt32 {
		return nil, errPartition
	}

	contexts := Contexts(p.grid, a, in.Data, in.State)
	if err := p.done(ctx, "context"); err != nil {
		return nil, err
	}

	ix := BuildIndex(p.grid, a, in.Data, contexts, in.Final)
	if err := p.done(ctx, "index"); err != nil {
		return nil, err
	}

	segments, refused := Segments(p.grid, p.plan, in.Data, ix, in.Binding)
	shape := NewShape(p.grid, p.plan, ix, segments)
	symbols := Tag(p.grid, a, in.Data, ix, &shape.Spans)
	symbols = SortByColumn(p.grid, symbols, len(shape.Wanted))
	start, end := FieldIndex(p.grid, symbols, shape.Spans.Len())
	if err := p.done(ctx, "partition"); err != nil {
		return nil, err
	}

	rows := p.converters.Convert(p.grid, shape, in.Data, symbols.Value, start, end)
	if err := p.done(ctx, "convert"); err != nil {
		return nil, err
	}

	last := segments[len(segments)-1]
	result := &runtime.Result{State: ix.Begin(a, last.To), Binding: in.Binding, Err: refused}
	switch {
	case in.Final && refused == nil:
		result.Consumed, result.State = len(in.Data), ix.State[len(in.Data)]
	case last.To > 0:
		result.Consumed = ix.Next(a, last.To-1)
	}
	result.Extents = ix.Extents(a, last.To, result.Consumed)
	if len(segments) > 1 {
		result.Binding = last.Binding
	}
	if rows.N > 0 {
		result.Rows = []runtime.Rows{rows}
	}
	return result, nil
}

// done ends a stage; its error is that of ctx.
func (p *parser) done(ctx context.Context, stage string) error {
	if p.measured != nil {
		p.measured(stage)
	}
	return ctx.Err()
}

// Close has nothing to give back.
func (p *parser) Close() error { return nil }
