//go:build cuda

package gpu

import (
	"slices"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/device"
	"github.com/dfaparse/dfaparse/kernels"
	"github.com/dfaparse/dfaparse/runtime"
)

// This file prepares the fused path, see kernels/fused.cu: which Programs and
// bindings it is for, and its tables.

// fusedStates is how many states a step of the fused path can tell apart.
const fusedStates = 8

// fusedSteps are the steps of an automaton, for each symbol the 8 bytes of its
// states, and the state after every record; ok is false if the fused path is
// not for it. Whatever a step does not say - errors, records that are no rows,
// lags, columns, decoded symbols - it marks as other, which ends the path.
func fusedSteps(a *dfa.Automaton) (steps [256]uint64, resume dfa.StateID, ok bool) {
	if a.NStates() > fusedStates {
		return steps, 0, false
	}
	for symbol := range steps {
		var fields, records bool
		for s := range a.NStates() {
			next, e := a.Step(dfa.StateID(s), byte(symbol))
			step := uint64(next)
			switch {
			case e.Code != 0 || e.Kind == dfa.Error || e.Sub != dfa.Itself || e.Lag != 0 || e.Record != dfa.DataRecord,
				e.Boundary() && e.Column != dfa.NextColumn:
				step |= stepOther
			case e.Kind == dfa.Record:
				if ok && next != resume {
					return steps, 0, false
				}
				resume, ok, records = next, true, true
				step |= stepField | stepRecord
			case e.Kind == dfa.Field:
				fields = true
				step |= stepField
			case e.Kind == dfa.Skip:
				step |= stepSkip
			}
			steps[symbol] |= step << (8 * s)
		}
		if fields && records { // the symbol has to tell which it is
			return steps, 0, false
		}
	}
	return steps, resume, ok
}

// formCost orders forms by how long a field takes: what takes long is begun
// first, so that the warps of a block end together.
var formCost = [...]int{formOther: 9, formDouble: 4, formInt32: 3, formInt64: 3, formUint32: 3, formUint64: 3, formDecimal: 5, formClock32: 6, formClock64: 6}

// formOf is how an output is converted: by the usual notation of its kind, or
// each field on its own.
func formOf(o *kernels.Output) uint32 {
	const eightDigits = 99_999_999
	point := o.Options[0]
	if o.Flags&kernels.Trim != 0 || o.NTokens != 0 {
		return formOther
	}
	switch kind := dfa.TypeKind(o.Kind); kind {
	case dfa.Float64:
		if point < 0x80 {
			return formDouble
		}
	case dfa.Decimal:
		if point < 0x80 && o.Width == 16 {
			return formDecimal
		}
	case dfa.Int32, dfa.Int64, dfa.Uint32, dfa.Uint64:
		if o.Options[3] != 0 || o.Options[0] < eightDigits || o.Options[1] != 0 && o.Options[1] < eightDigits {
			break // hexadecimal, or less than the type's range
		}
		switch negatives := o.Options[1] != 0; {
		case o.Width == 4 && negatives:
			return formInt32
		case o.Width == 4:
			return formUint32
		case negatives:
			return formInt64
		default:
			return formUint64
		}
	case dfa.Date, dfa.Time, dfa.Timestamp:
		switch o.Width {
		case 4:
			return formClock32
		case 8:
			return formClock64
		}
	}
	return formOther
}

// fused is the fused path of a plan.
type fused struct {
	possible bool // for the Program; a binding may still rule it out
	steps    uint64
	resume   dfa.StateID

	device *device.Device
	memory device.Memory // steps

	// For the binding in force.
	binding *runtime.Binding
	ready   bool
	image   fusedImage
	tables  device.Memory
	numbers []int // outputs that dfa_fused converts; the others are texts
	texts   []int
}

// open puts the steps on the device.
func (f *fused) open(d *device.Device, s *device.Stream, p *dfa.Program) error {
	f.device = d
	steps, resume, ok := fusedSteps(p.Automaton)
	if !ok || len(p.Widths) > 0 || fusedShared > d.Info().MaxShared {
		return nil
	}
	replicas := make([]uint64, 0, len(steps)*fusedReplicas)
	for _, step := range steps {
		for range fusedReplicas {
			replicas = append(replicas, step)
		}
	}
	memory, err := upload(d, s, bytesOf(replicas))
	if err != nil {
		return err
	}
	f.possible, f.memory, f.steps, f.resume = true, memory, memory.Address, resume
	return nil
}

// bind makes the tables for a binding, and says whether it can be fused: every
// record has the same number of fields, each its own column, whatever encloses
// it.
func (f *fused) bind(s *device.Stream, plan *runtime.Plan, c *columnSet, b *runtime.Binding) error {
	if !f.possible || f.binding == b {
		return nil
	}
	f.binding, f.ready = b, false
	if b.MinFields != b.MaxFields || b.MaxFields == 0 || b.Rest >= 0 || b.Truncate || c.nparts > 0 {
		return nil
	}
	if b.MaxFields >= 1<<formShift {
		return nil
	}
	for column, field := range b.Source {
		if class := plan.Columns[column].Class; class != 0 && field >= 0 || field >= b.MaxFields || field < 0 && c.span[column] >= 0 {
			return nil
		}
	}
	f.numbers, f.texts = f.numbers[:0], f.texts[:0]
	var outputField, textField, textColumn []uint32
	listed := make([]bool, c.nspans)
	for i, o := range c.images {
		field := uint32(b.Source[plan.Outputs[c.mine[i]].Column])
		if !c.text[i] {
			f.numbers = append(f.numbers, i)
			continue
		}
		f.texts = append(f.texts, i)
		if !listed[o.Column] {
			listed[o.Column] = true
			textField, textColumn = append(textField, field), append(textColumn, o.Column)
		}
	}
	slices.SortStableFunc(f.numbers, func(i, j int) int { return formCost[formOf(&c.images[j])] - formCost[formOf(&c.images[i])] })
	for _, i := range f.numbers {
		field := uint32(b.Source[plan.Outputs[c.mine[i]].Column])
		outputField = append(outputField, formOf(&c.images[i])<<formShift|field)
	}
	f.device.FreeMemory(f.tables)
	all := append(append(append(outputField, textField...), textColumn...), 0)
	memory, err := upload(f.device, s, bytesOf(all))
	if err != nil {
		return err
	}
	f.tables, f.ready = memory, true
	f.image = fusedImage{
		Steps: f.steps, Columns: uint32(b.MaxFields), Resume: uint32(f.resume), Ntexts: uint64(len(textField)),
		OutputField: memory.Address, TextField: memory.Address + uint64(4*len(outputField)),
		TextColumn: memory.Address + uint64(4*(len(outputField)+len(textField))),
	}
	return nil
}

