//go:build cuda

package device

import (
	"encoding/binary"
	"errors"
	"runtime"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"github.com/dfaparse/dfaparse/kernels"
)

// marked is a launch of dfa_leftover that does next to nothing: a delivery of one
// word of rows, of which some are malformed, and a list without room. What is
// left is their number.
type marked struct {
	d    *Device
	s    *Stream
	k    *Kernel
	all  Memory
	n    uint64 // address of the number
	args [6]uint64
}

func newMarked(t testing.TB, rows uint32) *marked {
	t.Helper()
	d := open(t)
	m := &marked{d: d, s: must1[*Stream](t)(d.NewStream())}
	m.all = must1[Memory](t)(d.Alloc(8 << 10))
	t.Cleanup(func() {
		must(t, m.s.Close())
		must(t, d.FreeMemory(m.all))
	})
	m.k = must1[*Kernel](t)(d.Kernel("dfa_leftover"))
	const program, job, delivery, counts, malformed, n = 0, 1 << 10, 2 << 10, 3 << 10, 4 << 10, 5 << 10
	memory := make([]byte, 8<<10)
	at := m.all.Address
	put := func(offset uintptr, address uint64) { binary.LittleEndian.PutUint64(memory[offset:], address) }
	put(job+unsafe.Offsetof(kernels.Job{}.Counts), at+counts)
	put(delivery+unsafe.Offsetof(kernels.Delivery{}.Malformed), at+malformed)
	binary.LittleEndian.PutUint32(memory[delivery+unsafe.Offsetof(kernels.Delivery{}.RowTo):], 32)
	binary.LittleEndian.PutUint32(memory[delivery+unsafe.Offsetof(kernels.Delivery{}.Capacity):], 32)
	binary.LittleEndian.PutUint32(memory[counts+unsafe.Offsetof(kernels.Counts{}.Rows):], 32)
	binary.LittleEndian.PutUint32(memory[malformed:], rows)
	must(t, m.s.Upload(at, memory))
	m.n = at + n
	m.args = [6]uint64{at + program, at + job, at + delivery, 0, m.n, 0}
	return m
}

func (m *marked) launch() error { return m.s.Launch(m.k, Grid{1}, 32, 0, m.args[:]...) }

func (m *marked) number(t testing.TB) uint32 {
	t.Helper()
	var n [4]byte
	must(t, m.s.Download(n[:], m.n))
	must(t, m.s.Synchronize())
	return binary.LittleEndian.Uint32(n[:])
}

func TestLaunch(t *testing.T) {
	m := newMarked(t, 0b1101_0000_0001)
	k := must1[Resources](t)(m.k.Resources())
	if k.Registers < 1 || k.MaxThreads != 256 || k.Local < 0 || k.StaticShared < 0 {
		t.Errorf("%+v", k)
	}
	must(t, m.launch())
	if n := m.number(t); n != 4 {
		t.Errorf("the kernel counted %d, want 4", n)
	}
	must(t, m.s.Launch(m.k, Grid{0}, 32, 0)) // no blocks
	must(t, m.s.Launch(m.k, Grid{1, 0, 0}, 32, 100<<5, m.args[:]...))
	must(t, m.s.Launch(m.k, Grid{1}, 32, m.d.Info().MaxShared-k.StaticShared, m.args[:]...))
	if n := m.number(t); n != 12 {
		t.Errorf("three launches counted %d, want 12", n)
	}
	again := must1[*Kernel](t)(m.d.Kernel("dfa_leftover"))
	if again != m.k {
		t.Error("the kernel was loaded twice")
	}
}

