package reference

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/enginetest"
	"github.com/dfaparse/dfaparse/runtime"
)

func TestEngineIsWhatTheContractSays(t *testing.T) { enginetest.Run(t, Engine) }

// smallPlan has one column and delivers it.
func smallPlan(t *testing.T, column dfa.Column) *runtime.Plan {
	program, err := dfa.NewProgram(dfa.Definition{
		Name: "small", Automaton: enginetest.Machines(t)[0].Automaton, Columns: []dfa.Column{column},
	})
	if err != nil {
		t.Fatal(err)
	}
	return &runtime.Plan{
		Program: program, Columns: program.Columns, Outputs: []runtime.Output{{Column: 0, Part: -1}}, MaxRecord: program.MaxRecord,
	}
}

func TestNothingIsBoundBeforeTheFirstDirective(t *testing.T) {
	parser, err := Engine.Open(smallPlan(t, dfa.Column{Name: "a"}), runtime.Config{Chunk: 1, Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	result, err := parser.Parse(context.Background(), &runtime.Partition{Data: []byte("1\n")})
	if err != nil {
		t.Fatal(err)
	}
	if p := result.Rows[0].Problems; len(p) != 1 || p[0].What != runtime.TooMany {
		t.Errorf("problems %+v, want one, too many fields", p)
	}
}

func TestOpenRefuses(t *testing.T) {
	config := runtime.Config{Chunk: 1, Threads: 1}
	good := smallPlan(t, dfa.Column{Name: "a"})
	bad := smallPlan(t, dfa.Column{Name: "n", Type: dfa.Type{Kind: dfa.Int64}, HasDefault: true, Default: "x"})
	missing := smallPlan(t, dfa.Column{Name: "a"})
	missing.Outputs[0].Column = 2
	for _, c := range []struct {
		plan *runtime.Plan
		cfg  runtime.Config
		want string
	}{
		{good, runtime.Config{Threads: 1}, "chunks of 0 bytes"},
		{good, runtime.Config{Chunk: 1}, "0 threads"},
		{bad, config, `default "x"`},
		{missing, config, "column 2 of 1"},
	} {
		if _, err := Engine.Open(c.plan, c.cfg); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want an error with %q", err, c.want)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	parser, err := Engine.Open(smallPlan(t, dfa.Column{Name: "a"}), runtime.Config{Chunk: 1, Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer parser.Close()
	if _, err := parser.Parse(context.Background(), &runtime.Partition{State: 1000}); err == nil || !strings.Contains(err.Error(), "state 1000") {
		t.Errorf("%v, want an error that names the state", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := parser.Parse(ctx, &runtime.Partition{}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want that it was cancelled", err)
	}
}
