//go:build cuda

package device

// #include "driver.h"
import "C"

import (
	"errors"
	"fmt"
	"os"
	goruntime "runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
	"unsafe"
)

// AllocHost gives n bytes of the host's memory that are pinned: a device reads and
// writes them at the speed of the bus, while the host does something else, and
// kernels may use their addresses. Their content is not defined. They are not Go's,
// and FreeHost gives them back.
//
// To have the driver allocate pinned memory takes ten times as long as to register
// pages that somebody has touched, so that is what is done where the device can use
// them where they lie. What is given back is kept for who asks next.
func (d *Device) AllocHost(n int) ([]byte, error) {
	if n == 0 {
		return nil, nil
	}
	began := time.Now()
	b, fresh, err := d.allocHost(n)
	if fresh > 0 {
		d.note(func(s *Start) {
			s.Pinned += fresh
			s.Pinning += time.Since(began)
		})
	}
	return b, err
}

// PrepareHost pins a block of n bytes for who asks for about as much, beside who asks
// for others, if it can be used where it lies, and unless there are so many already.
func (d *Device) PrepareHost(n, most int) {
	x := &d.pinned
	size := (n + pinnedAlign - 1) &^ (pinnedAlign - 1)
	if !x.possible || size <= pinnedSmall || !x.lacks(size, most) {
		return
	}
	began := time.Now()
	a, err := d.register(size)
	x.mu.Lock()
	defer x.mu.Unlock()
	x.coming--
	if err != nil {
		return // who asks will be told
	}
	x.areas = append(x.areas, a)
	x.idles(a.pages)
	d.note(func(s *Start) {
		s.Pinned += size
		s.Pinning += time.Since(began)
	})
}

// FreeHost gives back what AllocHost gave, all of it. Nothing may use it any more.
func (d *Device) FreeHost(b []byte) error {
	if cap(b) == 0 {
		return nil
	}
	if ok, err := d.pinned.giveBack(d, b); ok {
		return err
	}
	d.usage.pinned.Add(-cap(b))
	p := unsafe.Pointer(unsafe.SliceData(b))
	return check(C.dfaparse_free_host(d.ctx, p), "free %d bytes of pinned memory", cap(b))
}

// allocHost is AllocHost; it says how many bytes it had to pin.
func (d *Device) allocHost(n int) (b []byte, fresh int, err error) {
	if d.pinned.possible {
		if b, fresh, err = d.pinned.take(d, n); err == nil {
			return b, fresh, nil
		}
	}
	var p unsafe.Pointer
	if err := check(C.dfaparse_alloc_host(d.ctx, &p, C.size_t(n)), "allocate %d bytes of pinned memory", n); err != nil {
		return nil, 0, err
	}
	d.usage.pinned.Add(n)
	return unsafe.Slice((*byte)(p), n), n, nil
}

// pinned is memory that is registered. Small blocks are cut off areas, so that few
// have to be registered, and large ones are areas of their own.
type pinned struct {
	possible bool // kernels can use what is registered where it lies
	share    int  // of the host's memory, in bytes, that may be kept for who asks next

	mu     sync.Mutex
	areas  []area
	rest   []byte           // of the last area that small blocks are cut off
	used   map[*byte][]byte // blocks, by their first byte
	free   [][]byte         // blocks, the smallest first
	idle   int              // bytes of these
	held   int              // bytes of those that are used
	most   int              // of these, so far
	coming int              // blocks that PrepareHost is pinning
}

// area is some pages that are registered.
type area struct {
	mapped []byte // as the system gave it
	pages  []byte // what of it is registered
}

const (
	pinnedAlign = 4 << 10   // of blocks, and what their sizes are multiples of
	pinnedSmall = 64 << 10  // the largest block that is cut off
	pinnedStep  = 256 << 10 // an area that blocks are cut off
	pinnedLarge = 2 << 20   // of an area, for which the system may have large pages
	pinnedSpare = 4         // a block may be as many times as large as what is asked for
)

