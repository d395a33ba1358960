package runtime

import (
	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/runtime/convert"
)

// batch is columns that an engine appends the rows of a record to.
type batch struct {
	columns []*convert.Column
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

// batches implements Batches. A batch is given to the engine; its rows wait in
// it for their record; then it is used again.
type batches struct {
	pool  *convert.Pool
	types []*dfa.Type
	rows  int // of a record

	open  *batch // the rows to come begin there; nil: in another
	room  int    // for so many
	out   []*batch
	at    int // in out: none before it is asked for again
	spare []*batch
}

// begin lets the engine begin in open, with so many rows.
func (x *batches) begin(open *batch, room int) { x.open, x.room, x.at = open, room, 0 }

// Next implements Batches.
func (x *batches) Next() ([]*convert.Column, int) {
	b, room := x.open, x.room
	x.open, x.room = nil, x.rows
	if b != nil {
		return b.columns, room
	}
	if last := len(x.spare) - 1; last >= 0 {
		b, x.spare = x.spare[last], x.spare[:last]
	} else {
		b = &batch{}
		for _, t := range x.types {
			b.columns = append(b.columns, x.pool.NewColumn(t))
		}
	}
	for _, c := range b.columns {
		c.Reserve()
	}
	x.out = append(x.out, b)
	return b.columns, room
}

// of is the batch of columns, nil if they are none of a batch. It is asked in
// the order in which batches were given.
func (x *batches) of(columns []*convert.Column) *batch {
	for i := x.at; i < len(x.out); i++ {
		if len(columns) > 0 && x.out[i].columns[0] == columns[0] {
			x.at = i
			return x.out[i]
		}
	}
	return nil
}

// end takes back the batches of which no rows wait.
func (x *batches) end(waiting []piece) {
	for _, p := range waiting {
		if p.batch != nil {
			p.batch.waits = true
		}
	}
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
