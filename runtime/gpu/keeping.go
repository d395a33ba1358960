//go:build cuda

package gpu

import (
	"fmt"
	"slices"

	"github.com/apache/arrow/go/v17/arrow"
	goheap "github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/dfaparse/dfaparse/internal/columns"
	"github.com/dfaparse/dfaparse/internal/convert"
	"github.com/dfaparse/dfaparse/internal/spread"
	"github.com/dfaparse/dfaparse/runtime"
)

// This file makes the batches of columns that stay on the device: see resident.go.

// keeping is a batch in the making.
type keeping struct {
	c    *Columns
	p    *parser
	x    *flight
	rows int
	runs []run
	gone []int // rows that are left out, in order

	bitmaps [][]byte // per output of the device: validity on the host; nil: it is not there
	todo    [][]byte // per output: rows that are left; nil: none

	addresses [][]byte // per output of the device: the bytes of its texts, a uint64; nil: it is none of addresses

	parts  []part
	size   int
	behind []func() error // what is ordered when these are there
	goneAt *Buffer        // gone, nil: nobody has asked for it

	once   map[uint64]*Buffer // what several columns' views are into, in the batch's memory: by where it is on the device
	shared []sharedBuffer     // that memory as other columns have it
}

// part is a buffer that is to be filled: from the device, or from the host, or later by a kernel.
type part struct {
	buffer *Buffer
	from   uint64
	host   []byte
}

// take gives a buffer its place in the batch's memory.
func (k *keeping) take(b *Buffer, from uint64, host []byte, n int) {
	b.Size = n
	if n == 0 {
		return
	}
	b.Address = uint64(k.size) // in the memory to come
	k.size += pitchOf(n)
	k.parts = append(k.parts, part{b, from, host})
}

// ofHost makes a batch of rows that the CPU has read.
func (k *keeping) ofHost() (*DeviceBatch, error) {
	outputs := make([]int, len(k.p.plan.Outputs))
	for i := range outputs {
		outputs[i] = i
	}
	patches, n := newPatches(k.p.plan, outputs), 0
	var problems []runtime.Problem
	for i := range k.x.onCPU.Rows {
		rows := &k.x.onCPU.Rows[i]
		for c, column := range rows.Columns {
			patches[c].column.AppendRows(column, rows.From, rows.From+rows.N)
		}
		for _, problem := range rows.Problems {
			problem.Row += n
			problems = append(problems, problem)
		}
		if k.c.strict && len(rows.Notes) > 0 {
			return nil, errTold
		}
		n += rows.N
	}
	var all []*columns.Column
	for _, patch := range patches {
		all = append(all, patch.column)
	}
	return k.hosted(all, n, problems)
}

// hosted makes a batch of columns of the host, less the rows that are left out.
func (k *keeping) hosted(all []*columns.Column, rows int, problems []runtime.Problem) (*DeviceBatch, error) {
	gone, err := k.c.judge(problems)
	if err != nil || rows == len(gone) {
		return nil, err
	}
	b := &DeviceBatch{Rows: rows - len(gone), Columns: make([]Column, len(all))}
	for i, column := range all {
		column.Remove(0, gone)
		k.upload(&b.Columns[i], column)
	}
	return k.finish(b)
}

// upload has a column's rows copied from the host.
func (k *keeping) upload(to *Column, from *columns.Column) {
	array := from.Array(goheap.DefaultAllocator)
	defer array.Release()
	if view := viewType(array.DataType()); k.p.views && view != nil {
		k.uploadViews(to, view, array.Data())
		return
	}
	k.uploadData(to, array.Data())
}

func (k *keeping) uploadData(to *Column, from arrow.ArrayData) {
	to.Type, to.Len, to.Nulls = from.DataType(), from.Len(), from.NullN()
	to.Buffers = make([]Buffer, len(from.Buffers()))
	for i, b := range from.Buffers() {
		if b != nil {
			k.take(&to.Buffers[i], 0, slices.Clip(b.Bytes()), b.Len())
		}
	}
	to.Children = make([]Column, len(from.Children()))
	for i, child := range from.Children() {
		k.uploadData(&to.Children[i], child)
	}
	if _, ok := to.Type.(*arrow.DictionaryType); ok {
		to.Dictionary = &Column{}
		k.uploadData(to.Dictionary, from.Dictionary())
	}
}