// pinnedIdle is how many bytes are kept for who asks next, however few were in use at once. Of what is more
// than that, as many are as were, up to a share of the host's memory: who asks next mostly asks for as much.
var pinnedIdle = 512 << 20 // less in a test

const pinnedShare = 32 // one part in so many of the host's memory

// kept is how many bytes are kept for who asks next, under mu.
func (x *pinned) kept() int { return max(pinnedIdle, min(x.most, x.share)) }

// memoryLimits are where the system says what a control group may have, by either of its hierarchies. In a
// container they are those of its own.
var memoryLimits = []string{"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"} // others in a test

// hostMemory is how many bytes of memory the host has, or the process may have.
func hostMemory() int {
	var info syscall.Sysinfo_t
	if syscall.Sysinfo(&info) != nil {
		return 0
	}
	n := int(info.Totalram) * int(info.Unit)
	for _, name := range memoryLimits {
		text, _ := os.ReadFile(name)
		if most, err := strconv.Atoi(strings.TrimSpace(string(text))); err == nil { // or it is "max", or there is none
			n = min(n, most)
		}
	}
	return n
}

// take gives a block of n bytes, and says how many had to be pinned for it. That takes
// long, so others may take meanwhile.
func (x *pinned) take(d *Device, n int) (b []byte, fresh int, err error) {
	size := (n + pinnedAlign - 1) &^ (pinnedAlign - 1)
	if b = x.find(size); b == nil {
		step := size
		if size <= pinnedSmall {
			step = pinnedStep
		}
		a, err := d.register(step)
		if err != nil {
			return nil, 0, err
		}
		b, fresh = x.add(a, size), step
	}
	return b[:n:n], fresh, nil
}

// lacks reports whether there are fewer than most blocks that do for size bytes, or will be. Then
// one more is coming.
func (x *pinned) lacks(size, most int) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	i, _ := slices.BinarySearchFunc(x.free, size, func(b []byte, size int) int { return len(b) - size })
	n := x.coming
	for ; i < len(x.free) && len(x.free[i]) <= pinnedSpare*size; i++ {
		n++
	}
	if n >= most {
		return false
	}
	x.coming++
	return true
}

// find gives a block of that size, or more, that is pinned already; nil if there is none.
func (x *pinned) find(size int) (b []byte) {
	x.mu.Lock()
	defer x.mu.Unlock()
	i, _ := slices.BinarySearchFunc(x.free, size, func(b []byte, size int) int { return len(b) - size })
	switch {
	case i < len(x.free) && len(x.free[i]) <= pinnedSpare*size:
		b = x.free[i]
		x.free = slices.Delete(x.free, i, i+1)
		x.idle -= len(b)
	case size <= pinnedSmall && len(x.rest) >= size:
		b, x.rest = x.rest[:size:size], x.rest[size:]
	default:
		return nil
	}
	x.use(b)
	return b
}

// add gives the first block of an area that has been registered for it, and keeps what
// is behind that for others, if it is more than there was.
func (x *pinned) add(a area, size int) []byte {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.areas = append(x.areas, a)
	b := a.pages[:size:size]
	if rest := a.pages[size:]; len(rest) > len(x.rest) {
		x.rest = rest
	}
	x.use(b)
	return b
}

// use notes that somebody has b, under mu.
func (x *pinned) use(b []byte) {
	if x.used == nil {
		x.used = map[*byte][]byte{}
	}
	x.used[unsafe.SliceData(b)] = b
	x.held += len(b)
	x.most = max(x.most, x.held)
}

// giveBack keeps a block for the next; ok is false if it is none.
func (x *pinned) giveBack(d *Device, b []byte) (ok bool, err error) {
	ok, many := x.keep(b)
	for i := range many { // that takes long, so others may take meanwhile
		err = errors.Join(err, many[i].close(d))
	}
	return ok, err
}

