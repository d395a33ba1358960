//go:build cuda

package gpu

import (
	"slices"
	"strconv"

	"github.com/dfaparse/dfaparse/internal/device"
	"github.com/dfaparse/dfaparse/kernels"
)

// contextStage finds the state in which each chunk begins: the twin is Contexts
// of runtime/reference.
type contextStage struct {
	program *program
	kernels []contextKernel // launched one after the other
}

// newContextStage finds the kernels for the way in which states are tracked.
func newContextStage(d *device.Device, p *program) (*contextStage, error) {
	x := &contextStage{program: p}
	for _, name := range contextKernels(p.track) {
		k, err := findContextKernel(d, name)
		if err != nil {
			return nil, err
		}
		x.kernels = append(x.kernels, k)
	}
	return x, nil
}

// segmentKernels are those for vectors in memory.
var segmentKernels = []string{
	"dfa_context_segment_vectors", "dfa_context_group_vectors", "dfa_context_group_states",
	"dfa_context_segment_states", "dfa_context_chunk_states",
}

// walkKernel is the entry for states of one byte or of two.
func (x *trackTables) walkKernel() string {
	if x.wide {
		return "dfa_context_walk_wide"
	}
	return "dfa_context_walk"
}

// contextKernels are the entries for a way to track states.
func contextKernels(t *trackTables) []string {
	switch t.kind {
	case kernels.TrackVector:
		return segmentKernels
	case kernels.TrackWalk:
		return slices.Concat([]string{t.walkKernel(), "dfa_context_mend"}, slices.Repeat([]string{"dfa_context_mend_runs"}, mendRounds-1), []string{"dfa_context_verify"}, segmentKernels)
	}
	codes := "monoid"
	if t.kind != kernels.TrackMonoid {
		codes = strconv.Itoa(t.width())
	}
	read := codes
	switch {
	case t.registers:
		read = "registers_" + codes
	case t.kind == kernels.TrackLive8, t.kind == kernels.TrackLive16:
		read = "live_" + codes
	}
	return []string{"dfa_context_" + read, "dfa_context_strips_" + codes, "dfa_context_chunks_" + codes}
}

// scratch is how much scratch memory the stage needs for partitions of size
// symbols, in bytes.
func (x *contextStage) scratch(size int) int {
	if x.segments() {
		segments, groups := x.counts(size)
		n := 2 * (segments + groups) * (x.program.track.tracked + 1)
		if x.walks() {
			n += walkHeader + (4*walkCount(size)+63)&^63
		}
		return n
	}
	return x.strips(size).bytes
}

// launch runs the stage over the job at an address, of which job is a copy.
func (x *contextStage) launch(s *device.Stream, address pointer[kernels.Job], job *kernels.Job) error {
	for i := range x.kernels {
		if err := x.launchKernel(s, i, address, job); err != nil {
			return err
		}
	}
	return nil
}

// launchKernel runs one of the stage's kernels.
func (x *contextStage) launchKernel(s *device.Stream, i int, address pointer[kernels.Job], job *kernels.Job) error {
	size := int(job.Size)
	blocks, threads, shared := 0, segmentThreads, 0
	multiprocessors := x.program.device.Info().Multiprocessors
	switch strips := x.strips(size); {
	case x.walks() && i == 0:
		if err := s.Fill(job.Scratch, 0, walkHeader); err != nil {
			return err
		}
		const least = 128 // fewer than a block may have, so that each multiprocessor gets one
		threads = min(x.program.track.threads, max(ceil(ceil(walkCount(size), multiprocessors), least), 1)*least)
		shared = threads*walkTile + x.program.track.shared
		blocks = min(ceil(walkCount(size), threads), multiprocessors)
	case x.walks() && i <= mendRounds+1:
		threads = mendThreads
		blocks = strides(x.program.device, walkCount(size), threads)
	case x.segments():
		segments, groups := x.counts(size)
		i := i - (len(x.kernels) - len(segmentKernels))
		const warps = segmentThreads / 32
		n, each := []int{segments, groups, 1, groups, segments}[i], segmentThreads
		if i < 2 {
			each = warps
		}
		blocks = strides(x.program.device, n, each)
	case i == 0:
		threads, shared = contextThreads, contextTile+x.program.track.shared
		blocks = min(ceil(strips.count, contextThreads/32), contextBlocks*multiprocessors)
	case i == 1:
		threads = scanThreads
		blocks = min(strips.tiles, 2*multiprocessors)
	default:
		threads = finishThreads
		blocks = strides(x.program.device, ceil(strips.chunks, finishChunks), finishThreads)
	}
	return x.kernels[i].launch(s, device.Grid{blocks}, threads, shared, x.program.Address, address)
}

// segments reports whether vectors lie in memory.
func (x *contextStage) segments() bool {
	return x.program.track.kind == kernels.TrackVector || x.walks()
}

// walks reports whether states are guessed and verified, and vectors only where that
// comes to no end.
func (x *contextStage) walks() bool { return x.program.track.kind == kernels.TrackWalk }

// walkCount is the number of segments that lanes walk over: WalkSegments of
// kernels/context/walk.cuh.
func walkCount(size int) int {
	length := max(ceil(ceil(size, walkLanes), walkUnit)*walkUnit, walkLeast)
	return ceil(max(ceil(size, kernels.Chunk), 1), length/kernels.Chunk)
}

// counts is the number of segments and of groups of them.
func (x *contextStage) counts(size int) (segments, groups int) {
	segments = max(ceil(size, int(x.program.track.words[wordMore])), 1)
	return segments, ceil(segments, groupSegments)
}

// stripSizes are how many chunks, strips and tiles of strips a partition has, and
// where in the scratch memory their tables lie, in bytes: Strips of
// kernels/context/strips.cuh.
type stripSizes struct {
	chunks, count, tiles             int
	value, code, kept, before, bytes int
}

func (x *contextStage) strips(size int) stripSizes {
	s := stripSizes{chunks: max(ceil(size, kernels.Chunk), 1)}
	s.count = ceil(s.chunks, 32)
	s.tiles = ceil(s.count, scanTile)
	value, kept := x.valueSize()
	take := func(n int) int {
		from := s.bytes
		s.bytes += (n + 63) &^ 63
		return from
	}
	_, all := lookBackScratch(s.tiles, value)
	take(all)
	s.value = take(s.tiles * scanTile * value)
	s.code = take(s.tiles * scanTile * 2)
	s.kept = take(s.count * 32 * kept)
	s.before = take(s.count * 32)
	return s
}

// valueSize is the size of what the scan composes, and of what is kept of it a
// chunk, in bytes.
func (x *contextStage) valueSize() (value, kept int) {
	switch x.program.track.width() {
	case 4:
		return 4, 2
	case 8:
		return 4, 4
	case 16:
		return 8, 8
	}
	return 4, 1 // a monoid
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
