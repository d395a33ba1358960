//go:build cuda

package gpu

import (
	"github.com/dfaparse/dfaparse/internal/device"
	"github.com/dfaparse/dfaparse/kernels"
)

const (
	gatherRows   = gatherThreads / 32 * unitRows // of a block
	gatherBlocks = 4 * 2                         // a multiprocessor, twice what it holds
)

// stringsStage finds where each string begins, and copies its bytes: the twin
// is what internal/convert does with strings.
type stringsStage struct {
	device                *device.Device
	offsets, gather, long offsetsKernel
	records               gatherRecordsKernel
	holes                 offsetsKernel
	views, viewsOfHeap    offsetsKernel
}

// windowMost is how many bytes of shared memory the symbols of a unit of records have at most.
const windowMost = 64 << 10

// sideBySide are the records that strings are of, where they lie side by side.
type sideBySide struct {
	ends   uint64 // [rows] offset of each record's last symbol, on the device; 0: they do not
	length int    // of a record, about
}

func newStringsStage(d *device.Device) (*stringsStage, error) {
	offsets, err := findOffsetsKernel(d, "dfa_offsets")
	if err != nil {
		return nil, err
	}
	gather, err := findOffsetsKernel(d, "dfa_gather")
	if err != nil {
		return nil, err
	}
	long, err := findOffsetsKernel(d, "dfa_gather_long")
	if err != nil {
		return nil, err
	}
	records, err := findGatherRecordsKernel(d, "dfa_gather_records")
	if err != nil {
		return nil, err
	}
	holes, err := findOffsetsKernel(d, "dfa_gather_holes")
	if err != nil {
		return nil, err
	}
	views, err := findOffsetsKernel(d, "dfa_views")
	if err != nil {
		return nil, err
	}
	ofHeap, err := findOffsetsKernel(d, "dfa_views_of_heap")
	return &stringsStage{d, offsets, gather, long, records, holes, views, ofHeap}, err
}

// stringsScratch is how much scratch memory the stage needs, in bytes. Before
// each launch all of it is zeroed.
func stringsScratch(rows, outputs int) int {
	tiles := (rows + offsetsTile - 1) / offsetsTile
	return offsetsHeader + outputs*(64+(tiles*8+63)&^63)
}

// stringsList is how much of it the list takes of what is left to
// dfa_gather_long, 16 bytes a part, of texts of so many bytes: enough unless most
// of them are short and do not lie side by side.
func stringsList(texts int) int { return offsetsHeader + 16*(texts/512+8) }

// launch turns the lengths of the strings of at most so many rows into offsets
// and fills the heap, of at most so many bytes. scratch is what the Job has.
func (x *stringsStage) launch(s *device.Stream, job pointer[kernels.Job], delivery pointer[kernels.Delivery], scratch uint64, rows, outputs, heap int, of sideBySide) error {
	if outputs == 0 {
		return nil
	}
	if err := s.Fill(scratch, 0, stringsScratch(rows, outputs)); err != nil {
		return err
	}
	if err := x.offsets.launch(s, offsetsGrid(x.device, rows, outputs), offsetsThreads, 0, job, delivery); err != nil {
		return err
	}
	if of.ends != 0 {
		room := x.window(of.length)
		grid := device.Grid{min(ceil(rows, unitRows), gatherBlocks*x.device.Info().Multiprocessors)}
		if err := x.records.launch(s, grid, gatherThreads, windowBefore+room+windowBehind, job, delivery, of.ends, uint64(room)); err != nil {
			return err
		}
		return x.holes.launch(s, device.Grid{longBlocks(x.device, heap)}, gatherThreads, 0, job, delivery)
	}
	blocks := min(ceil(rows, gatherRows)*outputs, gatherBlocks*x.device.Info().Multiprocessors)
	if err := x.gather.launch(s, device.Grid{max(blocks, 1)}, gatherThreads, 0, job, delivery); err != nil {
		return err
	}
	return x.long.launch(s, device.Grid{longBlocks(x.device, heap)}, gatherThreads, 0, job, delivery)
}

// launchViews makes views of the strings of all outputs that have some, and fills the heap with those
// that are not as their symbols lie, and with those of other outputs.
func (x *stringsStage) launchViews(s *device.Stream, job pointer[kernels.Job], delivery pointer[kernels.Delivery], scratch uint64, rows, outputs, heap int) error {
	grid := device.Grid{max(min(ceil(rows, gatherRows)*outputs, gatherBlocks*x.device.Info().Multiprocessors), 1)}
	if err := x.views.launch(s, grid, gatherThreads, 0, job, delivery); err != nil {
		return err
	}
	if err := x.launch(s, job, delivery, scratch, rows, outputs, heap, sideBySide{}); err != nil {
		return err
	}
	return x.viewsOfHeap.launch(s, grid, gatherThreads, 0, job, delivery)
}

// window is how many symbols a unit of records has room for, if they are of about so many: where
// those of one are more, its strings are read where they lie.
func (x *stringsStage) window(length int) int {
	return min(unitRows*(length+length/8)+64, windowMost, x.device.Info().MaxShared-recordsBlockSize-windowBefore-windowBehind) &^ 15
}

// offsetsGrid is the blocks that scan so many texts of at most so many rows: as
// many as there is room for at once, for each takes tiles until there are none.
func offsetsGrid(d *device.Device, rows, texts int) device.Grid {
	y := min(texts, 1<<16-1)
	return device.Grid{min(max(ceil(rows, offsetsTile), 1), ceil(gatherBlocks*d.Info().Multiprocessors, y)), y}
}

// longBlocks is how many blocks copy what is listed of texts of so many bytes.
func longBlocks(d *device.Device, texts int) int {
	return min(texts/(gatherThreads/32*16*partCells)+1, gatherBlocks*d.Info().Multiprocessors)
}
