package runtime

import (
	"sort"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/dfaparse/dfaparse/runtime/convert"
)

// maxText bounds the text of one column in one Arrow record, whose offsets are
// 32 bits wide.
const maxText = 1 << 30

// assembler gathers rows into Arrow records of the batch size. A record ends
// before the row with which a column's text would pass maxText, so that where
// records end depends on the rows alone.
type assembler struct {
	mem     memory.Allocator
	schema  *arrow.Schema
	batch   int
	columns []*convert.Column
	nrows   int
}

func newAssembler(p *Plan, o *options, schema *arrow.Schema) *assembler {
	a := &assembler{mem: o.mem, schema: schema, batch: o.batch}
	for _, out := range p.Outputs {
		a.columns = append(a.columns, convert.NewColumn(&p.Def(out).Type))
	}
	return a
}

// schema is the Arrow schema of a Plan's outputs.
func (p *Plan) schema() *arrow.Schema {
	var fields []arrow.Field
	for _, out := range p.Outputs {
		f := convert.ArrowField(p.Def(out))
		if out.Part >= 0 {
			f.Nullable = true // a field that cannot be split has no parts
		}
		fields = append(fields, f)
	}
	md := arrow.NewMetadata([]string{"dfaparse.format"}, []string{p.Program.Name})
	return arrow.NewSchema(fields, &md)
}

// rows is the number of rows waiting.
func (a *assembler) rows() int { return a.nrows }

// append takes rows from up to to, as many as fit, and reports how many it
// took and whether the batch is full.
func (a *assembler) append(rows *Rows, from, to int) (taken int, full bool) {
	n := min(to-from, a.batch-a.nrows)
	fit := a.fit(rows, from, from+n)
	for i, c := range a.columns {
		c.AppendRows(rows.Columns[i], from, from+fit)
	}
	a.nrows += fit
	return fit, fit < n || a.nrows == a.batch
}

// fit is how many of the rows from up to to the columns' text allows; at
// least one if nothing waits.
func (a *assembler) fit(rows *Rows, from, to int) int {
	n := to - from
	for i, c := range a.columns {
		src := rows.Columns[i]
		room := maxText - c.TextBetween(0, a.nrows)
		n = sort.Search(n, func(k int) bool { return src.TextBetween(from, from+k+1) > room })
	}
	if n == 0 && a.nrows == 0 {
		n = 1
	}
	return n
}

// flush gives the rows that wait as a record, nil if there are none.
func (a *assembler) flush() arrow.Record {
	if a.nrows == 0 {
		return nil
	}
	columns := make([]arrow.Array, len(a.columns))
	for i, c := range a.columns {
		columns[i] = c.Array(a.mem)
	}
	rec := array.NewRecord(a.schema, columns, int64(a.nrows))
	for _, c := range columns {
		c.Release()
	}
	a.nrows = 0
	return rec
}
