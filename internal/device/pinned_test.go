//go:build cuda

package device

import (
	"bytes"
	"math/rand"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"unsafe"
)

// registering opens a device of the host build for which memory is registered.
func registering(t *testing.T) *Device {
	t.Helper()
	t.Setenv("DFAPARSE_HOST_REGISTERED", "1")
	d := open(t)
	if !d.pinned.possible {
		t.Skip("a device that cannot use registered memory where it lies")
	}
	return d
}

// TestPinnedSteps: small blocks are cut off one area, large ones are areas of their
// own, and what is given back is taken again.
func TestPinnedSteps(t *testing.T) {
	d := registering(t)
	small := must1[[]byte](t)(d.AllocHost(100))
	for range 10 {
		must1[[]byte](t)(d.AllocHost(5000))
	}
	if s := d.Start(); s.Pinned != pinnedStep || s.Pinning <= 0 {
		t.Errorf("%d bytes are pinned for 11 small blocks, want %d", s.Pinned, pinnedStep)
	}
	large := must1[[]byte](t)(d.AllocHost(5 << 20))
	want := pinnedStep + 5<<20
	if at := uintptr(unsafe.Pointer(&large[0])); at%pinnedLarge != 0 {
		t.Errorf("a large block begins at %x", at)
	}
	for range 3 {
		must(t, d.FreeHost(small))
		must(t, d.FreeHost(large))
		again := must1[[]byte](t)(d.AllocHost(4096))
		if &again[0] != &small[0] {
			t.Error("a small block is not taken again")
		}
		small = again
		if again = must1[[]byte](t)(d.AllocHost(3 << 20)); &again[0] != &large[0] || cap(again) != 3<<20 {
			t.Error("a large block is not taken again")
		}
		large = again
	}
	must(t, d.FreeHost(large))
	must1[[]byte](t)(d.AllocHost(pinnedSmall + 1)) // not of the large one
	want += pinnedSmall + pinnedAlign
	if s := d.Start(); s.Pinned != want {
		t.Errorf("%d bytes are pinned, want %d", s.Pinned, want)
	}
}

// TestPinnedBlocks: blocks of any size, taken and given back in any order by several
// at once, are nobody else's.
func TestPinnedBlocks(t *testing.T) {
	d := registering(t)
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			rng := rand.New(rand.NewSource(int64(g)))
			var mine [][]byte
			for i := range 300 {
				n := 1 + rng.Intn(1<<(4+rng.Intn(18)))
				b, err := d.AllocHost(n)
				if err != nil || len(b) != n || cap(b) != n || uintptr(unsafe.Pointer(&b[0]))%64 != 0 {
					t.Errorf("%d bytes: %d, error %v", n, len(b), err)
					return
				}
				mark := byte(g<<6 | i&63)
				for k := range b {
					b[k] = mark
				}
				mine = append(mine, b)
				if len(mine) > 8 {
					k := rng.Intn(len(mine))
					if b := mine[k]; !bytes.Equal(b, bytes.Repeat(b[:1], len(b))) {
						t.Error("somebody else has written into a block")
						return
					}
					if err := d.FreeHost(mine[k]); err != nil {
						t.Error(err)
					}
					mine = slices.Delete(mine, k, k+1)
				}
			}
		})
	}
	wg.Wait()
}

// TestPinnedIdle: as much as was in use at once is kept for who asks next, up to a share of the host's
// memory, or so much as is always kept, and no more.
func TestPinnedIdle(t *testing.T) {
	defer func(before int) { pinnedIdle = before }(pinnedIdle)
	const size = 4 << 20
	for _, x := range []struct {
		always, share int // blocks
		users         []int
		want          int
	}{
		{4, 0, []int{6}, 4}, {4, 0, []int{3}, 3}, {4, 5, []int{6}, 5}, {4, 100, []int{6}, 6},
		{4, 100, []int{6, 2, 6}, 6}, {4, 100, []int{2, 6, 3}, 6}, {4, 7, []int{6, 9}, 7},
	} {
		d := registering(t)
		pinnedIdle, d.pinned.share = x.always*size, x.share*size
		fresh := 0
		for _, n := range x.users {
			before := len(d.pinned.areas)
			var all [][]byte
			for range n {
				all = append(all, must1[[]byte](t)(d.AllocHost(size)))
			}
			fresh = len(d.pinned.areas) - before
			for _, b := range all {
				must(t, d.FreeHost(b))
			}
		}
		if d.pinned.idle != x.want*size || len(d.pinned.areas) != x.want || d.pinned.held != 0 {
			t.Errorf("%+v: %d bytes are idle in %d areas, %d held", x, d.pinned.idle, len(d.pinned.areas), d.pinned.held)
		}
		if len(x.users) == 3 && fresh != 0 {
			t.Errorf("%+v: %d blocks are pinned anew", x, fresh)
		}
		must(t, d.Close())
	}
}

