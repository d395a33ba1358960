//go:build cuda

package gpu

import (
	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/device"
	"github.com/dfaparse/dfaparse/kernels"
)

// What dfa_index needs, see kernels/index/classes.cuh.
const (
	indexStates      = 256
	indexSharedTile  = indexThreads*kernels.Chunk + 256*4
	indexSharedState = 256 * 2 // bytes a state
	indexLargeShared = indexLargeThreads * kernels.Chunk * 4
	indexMostBlocks  = 4 // a multiprocessor
	reopenThreads    = 256
	reopenBlocks     = 8 // a multiprocessor
)

// indexStage is the stage index for one automaton: dfa_index, and where
// boundaries may be found late, dfa_reopen.
type indexStage struct {
	index indexKernel
	// None if no boundary leaves symbols to the field after it.
	reopen  reopenKernel
	recount recountKernel

	threads, shared, blocks int
	multiprocessors         int
	columns                 bool // some boundary names its column
}

// newIndexStage finds the kernels for a.
func newIndexStage(d *device.Device, a *dfa.Automaton) (*indexStage, error) {
	x := &indexStage{threads: indexThreads, shared: indexSharedTile + a.NStates()*indexSharedState}
	k, err := findIndexKernel(d, "dfa_index")
	if err != nil {
		return nil, err
	}
	x.index = k
	if !indexFits(a) || x.shared+aligned(indexStatic) > d.Info().MaxShared {
		return newLargeIndexStage(d, a)
	}
	return x, x.complete(d, a, indexStatic)
}

// newLargeIndexStage is for any automaton.
func newLargeIndexStage(d *device.Device, a *dfa.Automaton) (*indexStage, error) {
	k, err := findIndexKernel(d, "dfa_index_large")
	if err != nil {
		return nil, err
	}
	x := &indexStage{index: k, threads: indexLargeThreads, shared: indexLargeShared}
	return x, x.complete(d, a, indexLargeStatic)
}

// aligned is what so many bytes of shared memory take.
func aligned(static int) int { return (static + 15) &^ 15 }

// complete chooses how the kernel is launched, which has so much shared memory of
// its own. What the driver would say of that is not asked: the kernel need not be
// loaded yet.
func (x *indexStage) complete(d *device.Device, a *dfa.Automaton, static int) (err error) {
	const reserved = 1 << 10 // of shared memory, by the system for each block
	static = aligned(static)
	info := d.Info()
	fit := (info.MaxShared + reserved) / (x.shared + static + reserved)
	x.multiprocessors = info.Multiprocessors
	x.blocks = info.Multiprocessors * min(max(fit, 1), indexMostBlocks)
	for i := range a.Emissions {
		e := &a.Emissions[i]
		x.columns = x.columns || e.Boundary() && e.Column != dfa.NextColumn
		if !e.Boundary() || e.Open == e.Lag || x.reopen.Kernel != nil {
			continue
		}
		if x.reopen, err = findReopenKernel(d, "dfa_reopen"); err != nil {
			return err
		}
		if x.recount, err = findRecountKernel(d, "dfa_recount"); err != nil {
			return err
		}
	}
	return nil
}

// indexFits reports whether the transitions that a class must tell apart have
// slots enough.
func indexFits(a *dfa.Automaton) bool {
	if a.NStates() > indexStates {
		return false
	}
	type transition struct {
		next     dfa.StateID
		emission dfa.EmissionID
	}
	fields, records, special := map[transition]bool{}, map[transition]bool{}, map[transition]bool{}
	coded := map[dfa.EmissionID]bool{}
	for i, id := range a.Emit {
		e, t := &a.Emissions[id], transition{a.Next[i], id}
		switch {
		case e.Kind == dfa.Field:
			fields[t] = true
		case e.Kind == dfa.Record && (e.Record != dfa.DataRecord || e.Code != 0):
			special[t] = true
		case e.Kind == dfa.Record:
			records[t] = true
		case e.Sub != dfa.Itself:
			coded[id] = true
		}
	}
	return len(fields) <= indexFieldSlots && max(len(records), len(special), len(coded)) <= indexOtherSlots
}

// scratch is the bytes of Job.Scratch that size symbols need: see
// kernels/index/offsets.cuh, and of columns and of recount kernels/scan.cuh.
func (x *indexStage) scratch(size int) int {
	const header, counts, single = 64, 16, 8
	tiles := tilesOf(size, x.threads)
	n := header + counts*tiles
	if x.columns {
		n += header + single*tiles
	}
	if x.recount.Kernel != nil {
		n = max(n, header+single*recountTiles(size))
	}
	return n
}

// faultSize is the bytes of Job.Fault for size symbols: each may end a record,
// and another may be open after the last.
func faultSize(size int) int { return 4 * (size/32 + 1) }

// launch runs the stage over the job at an address, of which job is a copy.
// Job.Counts is zero before it; fault and scratch are zeroed here.
func (x *indexStage) launch(s *device.Stream, program pointer[kernels.Program], address pointer[kernels.Job], job *kernels.Job) error {
	size := int(job.Size)
	if err := s.Fill(job.Fault, 0, faultSize(size)); err != nil {
		return err
	}
	if err := s.Fill(job.Scratch, 0, x.scratch(size)); err != nil {
		return err
	}
	blocks := min(x.blocks, tilesOf(size, x.threads))
	if err := x.index.launch(s, device.Grid{blocks}, x.threads, x.shared, program, address); err != nil || x.reopen.Kernel == nil {
		return err
	}
	if err := x.reopen.launch(s, device.Grid{reopenBlocks * x.multiprocessors}, reopenThreads, 0, program, address); err != nil {
		return err
	}
	if err := s.Fill(job.Scratch, 0, x.scratch(size)); err != nil {
		return err
	}
	return x.recount.launch(s, recountGrid(x.multiprocessors, size), recountThreads, 0, address, 0)
}

// recountTiles is how many tiles of dfa_recount size symbols are.
func recountTiles(size int) int { return tilesOf(size, recountThreads*recountChunks) }

// recountGrid is its grid.
func recountGrid(multiprocessors, size int) device.Grid {
	return device.Grid{min(recountBlocks*multiprocessors, recountTiles(size))}
}

// tilesOf is how many tiles size symbols are, at a chunk a thread.
func tilesOf(size, threads int) int {
	tile := threads * kernels.Chunk
	return max(1, (size+tile-1)/tile)
}
