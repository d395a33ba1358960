package cpu

import (
	"bytes"
	"context"
	goruntime "runtime"
	"testing"
	"weak"

	"github.com/dfaparse/dfaparse/internal/gen"
	"github.com/dfaparse/dfaparse/runtime"
)

// keeping is the engine, and how many partitions something of it still had after it had
// read them.
type keeping struct {
	engine
	read, kept int
}

func (k *keeping) Open(plan *runtime.Plan, cfg runtime.Config) (runtime.Parser, error) {
	p, err := k.engine.Open(plan, cfg)
	return &keepingParser{p, k}, err
}

type keepingParser struct {
	runtime.Parser
	of *keeping
}

func (p *keepingParser) Parse(ctx context.Context, part *runtime.Partition) (*runtime.Result, error) {
	result, data, err := p.parseCopy(ctx, *part)
	for range 2 {
		goruntime.GC()
	}
	p.of.read++
	if data.Value() != nil {
		p.of.kept++
	}
	return result, err
}

// parseCopy reads a copy of the partition, and gives what tells whether it is still there.
func (p *keepingParser) parseCopy(ctx context.Context, part runtime.Partition) (*runtime.Result, weak.Pointer[byte], error) {
	data := bytes.Clone(part.Data)
	part.Data = data
	result, err := p.Parser.Parse(ctx, &part)
	return result, weak.Make(&data[0]), err
}

// TestNothingIsKept: once a partition has been read, nothing of a parser points into
// it. A record that is longer than its window is read again in one of twice the size,
// and a budget of memory may have no room for both.
func TestNothingIsKept(t *testing.T) {
	for _, kind := range gen.Kinds() {
		name := kind
		switch kind {
		case "1brc":
			name = "stations_dict"
		case "combined":
			name = "apache_combined"
		case "torture":
			name = "csv"
		}
		t.Run(kind, func(t *testing.T) {
			program, err := gen.Program(name)
			if err != nil {
				t.Fatal(err)
			}
			var text bytes.Buffer
			if err := gen.Write(&text, kind, 200<<10, 1); err != nil {
				t.Fatal(err)
			}
			for _, threads := range []int{1, 3} {
				k := &keeping{}
				r, err := runtime.ReadBytes(text.Bytes(), program, runtime.WithEngine(k), runtime.WithThreads(threads),
					runtime.WithChunkSize(8<<10), runtime.WithPartitionSize(32<<10))
				if err != nil {
					t.Fatal(err)
				}
				for r.Next() {
				}
				if r.Err() != nil {
					t.Fatal(r.Err())
				}
				r.Release()
				if k.read == 0 || k.kept > 0 {
					t.Errorf("%d threads: of %d partitions %d were still there", threads, k.read, k.kept)
				}
			}
		})
	}
}
