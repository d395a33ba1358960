package studio

import (
	"context"
	"fmt"
	"strings"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"

	"github.com/dfaparse/dfaparse/internal/aggregate"
	"github.com/dfaparse/dfaparse/internal/render"
)

// cellBytes is how much of a cell is told.
const cellBytes = 400

// Rows are some rows of the table as text, null for what is null.
func (a *Analysis) Rows(from, to int) [][]*string {
	out := [][]*string{}
	at := 0
	for _, b := range a.batches {
		n := int(b.NumRows())
		for row := max(from-at, 0); row < min(to-at, n); row++ {
			cells := make([]*string, b.NumCols())
			for c := range cells {
				col := b.Column(c)
				if col.IsNull(row) {
					continue
				}
				text := string(render.AppendText(nil, b.Schema().Field(c), col, row))
				if len(text) > cellBytes {
					text = strings.ToValidUTF8(text[:cellBytes], "") + "…"
				}
				text = render.Printable(text)
				cells[c] = &text
			}
			out = append(out, cells)
		}
		at += n
	}
	return out
}

// Count is what there is in a column.
type Count struct {
	Name     string `json:"name"`
	Type     string `json:"type"`
	Values   string `json:"values"`
	Nulls    string `json:"nulls"`
	Distinct string `json:"distinct"`
	Smallest string `json:"smallest"`
	Largest  string `json:"largest"`
	Why      string `json:"why,omitempty"` // it is not counted
}

// Counts says what the columns of the window come to, by the aggregates of the command.
func (a *Analysis) Counts(ctx context.Context) ([]Count, error) {
	out := []Count{}
	if len(a.batches) == 0 {
		return out, nil
	}
	schema := a.batches[0].Schema()
	for i, f := range schema.Fields() {
		c := Count{Name: f.Name, Type: a.Columns[i].Type}
		if err := a.count(ctx, i, &c); err != nil {
			c.Why = err.Error()
		}
		out = append(out, c)
	}
	return out, nil
}

// count looks at one column by itself, under a name that needs no quotes.
func (a *Analysis) count(ctx context.Context, column int, c *Count) error {
	f := a.batches[0].Schema().Field(column)
	f.Name = "x"
	schema := arrow.NewSchema([]arrow.Field{f}, nil)
	agg := "count() count(x) distinct(x) min(x) max(x)"
	if id := f.Type.ID(); id == arrow.LIST || id == arrow.MAP || id == arrow.STRUCT {
		agg = "count() count(x)"
	}
	q, err := aggregate.Parse(aggregate.Query{Agg: agg})
	if err != nil {
		return err
	}
	plan, err := q.Bind(schema)
	if err != nil {
		return err
	}
	g := aggregate.New(plan, aggregate.Options{Threads: 1})
	defer g.Close()
	for _, b := range a.batches {
		one := array.NewRecord(schema, []arrow.Array{b.Column(column)}, b.NumRows())
		err := g.Add(one)
		one.Release()
		if err != nil {
			return err
		}
	}
	return g.Finish(ctx, func(rec arrow.Record) error {
		cell := func(i int) string {
			text := string(render.AppendText(nil, rec.Schema().Field(i), rec.Column(i), 0))
			if len(text) > cellBytes {
				text = strings.ToValidUTF8(text[:cellBytes], "") + "…"
			}
			return render.Printable(text)
		}
		rows, values := rec.Column(0).(*array.Int64).Value(0), rec.Column(1).(*array.Int64).Value(0)
		c.Values, c.Nulls = fmt.Sprint(values), fmt.Sprint(rows-values)
		if rec.NumCols() > 2 {
			c.Distinct, c.Smallest, c.Largest = cell(2), cell(3), cell(4)
		}
		return nil
	})
}
