//go:build cuda

package gpu

import (
	"bytes"
	"context"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"

	"github.com/dfaparse/dfaparse/internal/gen"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/cpu"
)

// forked is an Engine that counts what its forks read.
type forked struct {
	*Engine
	partitions, hauls atomic.Int64
}

func (e *forked) Open(plan *runtime.Plan, cfg runtime.Config) (runtime.Parser, error) {
	p, err := e.openParser(plan, cfg)
	return &forkedParser{p, e}, err
}

type forkedParser struct {
	*parser
	e *forked
}

func (p *forkedParser) Fork(n int) (runtime.Parser, error) {
	fork, err := p.fork(n)
	return &countedFork{fork, p.e}, err
}

type countedFork struct {
	*parser
	e *forked
}

func (p *countedFork) Parse(ctx context.Context, part *runtime.Partition) (*runtime.Result, error) {
	p.e.partitions.Add(1)
	result, err := p.parser.Parse(ctx, part)
	p.e.hauls.Add(int64(len(p.result().held)))
	return result, err
}

// TestAhead: partitions that are read two at a time make the records that the CPU's
// engine makes, to the last byte of each buffer, of inputs in memory and of streams,
// while all records are held.
func TestAhead(t *testing.T) {
	newBench(t)
	for _, kind := range []string{"taxi", "yelp", "combined", "klog"} {
		var in bytes.Buffer
		if err := gen.Write(&in, kind, 150<<10, 1); err != nil {
			t.Fatal(err)
		}
		format := map[string]string{"combined": "apache_combined"}[kind]
		if format == "" {
			format = kind
		}
		p, err := gen.Program(format)
		if err != nil {
			t.Fatal(err)
		}
		for _, memory := range []bool{true, false} {
			read := func(engine runtime.Engine) (records []arrow.Record) {
				opts := []runtime.Option{runtime.WithEngine(engine), runtime.WithReuse(), runtime.WithBatchSize(40), runtime.WithPartitionSize(20 << 10), runtime.WithThreads(3)}
				var r *runtime.Reader
				var err error
				if memory {
					r, err = runtime.ReadBytes(in.Bytes(), p, opts...)
				} else {
					r, err = runtime.NewReader(bytes.NewBuffer(in.Bytes()), p, opts...)
				}
				if err != nil {
					t.Fatal(err)
				}
				defer r.Release()
				for r.Next() {
					r.Record().Retain()
					records = append(records, r.Record())
				}
				if r.Err() != nil {
					t.Fatal(r.Err())
				}
				return records
			}
			e := &forked{Engine: New(WithFlight(8 << 10))}
			got, want := read(e), read(cpu.Engine)
			if len(got) != len(want) {
				t.Fatalf("%s: %d records, want %d", kind, len(got), len(want))
			}
			for i := range got {
				if !slices.EqualFunc(contents(got[i]), contents(want[i]), bytes.Equal) {
					t.Fatalf("%s, in memory %v: record %d is not that of the CPU", kind, memory, i)
				}
				got[i].Release()
				want[i].Release()
			}
			if n := e.partitions.Load(); n < 6 || e.hauls.Load() < n {
				t.Errorf("%s, in memory %v: %d partitions are read ahead, in %d hauls", kind, memory, n, e.hauls.Load())
			}
		}
	}
}