func (f *fused) close() {
	if f.device != nil {
		f.device.FreeMemory(f.memory)
		f.device.FreeMemory(f.tables)
	}
	*f = fused{}
}

// fusedHeader is the bytes before the status words.
const fusedHeader = 64

// fusedStatus is the bytes that the look-back over so many symbols needs. They
// lie in a table of the general path's, since Job.Scratch is others' before the
// last of them has been read.
func fusedStatus(symbols int) int { return fusedHeader + 8*(symbols/fusedTile+1) }

// runFused orders the stages over a flight whose symbols are in s, on the fused
// path. The outputs of numbers come first in what it sends, then the texts.
func (p *parser) runFused(s *slot, part *runtime.Partition, mark mark) error {
	n := len(part.Data)
	rows := p.fill(s, part)
	x, stream, program, f := p.stages, p.parse, p.program.Address, &p.fused
	size := sizeOf[kernels.Output]()
	allAddr := s.deliveryAddr
	numbersAddr := allAddr + pointer[kernels.Delivery](sizeOf[kernels.Delivery]())
	textsAddr := numbersAddr + pointer[kernels.Delivery](sizeOf[kernels.Delivery]())
	imageAddr := pointer[fusedImage](textsAddr + pointer[kernels.Delivery](sizeOf[kernels.Delivery]()))
	outputs := uint64(imageAddr) + uint64(sizeOf[fusedImage]())
	all, numbers, texts := s.delivery, s.delivery, s.delivery
	all.Outputs, numbers.Outputs = outputs, outputs
	numbers.NOutputs = uint32(len(f.numbers))
	texts.Outputs, texts.NOutputs = outputs+uint64(size*len(f.numbers)), uint32(len(f.texts))
	image := f.image
	image.Ticket, image.Control, image.Untrimmed, image.Status = s.job.Mark, s.job.Mark+4, s.job.Mark+8, s.job.Mark+fusedHeader
	image.RecordEnd = s.job.Found

	job := s.job
	job.Value = job.Data // no symbol here stands for another one

	b := s.pinned[:0]
	b = append(b, bytesOf([]kernels.Job{job})...)
	b = append(b, bytesOf([]kernels.Delivery{all, numbers, texts})...)
	b = append(b, bytesOf([]fusedImage{image})...)
	for _, i := range slices.Concat(f.numbers, f.texts) {
		o := s.outputs[i]
		o.Source = job.Data
		b = append(b, bytesOf([]kernels.Output{o})...)
	}
	o := &orders{mark: mark}
	o.give("", func() error { return x.copy.upload(stream, s.params, b) })
	for _, r := range []region{s.cleared, s.bitmaps} {
		o.give("", func() error { return stream.Fill(r.address, 0, r.size) })
	}
	o.give("context", func() error { return x.context.launch(stream, s.jobAddress, &s.job) })
	o.give("", func() error { return stream.Fill(image.Ticket, 0, fusedStatus(n)) })
	if n > 0 {
		o.give("", func() error {
			grid := device.Grid{min(ceil(n, fusedTile), fusedBlocks*x.device.Info().Multiprocessors)}
			return x.fused.launch(stream, grid, fusedThreads, fusedShared, program, s.jobAddress, numbersAddr, imageAddr)
		})
	}
	o.give("fused", func() error { return x.fusedCheck.launch(stream, device.Grid{1}, 1, 0, s.jobAddress) })
	if len(f.texts) > 0 {
		tiles := tilesOf(n, recountThreads)
		zeroed, _ := lookBackScratch(tiles, 4)
		o.give("",
			func() error { return stream.Fill(s.scratch.address, 0, zeroed) },
			func() error {
				return x.recount.launch(stream, device.Grid{min(x.index.blocks, tiles)}, recountThreads, 0, s.jobAddress, image.Control)
			},
			func() error {
				grid := device.Grid{strides(x.device, rows, rowThreads), int(image.Ntexts)}
				return x.fusedTrim.launch(stream, grid, rowThreads, 0, s.jobAddress, textsAddr, imageAddr)
			})
		p.orderValues(o, "texts", s, textsAddr, n, rows, len(f.texts), len(f.texts))
	}
	o.give("", func() error {
		grid := device.Grid{strides(x.device, rows, rowThreads)}
		return x.fusedRows.launch(stream, grid, rowThreads, 0, program, s.jobAddress, allAddr, imageAddr, pointer[kernels.Leftover](s.list.address), s.left, uint64(s.listed))
	})
	return o.err
}
