//go:build cuda

package device

// #include <stdlib.h>
// #include "driver.h"
import "C"

import (
	"fmt"
	"slices"
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
// device, when the first kernel of it is asked for. A block may have all the
// shared memory that the device gives to one.
func (d *Device) Kernel(name string) (*Kernel, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if k := d.kernels[name]; k != nil {
		return k, nil
	}
	module, err := d.module(name)
	if err != nil {
		return nil, err
	}
	c := C.CString(name)
	defer C.free(unsafe.Pointer(c))
	var f C.struct_dfaparse_function
	r := C.dfaparse_find_function(d.ctx, &f, module, c, C.int(d.info.MaxShared))
	if err := check(r, "find kernel %s", name); err != nil {
		return nil, err
	}
	k := &Kernel{
		Name: name, f: f.f, Registers: int(f.registers), StaticShared: int(f.static_shared),
		Local: int(f.local), MaxThreads: int(f.max_threads),
	}
	d.kernels[name] = k
	return k, nil
}

// module loads the module that has a kernel.
func (d *Device) module(kernel string) (C.CUmodule, error) {
	// The host build has the kernels in it, and asks for no PTX.
	m := kernels.Module{Stem: "host"}
	if d.info.Capability > 0 {
		all := kernels.PTX(d.info.Capability)
		i := slices.IndexFunc(all, func(m kernels.Module) bool { return slices.Contains(m.Entries, kernel) })
		if i < 0 {
			return nil, &Error{
				Op: "find kernel " + kernel, Code: Code(C.CUDA_ERROR_NOT_FOUND),
				Detail: fmt.Sprintf("no PTX has it for a device of compute capability %d.%d", d.info.Capability/10, d.info.Capability%10),
			}
		}
		m = all[i]
	}
	if module, ok := d.modules[m.Stem]; ok {
		return module, nil
	}
	image := C.CString(m.Text)
	defer C.free(unsafe.Pointer(image))
	log := make([]byte, 8<<10)
	var module C.CUmodule
	r := C.dfaparse_load_module(d.ctx, &module, image, (*C.char)(unsafe.Pointer(&log[0])), C.uint(len(log)))
	if r != C.CUDA_SUCCESS {
		err := &Error{Op: fmt.Sprintf("load module %s.compute_%d of %d bytes", m.Stem, m.Arch, len(m.Text)), Code: Code(r)}
		if text := C.GoString((*C.char)(unsafe.Pointer(&log[0]))); text != "" {
			err.Detail = err.Code.String() + ": " + text
		}
		return nil, err
	}
	d.modules[m.Stem] = module
	return module, nil
}
