//go:build cuda

package gpu

import (
	"slices"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/convert"
	"github.com/dfaparse/dfaparse/internal/device"
	"github.com/dfaparse/dfaparse/kernels"
	"github.com/dfaparse/dfaparse/runtime"
)

// This file prepares and orders the path of binary records, see kernels/transpose.cu:
// it is the only one that they have here, and what it is not for is the CPU's.

// transposeTile is what a tile should have in bytes, so that several blocks share a multiprocessor.
var transposeTile = 20 << 10 // less in tests

// transpose is that path of a plan.
type transpose struct {
	length    int // of a record; 0: the plan's records are not binary
	begins    dfa.StateID
	transpose transposeKernel
	rows      transposeRowsKernel
	image     transposeImage
	moves     []numbersMoved  // the widest first
	cells     []transposeCell // the others; addresses are a slot's
	of        []int           // by cell: the output of mine whose numbers they are, or ^ the column of the spans
	nulls     []int64         // of all cells, that of a cell from its Nulls on
	numbers   []int           // outputs of mine that the kernel makes, and those that are texts
	texts     []int
}

// numbersMoved are numbers that are values as they lie.
type numbersMoved struct {
	cellMove     // the address is a slot's
	width    int // bytes
	of       int // the output of mine whose they are
}

// canTranspose reports whether records are read on the device: a block has room for 32, and for what it needs of each cell.
func canTranspose(p *runtime.Plan, d *device.Device) bool {
	length := p.Program.Stride()
	return length > 0 && length-1 <= p.MaxRecord && transposeTileSize(length, 32)+len(p.Outputs)*sizeOf[cellMove]() <= d.Info().MaxShared
}

// transposePitch is how far records of a length are apart in shared memory, so that those of 32 lanes are in 32 banks, or no
// more than two in one.
func transposePitch(length int) int {
	if length%16 == 0 {
		return length + 4
	}
	return length
}

// transposeTileSize is what so many records take of a block's memory.
func transposeTileSize(length, rows int) int {
	return (rows*transposePitch(length) + transposeMore + 15) &^ 15
}

// cellsOf are what converts the numbers of a column of binary records, nil if they are texts.
func cellsOf(plan *runtime.Plan, column int) (*convert.Cells, error) {
	p := plan.Program
	if len(p.Cells) == 0 || p.Cells[column].Kind == dfa.TextCell {
		return nil, nil
	}
	col := &plan.Columns[column]
	c, err := convert.NewConverter(col, convert.Options{UTF8: plan.UTF8, BaseTime: plan.BaseTime})
	if err != nil {
		return nil, err
	}
	return convert.NewCells(c, col, &p.Cells[column], p.Widths[column]), nil
}

// newCellImage is newOutputImage for numbers of binary records, nil for all others.
func newCellImage(plan *runtime.Plan, o runtime.Output) (*outputImage, error) {
	cells, err := cellsOf(plan, o.Column)
	if cells == nil || err != nil {
		return nil, err
	}
	t := &plan.Columns[o.Column].Type
	x := &outputImage{}
	x.Kind, x.Width = uint32(t.Kind), uint32(convert.ByteWidth(t))
	if cells.Form().Kind == convert.CellText {
		x.Flags = kernels.OnHost
	}
	return x, nil
}

// open describes the cells, and finds the kernels.
func (x *transpose) open(d *device.Device, plan *runtime.Plan, c *columnSet) (err error) {
	p := plan.Program
	if x.rows, err = findTransposeRowsKernel(d, "dfa_transpose_rows"); err != nil {
		return err
	}
	x.length, x.begins = p.Stride(), p.Automaton.Start
	rows := max(32, transposeTile/transposePitch(x.length)&^31)
	x.image = transposeImage{Length: uint32(x.length), Pitch: uint32(transposePitch(x.length)), PerLength: over(x.length), Rows: uint32(rows), PerBlocks: over(rows / 32), MovesAt: uint32(transposeTileSize(x.length, rows)), Resume: uint32(x.begins)}
	at := make([]uint32, len(p.Widths))
	for i := 1; i < len(at); i++ {
		at[i] = at[i-1] + uint32(p.Widths[i-1])
	}
	for i, o := range c.mine {
		column := plan.Outputs[o].Column
		cell := &p.Cells[column]
		to := transposeCell{At: at[column], Width: uint32(p.Widths[column]), To: c.images[i].Width}
		if cell.BigEndian {
			to.Flags |= transposeBigEndian
		}
		cells, err := cellsOf(plan, column)
		if err != nil {
			return err
		}
		if cells == nil {
			if span := int(c.images[i].Column); !slices.Contains(x.of, ^span) {
				if to.Form = transposeText; cell.Pad != "" {
					to.Flags, to.Pad = transposePadded, uint32(cell.Pad[0])
				}
				x.cells, x.of = append(x.cells, to), append(x.of, ^span)
			}
			x.texts = append(x.texts, i)
			continue
		}
		f := cells.Form()
		switch f.Kind {
		case convert.CellBits:
			to.Form = transposeBits
		case convert.CellScaled:
			to.Form = transposeScaled
		case convert.CellDecimal:
			to.Form = transposeDecimal
		}
		if cell.Kind == dfa.SignedCell {
			to.Flags |= transposeSigned
		}
		if to.Form == transposeBits && len(f.Nulls) == 0 {
			x.moves = append(x.moves, numbersMoved{cellMove{At: to.At, Big: to.Flags & transposeBigEndian}, int(to.Width), i})
			x.numbers = append(x.numbers, i)
			continue
		}
		to.Since, to.Times, to.Lo, to.Hi = f.Since, f.Times, f.Lo, f.Hi
		if to.Form == transposeDecimal {
			to.Since, to.Times = 0, 1
		}
		to.Nulls, to.Nnulls = uint64(len(x.nulls)), uint32(len(f.Nulls))
		x.nulls = append(x.nulls, f.Nulls...)
		x.cells, x.of, x.numbers = append(x.cells, to), append(x.of, i), append(x.numbers, i)
	}
	slices.SortStableFunc(x.moves, func(a, b numbersMoved) int { return b.width - a.width })
	for i, m := range x.moves {
		for k := range x.image.Ends { // 8 bytes, 4, 2, 1
			if m.width >= 8>>k {
				x.image.Ends[k] = uint32(i + 1)
			}
		}
	}
	name := "dfa_transpose"
	if x.image.Ncells = uint32(len(x.cells)); len(x.cells) > 0 {
		name = "dfa_transpose_all"
	}
	x.transpose, err = findTransposeKernel(d, name)
	return err
}