// keep is giveBack, but that it gives the areas that are too many, which nobody has.
func (x *pinned) keep(b []byte) (ok bool, many []area) {
	x.mu.Lock()
	defer x.mu.Unlock()
	at := unsafe.SliceData(b)
	block, ok := x.used[at]
	if !ok {
		return false, nil
	}
	delete(x.used, at)
	x.held -= len(block)
	x.idles(block)
	for x.idle > x.kept() && len(x.free[len(x.free)-1]) > pinnedSmall {
		many = append(many, x.release())
	}
	return true, many
}

// idles notes that nobody has a block, under mu.
func (x *pinned) idles(block []byte) {
	i, _ := slices.BinarySearchFunc(x.free, len(block), func(b []byte, size int) int { return len(b) - size })
	x.free = slices.Insert(x.free, i, block)
	x.idle += len(block)
}

// release gives up the largest block that nobody has, which is an area of its own.
func (x *pinned) release() area {
	b := x.free[len(x.free)-1]
	x.free = x.free[:len(x.free)-1]
	x.idle -= len(b)
	i := slices.IndexFunc(x.areas, func(a area) bool { return unsafe.SliceData(a.pages) == unsafe.SliceData(b) })
	a := x.areas[i]
	x.areas = slices.Delete(x.areas, i, i+1)
	return a
}

// beforePinning is called with nothing locked.
var beforePinning = func() {} // another in a test

// register maps pages, touches them, and pins them.
func (d *Device) register(size int) (a area, err error) {
	align := 0
	if size >= pinnedLarge {
		align = pinnedLarge
	}
	if a.mapped, err = syscall.Mmap(-1, 0, size+align, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE); err != nil {
		return a, &Error{Op: fmt.Sprintf("map %d bytes of memory", size), Code: Code(C.CUDA_ERROR_OUT_OF_MEMORY), Detail: err.Error()}
	}
	a.pages = a.mapped[:size:size]
	if align > 0 {
		from := -int(uintptr(unsafe.Pointer(unsafe.SliceData(a.mapped)))) & (align - 1)
		a.pages = a.mapped[from:][:size:size]
		const hugePages = 14                    // MADV_HUGEPAGE
		_ = syscall.Madvise(a.pages, hugePages) // advice
	}
	touch(a.pages)
	beforePinning()
	p := unsafe.Pointer(unsafe.SliceData(a.pages))
	if err := check(C.dfaparse_register_host(d.ctx, p, C.size_t(size)), "pin %d bytes of memory", size); err != nil {
		_ = syscall.Munmap(a.mapped)
		return a, err
	}
	d.usage.pinned.Add(len(a.pages))
	return a, nil
}

// touch has the system put memory behind pages, by several goroutines: one alone
// takes longer for that than the driver for pinning them.
func touch(pages []byte) {
	const least = 4 << 20 // bytes worth a goroutine
	workers := max(1, min(goruntime.GOMAXPROCS(0), 8, len(pages)/least))
	var wg sync.WaitGroup
	for w := range workers {
		part := pages[len(pages)*w/workers : len(pages)*(w+1)/workers]
		wg.Go(func() {
			for i := 0; i < len(part); i += pinnedAlign {
				part[i] = 0
			}
		})
	}
	wg.Wait()
}

// close unpins an area.
func (a *area) close(d *Device) error {
	d.usage.pinned.Add(-len(a.pages))
	p := unsafe.Pointer(unsafe.SliceData(a.pages))
	if err := check(C.dfaparse_unregister_host(d.ctx, p), "unpin %d bytes of memory", len(a.pages)); err != nil {
		return err
	}
	return syscall.Munmap(a.mapped)
}

// close gives everything back, unless somebody has a block.
func (x *pinned) close(d *Device) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if len(x.used) > 0 {
		return nil
	}
	var errs []error
	for _, a := range x.areas {
		errs = append(errs, a.close(d))
	}
	x.areas, x.rest, x.used, x.free, x.idle = nil, nil, nil, nil, 0
	return errors.Join(errs...)
}
