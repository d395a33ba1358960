//go:build cuda

package device

// #include <stdlib.h>
// #include "driver.h"
import "C"

import (
	"fmt"
	"sync"
	"unsafe"

	"github.com/dfaparse/dfaparse/kernels"
)

// Kernel is an entry of a module. It is loaded, with its module, when it is first
// launched, or before by Prepare.
type Kernel struct {
	Name string

	d         *Device
	m         *module
	once      sync.Once // of what follows
	err       error
	f         C.CUfunction
	resources Resources
}

// Resources are what a kernel takes of a device.
type Resources struct {
	Registers    int // a thread
	StaticShared int // bytes a block
	Local        int // bytes a thread has in memory: spilled registers and arrays
	MaxThreads   int // a block
}

// Kernel finds a kernel by its name. A block may have all the shared memory that
// the device gives to one.
func (d *Device) Kernel(name string) (*Kernel, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if k := d.kernels[name]; k != nil {
		return k, nil
	}
	for _, m := range d.modules {
		if m.of == nil && kernels.Known(name) || m.of != nil && m.of.Has(name) {
			k := &Kernel{Name: name, d: d, m: m}
			d.kernels[name] = k
			return k, nil
		}
	}
	return nil, &Error{
		Op: "find kernel " + name, Code: Code(C.CUDA_ERROR_NOT_FOUND),
		Detail: fmt.Sprintf("no module has it for a device of compute capability %d.%d", d.info.Capability/10, d.info.Capability%10),
	}
}

// Prepare loads the modules of kernels side by side, and returns before they are
// loaded: who launches one waits for its module alone.
func (d *Device) Prepare(kernels ...*Kernel) {
	seen := map[*module]bool{}
	for _, k := range kernels {
		if !seen[k.m] {
			seen[k.m] = true
			d.loading.Go(func() { _ = k.m.load(d) }) // load has the error
		}
	}
}

// Resources says what the kernel takes. It loads the kernel.
func (k *Kernel) Resources() (Resources, error) {
	err := k.load()
	return k.resources, err
}

// load loads the kernel, once.
func (k *Kernel) load() error {
	k.once.Do(func() {
		if k.err = k.m.load(k.d); k.err != nil {
			return
		}
		c := C.CString(k.Name)
		defer C.free(unsafe.Pointer(c))
		var f C.struct_dfaparse_function
		r := C.dfaparse_find_function(k.d.ctx, &f, k.m.handle, c, C.int(k.d.info.MaxShared))
		if k.err = check(r, "find kernel %s", k.Name); k.err != nil {
			return
		}
		k.f = f.f
		k.resources = Resources{
			Registers: int(f.registers), StaticShared: int(f.static_shared), Local: int(f.local), MaxThreads: int(f.max_threads),
		}
	})
	return k.err
}
