//go:build cuda

package gpu

import (
	"cmp"
	"fmt"

	"github.com/dfaparse/dfaparse/internal/device"
)

// This file sorts numbers on the device, see kernels/sort.cu.

// sortKind is what is sorted: keys of so many bytes, and values of so many, or none.
type sortKind struct {
	name       string
	key, value int
	threads    int    // of a block that scatters
	tile       int    // keys that it takes at once
	shared     [4]int // of a block that scatters, and of the classes of local sorts
	few        int    // of one that counts few values
	low        [2]int // threads of one that scatters from the last digit on, and their memory
}

var (
	sortU32    = sortKind{"u32", 4, 0, sortThreadsU32, sortTileU32, [4]int{sortScatterU32, sortSmallU32, sortMediumU32, sortLargeU32}, sortFewU32, [2]int{sortLowThreadsU32, sortLowU32}}
	sortU64    = sortKind{"u64", 8, 0, sortThreadsU64, sortTileU64, [4]int{sortScatterU64, sortSmallU64, sortMediumU64, sortLargeU64}, sortFewU64, [2]int{sortLowThreadsU64, sortLowU64}}
	sortU64U32 = sortKind{"u64_u32", 8, 4, sortThreadsU64U32, sortTileU64U32, [4]int{sortScatterU64U32, sortSmallU64U32, sortMediumU64U32, sortLargeU64U32}, 0, [2]int{}}
	sortU64U64 = sortKind{"u64_u64", 8, 8, sortThreadsU64U64, sortTileU64U64, [4]int{sortScatterU64U64, sortSmallU64U64, sortMediumU64U64, sortLargeU64U64}, 0, [2]int{}}
)

// sortStage has the kernels of a kind.
type sortStage struct {
	sortKind
	d                 *device.Device
	begin             sortBeginKernel
	plan              sortKernel
	count             sortKernel
	scatter           sortKernel
	locals            [3]sortKernel
	fewCount, fewPlan sortKernel    // of keys alone: values in a table
	lows              sortKernel    // of keys alone: from the last digit on
	tallies           [4]sortKernel // of these: begin, count, plan, and fill
	narrows           [2]sortKernel // of keys of 64 bits alone: they become narrow, and are not sorted as they were
	narrow            *sortStage    // and sorts those
	counting          int           // blocks that count values; 0: as many as the device has multiprocessors
}

func newSortStage(d *device.Device, kind sortKind) (x *sortStage, err error) {
	need := kind.shared[3]
	if kind.value == 0 {
		need = max(need, sortTallyShared)
	}
	if need > d.Info().MaxShared {
		return nil, &errHost{fmt.Sprintf("sorting takes %d bytes of a block's memory, of which the device has %d", need, d.Info().MaxShared)}
	}
	x = &sortStage{sortKind: kind, d: d}
	if x.begin, err = findSortBeginKernel(d, "dfa_sort_begin"); err != nil {
		return nil, err
	}
	kernels := map[string]*sortKernel{
		"plan": &x.plan, "count_" + kind.name: &x.count, "scatter_" + kind.name: &x.scatter,
		"small_" + kind.name: &x.locals[0], "medium_" + kind.name: &x.locals[1], "large_" + kind.name: &x.locals[2],
	}
	if kind.value == 0 {
		kernels["low_"+kind.name], kernels["few_count_"+kind.name] = &x.lows, &x.fewCount
		kernels["few_plan"] = &x.fewPlan
		for i, name := range []string{"begin", "count", "plan", "fill"} {
			kernels["tally_"+name+"_"+kind.name] = &x.tallies[i]
		}
	}
	if kind == sortU64 {
		kernels["narrow"], kernels["narrowed"] = &x.narrows[0], &x.narrows[1]
		if x.narrow, err = newSortStage(d, sortU32); err != nil {
			return nil, err
		}
	}
	for name, k := range kernels {
		if *k, err = findSortKernel(d, "dfa_sort_"+name); err != nil {
			return nil, err
		}
	}
	return x, nil
}

// sortRoom is the memory that sorting up to n keys takes besides keys and values.
type sortRoom struct {
	n      int
	memory device.Memory
	image  sortImage
	narrow uint64 // where the image of a job for keys that become narrow is, which has what the other one has but its counts
	nbytes int
}

// The image has so many bytes of a room, and the counts behind it.
const sortHead, sortCountsSize = 256, 4 * sortCounts

// newSortRoom says how much memory n keys need, as kernels/sort/job.cuh does.
func newSortRoom(kind sortKind, n int) *sortRoom {
	buckets := n/sortLarge + 1
	tiles := n/kind.tile + buckets + 1
	locals := 2*(n/sortMedium) + 2*sortPasses*buckets + 2
	r := &sortRoom{n: n, nbytes: sortHead}
	r.image.MostBuckets, r.image.MostTiles, r.image.MostLocals = uint64(buckets), uint64(tiles), uint64(locals)
	place := func(at *uint64, size int) {
		*at = uint64(r.nbytes)
		r.nbytes += (size + 63) &^ 63
	}
	place(&r.image.Counts, sortCountsSize)
	place(&r.image.Buckets, 2*buckets*sortBucketSize)
	place(&r.image.Digits, 2*buckets*sortDigits*4)
	place(&r.image.Tiles, 2*tiles*4)
	place(&r.image.Before, tiles*sortDigits*4)
	place(&r.image.Locals, 3*locals*sortLocalSize)
	place(&r.image.Lows, sortCuts*sortDigits*4)
	place(&r.image.Cuts, sortCuts*sortCutSize)
	place(&r.image.Tallies, buckets*sortTallySize)
	place(&r.image.TallyTiles, (n/sortTallyTile+buckets)*sortBeginSize)
	place(&r.image.Few, sortFewSize)
	place(&r.image.Narrow, sortNarrowSize)
	place(&r.narrow, sortHead+sortCountsSize)
	return r
}