// TestPrepare: a module is loaded when a kernel of it is launched, or before, by
// several at once, or not at all.
func TestPrepare(t *testing.T) {
	d := open(t)
	found := make([]*Kernel, 8)
	errs := make([]error, len(found))
	var wg sync.WaitGroup
	for i := range found {
		wg.Go(func() { found[i], errs[i] = d.Kernel("dfa_leftover") })
	}
	wg.Wait()
	must(t, errors.Join(errs...))
	if s := d.Start(); s.Loading != 0 {
		t.Errorf("to find a kernel loads it: %+v", s)
	}
	d.Prepare(found...)
	for i, k := range found {
		wg.Go(func() { _, errs[i] = k.Resources() })
		if k != found[0] {
			t.Error("one kernel is two")
		}
	}
	wg.Wait()
	must(t, errors.Join(errs...))
	if s := d.Start(); s.Loading <= 0 {
		t.Errorf("nothing was loaded: %+v", s)
	}
	unused := must1[*Device](t)(Open(0))
	unused.Prepare(must1[*Kernel](t)(unused.Kernel("dfa_leftover")))
	must(t, unused.Close())
}

// TestLaunchErrors: what the driver refuses is said, and breaks nothing.
func TestLaunchErrors(t *testing.T) {
	m := newMarked(t, 1)
	for _, c := range []struct {
		what string
		err  error
	}{
		{"4096 threads", m.s.Launch(m.k, Grid{1}, 4096, 0, m.args[:]...)},
		{"0 threads", m.s.Launch(m.k, Grid{1}, 0, 0, m.args[:]...)},
		{"67108864 bytes", m.s.Launch(m.k, Grid{1}, 32, 64<<20, m.args[:]...)},
		{"17 arguments", m.s.Launch(m.k, Grid{1}, 32, 0, make([]uint64, 17)...)},
		{"dfa_none", errorOf(m.d.Kernel("dfa_none"))},
	} {
		var e *Error
		if !errors.As(c.err, &e) || !strings.Contains(c.err.Error(), c.what) || errors.Is(c.err, ErrLost) {
			t.Errorf("%s: error %v", c.what, c.err)
		}
	}
	must(t, m.launch())
	if n := m.number(t); n != 1 {
		t.Errorf("the kernel counted %d, want 1", n)
	}
}

func errorOf[T any](_ T, err error) error { return err }

// TestLaunchFromAnyThread: goroutines are on any thread.
func TestLaunchFromAnyThread(t *testing.T) {
	m := newMarked(t, 1)
	const goroutines, launches = 8, 50
	var wg sync.WaitGroup
	errs := make([]error, goroutines)
	for i := range goroutines {
		wg.Go(func() {
			runtime.LockOSThread() // each has one of its own, that ends with it
			for range launches {
				errs[i] = errors.Join(errs[i], m.launch())
			}
		})
	}
	wg.Wait()
	must(t, errors.Join(errs...))
	if n := m.number(t); n != goroutines*launches {
		t.Errorf("%d launches of %d", n, goroutines*launches)
	}
}

// TestLaunchAllocates nothing.
func TestLaunchAllocates(t *testing.T) {
	m := newMarked(t, 1)
	pinned := must1[[]byte](t)(m.d.AllocHost(64))
	ev := must1[*Event](t)(m.d.NewEvent(false))
	n := testing.AllocsPerRun(100, func() {
		must(t, m.s.Upload(m.all.Address+7<<10, pinned))
		must(t, m.launch())
		must(t, m.s.Record(ev))
		must(t, m.s.Wait(ev))
		must(t, m.s.Download(pinned, m.all.Address+7<<10))
		must(t, m.s.Synchronize())
	})
	if n != 0 {
		t.Errorf("%v allocations", n)
	}
	must(t, ev.Close())
	must(t, m.d.FreeHost(pinned))
}

// BenchmarkLaunch is what a launch costs the thread that makes it.
func BenchmarkLaunch(b *testing.B) {
	m := newMarked(b, 0)
	b.ReportAllocs()
	for i := range b.N {
		must(b, m.launch())
		if i%1000 == 999 { // the queue of a stream is finite
			b.StopTimer()
			must(b, m.s.Synchronize())
			b.StartTimer()
		}
	}
}
