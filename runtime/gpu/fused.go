//go:build cuda

package gpu

import (
	"slices"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/kernels"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/gpu/device"
)

// This file prepares the fused path, see kernels/fused.cu: which Programs and
// bindings it is for, and its tables.

// fusedStates is how many states a step of the fused path can tell apart.
const fusedStates = 8

// Of a transition, in the high nibble of a step.
const (
	stepField = 1 << (4 + iota)
	stepRecord
	stepSkip
	stepOther
)

// fusedReplicas is how often each step stands side by side, for the banks of
// shared memory.
const fusedReplicas = 8

// fusedImage is the structure Fused of kernels/fused.cu.
type fusedImage struct {
	Steps                              uint64
	Columns, Resume                    uint32
	OutputField, TextField, TextColumn uint64
	NTexts                             uint64
	Status, Ticket, RecordEnd          uint64
}

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
			outputField = append(outputField, field)
			continue
		}
		f.texts = append(f.texts, i)
		if !listed[o.Column] {
			listed[o.Column] = true
			textField, textColumn = append(textField, field), append(textColumn, o.Column)
		}
	}
	f.device.FreeMemory(f.tables)
	all := append(append(append(outputField, textField...), textColumn...), 0)
	memory, err := upload(f.device, s, bytesOf(all))
	if err != nil {
		return err
	}
	f.tables, f.ready = memory, true
	f.image = fusedImage{
		Steps: f.steps, Columns: uint32(b.MaxFields), Resume: uint32(f.resume), NTexts: uint64(len(textField)),
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

// Of dfa_fused, see kernels/fused.cu.
const (
	fusedThreads = 512
	fusedTile    = (fusedThreads - 4) * kernels.Chunk // symbols
	fusedWords   = fusedThreads*kernels.Chunk/4 + 4
	fusedEnds    = 8704
	fusedWarps   = fusedThreads / 32
	fusedBlocks  = 2 // a multiprocessor
	fusedShared  = 256*fusedReplicas*8 + fusedWords*4 + fusedThreads*8 + fusedEnds*2 + 4*(12+2*fusedWarps+4)
	fusedHeader  = 64 // bytes of scratch before the status words
)

// fusedScratch is the bytes of Job.Scratch that so many symbols need.
func fusedScratch(symbols int) int { return fusedHeader + 8*(symbols/fusedTile+1) }

// runFused orders the stages over a piece whose symbols are in s, on the fused
// path. The outputs of numbers come first in what it sends, then the texts.
func (p *parser) runFused(s *slot, piece *runtime.Partition, mark mark) error {
	n := len(piece.Data)
	rows := p.fill(s, piece)
	x, stream, program, f := p.stages, p.parse, p.program.Address, &p.fused
	size := sizeOf[kernels.Output]()
	outputs := s.batchAddr + uint64(3*sizeOf[kernels.Batch]()+sizeOf[fusedImage]())
	all, numbers, texts := s.batch, s.batch, s.batch
	all.Outputs, numbers.Outputs = outputs, outputs
	numbers.NOutputs = uint32(len(f.numbers))
	texts.Outputs, texts.NOutputs = outputs+uint64(size*len(f.numbers)), uint32(len(f.texts))
	allAddr := s.batchAddr
	numbersAddr := allAddr + uint64(sizeOf[kernels.Batch]())
	textsAddr := numbersAddr + uint64(sizeOf[kernels.Batch]())
	imageAddr := textsAddr + uint64(sizeOf[kernels.Batch]())
	image := f.image
	image.Ticket, image.Status, image.RecordEnd = s.scratch.address, s.scratch.address+fusedHeader, s.job.Found

	job := s.job
	job.Value = job.Data // no symbol here stands for another one

	b := s.pinned[:0]
	b = append(b, bytesOf([]kernels.Job{job})...)
	b = append(b, bytesOf([]kernels.Batch{all, numbers, texts})...)
	b = append(b, bytesOf([]fusedImage{image})...)
	for _, i := range slices.Concat(f.numbers, f.texts) {
		o := s.outputs[i]
		o.Source = job.Data
		b = append(b, bytesOf([]kernels.Output{o})...)
	}
	if err := x.copy.upload(stream, s.params, b); err != nil {
		return err
	}
	for _, r := range []region{s.cleared, s.bitmaps} {
		if err := stream.Fill(r.address, 0, r.size); err != nil {
			return err
		}
	}
	if err := x.context.launch(stream, s.jobAddress, n); err != nil {
		return err
	}
	if err := mark("context"); err != nil {
		return err
	}
	if err := stream.Fill(s.scratch.address, 0, fusedScratch(n)); err != nil {
		return err
	}
	if n > 0 {
		if err := stream.Launch(x.fused, device.Grid{min(ceil(n, fusedTile), fusedBlocks*x.device.Info().Multiprocessors)}, fusedThreads, fusedShared, program, s.jobAddress, numbersAddr, imageAddr); err != nil {
			return err
		}
	}
	if err := stream.Launch(x.fusedCheck, device.Grid{1}, 1, 0, s.jobAddress); err != nil {
		return err
	}
	if err := mark("fused"); err != nil {
		return err
	}
	if len(f.texts) > 0 {
		tiles := tilesOf(n, recountThreads)
		zeroed, _ := lookBackScratch(tiles, 4)
		if err := stream.Fill(s.scratch.address, 0, zeroed); err != nil {
			return err
		}
		if err := stream.Launch(x.recount, device.Grid{min(x.index.blocks, tiles)}, recountThreads, 0, s.jobAddress); err != nil {
			return err
		}
		grid := device.Grid{strides(x.device, rows, rowThreads), int(image.NTexts)}
		if err := stream.Launch(x.fusedTrim, grid, rowThreads, 0, s.jobAddress, textsAddr, imageAddr); err != nil {
			return err
		}
		if err := x.convert.launch(stream, program, s.jobAddress, textsAddr, rows, len(f.texts)); err != nil {
			return err
		}
		if err := mark("texts"); err != nil {
			return err
		}
		if err := x.strings.launch(stream, s.jobAddress, textsAddr, s.scratch.address, s.rows, len(f.texts), p.textBytes(n, rows)); err != nil {
			return err
		}
		if err := mark("strings"); err != nil {
			return err
		}
	}
	return stream.Launch(x.fusedRows, device.Grid{strides(x.device, rows, rowThreads)}, rowThreads, 0,
		program, s.jobAddress, allAddr, imageAddr, s.list.address, s.left, uint64(s.listed))
}
