package runtime_test

import (
	"context"
	"strings"
	"testing"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/cpu"
)

// tallied is the engine "cpu", and the most problems that a Result of it had.
type tallied struct{ most int }

func (*tallied) Name() string { return "tallied" }

func (e *tallied) Open(plan *runtime.Plan, cfg runtime.Config) (runtime.Parser, error) {
	p, err := cpu.Engine.Open(plan, cfg)
	return &talliedParser{p, e}, err
}

type talliedParser struct {
	runtime.Parser
	engine *tallied
}

func (p *talliedParser) Parse(ctx context.Context, part *runtime.Partition) (*runtime.Result, error) {
	result, err := p.Parser.Parse(ctx, part)
	if err == nil {
		n := 0
		for i := range result.Rows {
			n += len(result.Rows[i].Problems)
		}
		p.engine.most = max(p.engine.most, n)
	}
	return result, err
}

var tally = &tallied{}

// TestManyRejectsAtOnce: where nearly every record is bad, partitions are small,
// however large they might be.
func TestManyRejectsAtOnce(t *testing.T) {
	p := spec(t, `delimited { sep ',' } fields { a i64! }`)
	const n = 2000000
	tally.most = 0
	r, err := runtime.ReadBytes([]byte(strings.Repeat("x\n", n)+"1\n"), p, runtime.WithEngine(tally), runtime.WithErrorMode(dfa.Reject),
		runtime.WithThreads(2), runtime.WithPartitionSize(64<<20))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Release()
	for r.Next() {
	}
	if s := r.Stats(); r.Err() != nil || s.Rejected != n || s.Rows != 1 {
		t.Fatalf("%+v, %v", s, r.Err())
	}
	if tally.most > 150000 {
		t.Errorf("%d problems of one partition", tally.most)
	}
}

// TestRecordLongerThanWindow: a long record after many rejects is read as any other.
func TestRecordLongerThanWindow(t *testing.T) {
	p := spec(t, `delimited { sep ',' } fields { a i64  b str }`)
	long := "1," + strings.Repeat("y", 1<<20) + "\n"
	in := strings.Repeat("x,\n", 200000) + long + strings.Repeat("x,\n", 100) + long
	var rows [2]int64
	for i, engine := range []string{"cpu", "reference"} {
		r, err := runtime.ReadBytes([]byte(in), p, runtime.WithEngine(engines[engine]), runtime.WithErrorMode(dfa.Reject), runtime.WithThreads(3))
		if err != nil {
			t.Fatal(err)
		}
		for r.Next() {
		}
		if r.Err() != nil || r.Stats().Rejected != 200100 {
			t.Fatalf("%s: %+v, %v", engine, r.Stats(), r.Err())
		}
		rows[i] = r.Stats().Rows
		r.Release()
	}
	if rows != [2]int64{2, 2} {
		t.Errorf("%d rows", rows)
	}
}
