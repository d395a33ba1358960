package columns

import (
	"math/bits"
	"sync"

	"github.com/apache/arrow/go/v17/arrow/memory"
)

// Pool keeps the memory of Arrow buffers that have been released for those to
// come, which would otherwise be cleared, and fetched page by page from the
// system, each time. What it gives holds what was there before. What it keeps
// and what is in use are together little more than what was in use at one time.
// A nil Pool keeps nothing.
//
// A Pool that is closed is opened again, with what it keeps, unless the
// garbage collector has come for it.
//
// It is a memory.Allocator, so that the last release of a buffer gives its
// memory back. Any number of goroutines may use it.
type Pool struct {
	mu         sync.Mutex
	free       [bits.UintSize + 1][][]byte // by the bits of their capacity
	kept, used int                         // bytes
	most       int                         // that were used

	account *Account // nil: there is no bound
	once    bool     // what is given back is not given again
}

// poison: see Poison.
var poison = raced

// Poison has what a Pool is given back overwritten, so that tests find uses of
// released memory. It is called before there are Pools.
func Poison() { poison = true }

// closed are the Pools that nobody uses.
var closed sync.Pool

// OpenPool gives a Pool that nobody else uses.
func OpenPool() *Pool {
	if p, ok := closed.Get().(*Pool); ok {
		return p
	}
	return &Pool{}
}

// BoundPool gives a Pool whose memory is a's. Where reuse is false, what is given
// back to it is the garbage collector's.
func BoundPool(a *Account, reuse bool) *Pool {
	p := &Pool{account: a, once: !reuse}
	a.relief = p.drop
	return p
}

// drop lets go of what p keeps.
func (p *Pool) drop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	clear(p.free[:])
	p.kept = 0
}

// spares reports whether so much may be taken that nobody needs yet.
func (p *Pool) spares(n int) bool {
	return p == nil || p.account == nil || int64(n) < (p.account.limit-p.account.used.Load())/4
}

// Close is the last that is done with p, but that memory may still be given back.
func (p *Pool) Close() {
	if p != nil && p.account == nil {
		closed.Put(p)
	}
}

var _ memory.Allocator = (*Pool)(nil)

// Allocate implements memory.Allocator.
func (p *Pool) Allocate(n int) []byte {
	if p == nil || n < leastPooled {
		return make([]byte, n, roundUp(n, align))
	}
	p.mu.Lock()
	b := p.take(n)
	size := roundUp(n, max(1<<(bits.Len(uint(n))-4), align)) // texts of similar length can have each other's
	if b == nil {
		p.used += size
		p.most = max(p.most, p.used)
		p.shrink(size)
	}
	p.mu.Unlock()
	if b == nil {
		b = p.account.Make(size)
	}
	return b[:n]
}

func roundUp(n, unit int) int { return (n + unit - 1) &^ (unit - 1) }

// take gives memory of at least n bytes, and less than four times as many, if
// there is some: the smallest of its class, for who wants more comes too.
func (p *Pool) take(n int) []byte {
	class := bits.Len(uint(n))
	for c := class; c < min(class+2, len(p.free)); c++ {
		best := -1
		for i, b := range p.free[c] {
			if cap(b) >= n && (best < 0 || cap(b) <= cap(p.free[c][best])) {
				best = i
			}
		}
		if best >= 0 {
			b := p.remove(c, best)
			p.used += cap(b)
			p.most = max(p.most, p.used)
			return b
		}
	}
	return nil
}

// shrink lets go of memory, if there is too much of it, of up to size bytes
// rather than of more.
func (p *Pool) shrink(size int) {
	class := bits.Len(uint(size))
	for i := range p.free {
		c := (class - i + len(p.free)) % len(p.free)
		for len(p.free[c]) > 0 && p.kept+p.used > p.most+p.most/4 {
			p.remove(c, len(p.free[c])-1)
		}
	}
}

// remove takes the i-th of class c.
func (p *Pool) remove(c, i int) []byte {
	class := p.free[c]
	b, last := class[i], len(class)-1
	class[i], class[last] = class[last], nil
	p.free[c] = class[:last]
	p.kept -= cap(b)
	return b
}

// Reallocate implements memory.Allocator.
func (p *Pool) Reallocate(n int, b []byte) []byte {
	if n <= cap(b) {
		return b[:n]
	}
	more := p.Allocate(n)
	copy(more, b)
	p.Free(b)
	return more
}

// Free implements memory.Allocator.
func (p *Pool) Free(b []byte) {
	if p == nil {
		return
	}
	b = b[:cap(b)]
	if poison { // also what is not kept: it may be, by another Pool
		for i := range b {
			b[i] = 0xdb
		}
	}
	if p.once || len(b) < leastPooled {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	class := bits.Len(uint(cap(b)))
	p.free[class] = append(p.free[class], b)
	p.kept += cap(b)
	if p.used -= cap(b); p.used < 0 { // there was memory that Go has given, which is not to add up
		if p.used = 0; p.kept > 2*p.most {
			p.shrink(cap(b))
		}
	}
}
