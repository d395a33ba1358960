package cpu

import (
	"context"
	"strings"
	"testing"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/gen"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/reference"
)

// TestParity reads inputs in which parity gives the contexts and in which it
// does not, with chunks so small that some begin at every kind of place.
func TestParity(t *testing.T) {
	csv, err := gen.Program("csv")
	if err != nil {
		t.Fatal(err)
	}
	quoted := strings.Repeat("a,\"b \"\"c\"\", d\ne\",f\r\n\"\",\"\"\"\",g\n", 200)
	for _, test := range []struct {
		name, in string
		misled   bool
	}{
		{"quoted", quoted, false},
		{"long", `a,"` + strings.Repeat("b,\n", 3000) + "\",c\n" + quoted, false},
		{"bare", strings.Repeat("aa,bb,cc\n", 1000), false},
		{"no separators", "a,b,\"" + strings.Repeat(strings.Repeat("some \"\"words\"\" and ", 20)+"\n", 25) + "\"\n", false},
		{"no end", `a,b,"` + strings.Repeat("c\n", 2000), false},
		{"a stray quote", "a,b\"b,c\n" + strings.Repeat("aa,bb,cc\n", 1000), true},
	} {
		for _, chunk := range []int{300, 301, 302, 303, 304, 305, 306, 307, 308, 309, 310, 311, 1024} {
			p := &parser{plan: parityPlan(csv), chunkSize: chunk, machine: newMachine(csv), results: make([]results, 1), threads: 3}
			if err := p.hire(3); err != nil {
				t.Fatal(err)
			}
			binding := &runtime.Binding{MinFields: 3, MaxFields: 3, Source: []int{0, 1, 2}, Rest: -1}
			part := &runtime.Partition{Data: []byte(test.in), State: csv.Automaton.Start, Final: true, Binding: binding}
			if _, found, err := p.contextsByParity(context.Background(), part.Data, 3, part.State); err != nil || !found {
				t.Fatalf("%s, chunks of %d: contexts by parity %v, %v", test.name, chunk, found, err)
			}
			result, err := p.Parse(context.Background(), part)
			if err != nil {
				t.Fatal(err)
			}
			if p.misled != test.misled {
				t.Errorf("%s, chunks of %d: misled %v, want %v", test.name, chunk, p.misled, test.misled)
			}
			exact, err := reference.Engine.Open(p.plan, runtime.Config{Threads: 1, Chunk: 1 << 20})
			if err != nil {
				t.Fatal(err)
			}
			want, err := exact.Parse(context.Background(), part)
			if err != nil {
				t.Fatal(err)
			}
			if result.NRows() != want.NRows() || result.Consumed != want.Consumed || result.State != want.State {
				t.Errorf("%s, chunks of %d: %d rows, %d consumed, state %d, want %d, %d, %d", test.name, chunk,
					result.NRows(), result.Consumed, result.State, want.NRows(), want.Consumed, want.State)
			}
		}
	}
}

func parityPlan(p *dfa.Program) *runtime.Plan {
	plan := &runtime.Plan{Program: p, MaxRecord: 1 << 20}
	for i, name := range []string{"a", "b", "c"} {
		plan.Columns = append(plan.Columns, dfa.Column{Name: name})
		plan.Outputs = append(plan.Outputs, runtime.Output{Column: i, Part: -1})
	}
	return plan
}
