package enginetest

import (
	"pgregory.net/rapid"

	"github.com/dfaparse/dfaparse/internal/columns"
	"github.com/dfaparse/dfaparse/internal/convert"
	"github.com/dfaparse/dfaparse/runtime"
)

// batches are columns for so many rows and for so many, in turn. A partition may
// begin in those in which the one before it has ended.
type batches struct {
	plan  *runtime.Plan
	rows  []int
	goOn  bool
	given int
	last  []*columns.Column
}

// drawBatches draws batches from one row up, nil for none.
func drawBatches(t *rapid.T, plan *runtime.Plan) *batches {
	if len(plan.Outputs) == 0 || rapid.Bool().Draw(t, "no batches") {
		return nil
	}
	return &batches{
		plan: plan,
		rows: rapid.SliceOfN(rapid.IntRange(1, 20), 1, 4).Draw(t, "rows of batches"),
		goOn: rapid.Bool().Draw(t, "batches go on"),
	}
}

// begin gives the batches for another partition.
func (b *batches) begin() runtime.Batches {
	if b == nil {
		return nil
	}
	if !b.goOn {
		b.last = nil
	}
	return &partitionBatches{b, b.last}
}

// partitionBatches implements runtime.Batches for one partition.
type partitionBatches struct {
	from *batches
	open []*columns.Column
}

// Next implements runtime.Batches.
func (p *partitionBatches) Next() ([]*columns.Column, int) {
	b, columns := p.from, p.open
	p.open = nil
	if columns == nil {
		for _, out := range b.plan.Outputs {
			columns = append(columns, convert.NewColumn(&b.plan.Def(out).Type))
		}
	}
	b.last = columns
	b.given++
	return columns, b.rows[b.given%len(b.rows)]
}
