package runtime

import (
	"sort"
	"sync"
	"sync/atomic"

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
	threads int
	columns []*convert.Column
	nrows   int
	text    []int   // per column: the text of these rows
	waiting []piece // rows that are not in columns yet
}

// piece is rows of a Result, which is valid until the next partition is parsed.
type piece struct {
	rows     *Rows
	from, to int
}

func newAssembler(p *Plan, o *options, schema *arrow.Schema) *assembler {
	a := &assembler{mem: o.mem, schema: schema, batch: o.batch, threads: o.threads, text: make([]int, len(p.Outputs))}
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

// rows is the number of rows taken since the last record.
func (a *assembler) rows() int { return a.nrows }

// append takes rows from up to to, as many as fit, and reports how many it
// took and whether the batch is full.
func (a *assembler) append(rows *Rows, from, to int) (taken int, full bool) {
	n := min(to-from, a.batch-a.nrows)
	fit := a.fit(rows, from, from+n)
	for i := range a.text {
		a.text[i] += rows.Columns[i].TextBetween(from, from+fit)
	}
	a.waiting = append(a.waiting, piece{rows, from, from + fit})
	a.nrows += fit
	return fit, fit < n || a.nrows == a.batch
}

// fit is how many of the rows from up to to the columns' text allows; at
// least one if nothing waits.
func (a *assembler) fit(rows *Rows, from, to int) int {
	n := to - from
	for i, src := range rows.Columns {
		room := maxText - a.text[i]
		if src.TextBetween(from, from+n) > room {
			n = sort.Search(n, func(k int) bool { return src.TextBetween(from, from+k+1) > room })
		}
	}
	if n == 0 && a.nrows == 0 {
		n = 1
	}
	return n
}

// gather copies the rows that wait into the columns, several columns at a time.
func (a *assembler) gather() {
	a.each(a.threads, func(i int) {
		for _, p := range a.waiting {
			a.columns[i].AppendRows(p.rows.Columns[i], p.from, p.to)
		}
	})
	a.waiting = a.waiting[:0]
}

// each calls f for every column, on so many threads.
func (a *assembler) each(threads int, f func(i int)) {
	var next atomic.Int64
	work := func() {
		for i := int(next.Add(1)) - 1; i < len(a.columns); i = int(next.Add(1)) - 1 {
			f(i)
		}
	}
	var wg sync.WaitGroup
	for range min(threads, len(a.columns)) - 1 {
		wg.Go(work)
	}
	work()
	wg.Wait()
}

// flush gives the rows taken as a record, nil if there are none.
func (a *assembler) flush() arrow.Record {
	if a.nrows == 0 {
		return nil
	}
	a.gather()
	threads := 1 // an allocator need not be safe for more
	if _, ok := a.mem.(*memory.GoAllocator); ok {
		threads = a.threads
	}
	columns := make([]arrow.Array, len(a.columns))
	a.each(threads, func(i int) { columns[i] = a.columns[i].Array(a.mem) })
	rec := array.NewRecord(a.schema, columns, int64(a.nrows))
	for _, c := range columns {
		c.Release()
	}
	a.nrows = 0
	clear(a.text)
	return rec
}
