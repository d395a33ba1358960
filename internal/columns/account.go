package columns

import (
	"fmt"
	goruntime "runtime"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"
)

// Account bounds the memory that is taken by it: what it has given counts until
// the garbage collector has found that nobody has it any more. Any number of
// goroutines may use it. A nil Account bounds nothing.
type Account struct {
	limit int64
	used  atomic.Int64

	mu     sync.Mutex // who waits for the collector
	relief func()     // lets go of what is kept, but not needed
}

// NewAccount is an Account of so many bytes.
func NewAccount(limit int64) *Account { return &Account{limit: limit} }

// MemoryError says that an Account has not as much as is needed.
type MemoryError struct {
	Needed int64 // bytes at once
	Left   int64
	Limit  int64
}

func (e *MemoryError) Error() string {
	return fmt.Sprintf("a record or column needs %d more bytes at once, and of the %d that the memory budget has for reading %d are left; give a larger budget, bound records by a smaller max record, or use fewer threads or columns", e.Needed, e.Limit, e.Left)
}

// leastCounted is what it is worth to count, in bytes.
const leastCounted = 4 << 10

// How often the garbage collector is asked before an Account gives up, and how
// long it waits after the first time, which doubles: what was found to be free is
// given back by a goroutine, and what is still being written by another will be
// free soon. On a busy machine that takes its time.
const (
	collections = 7
	patience    = 2 * time.Millisecond
)

// Make gives n bytes. It panics with a *MemoryError if there are not as many.
func (a *Account) Make(n int) []byte {
	if a == nil || n < leastCounted {
		return make([]byte, n)
	}
	if err := a.take(int64(n)); err != nil {
		panic(err)
	}
	b := make([]byte, n)
	goruntime.AddCleanup(unsafe.SliceData(b), a.give, int64(n))
	return b
}

// TryMake is Make, but gives the error.
func (a *Account) TryMake(n int) (b []byte, err error) {
	defer func() {
		if p := recover(); p != nil {
			var ok bool
			if err, ok = p.(*MemoryError); !ok {
				panic(p)
			}
		}
	}()
	return a.Make(n), nil
}

func (a *Account) give(n int64) { a.used.Add(-n) }

func (a *Account) take(n int64) error {
	if a.fits(n) {
		return nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	wait := patience
	for range collections {
		if n > a.limit {
			break
		}
		if a.relief != nil {
			a.relief()
		}
		goruntime.GC()
		for until := time.Now().Add(wait); ; time.Sleep(time.Millisecond / 4) {
			if a.fits(n) {
				return nil
			}
			if time.Now().After(until) {
				break
			}
		}
		wait *= 2
	}
	if a.fits(n) {
		return nil
	}
	return &MemoryError{n, max(a.limit-a.used.Load(), 0), a.limit}
}

// fits takes n bytes if there are as many.
func (a *Account) fits(n int64) bool {
	if a.used.Add(n) <= a.limit {
		return true
	}
	a.used.Add(-n)
	return false
}
