//go:build cuda

package gpu

import (
	"github.com/dfaparse/dfaparse/kernels"
	"github.com/dfaparse/dfaparse/runtime/gpu/device"
)

// Of kernels/context/tile.cuh and segments.cuh.
const (
	contextThreads = 512
	contextTile    = contextThreads * kernels.Chunk
	contextBlocks  = 3       // a multiprocessor
	contextStatic  = 1 << 10 // bytes of shared memory beside the tile and tables, at most
	groupSegments  = 512
	segmentThreads = 128
)

// contextStage finds the state in which each chunk begins: the twin is Contexts
// of runtime/cpu/reference.
type contextStage struct {
	program *program
	kernels []*device.Kernel // launched one after the other
}

// newContextStage finds the kernels for the way in which states are tracked.
func newContextStage(d *device.Device, p *program) (*contextStage, error) {
	x := &contextStage{program: p}
	for _, name := range contextKernels(p.track.track) {
		k, err := d.Kernel(name)
		if err != nil {
			return nil, err
		}
		x.kernels = append(x.kernels, k)
	}
	return x, nil
}

// contextKernels are the entries for a way to track states.
func contextKernels(t track) []string {
	registers := ""
	if t.registers {
		registers = "registers_"
	}
	switch t.kind {
	case kernels.Track4:
		return []string{"dfa_context_" + registers + "4"}
	case kernels.Track8:
		return []string{"dfa_context_" + registers + "8"}
	case kernels.Track16:
		return []string{"dfa_context_" + registers + "16"}
	case kernels.TrackLive8:
		return []string{"dfa_context_live_8"}
	case kernels.TrackLive16:
		return []string{"dfa_context_live_16"}
	case kernels.TrackMonoid:
		return []string{"dfa_context_monoid"}
	}
	return []string{
		"dfa_context_segment_vectors", "dfa_context_group_vectors", "dfa_context_group_states",
		"dfa_context_segment_states", "dfa_context_chunk_states",
	}
}

// scratch is how much scratch memory the stage needs for partitions of size
// symbols, in bytes.
func (x *contextStage) scratch(size int) int {
	if x.segments() {
		segments, groups := x.counts(size)
		return 2 * (segments + groups) * (x.program.track.tracked + 1)
	}
	_, all := lookBackScratch(contextTiles(size), x.valueSize())
	return all
}

// launch runs the stage over a partition of size symbols. job is the address of
// a Job, scratch what it has.
func (x *contextStage) launch(s *device.Stream, job, scratch uint64, size int) error {
	if x.segments() {
		return x.launchSegments(s, job, size)
	}
	tiles := contextTiles(size)
	zeroed, _ := lookBackScratch(tiles, x.valueSize())
	if err := s.Fill(scratch, 0, zeroed); err != nil {
		return err
	}
	blocks := min(tiles, contextBlocks*x.program.device.Info().Multiprocessors)
	shared := contextTile + x.program.track.shared
	return s.Launch(x.kernels[0], device.Grid{blocks}, contextThreads, shared, x.program.Address, job)
}

func (x *contextStage) launchSegments(s *device.Stream, job uint64, size int) error {
	segments, groups := x.counts(size)
	const warps = segmentThreads / 32
	threads := []int{segments, groups, 1, groups, segments}
	for i, k := range x.kernels {
		each := segmentThreads
		if i < 2 {
			each = warps
		}
		if err := s.Launch(k, device.Grid{strides(x.program.device, threads[i], each)}, segmentThreads, 0, x.program.Address, job); err != nil {
			return err
		}
	}
	return nil
}

// segments reports whether vectors lie in memory.
func (x *contextStage) segments() bool { return x.program.track.kind == kernels.TrackVector }

// counts is the number of segments and of groups of them.
func (x *contextStage) counts(size int) (segments, groups int) {
	segments = max(ceil(size, int(x.program.track.words[wordMore])), 1)
	return segments, ceil(segments, groupSegments)
}

// contextTiles is the number of tiles of size symbols.
func contextTiles(size int) int { return max(ceil(size, contextTile), 1) }

// valueSize is the size of what the scan composes, in bytes.
func (x *contextStage) valueSize() int {
	if x.program.track.width() == 16 {
		return 8
	}
	return 4
}

// lookBackScratch is the scratch memory of LookBack, see kernels/scan.cuh, over
// so many tiles of values of so many bytes: what is zeroed, and all.
func lookBackScratch(tiles, value int) (zeroed, all int) {
	const header, align = 64, 64
	if value == 4 {
		n := header + 8*tiles
		return n, n
	}
	zeroed = header + (4*tiles+align-1)&^(align-1)
	return zeroed, zeroed + 2*value*tiles
}

// ceil is n over d, rounded up.
func ceil(n, d int) int { return (n + d - 1) / d }
