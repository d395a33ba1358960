package runtime

import (
	"sync"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/columns"
	"github.com/dfaparse/dfaparse/internal/convert"
)

// batch is columns that an engine appends the rows of a record to.
type batch struct {
	columns []*columns.Column
	most    int  // rows that it is meant to have in all
	waits   bool // see batches.end
}

func (b *batch) rows() int { return b.columns[0].Len }

// long reports whether a column has so much text that another partition's
// might be too much for it. Then it is not continued.
func (b *batch) long() bool {
	for _, c := range b.columns {
		if c.TextBetween(0, c.Len) > maxText/4 {
			return true
		}
	}
	return false
}

// batches are the batches of a Reader. One is given to an engine; its rows wait
// in it for their record; then it is used again.
type batches struct {
	pool  *columns.Pool
	types []*dfa.Type

	mu       sync.Mutex                 // several engines may want one
	lexicons []*columns.Lexicon         // by column, what its batches begin with; nil: nothing, or it has no dictionary
	all      map[*columns.Column]*batch // by their first column
	out      []*batch                   // have rows, and no offer has them
	spare    []*batch
}

// offer implements Batches for one partition.
type offer struct {
	from       *batches
	open       *batch             // the rows to come begin there; nil: in another
	room       int                // for so many
	rows       int                // of a batch after that
	whole      int                // so many batches before have the rows of a record,
	record     int                // which are so many
	capacities []columns.Capacity // by column: the memory of a batch; nil: nobody knows
	given      []*batch
	begins     *assembler // which has no record yet: its first batch gets more rows once it is seen how long they are
	last       *batch     // that has been given
}

// Next implements Batches.
func (o *offer) Next() ([]*columns.Column, int) {
	b, room := o.open, o.room
	o.open, o.room = nil, o.rows
	if b != nil {
		o.last = b
		return b.columns, room
	}
	if a := o.begins; a != nil && o.last != nil {
		n, usual := a.more(o.last)
		if n >= a.batchSize/64 {
			o.last.most += n
			return o.last.columns, n
		}
		o.begins, o.room, o.rows, room = nil, usual, usual, usual
	}
	if o.whole > 0 {
		o.whole--
		o.room, room = room, o.record
	}
	b = o.from.take()
	b.most = room
	for i := range o.capacities {
		b.columns[i].Reserve(o.capacities[i])
	}
	o.given, o.last = append(o.given, b), b
	return b.columns, room
}

// Lexicon implements Lexicons.
func (x *batches) Lexicon(output int) *columns.Lexicon {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.lexicons[output]
}

// take gives a batch that nobody uses, which is empty.
func (x *batches) take() *batch {
	x.mu.Lock()
	defer x.mu.Unlock()
	b := x.unused()
	for i, c := range b.columns {
		c.Begin(x.lexicons[i])
	}
	return b
}

// begin lets batches begin with the tokens of column i.
func (x *batches) begin(i int, c *columns.Column) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.lexicons[i] = c.Lexicon(x.lexicons[i])
}

// unused is a batch that is empty.
func (x *batches) unused() *batch {
	if last := len(x.spare) - 1; last >= 0 {
		b := x.spare[last]
		x.spare = x.spare[:last]
		return b
	}
	b := &batch{}
	for _, t := range x.types {
		b.columns = append(b.columns, x.pool.New(convert.FormOf(t)))
	}
	if x.all == nil {
		x.all = map[*columns.Column]*batch{}
	}
	x.all[b.columns[0]] = b
	return b
}

// of is the batch of columns, nil if they are none of a batch.
func (x *batches) of(columns []*columns.Column) *batch {
	if len(columns) == 0 {
		return nil
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.all[columns[0]]
}

// free is the last that is done to the batches: their memory goes to their Pool.
func (x *batches) free() {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, b := range x.all {
		for _, c := range b.columns {
			c.Free()
		}
	}
	x.all, x.out, x.spare = nil, nil, nil
}

// end takes back the batches that o has given, and those of before, of which no
// rows wait.
func (x *batches) end(o *offer, needed [][]waitingRows) {
	for _, rows := range needed {
		for _, p := range rows {
			if p.batch != nil {
				p.batch.waits = true
			}
		}
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.out = append(x.out, o.given...)
	o.given = o.given[:0]
	keep := x.out[:0]
	for _, b := range x.out {
		if b.waits {
			b.waits = false
			keep = append(keep, b)
			continue
		}
		for _, c := range b.columns {
			c.Reset()
		}
		x.spare = append(x.spare, b)
	}
	x.out = keep
}