// look brings what decides how values are kept: bitmaps of columns that may have nulls,
// and the rows that are left.
func (k *keeping) look() error {
	p, x, s := k.p, k.x, k.x.slot
	if err := p.out.Wait(x.parsed); err != nil {
		return err
	}
	bitmap, pitch := (k.rows+7)/8, pitchOf(4*(s.rows/32+2))
	k.bitmaps, k.todo = make([][]byte, len(s.outputs)), make([][]byte, len(s.outputs))
	var all []download
	patched := p.leavesRecords(x) && x.left > 0
	for i := range s.outputs {
		nulls, left := x.counter(i, 0), x.counter(i, 1)
		if left > 0 || patched || nulls > 0 && x.fused { // which has counted the record that the flight does not complete
			all = append(all, download{s.outputs[i].Valid, bitmap, pitch, &k.bitmaps[i]})
		}
		if left > 0 {
			all = append(all, download{s.outputs[i].Todo, bitmap, pitch, &k.todo[i]})
		}
	}
	sums, err := k.countAddresses()
	if err != nil {
		return err
	}
	all = append(append(all, sums...), download{s.list.address, x.left * leftSize, 0, &x.list})
	if err := p.download(&x.haul.pinned, all); err != nil {
		return err
	}
	if x.left == 0 && len(all) == 1 {
		return nil
	}
	return p.out.Synchronize()
}

// ofDevice makes a batch of what the kernels have left on the device.
func (k *keeping) ofDevice() (*DeviceBatch, error) {
	p, x := k.p, k.x
	if err := k.look(); err != nil {
		return nil, err
	}
	left := slices.DeleteFunc(leftRows(x.list), func(r leftRow) bool { return r.row >= k.rows })
	p.counted.RowsLeft -= int64(x.left - len(left)) // they are parsed again, see align
	var err error
	if k.runs, err = k.readRecords(left); err != nil {
		return nil, err
	}
	var problems []runtime.Problem
	noted := len(x.notes) > 0
	for i := range k.runs {
		problems = append(problems, k.runs[i].problems...)
		noted = noted || len(k.runs[i].notes) > 0
	}
	if k.c.strict && noted {
		return nil, errTold
	}
	for _, problem := range x.found {
		if problem.Output >= 0 { // those of whole records are among the others
			problems = append(problems, p.moved(problem, p.theirs, 0))
		}
	}
	runtime.SortProblems(problems)
	for _, c := range x.other {
		if c.Len != k.rows {
			return nil, fmt.Errorf("gpu: the device has %d rows from offset %d on, the CPU %d", k.rows, x.from, c.Len)
		}
	}
	if k.gone, err = k.c.judge(problems); err != nil || len(k.gone) == k.rows {
		return nil, err
	}
	if len(k.gone) > 0 {
		if err := k.bringBitmaps(); err != nil {
			return nil, err
		}
	}
	b := &DeviceBatch{Rows: k.kept(), Columns: make([]Column, len(p.plan.Outputs))}
	edits := make([]replaced, len(p.mine))
	spread.Over(p.cfg.Threads, len(edits), func(i int) { edits[i] = k.replaced(i) })
	for i, o := range p.mine {
		if err := k.column(&b.Columns[o], i, edits[i]); err != nil {
			return nil, err
		}
	}
	for i, o := range p.theirs {
		x.other[i].Remove(0, k.gone)
		k.upload(&b.Columns[o], x.other[i])
	}
	return k.finish(b)
}

// kept is how many rows the batch has.
func (k *keeping) kept() int { return k.rows - len(k.gone) }

// bringBitmaps brings those that look has not, of columns with nulls, as rows of them are left out.
func (k *keeping) bringBitmaps() error {
	var all []download
	for i := range k.bitmaps {
		if k.bitmaps[i] == nil && k.x.counter(i, 0) > 0 {
			all = append(all, download{k.x.slot.outputs[i].Valid, (k.rows + 7) / 8, pitchOf(k.x.slot.rowWords()), &k.bitmaps[i]})
		}
	}
	if len(all) == 0 {
		return nil
	}
	if err := k.p.download(&k.x.haul.pinned, all); err != nil {
		return err
	}
	return k.p.out.Synchronize()
}

