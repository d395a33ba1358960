package infer

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/cpu"
)

// inBatches infers a table whose records have so many rows.
func inBatches(text string, rows int, given *Given) (*Table, error) {
	in := inputOf(text)
	read := in.Read
	in.Read = func(p *dfa.Program, columns []string, use func(Records) error, opts ...runtime.Option) error {
		return read(p, columns, use, append(opts, runtime.WithBatchSize(rows))...)
	}
	return Infer(context.Background(), "t", in, given, runtime.WithEngine(cpu.Engine))
}

// drawnTable is a table of some columns of some kinds each, with surprises here and there.
func drawnTable(seed uint64) (text string, kinds [][]string, r *rand.Rand) {
	usual := [][]string{
		{"1", "22", "-3"}, {"1.5", "2", "0.25"}, {"2024-05-01", "2023-12-31"}, {"2024-05-01 10:00:00"}, {"01/02/2024", "03/04/2024"},
		{"true", "false"}, {"one", "two"}, {"12345678901234567890", "7"}, {"1.2345678901234567890123", "3"}, {"1,5", "2,25"}, {""},
		{"3.8", "3.9", "3.11"}, {"1.5", "2.5"}, {"12345678", "98"}, {"12.5.2", "11.5.2", "11.10.12"}, {"12:30", "09:15"}, {"1.5.24", "31.12.23"}, {"2024-05-01T10:00:00Z", "2024-05-01T10:00:00.5Z"},
	}
	odd := []string{"x", "n/a", "", "NULL", " 7 ", "007", "25/12/2024", "1,234.5", "1e-400", "2024-05-01 23:59:60", "12345678901234567890123456789012345.5", "0.1234567890123456789012345",
		"3.10", "12E4", "75", "31.05.24", "28.2.24", "15:45", "2024-05-01T10:00:00.123456789Z", "9999-12-31T00:00:00Z"}
	r = rand.New(rand.NewPCG(seed, 16))
	ncolumns, nrows := 1+r.IntN(4), 200+r.IntN(4000)
	kinds = make([][]string, ncolumns)
	surprises := make([]map[int]string, ncolumns)
	for c := range kinds {
		kinds[c] = usual[r.IntN(len(usual))]
		surprises[c] = map[int]string{}
		for range r.IntN(4) {
			surprises[c][r.IntN(nrows)] = odd[r.IntN(len(odd))]
		}
	}
	var b strings.Builder
	for row := range nrows {
		for c, kind := range kinds {
			value, there := surprises[c][row]
			if !there {
				value = kind[r.IntN(len(kind))]
			}
			fmt.Fprintf(&b, "%s%q", strings.Repeat("|", min(c, 1)), value)
		}
		b.WriteByte('\n')
	}
	return b.String(), kinds, r
}

// TestTypesOfManyRecords: types do not depend on how values are spread over the records that
// are looked at side by side.
func TestTypesOfManyRecords(t *testing.T) {
	for seed := range uint64(30) {
		text, kinds, r := drawnTable(seed)
		for _, misfits := range []string{"", "null"} {
			given := func() *Given { return &Given{Separator: "|", Header: "none", Misfits: misfits} }
			whole, err := inBatches(text, 1<<20, given())
			if err != nil {
				t.Fatal(err)
			}
			rows := 1 + r.IntN(300)
			parts, err := inBatches(text, rows, given())
			if err != nil {
				t.Fatal(err)
			}
			again, err := inBatches(text, rows, given())
			if err != nil {
				t.Fatal(err)
			}
			for i, c := range parts.Columns {
				// What the first record alone shows is held against the others: so only after
				// widening columns are the same, however the records are cut.
				if d := whole.Columns[i]; misfits == "" && (c.Type != d.Type || !slices.Equal(c.Nulls, d.Nulls) || c.Blanks != d.Blanks || c.Why != d.Why) {
					t.Errorf("seed %d, %d rows: column %d of %q is %s %q %v (%s), and in one record %s %q %v (%s)", seed, rows, i+1, kinds[i], c.Type, c.Nulls, c.Blanks, c.Why, d.Type, d.Nulls, d.Blanks, d.Why)
				}
				d := again.Columns[i]
				if c.Type != d.Type || !slices.Equal(c.Nulls, d.Nulls) || c.Blanks != d.Blanks || c.Why != d.Why || (c.Misfit == nil) != (d.Misfit == nil) || c.Misfit != nil && *c.Misfit != *d.Misfit {
					t.Errorf("seed %d, %d rows: column %d of %q is %+v, and the next time %+v", seed, rows, i+1, kinds[i], c, d)
				}
			}
		}
	}
}