// over is what multiplies a number, of which the upper half is then the number divided by n, of 2 and more.
func over(n int) uint32 { return uint32((1<<32 + n - 1) / n) }

// size is the bytes of what a flight needs beside what others do.
func (x *transpose) size() int {
	if x.length == 0 {
		return 0
	}
	return sizeOf[transposeImage]() + len(x.moves)*sizeOf[cellMove]() + len(x.cells)*sizeOf[transposeCell]() + 8*len(x.nulls)
}

// isFor reports whether a binding gives each column its own cell.
func (x *transpose) isFor(plan *runtime.Plan, mine []int, b *runtime.Binding) bool {
	return x.length > 0 && !slices.ContainsFunc(mine, func(o int) bool { return b.Source[plan.Outputs[o].Column] != plan.Outputs[o].Column })
}

// runTransposed orders the stages over a flight whose symbols are in s.
func (p *parser) runTransposed(s *slot, part *runtime.Partition, mark mark) error {
	n := len(part.Data)
	rows := p.fill(s, part)
	x, stream, t := p.stages, p.parse, &p.transpose
	size := sizeOf[kernels.Output]()
	textsAddr := s.deliveryAddr + pointer[kernels.Delivery](sizeOf[kernels.Delivery]())
	outputs := uint64(textsAddr) + uint64(sizeOf[kernels.Delivery]())
	imageAddr := pointer[transposeImage](outputs + uint64(size*len(s.outputs)))
	all, texts := s.delivery, s.delivery
	all.Outputs = outputs
	texts.Outputs, texts.NOutputs = outputs+uint64(size*len(t.numbers)), uint32(len(t.texts))
	image := t.image
	image.Moves = uint64(imageAddr) + uint64(sizeOf[transposeImage]())
	image.Cells = image.Moves + uint64(len(t.moves)*sizeOf[cellMove]())
	nulls := image.Cells + uint64(len(t.cells)*sizeOf[transposeCell]())

	b := s.pinned[:0]
	b = append(b, bytesOf([]kernels.Job{s.job})...)
	b = append(b, bytesOf([]kernels.Delivery{all, texts})...)
	for _, i := range slices.Concat(t.numbers, t.texts) {
		b = append(b, bytesOf([]kernels.Output{s.outputs[i]})...)
	}
	b = append(b, bytesOf([]transposeImage{image})...)
	for _, m := range t.moves {
		m.Values = s.outputs[m.of].Fixed
		b = append(b, bytesOf([]cellMove{m.cellMove})...)
	}
	for i, cell := range t.cells {
		if of := t.of[i]; of < 0 {
			at := 4 * uint64(^of) * uint64(s.delivery.Capacity)
			cell.Values, cell.Ends = s.delivery.SpanStart+at, s.delivery.SpanEnd+at
		} else {
			o := &s.outputs[of]
			cell.Values, cell.Valid, cell.Todo, cell.Counters = o.Fixed, o.Valid, o.Todo, o.Counters
			cell.Nulls = nulls + 8*cell.Nulls
		}
		b = append(b, bytesOf([]transposeCell{cell})...)
	}
	b = append(b, bytesOf(t.nulls)...)

	o := &orders{mark: mark}
	o.give("", func() error { return x.copy.upload(stream, s.params, b) }, func() error { return stream.Fill(s.cleared.address, 0, s.cleared.size) })
	o.give("transpose", func() error {
		tiles := max(1, ceil(n, t.length*int(t.image.Rows)))
		return t.transpose.launch(stream, device.Grid{tiles}, transposeThreads, int(t.image.MovesAt)+len(t.moves)*sizeOf[cellMove](), s.jobAddress, s.deliveryAddr, imageAddr)
	})
	if len(t.texts) > 0 {
		o.give("", func() error { return stream.Fill(s.delivery.Malformed, 0, 4*((s.rows+31)/32)) })
		p.orderValues(o, "texts", s, textsAddr, n, rows, len(t.texts), len(t.texts), sideBySide{})
	}
	if len(t.cells) == 0 { // no row is left
		return o.err
	}
	o.give("", func() error {
		grid := device.Grid{strides(x.device, (rows+31)/32, rowThreads)}
		return t.rows.launch(stream, grid, rowThreads, 0, s.jobAddress, s.deliveryAddr, imageAddr, pointer[kernels.Leftover](s.list.address), s.left, uint64(s.listed))
	})
	return o.err
}
