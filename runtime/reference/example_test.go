package reference_test

import (
	"fmt"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/reference"
)

// rfc4180 is the automaton of the package documentation.
func rfc4180() *dfa.Automaton {
	b := dfa.NewBuilder()
	data, skip := dfa.Emission{Kind: dfa.Data}, dfa.Emission{Kind: dfa.Skip}
	field := dfa.Emission{Kind: dfa.Field, Column: dfa.NextColumn}
	record := dfa.Emission{Kind: dfa.Record, Column: dfa.NextColumn}
	r, f := b.AddState("R", "at the start of a record"), b.AddState("F", "at the start of a field")
	bare, q := b.AddState("B", "in a bare field"), b.AddState("Q", "in a quoted field")
	e, x := b.AddState("E", "after a quote in a quoted field"), b.AddState("X", "after an error")
	bad := dfa.Emission{Kind: dfa.Error, Code: b.Message("a quote out of place")}

	b.On(r, dfa.Bytes('"'), q, skip)
	b.On(f, dfa.Bytes('"'), q, skip)
	b.On(bare, dfa.Bytes('"'), x, bad)
	b.On(q, dfa.Bytes('"'), e, skip)
	b.On(e, dfa.Bytes('"'), q, data)
	for _, s := range []dfa.StateID{r, f, bare, e, x} {
		b.On(s, dfa.Bytes('\n'), r, record)
		if s != x {
			b.On(s, dfa.Bytes(','), f, field)
		}
		b.EOF(s, record)
	}
	b.Otherwise(r, bare, data)
	b.Otherwise(f, bare, data)
	b.Otherwise(bare, bare, data)
	b.Otherwise(q, q, data)
	b.Otherwise(e, x, bad)
	b.Otherwise(x, x, skip)
	b.EOF(r, skip)
	b.EOF(q, record)
	a, err := b.Build()
	if err != nil {
		panic(err)
	}
	return a
}

// The stages on the input of the package documentation.
func Example_stages() {
	program, err := dfa.NewProgram(dfa.Definition{
		Name: "example", Automaton: rfc4180(),
		Columns: []dfa.Column{{Name: "n", Type: dfa.Type{Kind: dfa.Int64}}, {Name: "s"}},
	})
	if err != nil {
		panic(err)
	}
	plan := &runtime.Plan{
		Program: program, Columns: program.Columns, MaxRecord: program.MaxRecord,
		Outputs: []runtime.Output{{Column: 0, Part: -1}, {Column: 1, Part: -1}},
	}
	binding := &runtime.Binding{MinFields: 2, MaxFields: 2, Source: []int{0, 1}, Rest: -1}
	a, data, g := program.Automaton, []byte("7,\"a,b\"\n,x\n"), reference.Grid{Chunk: 4, Threads: 1}

	fmt.Print("contexts")
	contexts := reference.Contexts(g, a, data, a.Start)
	for _, s := range contexts {
		fmt.Print(" ", a.States[s].Name)
	}
	fmt.Println()

	ix := reference.BuildIndex(g, a, data, contexts, true)
	fmt.Println("record  ", ix.Fields.Record)
	fmt.Println("column  ", ix.Fields.Column)
	fmt.Println("start   ", ix.Fields.Start)
	fmt.Println("end     ", ix.Fields.End)

	segments, _ := reference.Segments(g, plan, data, ix, binding)
	shape := reference.NewShape(g, plan, ix, segments)
	symbols := reference.Tag(g, a, data, ix, &shape.Spans)
	symbols = reference.SortByColumn(g, symbols, len(shape.Wanted))
	start, end := reference.FieldIndex(g, symbols, shape.Spans.Len())
	fmt.Printf("css      %s\n", symbols.Value)
	fmt.Println("column  ", symbols.Column)
	fmt.Println("field   ", symbols.Span)
	fmt.Println("index   ", start, end)

	converters, err := reference.NewConverters(plan)
	if err != nil {
		panic(err)
	}
	rows := converters.Convert(g, shape, data, symbols.Value, start, end)
	for i, c := range rows.Columns {
		fmt.Printf("column %d: %d rows, %d null\n", i, c.Len, c.Nulls)
	}
	// Output:
	// contexts R Q R
	// record   [0 0 1 1]
	// column   [0 1 0 1]
	// start    [0 2 8 9]
	// end      [1 7 8 10]
	// css      7a,bx
	// column   [0 1 1 1 1]
	// field    [0 1 1 1 3]
	// index    [0 1 0 4] [1 4 0 5]
	// column 0: 2 rows, 1 null
	// column 1: 2 rows, 0 null
}
