//go:build cuda

package gpu

import (
	"cmp"
	"slices"
	"sync"
)

// sortedRun is keys in order, between two places of an array.
type sortedRun struct{ from, to int }

// mergeRuns merges runs of so many keys each, the last one shorter, which follow one another. Where a key was in its run, order
// says; merged gets where keys were in all, the smallest first, equal ones in the order of runs.
// Several goroutines have a part each, of about as many keys.
func mergeRuns(keys []uint64, order []uint32, chunk int, merged []uint32, threads int) {
	nruns := (len(keys) + chunk - 1) / chunk
	parts := 1
	if threads > 1 && len(keys) > 1<<14 {
		parts = 4 * threads
	}
	// Samples of all runs say where parts end: keys are less, or equal and earlier.
	type sample struct {
		key uint64
		at  int
	}
	var samples []sample
	if parts > 1 {
		every := max(1, len(keys)/(parts*64))
		for at := 0; at < len(keys); at += every {
			samples = append(samples, sample{keys[at], at})
		}
		slices.SortFunc(samples, func(a, b sample) int {
			if c := cmp.Compare(a.key, b.key); c != 0 {
				return c
			}
			return cmp.Compare(a.at, b.at)
		})
	}
	from := make([]int, nruns)
	for r := range from {
		from[r] = r * chunk
	}
	var wait sync.WaitGroup
	free := make(chan struct{}, max(threads, 1))
	out := 0
	for p := range parts {
		runs := make([]sortedRun, 0, nruns)
		n := 0
		for r := range nruns {
			begin, end := r*chunk, min((r+1)*chunk, len(keys))
			to := end
			if p+1 < parts {
				s := samples[(p+1)*len(samples)/parts]
				switch {
				case s.at >= begin && s.at < end:
					to = s.at
				default:
					k, found := s.key, s.at >= end // whose equal keys come later
					to = begin + lowerBound(keys[begin:end], k, found)
				}
			}
			to = max(to, from[r])
			if to > from[r] {
				runs = append(runs, sortedRun{from[r], to})
			}
			n += to - from[r]
			from[r] = to
		}
		part := merged[out:][:n]
		out += n
		if n == 0 {
			continue
		}
		free <- struct{}{}
		wait.Go(func() {
			mergePart(keys, order, chunk, runs, part)
			<-free
		})
	}
	wait.Wait()
}

// lowerBound is how many keys are less than k, or no more.
func lowerBound(keys []uint64, k uint64, orEqual bool) int {
	n, _ := slices.BinarySearchFunc(keys, k, func(x, k uint64) int {
		if x < k || (orEqual && x == k) {
			return -1
		}
		return 1
	})
	return n
}

// mergePart merges runs in a heap of their first keys.
func mergePart(keys []uint64, order []uint32, chunk int, runs []sortedRun, out []uint32) {
	type head struct {
		key      uint64
		at, to   int
		run      int
		earliest uint32 // of the run's rows
	}
	heap := make([]head, len(runs))
	for i, r := range runs {
		heap[i] = head{keys[r.from], r.from, r.to, i, uint32(r.from / chunk * chunk)}
	}
	less := func(a, b *head) bool { return a.key < b.key || a.key == b.key && a.run < b.run }
	sink := func(i int) {
		for {
			child := 2*i + 1
			if child >= len(heap) {
				return
			}
			if child+1 < len(heap) && less(&heap[child+1], &heap[child]) {
				child++
			}
			if !less(&heap[child], &heap[i]) {
				return
			}
			heap[i], heap[child] = heap[child], heap[i]
			i = child
		}
	}
	for i := len(heap)/2 - 1; i >= 0; i-- {
		sink(i)
	}
	for i := range out {
		h := &heap[0]
		out[i] = h.earliest + order[h.at]
		if h.at++; h.at < h.to {
			h.key = keys[h.at]
		} else {
			heap[0] = heap[len(heap)-1]
			heap = heap[:len(heap)-1]
		}
		if len(heap) > 1 {
			sink(0)
		}
	}
}
