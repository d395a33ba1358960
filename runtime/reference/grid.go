package reference

import "sync"

// Grid is how the work of a stage is laid out: the input in chunks of so many
// symbols, the chunks over so many workers. It never changes what a stage gives.
type Grid struct {
	Chunk   int // symbols that one step reads, > 0
	Threads int // workers, > 0
}

// Chunks is the number of chunks of n symbols. It is at least 1: the end of
// the input is read by the last chunk, an empty one if need be.
func (g Grid) Chunks(n int) int { return max((n+g.Chunk-1)/g.Chunk, 1) }

// Bounds of chunk i of n symbols.
func (g Grid) Bounds(i, n int) (from, to int) { return i * g.Chunk, min((i+1)*g.Chunk, n) }

// Each runs step for 0 to n-1, in any order and at the same time: a step may
// write only what no other step of the same call reads or writes. It is the
// one loop of this package that a GPU would launch as a kernel.
func (g Grid) Each(n int, step func(i int)) {
	workers := min(g.Threads, n)
	if workers <= 1 {
		for i := range n {
			step(i)
		}
		return
	}
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			for i := n * w / workers; i < n*(w+1)/workers; i++ {
				step(i)
			}
		})
	}
	wg.Wait()
}
