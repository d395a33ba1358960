//go:build cuda

package device

// #include "driver.h"
import "C"

import (
	"fmt"
	"sync"
	"time"
	"unsafe"

	"github.com/dfaparse/dfaparse/kernels"
)

// cubins is the machine code that there is.
var cubins = kernels.Embedded

// module is a module of package kernels on a device. The driver is given machine
// code if there is some for the device, and else PTX, which it compiles: that takes
// seconds, unless the driver has kept what it once made of it.
type module struct {
	of     *kernels.Module // nil: the host build, which has all kernels in it
	once   sync.Once       // of what follows
	handle C.CUmodule      // nil: it is not loaded
	err    error
}

// modules are those for a device. The host build, whose capability is 0, asks for
// no code.
func modules(capability int) []*module {
	if capability == 0 {
		return []*module{{}}
	}
	of := kernels.Modules(capability)
	all := make([]*module, len(of))
	for i := range of {
		all[i] = &module{of: &of[i]}
	}
	return all
}

// load loads the module, once. It may be called by several at once.
func (m *module) load(d *Device) error {
	m.once.Do(func() {
		began := time.Now()
		loaded, refused := m.loadCode(d)
		if !loaded {
			m.err = m.loadPTX(d)
		}
		d.note(func(s *Start) {
			s.Loading += time.Since(began)
			switch {
			case loaded:
				s.MachineCode++
			case m.err == nil && m.of != nil:
				s.PTX++
			}
			if refused != nil && s.Refused == nil {
				s.Refused = refused
			}
		})
	})
	return m.err
}

// loadCode loads machine code. Where there is none for the device it is not loaded
// and nothing is refused.
func (m *module) loadCode(d *Device) (loaded bool, refused error) {
	if m.of == nil {
		return false, nil
	}
	arch, ok := kernels.Runs(d.info.Capability, cubins().Archs(m.of))
	if !ok {
		return false, nil
	}
	code, err := cubins().Code(m.of, arch)
	if err == nil {
		err = m.loadImage(d, code, kernels.CubinName(m.of.Stem, arch))
	}
	return err == nil, err
}

// loadPTX loads the PTX, or the host build.
func (m *module) loadPTX(d *Device) error {
	if m.of == nil {
		return m.loadImage(d, []byte{0}, "of the host build")
	}
	return m.loadImage(d, append([]byte(m.of.PTX()), 0), m.of.PTXName())
}

// loadImage has the driver load machine code, or PTX that ends in a zero.
func (m *module) loadImage(d *Device, image []byte, name string) error {
	log := make([]byte, 8<<10)
	r := C.dfaparse_load_module(d.ctx, &m.handle, unsafe.Pointer(unsafe.SliceData(image)), (*C.char)(unsafe.Pointer(&log[0])), C.uint(len(log)))
	if r == C.CUDA_SUCCESS {
		return nil
	}
	m.handle = nil
	err := &Error{Op: fmt.Sprintf("load module %s of %d bytes", name, len(image)), Code: Code(r)}
	if text := C.GoString((*C.char)(unsafe.Pointer(&log[0]))); text != "" {
		err.Detail = err.Code.String() + ": " + text
	}
	return err
}
