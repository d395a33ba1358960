package infer

import (
	"errors"
	goruntime "runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"

	"github.com/dfaparse/dfaparse/internal/spread"
)

// reduction holds the values of records against the types that columns may have. Until the
// first rows have chosen these, a column takes its values in order; from then on records are
// looked at side by side, in whatever order, each worker by parts of its own, and what the
// parts have found is merged in the end: of failures the one of the first row counts.
//
//	records ─▶ columns, in order, until they are decided
//	        └▶ tasks (record, column) ─▶ worker: its part of the column ─┐
//	                                 └▶ worker: its part of the column ─┴▶ merge
type reduction struct {
	columns []*Column
	settle  bool // columns go on with the type that the first rows have alone
	rows    int64
	decided []bool // by column: what it may be is found out side by side from here on
	tasks   chan heldTask
	workers sync.WaitGroup
	parts   [][]*Column    // by worker and column; nil: it had none of the column
	misfits []atomic.Int64 // by column: the least row so far, from 1, that does not fit; 0: all do
	errs    []error        // by worker
}

// heldTask is a column of a record. The last task of a record releases it.
type heldTask struct {
	rec    arrow.Record
	column int
	row    int64 // of the input, the record's first
	left   *atomic.Int64
}

func newReduction(columns []*Column, settle bool) *reduction {
	return &reduction{columns: columns, settle: settle, decided: make([]bool, len(columns))}
}

// read takes in the records of an input; those of several may follow one another.
func (d *reduction) read(r Records) error {
	for r.Next() {
		if err := d.add(r.Record()); err != nil {
			return err
		}
	}
	return r.Err()
}

// add takes in a record of texts, of which it may hold the memory for a while.
func (d *reduction) add(rec arrow.Record) error {
	row := d.rows
	d.rows += rec.NumRows()
	var first, others []int
	for i, c := range d.columns {
		switch d.decided[i] = d.decided[i] || c.decidedFor(d.settle); {
		case c.done():
			c.pass(int(rec.NumRows()))
		case d.decided[i]:
			others = append(others, i)
		default:
			first = append(first, i)
		}
	}
	if len(others) > 0 && d.tasks == nil {
		d.start()
	}
	left := new(atomic.Int64)
	left.Store(int64(len(others)))
	if len(others) > 0 {
		rec.Retain()
	}
	for _, i := range others {
		d.tasks <- heldTask{rec, i, row, left}
	}
	return d.inOrder(rec, first)
}

// inOrder takes in the columns of a record that no later one may overtake.
func (d *reduction) inOrder(rec arrow.Record, columns []int) error {
	failures := make([]error, len(columns))
	spread.Over(goruntime.GOMAXPROCS(0), len(columns), func(i int) {
		failures[i] = d.columns[columns[i]].take(rec.Column(columns[i]).(*array.String), d.settle)
	})
	return errors.Join(failures...)
}

func (d *reduction) start() {
	n := goruntime.GOMAXPROCS(0)
	d.tasks = make(chan heldTask, 2*n)
	d.parts, d.errs, d.misfits = make([][]*Column, n), make([]error, n), make([]atomic.Int64, len(d.columns))
	for w := range n {
		d.parts[w] = make([]*Column, len(d.columns))
		d.workers.Go(func() { d.work(d.parts[w], &d.errs[w]) })
	}
}

func (d *reduction) work(parts []*Column, failure *error) {
	for t := range d.tasks {
		if bad := d.misfits[t.column].Load(); bad == 0 || t.row < bad {
			if err := d.look(t, parts); err != nil {
				*failure = err
			}
		}
		if t.left.Add(-1) == 0 {
			t.rec.Release()
		}
	}
}

// look takes a column of a record into the worker's part of it.
func (d *reduction) look(t heldTask, parts []*Column) (err error) {
	part := parts[t.column]
	if part == nil {
		if part, err = d.columns[t.column].part(); err != nil {
			return err
		}
		parts[t.column] = part
	}
	part.rows = t.row
	if err := part.take(t.rec.Column(t.column).(*array.String), false); err != nil || part.Misfit == nil {
		return err
	}
	for bad := &d.misfits[t.column]; ; {
		if old := bad.Load(); old != 0 && old <= part.Misfit.Row || bad.CompareAndSwap(old, part.Misfit.Row) {
			return nil
		}
	}
}

