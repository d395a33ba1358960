package enginetest

import (
	"context"
	"strings"
	"testing"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/convert"
	"github.com/dfaparse/dfaparse/runtime"
)

// splitMachine takes "text number" apart.
func splitMachine(tb testing.TB) *dfa.Automaton {
	b := dfa.NewBuilder()
	text, number, bad := b.AddState("TEXT", "in the text"), b.AddState("NUM", "in the number"), b.AddState("BAD", "after an error")
	code := b.Message("not text and number")
	b.On(text, dfa.Bytes(' '), number, dfa.Emission{Kind: dfa.Field, Column: 0})
	b.Otherwise(text, text, data)
	b.On(number, dfa.Bytes(' '), bad, dfa.Emission{Kind: dfa.Error, Code: code})
	b.Otherwise(number, number, data)
	b.Otherwise(bad, bad, skip)
	b.EOF(text, dfa.Emission{Kind: dfa.Record, Column: 0, Code: code})
	b.EOF(number, dfa.Emission{Kind: dfa.Record, Column: 1})
	b.EOF(bad, dfa.Emission{Kind: dfa.Record, Column: 1, Code: code})
	return build(tb, b)
}

// splitPlan has two columns of CSV, the second split; its outputs are the
// column's parts around the column itself.
func splitPlan(tb testing.TB, strict bool) *runtime.Plan {
	program, err := dfa.NewProgram(dfa.Definition{
		Name: "split", Automaton: csvMachine(tb),
		Columns: []dfa.Column{{Name: "id"}, {Name: "pair", Split: &dfa.Split{
			Automaton: splitMachine(tb), Strict: strict,
			Columns: []dfa.Column{{Name: "text"}, {Name: "number", Type: dfa.Type{Kind: dfa.Int64}, Required: true}},
		}}},
	})
	if err != nil {
		tb.Fatal(err)
	}
	return &runtime.Plan{
		Program: program, Columns: program.Columns, MaxRecord: program.MaxRecord,
		Outputs: []runtime.Output{{Column: 1, Part: 1}, {Column: 1, Part: -1}, {Column: 1, Part: 0}},
	}
}

func parse(tb testing.TB, engine runtime.Engine, plan *runtime.Plan, b *runtime.Binding, in string) outcome {
	tb.Helper()
	parser, err := engine.Open(plan, runtime.Config{Chunk: 3, Threads: 2})
	if err != nil {
		tb.Fatal(err)
	}
	defer parser.Close()
	result, err := parser.Parse(context.Background(), &runtime.Partition{
		Data: []byte(in), State: plan.Program.Automaton.Start, Final: true, Binding: b,
	})
	if err != nil {
		tb.Fatal(err)
	}
	if result.Consumed != len(in) || result.Err != nil {
		tb.Errorf("%d bytes of %d consumed, error %v", result.Consumed, len(in), result.Err)
	}
	out := outcome{Refused: -1}
	out.append(result, 0)
	return out
}

// parts: a split column, its parts and what cannot be split.
func parts(t *testing.T, engine runtime.Engine) {
	const in = "1,ab 7\n2,\"c \"\"d\"\"\"\n3,none\n4\n5,x 1 y\n6,z 9\n"
	b := &runtime.Binding{MinFields: 2, MaxFields: 2, Source: []int{0, 1}, Rest: -1}
	want := outcome{
		Rows: []string{
			`[7]["ab 7"]["ab"]`, `[null]["c \"d\""]["c"]`, `[null]["none"][null]`, `[null][null][null]`,
			`[null]["x 1 y"][null]`, `[9]["z 9"]["z"]`,
		},
		Problems: []runtime.Problem{
			{Row: 1, What: runtime.Value, Output: 0, Offset: 9, Start: 7, End: 18, Field: 1, Code: convert.NotInteger},
			{Row: 2, What: runtime.Part, Output: 0, Offset: 21, Start: 19, End: 25, Field: 1}, // one for the field, none for its parts
			{Row: 3, What: runtime.TooFew, Output: -1, Offset: 27, Start: 26, End: 27, Field: -1},
			{Row: 4, What: runtime.Part, Output: 0, Offset: 30, Start: 28, End: 35, Field: 1},
		},
		Extents: runtime.Extents{Data: int64(len(in))},
		Refused: -1,
	}
	for i := range want.Problems {
		want.Problems[i].Binding = b
	}
	for _, strict := range []bool{false, true} { // what comes of the problems is the reader's decision
		if diff := parse(t, engine, splitPlan(t, strict), b, in).differsFrom(want); diff != "" {
			t.Errorf("strict %v: %s", strict, diff)
		}
	}
}

// replaced: bytes of invalid UTF-8 are counted once, partition by partition.
func replaced(t *testing.T, engine runtime.Engine) {
	plan := splitPlan(t, false)
	plan.UTF8 = dfa.ReplaceUTF8
	plan.Outputs = plan.Outputs[1:2]
	parser, err := engine.Open(plan, runtime.Config{Chunk: 4, Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer parser.Close()
	b := &runtime.Binding{MinFields: 2, MaxFields: 2, Source: []int{0, 1}, Rest: -1}
	for _, in := range []string{"1,a\xFF\xFEb\n", "2,\xFF\n", "3,c\n"} {
		result, err := parser.Parse(context.Background(), &runtime.Partition{Data: []byte(in), Binding: b})
		if err != nil {
			t.Fatal(err)
		}
		got := 0
		for _, n := range result.Rows[0].Notes {
			if got += n.N; n.Row != 0 || n.What != runtime.ReplacedBytes || n.Offset != 0 {
				t.Errorf("%q: note %+v", in, n)
			}
		}
		if want := strings.Count(in, "\xFF") + strings.Count(in, "\xFE"); got != want {
			t.Errorf("%q: %d bytes replaced, want %d", in, got, want)
		}
	}
}

// empty: of nothing comes nothing, but for a record that the automaton has even
// at the end of that.
func empty(t *testing.T, engine runtime.Engine) {
	b := &runtime.Binding{Rest: -1, Source: []int{-1, -1}}
	if out := parse(t, engine, splitPlan(t, true), b, ""); len(out.Rows) != 0 || len(out.Problems) != 0 {
		t.Errorf("%+v, want nothing", out)
	}

	builder := dfa.NewBuilder()
	eor, eof, fld := builder.AddState("EOR", "at the start of a record"), builder.AddState("EOF", "at the start of a field"), builder.AddState("FLD", "in a field")
	for _, s := range []dfa.StateID{eor, eof, fld} {
		end := record
		if s == eor {
			end.Record = dfa.DroppedRecord
		}
		builder.On(s, dfa.Bytes(','), eof, field)
		builder.On(s, dfa.Bytes('\n'), eor, end)
		builder.EOF(s, end)
		builder.Otherwise(s, fld, data)
	}
	program, err := dfa.NewProgram(dfa.Definition{
		Name: "lines", Automaton: build(t, builder), Columns: []dfa.Column{{Name: "a"}, {Name: "b"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	plan := &runtime.Plan{
		Program: program, Columns: program.Columns, MaxRecord: program.MaxRecord,
		Outputs: []runtime.Output{{Column: 0, Part: -1}, {Column: 1, Part: -1}},
	}
	b = &runtime.Binding{MinFields: 2, MaxFields: 2, Source: []int{0, 1}, Rest: -1}
	want := outcome{Extents: runtime.Extents{Dropped: runtime.Extent{Records: 1}}, Refused: -1}
	if diff := parse(t, engine, plan, b, "").differsFrom(want); diff != "" {
		t.Error(diff)
	}
}