func (r *sortRoom) alloc(d *device.Device) (err error) {
	if r.memory, err = d.Alloc(r.nbytes); err != nil {
		return err
	}
	for _, at := range []*uint64{&r.image.Counts, &r.image.Buckets, &r.image.Digits, &r.image.Tiles, &r.image.Before, &r.image.Locals, &r.image.Lows, &r.image.Cuts, &r.image.Tallies, &r.image.TallyTiles, &r.image.Few, &r.image.Narrow, &r.narrow} {
		*at += r.memory.Address
	}
	return nil
}

// sorted are addresses: of keys and of values that go with them, and of as much room again.
type sorted struct {
	keys, otherKeys, values, otherValues uint64
	numbered                             bool // values, of 32 bits, become 0, 1, 2 … before
}

// launch sorts n keys, fewer than 2^30; what is smallest comes first, and values of equal keys stay in
// their order. The results are in keys and values.
func (x *sortStage) launch(s *device.Stream, r *sortRoom, of sorted, n int) error {
	if n > r.n || n > sortMost {
		return fmt.Errorf("gpu: %d keys to sort, of %d", n, min(r.n, sortMost))
	}
	im := r.image
	im.Keys, im.OtherKeys = of.keys, of.otherKeys
	if x.value > 0 {
		im.Values, im.OtherValues = of.values, of.otherValues
	}
	im.N, im.KeyBits, im.Tile = uint64(n), uint64(8*x.key), uint64(x.tile)
	if of.numbered {
		im.Numbered = 1
	}
	begin := func(x *sortStage, im sortImage, address uint64) error {
		head := make([]byte, sortHead+sortCountsSize)
		copy(head, bytesOf([]sortImage{im}))
		if err := s.Upload(address, head); err != nil {
			return err
		}
		blocks := min((n+sortBeginThreads-1)/sortBeginThreads, 2*x.d.Info().Multiprocessors)
		return x.begin.launch(s, device.Grid{max(1, blocks)}, sortBeginThreads, 0, pointer[sortImage](address))
	}
	if err := begin(x, im, r.memory.Address); err != nil {
		return err
	}
	at := pointer[sortImage](r.memory.Address)
	tiles := device.Grid{min(n/x.tile+1, 4*x.d.Info().Multiprocessors)}
	if n > sortLarge && x.value == 0 {
		if err := x.fewCount.launch(s, tiles, sortThreads, x.few, at, 0); err != nil {
			return err
		}
		if err := x.fewPlan.launch(s, device.Grid{1}, sortDigits, 0, at, 0); err != nil {
			return err
		}
	}
	if n >= sortSampled && x.narrow != nil {
		if err := x.narrows[0].launch(s, tiles, sortThreads, 0, at, 0); err != nil {
			return err
		}
		if err := x.narrows[1].launch(s, device.Grid{1}, 32, 0, at, 0); err != nil {
			return err
		}
		half := im
		half.Keys, half.OtherKeys, half.Wide = of.otherKeys, of.otherKeys+uint64(4*n), of.keys
		half.KeyBits, half.Tile, half.Counts = 32, uint64(x.narrow.tile), r.narrow+sortHead
		if err := begin(x.narrow, half, r.narrow); err != nil {
			return err
		}
		if err := x.narrow.passes(s, pointer[sortImage](r.narrow), n); err != nil {
			return err
		}
	}
	return x.passes(s, at, n)
}

// passes launches what follows the begin of a sort.
func (x *sortStage) passes(s *device.Stream, at pointer[sortImage], n int) error {
	mps := x.d.Info().Multiprocessors
	tiles := device.Grid{min(n/x.tile+1, 4*mps)}
	passes := x.key + 2
	if n <= sortLarge {
		passes = 0
	}
	for pass := range uint64(passes) {
		if err := x.count.launch(s, tiles, sortThreads, 0, at, pass); err != nil {
			return err
		}
		if pass+1 == uint64(passes) { // nothing is left but to copy
			break
		}
		if err := x.plan.launch(s, device.Grid{min(n/sortLarge+1, 8*mps)}, sortDigits, 0, at, pass); err != nil {
			return err
		}
		if err := x.scatter.launch(s, tiles, x.threads, x.shared[0], at, pass); err != nil {
			return err
		}
		if x.value > 0 {
			continue
		}
		if err := x.lows.launch(s, tiles, x.low[0], x.low[1], at, pass); err != nil {
			return err
		}
	}
	if x.value == 0 && passes > 0 {
		counting := min(n/sortTallyTile+1, cmp.Or(x.counting, mps)) // a multiprocessor has room for one
		for i, k := range x.tallies {
			blocks, threads, shared := min(n/sortTallyTile+1, 4*mps), sortFillThreads, 0
			if i == 1 {
				blocks, threads, shared = counting, sortTallyThreads, sortTallyShared
			}
			if err := k.launch(s, device.Grid{blocks}, threads, shared, at, uint64(counting)); err != nil {
				return err
			}
		}
	}
	for class, threads := range []int{sortSmallThreads, sortMediumThreads, sortLargeThreads} {
		grid := device.Grid{max(1, min(n/256, []int{16, 4, 2}[class]*mps))}
		if err := x.locals[class].launch(s, grid, threads, x.shared[1+class], at, uint64(class)); err != nil {
			return err
		}
	}
	return nil
}
