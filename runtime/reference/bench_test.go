package reference

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/enginetest"
	"github.com/dfaparse/dfaparse/runtime"
)

// BenchmarkParse reads 1 MiB of CSV of five columns, one partition. What it
// allocates is what the engine holds at once, for nothing is let go early.
func BenchmarkParse(b *testing.B) {
	columns := []dfa.Column{
		{Name: "id", Type: dfa.Type{Kind: dfa.Int64}}, {Name: "name"}, {Name: "note"},
		{Name: "price", Type: dfa.Type{Kind: dfa.Float64}}, {Name: "size", Type: dfa.Type{Kind: dfa.Int32}},
	}
	program, err := dfa.NewProgram(dfa.Definition{Name: "bench", Automaton: enginetest.Machines(b)[0].Automaton, Columns: columns})
	if err != nil {
		b.Fatal(err)
	}
	plan := &runtime.Plan{Program: program, Columns: columns, MaxRecord: program.MaxRecord}
	binding := &runtime.Binding{MinFields: len(columns), MaxFields: len(columns), Rest: -1}
	for i := range columns {
		plan.Outputs = append(plan.Outputs, runtime.Output{Column: i, Part: -1})
		binding.Source = append(binding.Source, i)
	}
	record := "1234567,Ada Lovelace,\"a note, with \"\"quotes\"\"\",12.75,42\n"
	data := []byte(strings.Repeat(record, 1<<20/len(record)))
	for _, chunk := range []int{31, 4 << 10, 1 << 20} {
		b.Run(fmt.Sprintf("chunk=%d", chunk), func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				parser, err := Engine.Open(plan, runtime.Config{Chunk: chunk, Threads: 1})
				if err != nil {
					b.Fatal(err)
				}
				result, err := parser.Parse(context.Background(), &runtime.Partition{Data: data, Final: true, Binding: binding})
				if err != nil || len(result.Rows[0].Problems) != 0 {
					b.Fatal(err, result)
				}
			}
		})
	}
}
