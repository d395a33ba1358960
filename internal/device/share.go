//go:build cuda

package device

// #include "driver.h"
import "C"

import "unsafe"

// This file is for programs that call the driver themselves, in the same context: the
// primary one of a device.

// Handle is the driver's own, a CUevent.
func (e *Event) Handle() uintptr { return uintptr(unsafe.Pointer(e.e)) }

// Hold holds up what is put into a CUstream of somebody else's from now on until ev
// has happened.
func (e *Event) Hold(stream uintptr) error {
	// A handle is no address of Go's, and vet takes it for one.
	s := *(*C.CUstream)(unsafe.Pointer(&stream))
	if r := C.dfaparse_wait(e.d.ctx, s, e.e); r != C.CUDA_SUCCESS {
		return check(r, "wait for an event in a stream")
	}
	return nil
}
