//go:build cuda

package gpu

import (
	"bytes"
	"slices"

	"github.com/dfaparse/dfaparse/internal/columns"
	"github.com/dfaparse/dfaparse/internal/convert"
	"github.com/dfaparse/dfaparse/internal/spread"
	"github.com/dfaparse/dfaparse/runtime"
)

// patch is what the host has for some rows of a column: as many as it holds, in
// row order.
type patch struct{ column *columns.Column }

func newPatches(plan *runtime.Plan, outputs []int) []patch {
	patches := make([]patch, len(outputs))
	for i, o := range outputs {
		patches[i].column = convert.NewColumn(&plan.Def(plan.Outputs[o]).Type)
	}
	return patches
}

// append adds all rows of c.
func (x *patch) append(c *columns.Column) { x.column.AppendRows(c, 0, c.Len) }

// cut takes from a column what the fused path has counted and marked of the
// record that the flight does not complete.
func cut(c *columns.Column) {
	cutBits(c.Valid, c.Len)
	if c.Form.Width == 0 && c.Offsets == nil {
		cutBits(c.Fixed, c.Len)
	}
	if c.Nulls != 0 {
		c.Nulls = c.Len - ones(c.Valid)
	}
}

// patch puts what the host has read into the columns of a flight: in place of rows
// that are defined neither in value nor in validity, and whose texts are empty, those
// of x.todo; or where the device leaves records as a whole, in place of whole rows,
// whatever the columns have there.
func (p *parser) patch(x *flight, runs []run) error {
	var pool pool
	whole := p.leavesRecords(x)
	for i, todo := range x.todo {
		if todo == nil && !(whole && len(runs) > 0) {
			continue
		}
		if whole {
			todo = nil
		}
		c := x.columns[i]
		if p.columns.mapOf(i) != nil {
			x.columns[i] = p.patchMaps(&pool, x.haul, c, runs, i)
			continue
		}
		if p.columns.tokens[i] != nil {
			if err := patchTokens(c, todo, runs, i); err != nil {
				return err
			}
		} else if c.Offsets == nil {
			patchRows(c, todo, runs, i)
		} else if t, err := newTextPatch(&x.haul.patched, c, todo, runs, i); err != nil {
			return err
		} else if len(t.edits) > 0 {
			t.share(&pool, p.cfg.Threads)
		}
		c.Nulls = c.Len - ones(c.Valid)
	}
	pool.run(p.cfg.Threads)
	return nil
}

// leavesRecords reports whether records of the flight are left as a whole: those with
// escapes, and on the path of lines those whose fields a lane has not found.
func (p *parser) leavesRecords(x *flight) bool { return p.escapes || x.lines }

// patchRows replaces the rows of the runs that todo has, all if it is nil.
func patchRows(column *columns.Column, todo []byte, all []run, output int) {
	width := column.Form.Width
	for i := range all {
		x := &all[i]
		from := x.columns[output].column
		for j, row := range x.rows {
			if todo != nil && !bit(todo, row.row) {
				continue
			}
			k := x.first + j
			setBit(column.Valid, row.row, from.IsValid(k))
			if width == 0 {
				setBit(column.Fixed, row.row, bit(from.Fixed, k))
			} else {
				copy(column.Fixed[row.row*width:][:width], from.Fixed[k*width:])
			}
		}
	}
}

// textPatch makes the texts of a column anew.
type textPatch struct {
	data    []byte // as it was
	offsets []int32
	edits   []edit

	newData    []byte
	newOffsets []int32
}

// edit is a row that gets another text. What stands behind it is moved by shift.
type edit struct {
	row   int
	text  []byte
	shift int32
}

// newTextPatch finds the texts that differ among the rows of the runs that todo has,
// all if it is nil. If there are any, it gives the column memory for its new texts;
// they are put there by apply.
func newTextPatch(in *arena, column *columns.Column, todo []byte, all []run, output int) (*textPatch, error) {
	t := &textPatch{data: column.Data, offsets: column.Offsets}
	shift := -t.offsets[0]
	for i := range all {
		x := &all[i]
		texts := x.columns[output].column
		for j, row := range x.rows {
			if todo != nil && !bit(todo, row.row) {
				continue
			}
			k := x.first + j
			setBit(column.Valid, row.row, texts.IsValid(k))
			text := texts.Data[texts.Offsets[k]:texts.Offsets[k+1]]
			if was := t.data[t.offsets[row.row]:t.offsets[row.row+1]]; !bytes.Equal(was, text) {
				shift += int32(len(text) - len(was))
				t.edits = append(t.edits, edit{row.row, text, shift})
			}
		}
	}
	if len(t.edits) == 0 {
		return t, nil
	}
	var err error
	if t.newData, err = in.take(int(t.offsets[column.Len] + shift)); err != nil {
		return nil, err
	}
	b, err := in.take(4 * (column.Len + 1))
	if err != nil {
		return nil, err
	}
	t.newOffsets = wordsOf(b)
	t.newOffsets[0] = 0
	column.Data, column.Offsets = t.newData, t.newOffsets
	return t, nil
}

// textShare is how many bytes of text it is worth to give to a worker.
const textShare = 512 << 10

// share adds to the pool what is to be done, in parts for so many workers.
func (t *textPatch) share(pool *pool, workers int) {
	rows := len(t.newOffsets) - 1
	n := min(workers, len(t.newData)/textShare+1)
	for k := range n {
		from, to := rows*k/n, rows*(k+1)/n
		pool.add(func() { t.apply(from, to) })
	}
}

// apply puts the texts of the rows from up to to.
func (t *textPatch) apply(from, to int) {
	i, _ := slices.BinarySearchFunc(t.edits, from, func(e edit, row int) int { return e.row - row })
	shift := -t.offsets[0]
	if i > 0 {
		shift = t.edits[i-1].shift
	}
	for {
		end := to
		if i < len(t.edits) && t.edits[i].row < to {
			end = t.edits[i].row
		}
		first, last := t.offsets[from], t.offsets[end]
		copy(t.newData[first+shift:], t.data[first:last])
		was, ends := t.offsets[from+1:end+1], t.newOffsets[from+1:end+1]
		for k := range ends {
			ends[k] = was[k] + shift
		}
		if end == to {
			return
		}
		e := &t.edits[i]
		n := copy(t.newData[last+shift:], e.text)
		t.newOffsets[end+1] = last + shift + int32(n)
		from, shift, i = end+1, e.shift, i+1
	}
}

// pool is work that workers share.
type pool struct{ work []func() }

func (p *pool) add(f func()) { p.work = append(p.work, f) }

// run does all of it with so many workers.
func (p *pool) run(workers int) {
	spread.Over(workers, len(p.work), func(i int) { p.work[i]() })
}
