//go:build cuda

package device

// #include <stdlib.h>
// #include "driver.h"
import "C"

import (
	"fmt"
	"slices"
	"sync"
	"unsafe"

	"github.com/dfaparse/dfaparse/kernels"
)

// Kernel is an entry of a module that is loaded.
type Kernel struct {
	Name         string
	Registers    int // a thread
	StaticShared int // bytes a block
	Local        int // bytes a thread has in memory: spilled registers and arrays
	MaxThreads   int // a block

	f C.CUfunction
}

// Kernel finds a kernel by its name. Its module is loaded, and compiled for the
// device, when the first kernel of it is asked for, unless Preload was called. A
// block may have all the shared memory that the device gives to one.
func (d *Device) Kernel(name string) (*Kernel, error) {
	d.mu.Lock()
	k := d.kernels[name]
	d.mu.Unlock()
	if k != nil {
		return k, nil
	}
	m, err := d.moduleOf(name)
	if err != nil {
		return nil, err
	}
	if err := m.load(d.ctx); err != nil {
		return nil, err
	}
	c := C.CString(name)
	defer C.free(unsafe.Pointer(c))
	var f C.struct_dfaparse_function
	r := C.dfaparse_find_function(d.ctx, &f, m.handle, c, C.int(d.info.MaxShared))
	if err := check(r, "find kernel %s", name); err != nil {
		return nil, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if k := d.kernels[name]; k != nil { // somebody else was faster
		return k, nil
	}
	k = &Kernel{
		Name: name, f: f.f, Registers: int(f.registers), StaticShared: int(f.static_shared),
		Local: int(f.local), MaxThreads: int(f.max_threads),
	}
	d.kernels[name] = k
	return k, nil
}

// Preload loads all modules side by side, and returns before they are loaded.
// The driver keeps what it compiled; the first time it takes seconds.
func (d *Device) Preload() {
	for _, m := range d.modules {
		d.loading.Go(func() { _ = m.load(d.ctx) }) // Kernel has the error
	}
}

// module is a module of package kernels on a device.
type module struct {
	kernels.Module
	once   sync.Once
	handle C.CUmodule // nil: it is not loaded
	err    error
}

// modules are those for a device. The host build has the kernels in it: it has
// one module, with all of them, and asks for no PTX.
func modules(capability int) []*module {
	if capability == 0 {
		return []*module{{Module: kernels.Module{Stem: "host"}}}
	}
	var all []*module
	for _, m := range kernels.PTX(capability) {
		all = append(all, &module{Module: m})
	}
	return all
}

// moduleOf is the module that has a kernel.
func (d *Device) moduleOf(kernel string) (*module, error) {
	for _, m := range d.modules {
		if m.Arch == 0 || slices.Contains(m.Entries, kernel) {
			return m, nil
		}
	}
	return nil, &Error{
		Op: "find kernel " + kernel, Code: Code(C.CUDA_ERROR_NOT_FOUND),
		Detail: fmt.Sprintf("no PTX has it for a device of compute capability %d.%d", d.info.Capability/10, d.info.Capability%10),
	}
}

// load loads the module, once.
func (m *module) load(ctx C.CUcontext) error {
	m.once.Do(func() {
		image := C.CString(m.Text)
		defer C.free(unsafe.Pointer(image))
		log := make([]byte, 8<<10)
		r := C.dfaparse_load_module(ctx, &m.handle, image, (*C.char)(unsafe.Pointer(&log[0])), C.uint(len(log)))
		if r == C.CUDA_SUCCESS {
			return
		}
		err := &Error{Op: fmt.Sprintf("load module %s.compute_%d of %d bytes", m.Stem, m.Arch, len(m.Text)), Code: Code(r)}
		if text := C.GoString((*C.char)(unsafe.Pointer(&log[0]))); text != "" {
			err.Detail = err.Code.String() + ": " + text
		}
		m.handle, m.err = nil, err
	})
	return m.err
}
