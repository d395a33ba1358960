// Package spread spreads pieces of work over goroutines.
package spread

import (
	"sync"
	"sync/atomic"
)

// Over calls f for each number below n, on so many goroutines at most; it is one of them.
func Over(threads, n int, f func(i int)) {
	var next atomic.Int64
	work := func() {
		for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
			f(i)
		}
	}
	var wg sync.WaitGroup
	for range min(threads, n) - 1 {
		wg.Go(work)
	}
	work()
	wg.Wait()
}
