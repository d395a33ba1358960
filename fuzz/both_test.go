package fuzz

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/dfaparse/dfaparse/internal/columns"
	"github.com/dfaparse/dfaparse/internal/convert"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/cpu"
	"github.com/dfaparse/dfaparse/runtime/reference"
)

// both is an engine that runs two engines side by side on every partition and
// fails where their Results differ: in any byte of any buffer, in any field of
// any Problem, in what was consumed. How rows are grouped may differ, and
// nothing else.
type both struct {
	name      string
	want, got runtime.Engine
}

// engines are those that the tests read with, by name.
var engines = map[string]runtime.Engine{
	"reference": reference.Engine, "cpu": cpu.Engine,
	"both": both{"both", reference.Engine, cpu.Engine},
}

var errEnginesDiffer = errors.New("the engines differ")

func (b both) Name() string { return b.name }

func (b both) Open(plan *runtime.Plan, cfg runtime.Config) (runtime.Parser, error) {
	settled := *plan
	settled.Settles, plan = false, &settled // one engine may leave to the Reader what the other does
	want, err := b.want.Open(plan, cfg)
	if err != nil {
		return nil, err
	}
	got, err := b.got.Open(plan, cfg)
	if err != nil {
		want.Close()
		return nil, err
	}
	return &bothParser{plan, want, got}, nil
}

type bothParser struct {
	plan      *runtime.Plan
	want, got runtime.Parser
}

func (b *bothParser) Parse(ctx context.Context, p *runtime.Partition) (*runtime.Result, error) {
	first, second := *p, *p
	first.Data = bytes.Clone(p.Data)
	first.Again, second.Again = nil, nil // which not every engine makes use of
	want, err := b.want.Parse(ctx, &first)
	if err != nil {
		return nil, err
	}
	got, err := b.got.Parse(ctx, &second)
	if err != nil {
		return nil, err
	}
	if !bytes.Equal(first.Data, p.Data) {
		return nil, fmt.Errorf("%w: an engine has written to the partition", errEnginesDiffer)
	}
	if diff := differ(got, want, b.plan); diff != "" {
		return nil, fmt.Errorf("%w: %s", errEnginesDiffer, diff)
	}
	return want, nil
}

func (b *bothParser) Close() error { return errors.Join(b.want.Close(), b.got.Close()) }

// differ says how two Results differ, "" if they do not.
func differ(got, want *runtime.Result, plan *runtime.Plan) string {
	switch {
	case got.Consumed != want.Consumed:
		return fmt.Sprintf("%d bytes consumed, want %d", got.Consumed, want.Consumed)
	case got.State != want.State:
		return fmt.Sprintf("state %d, want %d", got.State, want.State)
	case !reflect.DeepEqual(got.Binding, want.Binding):
		return fmt.Sprintf("binding %+v, want %+v", got.Binding, want.Binding)
	case (got.Err == nil) != (want.Err == nil):
		return fmt.Sprintf("refused %+v, want %+v", got.Err, want.Err)
	case got.Err != nil && (got.Err.Offset != want.Err.Offset || got.Err.Err.Error() != want.Err.Err.Error()):
		return fmt.Sprintf("refused %+v, want %+v", got.Err, want.Err)
	}
	a, b := gather(got, plan), gather(want, plan)
	if a.N != b.N || !slices.Equal(a.Notes, b.Notes) {
		return fmt.Sprintf("%d rows with notes %+v, want %d and %+v", a.N, a.Notes, b.N, b.Notes)
	}
	if got.Extents != want.Extents {
		return fmt.Sprintf("extents are %+v, want %+v", got.Extents, want.Extents)
	}
	for i := range max(len(a.Problems), len(b.Problems)) {
		switch {
		case i >= len(a.Problems):
			return fmt.Sprintf("%d problems, want %d; the next is %+v", i, len(b.Problems), b.Problems[i])
		case i >= len(b.Problems):
			return fmt.Sprintf("%d problems, want %d; one more is %+v", len(a.Problems), i, a.Problems[i])
		case !sameProblem(a.Problems[i], b.Problems[i]):
			return fmt.Sprintf("problem %d is %+v, want %+v", i, a.Problems[i], b.Problems[i])
		case a.Problems[i].Binding == nil:
			return fmt.Sprintf("problem %d has no binding: %+v", i, a.Problems[i])
		}
	}
	for i := range a.Columns {
		if diff := differColumns(a.Columns[i], b.Columns[i]); diff != "" {
			return fmt.Sprintf("output %d, %s: %s", i, plan.Def(plan.Outputs[i]).Name, diff)
		}
	}
	return ""
}

// sameProblem compares all fields; of the bindings, which each engine asked
// for itself, what they say.
func sameProblem(a, b runtime.Problem) bool {
	same := reflect.DeepEqual(a.Binding, b.Binding)
	a.Binding, b.Binding = nil, nil
	return same && a == b
}

// gather puts the rows of a Result together, but for the values of those that the plan
// drops, whether the engine left them out or not.
func gather(r *runtime.Result, plan *runtime.Plan) (all runtime.Rows) {
	for _, o := range plan.Outputs {
		all.Columns = append(all.Columns, convert.NewColumn(&plan.Def(o).Type))
	}
	for _, rows := range r.Rows {
		dropped := []int{}
		for _, p := range rows.Problems {
			if rows.Gone.Len() == 0 && plan.Drops != nil && plan.Drops(&p) {
				dropped = append(dropped, p.Row)
			}
		}
		dropped = append(slices.Compact(dropped), rows.N-rows.Gone.Len())
		for i, c := range rows.Columns {
			from := 0
			for _, to := range dropped {
				all.Columns[i].AppendRows(c, from, to)
				from = to + 1
			}
		}
		for _, p := range rows.Problems {
			p.Row += all.N
			all.Problems = append(all.Problems, p)
		}
		for _, n := range rows.Notes {
			n.Row += all.N
			all.Notes = append(all.Notes, n)
		}
		all.N += rows.N
	}
	return all
}

// differColumns says how two columns differ, "" if they do not.
func differColumns(got, want *columns.Column) string {
	switch {
	case got.Len != want.Len || got.Nulls != want.Nulls:
		return fmt.Sprintf("%d rows, %d null, want %d and %d", got.Len, got.Nulls, want.Len, want.Nulls)
	case !bytes.Equal(got.Valid, want.Valid):
		return fmt.Sprintf("validity %x, want %x", got.Valid, want.Valid)
	case !bytes.Equal(got.Fixed, want.Fixed):
		return fmt.Sprintf("values %x, want %x", got.Fixed, want.Fixed)
	case !slices.Equal(got.Offsets, want.Offsets):
		return fmt.Sprintf("offsets %d, want %d", got.Offsets, want.Offsets)
	case !bytes.Equal(got.Data, want.Data):
		return fmt.Sprintf("data %q, want %q", got.Data, want.Data)
	case len(got.Children) != len(want.Children):
		return fmt.Sprintf("%d children, want %d", len(got.Children), len(want.Children))
	}
	for i := range got.Children {
		if diff := differColumns(got.Children[i], want.Children[i]); diff != "" {
			return fmt.Sprintf("child %d: %s", i, diff)
		}
	}
	return ""
}
