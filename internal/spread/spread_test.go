package spread

import (
	"sync/atomic"
	"testing"
)

// TestOver: each number comes once, and no more goroutines are at work than asked for.
func TestOver(t *testing.T) {
	for _, threads := range []int{-1, 0, 1, 2, 7, 40} {
		for _, n := range []int{0, 1, 2, 30} {
			seen := make([]atomic.Int32, n)
			var now, most atomic.Int32
			Over(threads, n, func(i int) {
				if k := now.Add(1); k > most.Load() {
					most.Store(k)
				}
				seen[i].Add(1)
				now.Add(-1)
			})
			for i := range seen {
				if seen[i].Load() != 1 {
					t.Errorf("%d threads: %d of %d came %d times", threads, i, n, seen[i].Load())
				}
			}
			if most.Load() > int32(max(threads, 1)) {
				t.Errorf("%d threads: %d at once", threads, most.Load())
			}
		}
	}
}