// readRecords has the CPU read the records of some rows. Of an input on the device, they are brought to the host.
func (k *keeping) readRecords(left []leftRow) ([]run, error) {
	ctx, p, part := k.c.begin.Context, k.p, k.x.part
	if k.c.mapped == nil || len(left) == 0 {
		return p.readLeft(ctx, &part, left)
	}
	const near = 4 << 10 // that much more is brought rather than in two copies
	var parts []symbolRange
	of := make([]int, len(left)) // in which of them a row's record is
	for i, row := range left {
		last := len(parts) - 1
		if last >= 0 && (row.start <= parts[last].to+near || row.row == left[i-1].row+1) { // neighbours are read with what is between them
			parts[last].to = max(parts[last].to, row.end)
		} else {
			parts = append(parts, symbolRange{row.start, row.end})
		}
		of[i] = len(parts) - 1
	}
	end := &parts[len(parts)-1].to
	*end = min(*end, len(part.Data)) // of a record that goes to the end of the input
	symbols, at, err := k.c.gather(k.x, parts)
	if err != nil {
		return nil, err
	}
	part.Data = symbols
	there := slices.Clone(left)
	for i := range there {
		moved := at[of[i]] - parts[of[i]].from
		there[i].start, there[i].end = there[i].start+moved, there[i].end+moved
	}
	runs, err := p.readLeft(ctx, &part, there)
	for i := range runs {
		problems := runs[i].problems
		for j := range problems {
			row, _ := slices.BinarySearchFunc(left, problems[j].Row, func(r leftRow, row int) int { return r.row - row })
			problems[j] = p.moved(problems[j], nil, parts[of[row]].from-at[of[row]])
		}
	}
	return runs, err
}

// edits calls f for the rows of output i that the host has to put in, with where it has
// them.
func (k *keeping) edits(i int, f func(row int, from *columns.Column, at int)) {
	whole := k.p.leavesRecords(k.x)
	if k.todo[i] == nil && !whole {
		return
	}
	for r := range k.runs {
		run := &k.runs[r]
		for j, row := range run.rows {
			if whole || bit(k.todo[i], row.row) {
				f(row.row, run.columns[i].column, run.first+j)
			}
		}
	}
}

// column keeps output i of the device, of which the host puts in some rows.
func (k *keeping) column(to *Column, i int, r replaced) error {
	x, o := k.x, &k.x.slot.outputs[i]
	form, texts := k.formOf(i), k.p.columns.text[i]
	switch {
	case o.Views != 0:
		k.views(to, i, viewType(form.Arrow), r)
		return nil
	case form.Texts != nil:
		k.addressTexts(to, i, form, r)
		return nil
	case !texts && form.Width == 0 && len(r.rows)+len(k.gone) > 0:
		c, err := k.host(i)
		if err != nil {
			return err
		}
		c.Remove(0, k.gone)
		k.upload(to, c)
		return nil
	}
	to.Type, to.Len = form.Arrow, k.kept()
	to.Buffers = make([]Buffer, 2, 3)
	k.validity(to, i, r)
	switch {
	case texts:
		to.Buffers = to.Buffers[:3]
		text := x.text(i)
		text.address += x.slot.heap.address
		if len(r.rows)+len(k.gone) > 0 {
			k.patchTexts(to, o.Offsets, text, r)
			break
		}
		k.take(&to.Buffers[1], o.Offsets, nil, 4*(k.rows+1))
		k.take(&to.Buffers[2], text.address, nil, text.size)
	case o.Width == 0:
		k.take(&to.Buffers[1], o.Fixed, nil, (k.rows+7)/8)
	default:
		k.takeValues(&to.Buffers[1], o.Fixed, form.Width)
		k.patchValues(&to.Buffers[1], r.moved, r.values, form.Width)
	}
	if form.Tokens != nil {
		array := columns.New(form).Array(goheap.DefaultAllocator)
		defer array.Release()
		to.Dictionary = &Column{}
		k.uploadData(to.Dictionary, array.Data().Dictionary())
	}
	return nil
}

// replaced are the rows of a column that the host puts in, and are not left out.
type replaced struct {
	rows, moved []uint32 // as the device counts them, and as the batch does
	values      []byte   // or texts,
	ends        []uint32 // which end there

	valid []byte // the column's bitmap, nil: no row is null,
	nulls int    // and how many are
}

