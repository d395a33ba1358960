//go:build cuda

package gpu

import (
	"github.com/dfaparse/dfaparse/internal/columns"
	"github.com/dfaparse/dfaparse/internal/convert"
	"github.com/dfaparse/dfaparse/runtime"
)

// patch is what the host has for some rows of a column: as many as it holds, in
// row order.
type patch struct{ column *columns.Column }

func newPatches(plan *runtime.Plan, outputs []int, rows int) []patch {
	patches := make([]patch, len(outputs))
	for i, o := range outputs {
		patches[i].column = convert.NewColumn(&plan.Def(plan.Outputs[o]).Type)
	}
	return patches
}

// take adds all rows of c.
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

// patchRows replaces rows of column, which are defined neither in value nor in
// validity, and whose texts are empty, by the rows of the runs that todo has; or
// whole, all rows of the runs, whatever the column has there.
func patchRows(column *columns.Column, todo []byte, all []run, output int, whole bool) {
	if column.Offsets != nil {
		patchText(column, todo, all, output, whole)
		return
	}
	width := column.Form.Width
	for i := range all {
		x := &all[i]
		from := x.columns[output].column
		for j, row := range x.rows {
			if !whole && !bit(todo, row.row) {
				continue
			}
			setBit(column.Valid, row.row, from.IsValid(j))
			if width == 0 {
				setBit(column.Fixed, row.row, bit(from.Fixed, j))
			} else {
				copy(column.Fixed[row.row*width:][:width], from.Fixed[j*width:])
			}
		}
	}
	column.Nulls = column.Len - ones(column.Valid)
}

// patchText makes the texts of a column anew, with those that are put.
func patchText(column *columns.Column, todo []byte, all []run, output int, whole bool) {
	size := len(column.Data)
	for i := range all {
		size += len(all[i].columns[output].column.Data)
	}
	data, offsets := make([]byte, 0, size), make([]int32, 1, column.Len+1)
	from := 0 // rows before it are in data
	keep := func(to int) {
		shift := int32(len(data)) - column.Offsets[from]
		data = append(data, column.Data[column.Offsets[from]:column.Offsets[to]]...)
		for _, end := range column.Offsets[from+1 : to+1] {
			offsets = append(offsets, end+shift)
		}
		from = to
	}
	for i := range all {
		x := &all[i]
		text := x.columns[output].column
		for j, row := range x.rows {
			if !whole && !bit(todo, row.row) {
				continue
			}
			keep(row.row)
			setBit(column.Valid, row.row, text.IsValid(j))
			data = append(data, text.Data[text.Offsets[j]:text.Offsets[j+1]]...)
			offsets = append(offsets, int32(len(data)))
			from++
		}
	}
	keep(column.Len)
	column.Data, column.Offsets = data, offsets
	column.Nulls = column.Len - ones(column.Valid)
}
