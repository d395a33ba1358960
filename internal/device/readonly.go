//go:build cuda

package device

// #include "driver.h"
import "C"

import (
	"errors"
	"syscall"
	"unsafe"
)

// errReadOnly: the driver or the system is too old, or the device is of a kind.
var errReadOnly = errors.New("the driver does not register memory that may only be read")

// CanRegister says why Register cannot be called, nil if it can.
func (d *Device) CanRegister() error {
	if !d.readOnly {
		return errReadOnly
	}
	return nil
}

// Register has the device read memory that may only be read, whole pages of a file
// that is mapped, where it lies: as fast as memory that is pinned. The pages are held
// until Unregister, also if the file becomes shorter; of one that is shorter already
// it is an error, and no fault.
//
// Most of the time goes into having the system put pages behind the memory, which
// several can do at once.
func (d *Device) Register(b []byte) error {
	const populateRead = 22              // MADV_POPULATE_READ: gives an error where a load would fault
	_ = syscall.Madvise(b, populateRead) // older systems do not know it, then the driver does as much
	p := unsafe.Pointer(unsafe.SliceData(b))
	if err := check(C.dfaparse_register_read_only(d.ctx, p, C.size_t(len(b))), "register %d bytes of a file", len(b)); err != nil {
		return err
	}
	d.usage.registered.Add(len(b))
	return nil
}

// Unregister lets go of what Register was given, which no copy may read any more.
func (d *Device) Unregister(b []byte) error {
	p := unsafe.Pointer(unsafe.SliceData(b))
	if err := check(C.dfaparse_unregister_host(d.ctx, p), "let go of %d bytes of a file", len(b)); err != nil {
		return err
	}
	d.usage.registered.Add(-len(b))
	return nil
}
