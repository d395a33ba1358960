//go:build cuda

package gpu

import "github.com/dfaparse/dfaparse/internal/device"

// As in kernels/strings.cu.
const (
	offsetsThreads = 256
	offsetsTile    = 4096 // rows
	offsetsHeader  = 64   // bytes
	gatherThreads  = 256
	gatherRows     = gatherThreads / 32 * unitRows // of a block
	partPieces     = 256                           // of 16 symbols, that a warp copies of what is listed
	gatherBlocks   = 4 * 2                         // a multiprocessor, twice what it holds
	unitRows       = 128                           // that a warp copies
)

// stringsStage finds where each string begins, and copies its bytes: the twin
// is what internal/convert does with strings.
type stringsStage struct {
	device                *device.Device
	offsets, gather, long *device.Kernel
}

func newStringsStage(d *device.Device) (*stringsStage, error) {
	offsets, err := d.Kernel("dfa_offsets")
	if err != nil {
		return nil, err
	}
	gather, err := d.Kernel("dfa_gather")
	if err != nil {
		return nil, err
	}
	long, err := d.Kernel("dfa_gather_long")
	return &stringsStage{d, offsets, gather, long}, err
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
func (x *stringsStage) launch(s *device.Stream, job, batch, scratch uint64, rows, outputs, heap int) error {
	if outputs == 0 {
		return nil
	}
	if err := s.Fill(scratch, 0, stringsScratch(rows, outputs)); err != nil {
		return err
	}
	if err := s.Launch(x.offsets, offsetsGrid(x.device, rows, outputs), offsetsThreads, 0, job, batch); err != nil {
		return err
	}
	blocks := min(ceil(rows, gatherRows)*outputs, gatherBlocks*x.device.Info().Multiprocessors)
	if err := s.Launch(x.gather, device.Grid{max(blocks, 1)}, gatherThreads, 0, job, batch); err != nil {
		return err
	}
	return s.Launch(x.long, device.Grid{longBlocks(x.device, heap)}, gatherThreads, 0, job, batch)
}

// offsetsGrid is the blocks that scan so many texts of at most so many rows: as
// many as there is room for at once, for each takes tiles until there are none.
func offsetsGrid(d *device.Device, rows, texts int) device.Grid {
	y := min(texts, 1<<16-1)
	return device.Grid{min(max(ceil(rows, offsetsTile), 1), ceil(gatherBlocks*d.Info().Multiprocessors, y)), y}
}

// longBlocks is how many blocks copy what is listed of texts of so many bytes.
func longBlocks(d *device.Device, texts int) int {
	return min(texts/(gatherThreads/32*16*partPieces)+1, gatherBlocks*d.Info().Multiprocessors)
}
