// Package spread spreads pieces of work over goroutines.
package spread

import "sync/atomic"

// Over calls f for each number below n, on so many goroutines at most; it is one of them. It
// returns when all calls have: a goroutine that comes to run only after that, which on a machine
// with idle cores takes a hundred microseconds at times, has nothing to do, and nobody waits for it.
func Over(threads, n int, f func(i int)) {
	if threads = min(threads, n); threads <= 1 {
		for i := range n {
			f(i)
		}
		return
	}
	var next, left atomic.Int64
	left.Store(int64(n))
	done := make(chan struct{})
	work := func() {
		for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
			if f(i); left.Add(-1) == 0 {
				close(done)
			}
		}
	}
	for range threads - 1 {
		go work()
	}
	work()
	<-done
}
