package cpu

import (
	"context"
	goruntime "runtime"
	"strings"
	"testing"

	"github.com/dfaparse/dfaparse/internal/gen"
	"github.com/dfaparse/dfaparse/runtime"
)

// TestSmallInputsTakeLittle: who reads many small inputs takes the memory of the workers
// from those before, and no more workers than there are chunks.
func TestSmallInputsTakeLittle(t *testing.T) {
	csv, err := gen.Program("csv")
	if err != nil {
		t.Fatal(err)
	}
	plan, data := parityPlan(csv), []byte(strings.Repeat("aa,bb,cc\n", 1000))
	binding := &runtime.Binding{MinFields: 3, MaxFields: 3, Source: []int{0, 1, 2}, Rest: -1}
	read := func() {
		p, err := open(plan, runtime.Config{Threads: 8, Chunk: 256 << 10})
		if err != nil {
			t.Fatal(err)
		}
		defer p.Close()
		result, err := p.Parse(context.Background(), &runtime.Partition{Data: data, State: plan.Program.Automaton.Start, Final: true, Binding: binding})
		if err != nil || result.NRows() != 1000 {
			t.Fatal(result, err)
		}
	}
	read()
	var before, after goruntime.MemStats
	goruntime.ReadMemStats(&before)
	const n = 100
	for range n {
		read()
	}
	goruntime.ReadMemStats(&after)
	if each := (after.TotalAlloc - before.TotalAlloc) / n; each > 300<<10 {
		t.Errorf("%d bytes for each input", each)
	}
}