// TestHostMemory: what a control group may have is no more than the host has, whatever says it, and where nothing does.
func TestHostMemory(t *testing.T) {
	defer func(before []string) { memoryLimits = before }(memoryLimits)
	dir := t.TempDir()
	memoryLimits = []string{filepath.Join(dir, "none")}
	all := hostMemory()
	if all < 64<<20 {
		t.Errorf("the host has %d bytes of memory", all)
	}
	memoryLimits = []string{filepath.Join(dir, "max"), filepath.Join(dir, "limit")}
	for _, x := range []struct {
		max, limit string
		want       int
	}{
		{"max\n", "", all}, {"33554432\n", "", 32 << 20}, {"", "33554432\n", 32 << 20}, {"", "9223372036854771712\n", all},
		{"99999999999999999999999\n", "x", all}, {"0\n", "", 0}, {"33554432", "16777216", 16 << 20},
	} {
		for i, text := range []string{x.max, x.limit} {
			must(t, os.WriteFile(memoryLimits[i], []byte(text), 0o600))
		}
		if n := hostMemory(); n != x.want {
			t.Errorf("%+v: %d bytes of memory", x, n)
		}
	}
}

// TestPrepareHost: what was pinned before somebody asked is what he gets.
func TestPrepareHost(t *testing.T) {
	d := registering(t)
	d.PrepareHost(1000, 1) // too little
	d.PrepareHost(1<<20, 1)
	if s := d.Start(); s.Pinned != 1<<20 {
		t.Errorf("%d bytes are pinned", s.Pinned)
	}
	b := must1[[]byte](t)(d.AllocHost(1<<20 - 5000))
	if s := d.Start(); s.Pinned != 1<<20 {
		t.Errorf("%d bytes are pinned", s.Pinned)
	}
	d.PrepareHost(1<<20, 1) // that one is somebody's
	must(t, d.FreeHost(b))
	for range 3 {
		d.PrepareHost(1<<20, 2) // both are there
	}
	if s := d.Start(); s.Pinned != 2<<20 {
		t.Errorf("%d bytes are pinned for two who may ask", s.Pinned)
	}
	var wg sync.WaitGroup
	for range 6 {
		wg.Go(func() { d.PrepareHost(1<<20, 4) })
	}
	wg.Wait()
	if s := d.Start(); s.Pinned != 4<<20 {
		t.Errorf("%d bytes are pinned for four who may ask", s.Pinned)
	}
	t.Setenv("DFAPARSE_HOST_REFUSE", "register")
	d.PrepareHost(4<<20, 1)
}

// TestPinnedMeanwhile: while memory is being pinned for one, another has what is there, and
// gives back.
func TestPinnedMeanwhile(t *testing.T) {
	d := registering(t)
	there := must1[[]byte](t)(d.AllocHost(1 << 20))
	must(t, d.FreeHost(there))
	pinning, goOn := make(chan bool), make(chan bool)
	defer func(before func()) { beforePinning = before }(beforePinning)
	beforePinning = func() { pinning <- true; <-goOn }
	var wg sync.WaitGroup
	wg.Go(func() {
		b, err := d.AllocHost(8 << 20)
		if err != nil || len(b) != 8<<20 {
			t.Error(len(b), err)
		}
	})
	<-pinning
	again := must1[[]byte](t)(d.AllocHost(1 << 20)) // waits for ever if it waits for the other
	if &again[0] != &there[0] {
		t.Error("another block than what is there")
	}
	must(t, d.FreeHost(again))
	goOn <- true
	wg.Wait()
}

// TestPinnedOtherwise: where memory cannot be registered, the driver allocates it.
func TestPinnedOtherwise(t *testing.T) {
	d := registering(t)
	t.Setenv("DFAPARSE_HOST_REFUSE", "register")
	b := must1[[]byte](t)(d.AllocHost(10_000))
	b[9999] = 1
	if s := d.Start(); s.Pinned != 10_000 {
		t.Errorf("%d bytes are pinned", s.Pinned)
	}
	must(t, d.FreeHost(b))
}
