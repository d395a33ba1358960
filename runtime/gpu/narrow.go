//go:build cuda

package gpu

import (
	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/device"
	"github.com/dfaparse/dfaparse/kernels"
)

// This file has columns sent in fewer bytes than their values have, see
// kernels/narrow.cu; widen.go makes values of them.

// narrowUnits are what all values of a column of times may be multiples of.
var narrowUnits = [narrowMostUnits]uint64{1e3, 1e6, 1e9}

// narrowed is what became of a column: row i is base + unit*n(i), n in so many
// bytes; width is that of a value where it stays as it is.
type narrowed struct {
	base, unit uint64
	width      int
}

// decide is what dfa_narrow does with a column of such a range.
func (c *narrowColumn) decide(r narrowRange) narrowed {
	bottom := ^r.Bottom
	x := narrowed{bottom ^ narrowBias, 1, int(c.Width)}
	switch {
	case r.Misfit&narrowTooLong != 0:
		return x
	case r.Top < bottom: // no value
		return narrowed{0, 1, 0}
	}
	for i, unit := range narrowUnits[:c.Units] {
		if r.Misfit>>i&1 != 0 {
			break
		}
		x.unit = unit
	}
	switch n := (r.Top - bottom) / x.unit; {
	case n == 0:
		x.width = 0
	case n < 1<<8:
		x.width = 1
	case n < 1<<16:
		x.width = min(2, x.width)
	case n < 1<<32:
		x.width = min(4, x.width)
	default:
		x.width = min(8, x.width)
	}
	return x
}

// canNarrow says how an output may become narrow; ok is false if it may not.
func canNarrow(o *kernels.Output) (c narrowColumn, ok bool) {
	c = narrowColumn{Values: o.Fixed, Valid: o.Valid, Todo: o.Todo, Counters: o.Counters, Width: o.Width}
	switch dfa.TypeKind(o.Kind) {
	case dfa.String, dfa.Binary:
		if dfa.TypeKind(o.Kind) == dfa.String && o.Options[0] != 0 { // numbers of tokens
			c.Width = 4
			return c, true
		}
		c.Values, c.Width, c.Lengths = o.Offsets, 4, 1
		return c, true
	case dfa.Int32, dfa.Int64, dfa.Uint32, dfa.Uint64, dfa.Decimal, dfa.Date, dfa.Enum:
		return c, o.Width >= 4
	case dfa.Time, dfa.Timestamp, dfa.Duration:
		if o.Width == 8 {
			c.Units = uint32(len(narrowUnits))
		}
		return c, o.Width >= 4
	}
	return c, false
}

// narrowSize is the bytes of a narrow column among the others.
func narrowSize(rows, width int) int { return (rows*width + 63) &^ 63 }

// narrowSlot is what a slot has for columns that may become narrow.
type narrowSlot struct {
	of      []int // outputs
	columns []narrowColumn
	table   pointer[narrowColumn] // of columns, on the device
	ranges  pointer[narrowRange]
	at      int // where ranges begin in slot.cleared
	values  region
}

// lay takes memory for the table and what is narrow, of outputs that have theirs.
func (n *narrowSlot) lay(outputs []kernels.Output, rows int, take func(int) uint64) {
	n.columns, n.values.size = n.columns[:0], 0
	for _, i := range n.of {
		c, _ := canNarrow(&outputs[i])
		n.columns = append(n.columns, c)
		n.values.size += narrowSize(rows, int(c.Width)/2)
	}
	n.table, n.values.address = pointer[narrowColumn](take(len(n.of)*sizeOf[narrowColumn]())), take(n.values.size)
}

// narrowStage finds out which columns become narrow, and makes them.
type narrowStage struct {
	device *device.Device
	ranges narrowRangeKernel
	write  narrowKernel
}

func newNarrowStage(d *device.Device) (*narrowStage, error) {
	ranges, err := findNarrowRangeKernel(d, "dfa_narrow_range")
	if err != nil {
		return nil, err
	}
	write, err := findNarrowKernel(d, "dfa_narrow")
	return &narrowStage{d, ranges, write}, err
}

// launch runs the stage over so many rows at most. The ranges are zero.
func (x *narrowStage) launch(s *device.Stream, job pointer[kernels.Job], n *narrowSlot, rows, capacity int) error {
	if len(n.columns) == 0 {
		return nil
	}
	grid := device.Grid{strides(x.device, rows, narrowRows), len(n.columns)}
	if err := x.ranges.launch(s, grid, narrowThreads, 0, job, n.table, n.ranges, uint64(capacity)); err != nil {
		return err
	}
	return x.write.launch(s, grid, narrowThreads, 0, job, n.table, n.ranges, uint64(capacity), n.values.address)
}