// replaced finds them, of output i, and completes its bitmap.
func (k *keeping) replaced(i int) (r replaced) {
	width := k.formOf(i).Width // 0: they are texts, or bits
	before := 0                // rows left out
	k.edits(i, func(row int, from *columns.Column, at int) {
		setBit(k.bitmaps[i], row, from.IsValid(at))
		for before < len(k.gone) && k.gone[before] < row {
			before++
		}
		if before < len(k.gone) && k.gone[before] == row {
			return
		}
		r.rows, r.moved = append(r.rows, uint32(row)), append(r.moved, uint32(row-before))
		switch {
		case width > 0:
			r.values = append(r.values, from.Fixed[at*width:][:width]...)
		case from.Offsets != nil:
			r.values = append(r.values, from.Data[from.Offsets[at]:from.Offsets[at+1]]...)
			r.ends = append(r.ends, uint32(len(r.values)))
		}
	})
	if r.valid = k.bitmaps[i]; r.valid == nil {
		r.nulls = k.x.counter(i, 0)
		return r
	}
	cutBits(r.valid, k.rows)
	if len(k.gone) > 0 {
		r.valid = columns.RemoveBits(r.valid, k.rows, 0, k.gone)
	}
	r.nulls = k.kept() - ones(r.valid)
	return r
}

// validity keeps the bitmap of output i.
func (k *keeping) validity(to *Column, i int, r replaced) {
	to.Nulls = r.nulls
	switch bitmap := (k.kept() + 7) / 8; {
	case to.Nulls == 0:
	case len(r.rows)+len(k.gone) > 0:
		k.take(&to.Buffers[0], 0, r.valid[:bitmap], bitmap)
	default:
		k.take(&to.Buffers[0], k.x.slot.outputs[i].Valid, nil, bitmap)
	}
}

// host brings output i, whose values are bits, to the host and completes it.
func (k *keeping) host(i int) (*columns.Column, error) {
	p, x, o := k.p, k.x, &k.x.slot.outputs[i]
	c := convert.NewColumn(&p.plan.Def(p.plan.Outputs[p.mine[i]]).Type)
	c.Len = k.rows
	bitmap := (k.rows + 7) / 8
	c.Valid, c.Fixed = make([]byte, bitmap), make([]byte, bitmap)
	if err := p.out.Download(c.Valid, o.Valid); err != nil {
		return nil, err
	}
	if err := p.out.Download(c.Fixed, o.Fixed); err != nil {
		return nil, err
	}
	if err := p.out.Synchronize(); err != nil {
		return nil, err
	}
	if p.transpose.length > 0 && x.counter(i, 0) == 0 && x.counter(i, 1) == 0 {
		fill(c.Valid, 0xff) // no kernel has written it
	}
	cutBits(c.Fixed, k.rows)
	cutBits(c.Valid, k.rows)
	if todo := k.todo[i]; p.leavesRecords(x) {
		patchRows(c, nil, k.runs, i)
	} else if todo != nil {
		patchRows(c, todo, k.runs, i)
	}
	c.Nulls = c.Len - ones(c.Valid)
	return c, nil
}

// finish gives a batch its memory and orders its copies.
func (k *keeping) finish(b *DeviceBatch) (*DeviceBatch, error) {
	c, p := k.c, k.p
	for i := range b.Columns {
		b.Columns[i].Name = c.schema.Field(i).Name
		b.Columns[i].batch = b
	}
	b.schema, b.device = c.schema, p.device
	m, err := c.memory.take(k.size)
	if err != nil {
		return nil, err
	}
	b.memory = m
	b.lease = columns.NewLease(func() { c.memory.back(m) })
	err = func() error {
		for _, part := range k.parts {
			part.buffer.Address += m.memory.Address
			var err error
			switch {
			case part.host != nil:
				err = p.out.Upload(part.buffer.Address, part.host)
			case part.from != 0:
				err = p.out.Copy(part.buffer.Address, part.from, part.buffer.Size)
			}
			if err != nil {
				return err
			}
		}
		for _, s := range k.shared {
			*s.buffer = *s.of
		}
		for _, order := range k.behind {
			if err := order(); err != nil {
				return err
			}
		}
		if s := k.x.slot; s != nil { // the tables are the next but one flight's when that is done
			s.landed = c.landed[c.flights%len(c.landed)]
			c.flights++
			if err := p.out.Record(s.landed); err != nil {
				return err
			}
		}
		return p.out.Record(m.ready)
	}()
	if err != nil {
		b.Release()
		return nil, err
	}
	return b, nil
}
