package runtime

import (
	"sort"
	"sync"
	"sync/atomic"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/runtime/convert"
)

// maxText bounds the text of one column in one Arrow record, whose offsets are
// 32 bits wide.
const maxText = 1 << 30

// assembler makes Arrow records of the batch size of rows. A record ends
// before the row with which a column's text would pass maxText, so that where
// records end depends on the rows alone.
//
// Rows are where the engine has put them, and wait there until their record is
// complete. If they are all the rows of a batch, the record takes its memory
// over. Otherwise they are gathered, which copies them.
type assembler struct {
	mem     memory.Allocator
	pool    *convert.Pool // of the records' memory, nil if it is not used again
	schema  *arrow.Schema
	batch   int
	threads int
	grows   []bool            // by column: it has a dictionary, which goes on from record to record
	columns []*convert.Column // of rows gathered, and all dictionaries
	nrows   int
	text    []int   // per column: the text of these rows
	waiting []piece // rows that are not in columns
	batches batches
	sized   bool // columns have the memory that the first record will take
}

// piece is rows that wait.
type piece struct {
	columns  []*convert.Column
	batch    *batch // whose columns they are; nil: the engine's, until the next partition is parsed
	from, to int
}

func newAssembler(p *Plan, o *options, schema *arrow.Schema) *assembler {
	a := &assembler{mem: o.mem, schema: schema, batch: o.batch, threads: o.threads, text: make([]int, len(p.Outputs))}
	if o.reuse && !o.named {
		a.pool = convert.OpenPool()
	}
	a.batches = batches{pool: a.pool, rows: o.batch}
	for _, out := range p.Outputs {
		t := &p.Def(out).Type
		a.columns = append(a.columns, a.pool.NewColumn(t))
		a.grows = append(a.grows, hasDictionary(t))
		a.batches.types = append(a.batches.types, t)
	}
	return a
}

func hasDictionary(t *dfa.Type) bool {
	return t.Kind == dfa.Dictionary || t.Elem != nil && hasDictionary(t.Elem)
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
	from, to = from+rows.From, to+rows.From
	n := min(to-from, a.batch-a.nrows)
	fit := a.fit(rows, from, from+n)
	for i := range a.text {
		a.text[i] += rows.Columns[i].TextBetween(from, from+fit)
	}
	p := piece{rows.Columns, a.batches.of(rows.Columns), from, from + fit}
	if last := len(a.waiting) - 1; last >= 0 && p.batch != nil && a.waiting[last].batch == p.batch && a.waiting[last].to == from {
		a.waiting[last].to = p.to
	} else {
		a.waiting = append(a.waiting, p)
	}
	a.nrows += fit
	return fit, fit < n || a.nrows == a.batch
}

// fit is how many of the rows from up to to of the columns the text allows; at
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

// begin gives p the batches that its rows may go to.
func (a *assembler) begin(p *Partition) {
	if len(a.columns) == 0 {
		return
	}
	var open *batch
	if n := len(a.waiting); n > 0 {
		if last := a.waiting[n-1]; last.batch != nil && last.to == last.batch.rows() && !last.batch.long() {
			open = last.batch
		}
	}
	a.batches.begin(open, a.batch-a.nrows)
	p.Batches = &a.batches
}

// end is called after the rows of a partition have been taken.
func (a *assembler) end() {
	for i := range a.waiting {
		if a.waiting[i].batch == nil {
			a.gather()
			break
		}
	}
	a.batches.end(a.waiting)
	if !a.sized && a.nrows > 0 {
		a.size()
		a.sized = true
	}
}

// size gives the columns that rows are put into memory for a whole record.
func (a *assembler) size() {
	if len(a.waiting) == 1 && a.waiting[0].batch != nil {
		for _, c := range a.waiting[0].columns {
			c.Expect(c.Len, a.batch)
		}
	}
	for _, c := range a.columns {
		if c.Len > 0 {
			c.Expect(c.Len, a.batch)
		}
	}
}

// gather copies the rows that wait into the columns, several columns at a time.
func (a *assembler) gather() {
	a.each(a.threads, func(i int) {
		if a.columns[i].Len == 0 {
			a.columns[i].Reserve()
		}
		for _, p := range a.waiting {
			a.columns[i].AppendRows(p.columns[i], p.from, p.to)
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
	whole := a.whole()
	if whole == nil {
		a.gather()
	}
	threads := 1 // an allocator need not be safe for more
	if _, ok := a.mem.(*memory.GoAllocator); ok {
		threads = a.threads
	}
	columns := make([]arrow.Array, len(a.columns))
	a.each(threads, func(i int) {
		c := a.columns[i]
		switch {
		case whole == nil:
		case a.grows[i]:
			c.AppendRows(whole.columns[i], 0, a.nrows)
		default:
			c = whole.columns[i]
		}
		columns[i] = c.Array(a.mem)
	})
	rec := array.NewRecord(a.schema, columns, int64(a.nrows))
	for _, c := range columns {
		c.Release()
	}
	a.waiting = a.waiting[:0]
	a.nrows = 0
	clear(a.text)
	return rec
}

// whole is the batch that has the rows taken, and no others; nil if none has.
func (a *assembler) whole() *batch {
	if len(a.waiting) != 1 || a.waiting[0].to-a.waiting[0].from != a.nrows {
		return nil
	}
	b := a.waiting[0].batch
	if b == nil || b.rows() != a.nrows {
		return nil
	}
	return b
}
