package runtime

import (
	"maps"
	"slices"
	"sort"
	"strings"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/columns"
	"github.com/dfaparse/dfaparse/internal/convert"
)

// maxText bounds the text of one column in one Arrow record, whose offsets are
// 32 bits wide.
const maxText = 1 << 30

// usualText is the bound if nobody has said how many rows a record should have:
// so much text of several columns, and of several records at a time, is still
// no burden.
const usualText = 2 << 20

// assembler makes Arrow records of the batch size of rows. A record ends
// before the row with which a column's text would pass maxText, so that where
// records end depends on the rows alone.
//
// Rows are where the engine has put them, and wait there until their record is
// complete. If they are all the rows of a batch, the record takes its memory
// over, with the few rows that are missing; if they lie side by side in memory that
// the engine lends, the record holds that; otherwise all are gathered, which copies
// them.
type assembler struct {
	mem        memory.Allocator
	pool       *columns.Pool // of the records' memory, nil if it is not used again
	schema     *arrow.Schema
	batchSize  int
	maxText    int
	threads    int
	grows      []bool            // by column: it has a dictionary, which goes on from record to record
	tokens     []bool            // by column: it is one of tokens, of which batches begin with those that are known
	holds      bool              // records may hold memory that is lent: it changes once they are released
	aside      bool              // records of batches are made beside the Reader's goroutine
	lends      []bool            // by column: rows that are lent need no copy
	columns    []*columns.Column // of rows gathered, and all dictionaries
	gathered   bool              // rows are in columns, or will be when the building that has them is done
	nrows      int
	text       []int              // per column: the text of these rows
	since      []int              // per column: the text appended since tasks learned of it
	most       int                // text that a column had in the last record, and …
	of         int                // … the record's rows
	capacities []columns.Capacity // by column: the memory that its last array took; nil: there was none
	waiting    []waitingRows      // rows that are not in columns
	unbuilt    []*unbuilt         // records that are to be made: see build.go
	building   []*building        // records that are being made: who uses columns waits for them
	last       *building          // the last of them that has, or had, the columns; nil: there was none
	copying    sequence           // of records that are made of batches: see takeover.go
	spare      spareColumns       // for these
	batches    batches
	offer      offer // of partitions that are read one after the other
	sized      bool  // columns have the memory that the first record will take
}

// waitingRows are rows that wait where they are.
type waitingRows struct {
	columns  []*columns.Column
	batch    *batch         // whose columns they are; nil: the engine's, until the next partition is parsed
	lease    *columns.Lease // of their memory; nil: it is not lent
	from, to int
	kept     bool // lease is held for them
}

// lies reports whether the rows lie in memory that is lent.
func (w *waitingRows) lies() bool { return w.lease != nil && w.batch == nil }

// keep has the memory of the rows, which is lent, last until drop.
func (w *waitingRows) keep() {
	if !w.kept {
		w.lease.Retain()
		w.kept = true
	}
}

// drop lets go of what keep holds.
func (w *waitingRows) drop() {
	if w.kept {
		w.lease.Release()
		w.kept = false
	}
}

func dropAll(rows []waitingRows) {
	for i := range rows {
		rows[i].drop()
	}
}

func newAssembler(p *Plan, o *options, schema *arrow.Schema) *assembler {
	a := &assembler{mem: checkedMemory(o.mem), schema: schema, batchSize: o.batch, maxText: maxText, threads: o.threads, text: make([]int, len(p.Outputs)), since: make([]int, len(p.Outputs))}
	if !o.batched {
		a.maxText = usualText
	}
	switch {
	case o.account != nil:
		a.pool = o.pool
	case o.reuse && !o.named:
		a.pool = columns.OpenPool()
	}
	a.holds = o.reuse && !o.named
	a.batches = batches{pool: a.pool}
	if o.account != nil && !o.batched {
		a.bound(o.memory, max(len(p.Outputs), 1))
	}
	a.offer = offer{from: &a.batches, rows: a.batchSize}
	for _, out := range p.Outputs {
		t := &p.Def(out).Type
		form := convert.FormOf(t)
		a.columns = append(a.columns, a.pool.New(form))
		a.lends = append(a.lends, form.Lends())
		a.grows = append(a.grows, hasDictionary(t))
		a.tokens = append(a.tokens, t.Kind == dfa.Dictionary)
		a.batches.types = append(a.batches.types, t)
	}
	a.batches.lexicons = make([]*columns.Lexicon, len(a.columns))
	return a
}

func hasDictionary(t *dfa.Type) bool {
	return t.Kind == dfa.Dictionary || t.Elem != nil && hasDictionary(t.Elem)
}

