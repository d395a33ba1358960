//go:build cuda

package gpu

import (
	"sync"

	"github.com/dfaparse/dfaparse/internal/columns"
	"github.com/dfaparse/dfaparse/internal/device"
	"github.com/dfaparse/dfaparse/runtime"
)

// haul is the memory of the host that one flight brings its values to. It is lent:
// Arrow arrays are made of parts of it, and when the last of them is released,
// another flight has it.
type haul struct {
	pinned  arena             // what comes from the device
	widened arena             // what is made of it, in Go's memory
	patched arena             // texts that the lander has made anew, the same
	others  []*columns.Column // of outputs that the CPU converts, the same
	maps    []*columns.Column // of outputs of maps, made anew by the lander, the same; nil: there was none
	lease   *columns.Lease
	lent    int // bytes of pinned memory that arrays may hold
}

// arenas are what h has.
func (h *haul) arenas() [3]*arena { return [3]*arena{&h.pinned, &h.widened, &h.patched} }

// othersOf are columns, which are empty, of the outputs that the CPU converts for p.
func (h *haul) othersOf(p *parser) []*columns.Column {
	if h.others == nil {
		for _, patch := range newPatches(p.plan, p.theirs) {
			h.others = append(h.others, patch.column)
		}
	}
	return h.others
}

// hauls are those of a parser. Arrays may hold some of them when it has long been
// closed, and give them back on any goroutine.
type hauls struct {
	pinned, plain func(nbytes int) ([]byte, error)
	free          func([]byte) error // pinned memory
	pool          *columns.Pool      // of plain memory: the parsers of a process use each other's
	most          int                // bytes of pinned memory that arrays may hold together
	usage         *device.Gauge      // of the bytes of plain memory

	mu     sync.Mutex
	spare  []*haul
	usual  [3]int // bytes that the arenas of a haul needed of late
	least  int    // of these of pinned memory, so that blocks are as long as those of the Reader before, and of the next
	lent   int    // bytes of pinned memory of those that have been lent, and are not back
	closed bool
}

// mostLent is how much pinned memory Arrow arrays may hold: taking more takes longer
// than copying, and it is memory that the system cannot use otherwise. What comes
// when they hold as much is copied.
const mostLent = 1 << 30

func (x *hauls) open(p *parser) {
	x.pinned, x.free, x.most = p.device.AllocHost, p.device.FreeHost, mostLent
	x.usage = &p.devices.columns
	if x.pool = p.plan.Memory; x.pool == nil {
		x.pool = columns.OpenPool()
	}
	x.plain = func(nbytes int) ([]byte, error) {
		x.usage.Add(nbytes)
		return x.pool.Allocate(nbytes), nil
	}
	if pool := p.plan.Memory; pool != nil {
		x.most = 0 // records are to count
		x.plain = func(nbytes int) (b []byte, err error) {
			err = runtime.Guard(nil, func() error {
				b = pool.Allocate(nbytes)
				x.usage.Add(nbytes)
				return nil
			})
			return b, err
		}
	}
}

// take gives a haul that nobody has, held once.
func (x *hauls) take() *haul {
	x.mu.Lock()
	defer x.mu.Unlock()
	var h *haul
	if last := len(x.spare) - 1; last >= 0 {
		h, x.spare = x.spare[last], x.spare[:last]
	} else {
		h = &haul{pinned: arena{alloc: x.pinned, free: x.free}, widened: arena{alloc: x.plain}, patched: arena{alloc: x.plain}}
	}
	for i, a := range h.arenas() {
		a.first = x.usual[i]
	}
	h.lease = columns.NewLease(func() { x.back(h) })
	return h
}

// lend is the Lease of h, into which its flight has brought all, for arrays; nil if
// they hold too much already.
func (x *hauls) lend(h *haul) *columns.Lease {
	x.mu.Lock()
	defer x.mu.Unlock()
	n := 0
	for _, b := range h.pinned.blocks {
		n += len(b)
	}
	if x.lent+n > x.most {
		return nil
	}
	h.lent = n
	x.lent += n
	return h.lease
}

// back takes h back.
func (x *hauls) back(h *haul) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for i, a := range h.arenas() {
		n := a.taken() // not what is kept for longer: an arena of one block has no rest
		x.usual[i] = min((n+n/16+arenaBlock-1)&^(arenaBlock-1), arenaMost)
		if n < arenaBlock {
			x.usual[i] = 0
		}
		if i == 0 {
			x.usual[i] = max(x.usual[i], x.least)
		}
		a.reset()
	}
	for _, c := range h.others {
		c.Reset()
	}
	for _, c := range h.maps {
		if c != nil {
			c.Reset()
		}
	}
	if x.most == 0 { // nothing is kept that does not count
		h.others, h.maps = nil, nil
	}
	x.lent -= h.lent
	if h.lent = 0; x.closed {
		x.drop(h)
		return
	}
	x.spare = append(x.spare, h)
}

// drop gives up the memory of h.
func (x *hauls) drop(h *haul) {
	h.pinned.close()
	for _, a := range []*arena{&h.widened, &h.patched} {
		for _, b := range a.blocks {
			x.usage.Add(-len(b))
			x.pool.Free(b)
		}
		a.close()
	}
}

// close frees what nobody holds; the rest is freed when it comes back.
func (x *hauls) close() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.closed = true
	for _, h := range x.spare {
		x.drop(h)
	}
	x.spare = nil
	x.pool.Close()
}
