//go:build cuda

package gpu

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/columns"
	"github.com/dfaparse/dfaparse/internal/convert"
)

// texts is a column of texts; nil is null.
func texts(rows []*string) *columns.Column {
	c := convert.NewColumn(&dfa.Type{Kind: dfa.String})
	f := &convert.Fields{}
	f.Reset(nil)
	for _, s := range rows {
		if s == nil {
			f.PushAbsent()
		} else {
			f.PushDecoded([]byte(*s))
		}
	}
	converter, err := convert.NewConverter(&dfa.Column{Type: dfa.Type{Kind: dfa.String}}, convert.Options{Plain: true})
	if err != nil {
		panic(err)
	}
	converter.Append(c, f, nil)
	return c
}

// TestPatchOfTexts puts rows into a column of texts, by any number of workers, as
// they would be put one by one.
func TestPatchOfTexts(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		text := rapid.Custom(func(rt *rapid.T) *string {
			if rapid.IntRange(0, 5).Draw(rt, "null") == 0 {
				return nil
			}
			s := rapid.StringOfN(rapid.RuneFrom([]rune("aé\"")), 0, 9, -1).Draw(rt, "text")
			return &s
		})
		n := rapid.IntRange(1, 60).Draw(rt, "rows")
		want := rapid.SliceOfN(text, n, n).Draw(rt, "texts")
		column := texts(want)
		// The runs' rows lie in columns behind those of other runs.
		var all []run
		todo := make([]byte, n/8+1)
		some := rapid.Bool().Draw(rt, "only some")
		for from := rapid.IntRange(0, n).Draw(rt, "from"); from < n; from += 1 + rapid.IntRange(0, 9).Draw(rt, "apart") {
			to := min(n, from+1+rapid.IntRange(0, 4).Draw(rt, "run"))
			before := rapid.SliceOfN(text, 0, 3).Draw(rt, "before")
			x := run{first: len(before)}
			for row := from; row < to; row++ {
				x.rows = append(x.rows, leftRow{row: row})
				now := text.Draw(rt, "now")
				before = append(before, now)
				if rapid.Bool().Draw(rt, "todo") {
					setBit(todo, row, true)
				} else if some {
					continue
				}
				want[row] = now
			}
			x.columns = []patch{{texts(before)}}
			all = append(all, x)
			from = to
		}
		if !some {
			todo = nil
		}
		x, err := newTextPatch(&arena{alloc: func(nbytes int) ([]byte, error) { return make([]byte, nbytes), nil }}, column, todo, all, 0)
		if err != nil {
			rt.Fatal(err)
		}
		if len(x.edits) > 0 {
			for workers, k := rapid.IntRange(1, 9).Draw(rt, "workers"), 0; k < workers; k++ {
				x.apply(n*k/workers, n*(k+1)/workers)
			}
		}
		whole := texts(want)
		for row := range n {
			got, exp := textOf(column, row), textOf(whole, row)
			if got != exp {
				rt.Fatalf("row %d is %s, want %s", row, got, exp)
			}
		}
	})
}

func textOf(c *columns.Column, row int) string {
	if !c.IsValid(row) {
		return "null"
	}
	return fmt.Sprintf("%q", c.Data[c.Offsets[row]:c.Offsets[row+1]])
}