// schema is the Arrow schema of a Plan's outputs, with lines of metadata by their prefix.
func (p *Plan) schema(metadata map[string][]string) *arrow.Schema {
	var fields []arrow.Field
	for _, out := range p.Outputs {
		f := convert.ArrowField(p.Def(out))
		if out.Part >= 0 {
			f.Nullable = true // a field that cannot be split has no parts
		}
		fields = append(fields, f)
	}
	keys, values := []string{"dfaparse.format"}, []string{p.Program.Name}
	for _, prefix := range slices.Sorted(maps.Keys(metadata)) {
		keys, values = append(keys, strings.TrimRight(prefix, " \t")), append(values, strings.Join(metadata[prefix], "\n"))
	}
	md := arrow.NewMetadata(keys, values)
	return arrow.NewSchema(fields, &md)
}

// rows is the number of rows appended since the last record.
func (a *assembler) rows() int { return a.nrows }

// append appends the rows from up to to, as many as fit, and reports how many
// these are and whether the batch is full.
func (a *assembler) append(rows *Rows, from, to int) (fit int, full bool) {
	from, to = from+rows.From, to+rows.From
	n := min(to-from, a.batchSize-a.nrows)
	fit = a.fit(rows, from, from+n)
	for i := range a.text {
		n := rows.Columns[i].TextBetween(from, from+fit)
		a.text[i] += n
		a.since[i] += n
	}
	p := waitingRows{columns: rows.Columns, batch: a.batches.of(rows.Columns), lease: rows.Lease, from: from, to: from + fit}
	if last := len(a.waiting) - 1; last >= 0 && a.waiting[last].joins(&p) {
		a.waiting[last].to = p.to
	} else {
		a.waiting = append(a.waiting, p)
	}
	a.nrows += fit
	return fit, fit < n || a.nrows == a.batchSize
}

// joins reports whether p are the rows behind w, in the same columns.
func (w *waitingRows) joins(p *waitingRows) bool {
	return w.to == p.from && w.batch == p.batch && w.lease == p.lease && (p.batch != nil || p.lease != nil)
}

