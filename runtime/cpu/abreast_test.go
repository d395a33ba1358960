package cpu

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/dfaparse/dfaparse/internal/gen"
	"github.com/dfaparse/dfaparse/runtime"
)

// TestPace: much is collected where records are alike, and where there are some kinds of them.
func TestPace(t *testing.T) {
	program, err := gen.Program("syslog_rfc3164")
	if err != nil {
		t.Fatal(err)
	}
	const plain, marked = "Jan 13 09:47:02 h sudo: a\n", "<34>Dec  3 09:23:38 h automount[7998]: b\n"
	for _, test := range []struct {
		name, in string
		most     int
	}{
		{"one kind", strings.Repeat(plain, 8000), maxAbreast},
		{"two kinds", strings.Repeat(plain+marked, 4000), maxAbreast},
		{"two kinds, then one", strings.Repeat(plain+marked, 4000) + strings.Repeat(plain, 12000), maxAbreast},
	} {
		plan, binding := planOf(program)
		plan.BaseTime = time.Date(2025, 6, 1, 0, 0, 0, 0, time.UTC) // the layout has no year
		w, err := newWorker(plan, newMachine(program))
		if err != nil {
			t.Fatal(err)
		}
		p := &parser{plan: plan, chunkSize: 1 << 24, machine: w.machine, results: make([]results, 1), workers: []*worker{w}}
		part := &runtime.Partition{Data: []byte(test.in), State: program.Automaton.Start, Final: true, Binding: binding}
		result, err := p.Parse(context.Background(), part)
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(test.in, "\n"); result.NRows() != n {
			t.Errorf("%s: %d rows, want %d", test.name, result.NRows(), n)
		}
		if most := w.hopper.most; most > test.most || most < test.most/4 {
			t.Errorf("%s: %d are collected at once, want up to %d", test.name, most, test.most)
		}
	}
}
