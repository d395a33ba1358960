package cpu

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/dfaparse/dfaparse/formats"
	"github.com/dfaparse/dfaparse/runtime"
)

// TestRowsAreGone: rows that the plan drops are taken out by the worker, whatever is
// wrong with them.
func TestRowsAreGone(t *testing.T) {
	program, err := formats.Program("apache_common")
	if err != nil {
		t.Fatal(err)
	}
	plan := &runtime.Plan{Program: program, Columns: program.Columns, MaxRecord: program.MaxRecord, Drops: func(*runtime.Problem) bool { return true }}
	b := &runtime.Binding{MinFields: len(plan.Columns), MaxFields: len(plan.Columns), Rest: -1}
	for i := range plan.Columns {
		if !plan.Columns[i].Hidden {
			plan.Outputs = append(plan.Outputs, runtime.Output{Column: i, Part: -1})
		}
		b.Source = append(b.Source, i)
	}
	const good = `127.0.0.1 - - [10/Oct/2000:13:55:36 -0700] "GET /a HTTP/1.0" 200 2326` + "\n"
	var in strings.Builder
	var want []int
	for i := range 10000 {
		line := good
		switch i % 97 {
		case 13:
			line = "short\n"
		case 14, 60:
			line = strings.Replace(good, " 200 ", " two ", 1)
		}
		if in.WriteString(line); line != good {
			want = append(want, i)
		}
	}
	p, err := Engine.Open(plan, runtime.Config{Threads: 1, Chunk: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	result, err := p.Parse(context.Background(), &runtime.Partition{Data: []byte(in.String()), State: program.Automaton.Start, Final: true, Binding: b})
	if err != nil || len(result.Rows) != 1 {
		t.Fatal(len(result.Rows), err)
	}
	rows := &result.Rows[0]
	if !slices.Equal(slices.Collect(rows.Gone.All()), want) || rows.N != 10000 || rows.Columns[0].Len != 10000-len(want) {
		t.Errorf("%d of %d rows are gone, %d stay; want %d", rows.Gone.Len(), rows.N, rows.Columns[0].Len, len(want))
	}
}
