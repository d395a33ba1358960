//go:build cuda

package device

// #include "driver.h"
import "C"

import "unsafe"

// Memory is a part of the device's memory. Its address is one of the device, and
// a multiple of 256.
type Memory struct {
	Address uint64
	Size    int // bytes
}

// Free is how many bytes of the device's memory are free, and how many there
// are in all.
func (d *Device) Free() (free, total int, err error) {
	var f, t C.size_t
	err = check(C.dfaparse_mem_info(d.ctx, &f, &t), "ask for free memory")
	return int(f), int(t), err
}

// Alloc allocates n bytes, whose content is not defined. No bytes are no memory.
func (d *Device) Alloc(n int) (Memory, error) {
	if n == 0 {
		return Memory{}, nil
	}
	var address C.CUdeviceptr
	if err := check(C.dfaparse_alloc(d.ctx, &address, C.size_t(n)), "allocate %d bytes on the device", n); err != nil {
		return Memory{}, err
	}
	return Memory{uint64(address), n}, nil
}

// FreeMemory gives memory back. It waits until nothing uses it.
func (d *Device) FreeMemory(m Memory) error {
	if m.Size == 0 {
		return nil
	}
	return check(C.dfaparse_free(d.ctx, C.CUdeviceptr(m.Address)), "free %d bytes on the device", m.Size)
}

// AllocHost allocates n bytes of the host's memory that are pinned: a device
// reads and writes them at the speed of the bus, while the host does something
// else. Their content is not defined. They are not Go's, and FreeHost gives
// them back.
func (d *Device) AllocHost(n int) ([]byte, error) {
	if n == 0 {
		return nil, nil
	}
	var p unsafe.Pointer
	if err := check(C.dfaparse_alloc_host(d.ctx, &p, C.size_t(n)), "allocate %d bytes of pinned memory", n); err != nil {
		return nil, err
	}
	return unsafe.Slice((*byte)(p), n), nil
}

// FreeHost gives back what AllocHost gave, all of it.
func (d *Device) FreeHost(b []byte) error {
	if cap(b) == 0 {
		return nil
	}
	p := unsafe.Pointer(unsafe.SliceData(b))
	return check(C.dfaparse_free_host(d.ctx, p), "free %d bytes of pinned memory", cap(b))
}