// finish waits for what is being looked at, and gives the columns what was found.
func (d *reduction) finish() error {
	if d == nil || d.tasks == nil {
		return nil
	}
	close(d.tasks)
	d.workers.Wait()
	d.tasks = nil
	for i, c := range d.columns {
		for w := range d.parts {
			if part := d.parts[w][i]; part != nil {
				c.merge(part)
			}
		}
		c.merged()
	}
	return errors.Join(d.errs...)
}

// drop is a candidate that a value does not fit.
type drop struct {
	of    *candidate
	row   int64
	value string
}

// null is a null token, and the row of its first place.
type null struct {
	text string
	row  int64 // from 1
}

// least is the smaller of two rows, 0 for none.
func least(a, b int64) int64 {
	if a == 0 || b > 0 && b < a {
		return b
	}
	return a
}

// decidedFor reports whether the order of the values to come makes no difference any more.
// How many digits decimals have in all is known in order alone, so that the first that has
// too many can be named.
func (c *Column) decidedFor(settle bool) bool {
	if settle {
		return c.lead != nil && c.lead.text != "dec"
	}
	return c.begun && len(c.live) > 0
}

// part is a column that takes some of the values of c, which is decided.
func (c *Column) part() (*Column, error) {
	p := &Column{Name: c.Name, given: c.given, json: c.json, quoted: c.quoted, begun: true, decided: c.decided, grouped: c.grouped, pairs: c.pairs, fraction: c.fraction, even: c.even}
	for _, t := range c.live {
		own, err := newTrial(t.candidate)
		if err != nil {
			return nil, err
		}
		own.shown = t.shown
		p.live = append(p.live, own)
	}
	if c.lead != nil {
		p.lead = p.live[0]
	}
	return p, nil
}

// merge adds what a part has found.
func (c *Column) merge(p *Column) {
	c.Values += p.Values
	c.blankRow = least(c.blankRow, p.blankRow)
	c.decided, c.grouped, c.fraction = c.decided || p.decided, c.grouped || p.grouped, c.fraction || p.fraction
	if p.even != 0 {
		c.evenly(p.even)
	}
	c.whole, c.scale = max(c.whole, p.whole), max(c.scale, p.scale)
	for _, t := range c.live {
		for _, o := range p.live {
			if o.candidate == t.candidate {
				t.shown |= o.shown
			}
		}
	}
	for _, n := range p.nulls {
		c.addNull([]byte(n.text), n.row)
	}
	if p.Misfit != nil && (c.Misfit == nil || p.Misfit.Row < c.Misfit.Row) {
		c.Misfit = p.Misfit
	}
	for _, d := range p.drops {
		c.addDrop(d)
	}
}

// merged draws the conclusions from what the parts have found.
func (c *Column) merged() {
	if c.lead != nil {
		if c.Misfit != nil {
			c.live = nil
		}
		return
	}
	c.live = slices.DeleteFunc(c.live, func(t *trial) bool {
		return slices.ContainsFunc(c.drops, func(d drop) bool { return d.of == t.candidate }) || t.text == "dec" && c.whole+c.scale > t.typ.Precision
	})
}

// addDrop keeps of what a candidate does not fit the first row.
func (c *Column) addDrop(d drop) {
	if i := slices.IndexFunc(c.drops, func(o drop) bool { return o.of == d.of }); i < 0 {
		c.drops = append(c.drops, d)
	} else if d.row < c.drops[i].row {
		c.drops[i] = d
	}
}

func (c *Column) addNull(text []byte, row int64) {
	if i := slices.IndexFunc(c.nulls, func(o null) bool { return o.text == string(text) }); i < 0 {
		c.nulls = append(c.nulls, null{string(text), row})
	} else {
		c.nulls[i].row = min(c.nulls[i].row, row)
	}
}
