//go:build cuda

package device

// #include "driver.h"
import "C"

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
	d.usage.device.Add(n)
	return Memory{uint64(address), n}, nil
}

// FreeMemory gives memory back. It waits until nothing uses it.
func (d *Device) FreeMemory(m Memory) error {
	if m.Size == 0 {
		return nil
	}
	d.usage.device.Add(-m.Size)
	return check(C.dfaparse_free(d.ctx, C.CUdeviceptr(m.Address)), "free %d bytes on the device", m.Size)
}