// fit is how many of the rows from up to to of the columns the text allows; at
// least one if nothing waits.
func (a *assembler) fit(rows *Rows, from, to int) int {
	n := to - from
	for i, src := range rows.Columns {
		room := a.maxText - a.text[i]
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
	o := &a.offer
	o.open, o.last, o.begins, o.capacities, o.rows = nil, nil, nil, a.capacities, a.usual()
	if a.maxText < maxText && a.of == 0 {
		o.rows = min(o.rows, a.batchSize/8) // there may be much text in a row
		if a.nrows == 0 {
			o.begins = a
		}
	}
	if o.room = o.rows - a.early() - a.nrows; o.room <= 0 {
		o.room = o.rows
	}
	if n := len(a.waiting); n > 0 {
		last := a.waiting[n-1]
		if b := last.batch; b != nil && last.to == b.rows() && b.rows() < b.most && !b.long() {
			o.open, o.room = b, b.most-b.rows()
			if a.of == 0 && a.maxText < maxText && last.from == 0 && last.to == a.nrows {
				o.begins = a
			}
		}
	}
	p.Batches, p.Lexicons = &a.offer, &a.batches
}

// ripe reports whether all rows that wait would make a record as they lie, and not a small one.
func (a *assembler) ripe() bool {
	return len(a.waiting) == 1 && a.nrows >= a.batchSize/8 && a.base() != nil
}

// ripeWhereLent reports whether all rows that wait lie side by side in memory that a record may
// hold, and are not few.
func (a *assembler) ripeWhereLent() bool { return a.nrows >= a.batchSize/16 && a.lent() != nil }

// end is called after the rows of a partition have been appended, for which o has
// given batches.
func (a *assembler) end(o *offer) {
	if a.mustGather() {
		a.gather()
	}
	a.shift()
	a.free(o)
	if !a.sized && a.nrows > 0 && len(a.building) == 0 {
		a.size()
		a.sized = true
	}
}

// shift takes the rows of the record before away from the batch of the rows that wait, while these
// are few: else all of the record would have to be gone through for that.
func (a *assembler) shift() {
	if len(a.waiting) != 1 || len(a.building) > 0 || len(a.unbuilt) > 0 || slices.Contains(a.grows, true) {
		return
	}
	w := &a.waiting[0]
	if w.batch == nil || w.from == 0 || w.to != w.batch.rows() {
		return
	}
	for _, c := range w.columns {
		c.Drop(w.from)
	}
	w.batch.most -= w.from
	w.from, w.to = 0, w.to-w.from
}

// mustGather reports whether the rows that wait cannot stay where they are.
func (a *assembler) mustGather() bool {
	loose := func(w waitingRows) bool { return w.batch == nil && !w.kept }
	stays := func(w waitingRows) bool { return w.batch != nil || !w.kept }
	most := 1
	if a.aside {
		most = mostStaying
	}
	return slices.ContainsFunc(a.waiting, loose) || len(a.waiting) > most && slices.ContainsFunc(a.waiting, stays) && a.base() == nil
}

// free takes back the batches that o has given, and those of before, whose rows nobody needs.
func (a *assembler) free(o *offer) {
	needed := [][]waitingRows{a.waiting}
	for _, b := range a.building {
		for _, u := range b.of {
			if u.batched {
				needed = append(needed, u.rows)
			}
		}
	}
	a.batches.end(o, needed)
}

// size gives the columns that rows are put into memory for a whole record.
func (a *assembler) size() {
	rows := a.usual() // of long texts there are few in a record
	if len(a.waiting) == 1 && a.waiting[0].batch != nil {
		for _, c := range a.waiting[0].columns {
			c.Expect(c.Len, rows)
		}
	}
	for _, c := range a.columns {
		if c.Len > 0 {
			c.Expect(c.Len, rows)
		}
	}
}

// gather copies the rows that wait into the columns, several columns at a time.
func (a *assembler) gather() {
	a.gatherRows(a.waiting, a.capacities)
	a.forget()
	a.gathered = true
}

func (a *assembler) gatherRows(rows []waitingRows, capacities []columns.Capacity) {
	parallel(a.threads, len(a.columns), func(i int) {
		if a.columns[i].Len == 0 && capacities != nil {
			a.columns[i].Reserve(capacities[i])
		}
		for _, p := range rows {
			a.columns[i].AppendRows(p.columns[i], p.from, p.to)
		}
	})
}

// forget empties what waits.
func (a *assembler) forget() {
	dropAll(a.waiting)
	a.waiting = a.waiting[:0]
}

// giveUp drops the rows.
func (a *assembler) giveUp() {
	for _, u := range a.unbuilt {
		dropAll(u.rows)
	}
	a.forget()
	a.nrows, a.unbuilt, a.gathered = 0, nil, false
	clear(a.text)
}

// flush gives the rows as a record, nil if there are none. Where the caller's
// allocator fails, they are lost.
func (a *assembler) flush() (rec arrow.Record, err error) {
	if a.nrows == 0 {
		return nil, nil
	}
	if a.lent() == nil && a.base() == nil {
		a.gather()
	}
	arrays := make([]arrow.Array, len(a.columns))
	defer func() {
		for _, c := range arrays {
			if c != nil {
				c.Release()
			}
		}
		p := recover()
		if p == nil {
			return
		}
		switch p := p.(type) {
		case *allocError:
			err = p
		case *MemoryError:
			err = p
		default:
			panic(p)
		}
		a.giveUp()
	}()
	a.capacities = a.arrays(arrays, a.waiting, a.nrows, a.capacities)
	rec = array.NewRecord(a.schema, arrays, int64(a.nrows))
	a.forget()
	a.emptied()
	return rec, nil
}

// arrays makes the arrays of so many rows, which wait or are in the columns, and gives the memory
// that they take, in place of had.
func (a *assembler) arrays(into []arrow.Array, rows []waitingRows, nrows int, had []columns.Capacity) []columns.Capacity {
	lent, base := a.lentOf(rows, nrows), baseOf(rows, nrows)
	threads := 1 // an allocator need not be safe for more
	if _, ok := a.mem.(*memory.GoAllocator); ok && (lent == nil || slices.Contains(a.lends, false)) {
		threads = max(1, min(a.threads/4, len(a.columns)/4)) // the others read, and to wake one takes as long as some columns
	}
	capacities := make([]columns.Capacity, len(a.columns))
	parallel(threads, len(a.columns), func(i int) {
		c := a.columns[i]
		switch {
		case lent != nil && a.lends[i]:
			into[i] = lent.columns[i].Lend(lent.lease, lent.from, lent.to, a.pool)
			return
		case lent != nil && a.tokens[i]:
			if into[i] = c.LendTokens(lent.columns[i], lent.lease, lent.from, lent.to, a.pool); into[i] != nil {
				return
			}
			c.AppendRows(lent.columns[i], lent.from, lent.to)
		case lent != nil:
			c.AppendRows(lent.columns[i], lent.from, lent.to)
		case base != nil:
			c = a.complete(base, rows, i)
		}
		into[i] = c.Array(a.mem)
		capacities[i] = c.Capacity()
	})
	for i, c := range a.columns {
		if a.tokens[i] {
			a.batches.begin(i, c)
		}
	}
	if lent != nil {
		return had
	}
	return capacities
}

// longest is the text of the column that has most of it.
func (a *assembler) longest() (n int) {
	for _, bytes := range a.text {
		n = max(n, bytes)
	}
	return n
}

// emptied is called when the rows have become a record, or will.
func (a *assembler) emptied() {
	a.gathered = false
	a.most, a.of, a.nrows = a.longest(), a.nrows, 0
	clear(a.text)
}

// lent are the rows of the record to come if they lie side by side in memory that it
// may hold; nil if they do not.
func (a *assembler) lent() *waitingRows { return a.lentOf(a.waiting, a.nrows) }

func (a *assembler) lentOf(rows []waitingRows, nrows int) *waitingRows {
	if !a.holds || len(rows) != 1 {
		return nil
	}
	if w := &rows[0]; w.lease != nil && w.to-w.from == nrows {
		return w
	}
	return nil
}

// begun is which part of a record there is.
func (a *assembler) begun() float64 {
	return max(float64(a.nrows)/float64(a.batchSize), float64(a.longest())/float64(a.maxText))
}

// side is the offer of a partition that is read beside others, with about so many
// rows: a batch for each record, all of which begin as much before their records as the
// first, by such a part of a record. The last takes what rows there are.
func (a *assembler) side(rows int, early float64) offer {
	capacities, record := a.capacities, a.usual()
	if capacities == nil && len(a.building) == 0 && a.columns[0].Len > 0 {
		for _, c := range a.columns {
			capacities = append(capacities, c.CapacityFor(max(min(rows, record), c.Len)))
		}
	}
	if capacities != nil && early > 0 {
		capacities = slices.Clone(capacities)
		for i := range capacities {
			capacities[i] = capacities[i].And(early)
		}
	}
	whole := max((rows+record/2)/record-1, 0)
	rows -= whole * record
	rows += rows/16 + 16
	return offer{from: &a.batches, room: rows, rows: rows, whole: whole, record: record, capacities: capacities}
}

// usual is about how many rows a record has, judging by those before.
func (a *assembler) usual() int {
	if a.of == 0 {
		return a.usualBy(a.longest(), a.nrows)
	}
	return a.usualBy(a.most, a.of)
}

// usualBy is the same by the text that a column has in so many rows.
func (a *assembler) usualBy(most, of int) int {
	if most == 0 || a.maxText/most*of >= a.batchSize { // no product that may overflow
		return a.batchSize
	}
	return max(int(float64(a.maxText)/float64(most)*float64(of)), 1)
}

// early is how many rows before a record does a batch should begin: none, unless
// its text says when it ends, which nobody knows exactly.
func (a *assembler) early() int { return a.earlyOf(a.usual()) }

func (a *assembler) earlyOf(n int) int {
	if n < a.batchSize {
		return n/32 + 1
	}
	return 0
}

// base is the batch whose last rows are the first of the record to come, and nearly
// all; nil if there is none.
func (a *assembler) base() *batch { return baseOf(a.waiting, a.nrows) }

func baseOf(rows []waitingRows, nrows int) *batch {
	if len(rows) == 0 {
		return nil
	}
	first := rows[0]
	n := first.to - first.from
	if b := first.batch; b == nil || first.to != b.rows() || n < nrows/2 || n < first.from {
		return nil
	}
	for _, p := range rows[1:] {
		n += p.to - p.from
	}
	if n != nrows { // others have been gathered
		return nil
	}
	return first.batch
}

// more is how many rows b, which has the first of the record to come, may get more, judging
// by those that it has, and how many a record has.
func (a *assembler) more(b *batch) (more, usual int) {
	most := 0
	for _, c := range b.columns {
		most = max(most, c.TextBetween(0, c.Len))
	}
	usual = a.usualBy(most, b.rows())
	return usual - a.earlyOf(usual) - b.rows(), usual
}

// complete gives column i of rows of which base has nearly all.
func (a *assembler) complete(base *batch, rows []waitingRows, i int) *columns.Column {
	c, rest := base.columns[i], rows[1:]
	if a.tokens[i] {
		a.columns[i].Adopt(c, rows[0].from)
		for _, p := range rest {
			c.AppendAdopted(p.columns[i], p.from, p.to)
		}
		c.Drop(rows[0].from)
		return c
	}
	if a.grows[i] {
		c, rest = a.columns[i], rows
	}
	for _, p := range rest {
		c.AppendRows(p.columns[i], p.from, p.to)
	}
	if !a.grows[i] {
		c.Drop(rows[0].from)
	}
	return c
}
