package sort

import (
	"cmp"
	"context"
	"io"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/ipc"
)

// merging makes one order of the runs of a Sorter.
type merging struct {
	*Sorter
	layout *layout
	ranks  []ranking
}

// most is how many runs are merged at once: a block of each is in memory, and perhaps one more.
func (m *merging) most() int {
	return max(2, int(m.opts.Memory/3/int64(m.blockBytes())))
}

// all merges all runs, several times if they are too many.
func (m *merging) all(ctx context.Context, yield func(arrow.Record) error) error {
	for len(m.spilled.runs) > m.most() {
		to, err := newSpill(m.plan, m.opts.Dir)
		if err != nil {
			return err
		}
		from := m.spilled
		for len(from.runs) > 0 && err == nil {
			n := min(m.most(), len(from.runs))
			w := to.begin()
			if err = m.merge(ctx, from.runs[:n], w.write); err == nil {
				err = w.close()
			}
			from.runs = from.runs[n:] // neighbours, so that equal rows keep their order
		}
		if err != nil {
			to.close()
			return err
		}
		from.close()
		m.spilled = to
	}
	return m.merge(ctx, m.spilled.runs, yield)
}

// head is the next row of a run.
type head struct {
	order  int // of the run
	reader *ipc.Reader
	block  *block
	row    int
}

// block is a record of a run.
type block struct {
	*slab
	values []values
	items  []item // numbers of its rows
	at     uint32 // in the merge's slabs
}

func (b *block) release() {
	for _, v := range b.values {
		v.array.Release()
	}
	b.rec.Release()
}

// next reads the next block of a run; nil at its end.
func (m *merging) next(r *ipc.Reader) (*block, error) {
	if !r.Next() {
		if err := r.Err(); err != nil && err != io.EOF {
			return nil, err
		}
		return nil, nil
	}
	rec := r.Record()
	rec.Retain()
	b := &block{slab: newSlab(rec), items: make([]item, rec.NumRows())}
	for _, c := range m.plan.columns {
		b.values = append(b.values, c.valuesOf(rec, m.ranks))
	}
	for i := range b.items {
		b.items[i].row = uint32(i)
	}
	m.layout.number(b.items, b.values)
	return b, nil
}

// merge gives the rows of runs in one order.
func (m *merging) merge(ctx context.Context, runs []stretch, yield func(arrow.Record) error) error {
	var live []*block // of which rows wait in out, and those of heads
	var heads []*head
	defer func() {
		for _, b := range live {
			b.release()
		}
		for _, c := range heads {
			c.reader.Release()
		}
	}()
	advance := func(c *head) (bool, error) {
		b, err := m.next(c.reader)
		if b == nil {
			c.reader.Release()
			return false, err
		}
		b.at = uint32(len(live))
		live = append(live, b)
		c.block, c.row = b, 0
		return true, nil
	}
	for i, r := range runs {
		reader, err := m.spilled.open(r)
		if err != nil {
			return err
		}
		c := &head{order: i, reader: reader}
		there, err := advance(c)
		if err != nil {
			return err
		}
		if there {
			heads = append(heads, c)
		}
	}
	for i := len(heads)/2 - 1; i >= 0; i-- {
		m.sink(heads, i)
	}
	var out []item
	nbytes, left := 0, m.opts.Limit
	flush := func() error {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		if left > 0 {
			out = out[:min(left, int64(len(out)))]
		}
		if len(out) > 0 {
			slabs := make([]*slab, len(live))
			for i, b := range live {
				slabs[i] = b.slab
			}
			rec := gather(m.plan.coded, slabs, out)
			err := yield(rec)
			rec.Release()
			if err != nil {
				return err
			}
		}
		if left > 0 {
			if left -= int64(len(out)); left == 0 {
				left = -1
			}
		}
		out, nbytes = out[:0], 0
		for _, c := range heads {
			live[c.block.at] = nil
		}
		for _, b := range live {
			if b != nil {
				b.release()
			}
		}
		live = live[:0]
		for i, c := range heads {
			c.block.at = uint32(i)
			live = append(live, c.block)
		}
		return nil
	}
	most := m.blockBytes()
	for len(heads) > 0 && left >= 0 {
		c := heads[0]
		out = append(out, item{0, c.block.at, uint32(c.row)})
		nbytes += c.block.bytesOf(c.row)
		if c.row++; c.row == c.block.rows {
			there, err := advance(c)
			if err != nil {
				heads = heads[1:]
				return err
			}
			if !there {
				heads[0] = heads[len(heads)-1]
				heads = heads[:len(heads)-1]
			}
		}
		if len(heads) > 0 {
			m.sink(heads, 0)
		}
		if len(out) == blockRows || nbytes > most {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	if left < 0 {
		return nil
	}
	return flush()
}

// less reports whether the row of a comes before that of b.
func (m *merging) less(a, b *head) bool {
	x, y := a.block, b.block
	c := cmp.Compare(x.items[a.row].key, y.items[b.row].key)
	for k := m.layout.rest; k < len(m.plan.columns) && c == 0; k++ {
		c = x.values[k].compare(a.row, &y.values[k], b.row)
	}
	return c < 0 || c == 0 && a.order < b.order
}

// sink restores the heap below i.
func (m *merging) sink(heads []*head, i int) {
	for {
		child := 2*i + 1
		if child >= len(heads) {
			return
		}
		if child+1 < len(heads) && m.less(heads[child+1], heads[child]) {
			child++
		}
		if !m.less(heads[child], heads[i]) {
			return
		}
		heads[i], heads[child] = heads[child], heads[i]
		i = child
	}
}
