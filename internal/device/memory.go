//go:build cuda

package device

// #include "driver.h"
import "C"

import (
	"errors"
	"slices"
	"sync"
)

// Memory is a part of the device's memory. Its address is one of the device, and
// a multiple of 256.
type Memory struct {
	Address uint64
	Size    int // bytes
}

// kept is memory of a GPU that nobody uses, for who asks next: to take it from the driver, and
// to give it back, takes longer than to parse what fits, and stops the device. All Devices of
// an ordinal are in one context, and have one such.
type kept struct {
	mu     sync.Mutex
	opened int      // Devices that have it
	blocks []Memory // the smallest first
	size   int      // bytes of these
}

// Of the memory of a GPU one part in keptShare is kept at most.
const keptShare = 4

var keptOf struct {
	mu sync.Mutex
	by map[int]*kept // by ordinal
}

// openKept is what is kept of the memory of an ordinal, for one more Device.
func openKept(ordinal int) *kept {
	keptOf.mu.Lock()
	defer keptOf.mu.Unlock()
	x := keptOf.by[ordinal]
	if x == nil {
		x = &kept{}
		if keptOf.by == nil {
			keptOf.by = map[int]*kept{}
		}
		keptOf.by[ordinal] = x
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.opened++
	return x
}

// closeKept ends a Device's use of what is kept. The last one frees it, for it does not outlive
// their context.
func (d *Device) closeKept() {
	d.kept.mu.Lock()
	d.kept.opened--
	last := d.kept.opened == 0
	d.kept.mu.Unlock()
	if last {
		d.giveUp()
	}
}

// Free is how many bytes of the device's memory are free, and how many there
// are in all.
func (d *Device) Free() (free, total int, err error) {
	var f, t C.size_t
	err = check(C.dfaparse_mem_info(d.ctx, &f, &t), "ask for free memory")
	d.kept.mu.Lock()
	defer d.kept.mu.Unlock()
	return int(f) + d.kept.size, int(t), err
}

// Alloc allocates n bytes, whose content is not defined. No bytes are no memory.
func (d *Device) Alloc(n int) (Memory, error) {
	if n == 0 {
		return Memory{}, nil
	}
	if m := d.kept.take(n); m.Size > 0 {
		d.usage.device.Add(m.Size)
		return m, nil
	}
	m, err := d.alloc(n)
	if err != nil && d.giveUp() {
		m, err = d.alloc(n)
	}
	return m, err
}

func (d *Device) alloc(n int) (Memory, error) {
	var address C.CUdeviceptr
	if err := check(C.dfaparse_alloc(d.ctx, &address, C.size_t(n)), "allocate %d bytes on the device", n); err != nil {
		return Memory{}, err
	}
	d.usage.device.Add(n)
	return Memory{uint64(address), n}, nil
}

// take gives memory of n bytes, or a little more, if there is some.
func (x *kept) take(n int) (m Memory) {
	x.mu.Lock()
	defer x.mu.Unlock()
	i, _ := slices.BinarySearchFunc(x.blocks, n, func(m Memory, n int) int { return m.Size - n })
	if i == len(x.blocks) || x.blocks[i].Size > n+n/4 {
		return m
	}
	m = x.blocks[i]
	x.blocks = slices.Delete(x.blocks, i, i+1)
	x.size -= m.Size
	return m
}

// KeepMemory gives memory back that the device does not use any more: unlike FreeMemory it
// waits for nothing, and whoever asks next may have it at once.
func (d *Device) KeepMemory(m Memory) error {
	x := d.kept
	x.mu.Lock()
	if m.Size == 0 || x.opened == 0 || x.size+m.Size > d.info.Memory/keptShare {
		x.mu.Unlock()
		return d.FreeMemory(m)
	}
	defer x.mu.Unlock()
	d.usage.device.Add(-m.Size)
	i, _ := slices.BinarySearchFunc(x.blocks, m.Size, func(m Memory, n int) int { return m.Size - n })
	x.blocks = slices.Insert(x.blocks, i, m)
	x.size += m.Size
	return nil
}

// giveUp frees what is kept, and reports whether that is something.
func (d *Device) giveUp() bool {
	d.kept.mu.Lock()
	blocks := d.kept.blocks
	d.kept.blocks, d.kept.size = nil, 0
	d.kept.mu.Unlock()
	var errs []error
	for _, m := range blocks {
		errs = append(errs, d.free(m))
	}
	return len(blocks) > 0 && errors.Join(errs...) == nil
}

// FreeMemory gives memory back. It waits until nothing uses it.
func (d *Device) FreeMemory(m Memory) error {
	if m.Size == 0 {
		return nil
	}
	d.usage.device.Add(-m.Size)
	return d.free(m)
}

func (d *Device) free(m Memory) error {
	return check(C.dfaparse_free_memory(d.ctx, C.CUdeviceptr(m.Address)), "free %d bytes on the device", m.Size)
}
