//go:build cuda

package device

// #include "driver.h"
import "C"

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
)

// What errors.Is finds in an Error.
var (
	// ErrOutOfMemory: the memory that was asked for is not there, on the
	// device or pinned on the host. The device goes on.
	ErrOutOfMemory = errors.New("out of memory")
	// ErrLost: the device is gone or its context is broken, by a fault of a
	// kernel, say. Nothing that was opened on it works any more.
	ErrLost = errors.New("the device is lost")
)

// Code is a result of the driver, a CUresult.
type Code int

// Error is a call of the driver that failed.
type Error struct {
	Op     string // what was attempted, with its sizes
	Code   Code
	Detail string // more than the code says, or ""
}

func (e *Error) Error() string {
	text := "cannot " + e.Op + ": "
	if e.Detail != "" {
		return text + e.Detail
	}
	return text + e.Code.String()
}

// Is reports what kind of error e is: ErrOutOfMemory, ErrLost.
func (e *Error) Is(target error) bool {
	switch target {
	case ErrOutOfMemory:
		return e.Code == C.CUDA_ERROR_OUT_OF_MEMORY
	case ErrLost:
		return e.Code.lost()
	}
	return false
}

// lost: what the driver's manual says of these is that the context cannot be
// used, or that the process must end, or that the device is not there.
func (c Code) lost() bool {
	switch c {
	case C.CUDA_ERROR_DEINITIALIZED, C.CUDA_ERROR_NO_DEVICE, C.CUDA_ERROR_DEVICE_UNAVAILABLE,
		C.CUDA_ERROR_INVALID_CONTEXT, C.CUDA_ERROR_CONTEXT_IS_DESTROYED,
		C.CUDA_ERROR_ECC_UNCORRECTABLE, C.CUDA_ERROR_NVLINK_UNCORRECTABLE,
		C.CUDA_ERROR_ILLEGAL_ADDRESS, C.CUDA_ERROR_LAUNCH_TIMEOUT, C.CUDA_ERROR_ASSERT,
		C.CUDA_ERROR_HARDWARE_STACK_ERROR, C.CUDA_ERROR_ILLEGAL_INSTRUCTION, C.CUDA_ERROR_MISALIGNED_ADDRESS,
		C.CUDA_ERROR_INVALID_ADDRESS_SPACE, C.CUDA_ERROR_INVALID_PC, C.CUDA_ERROR_LAUNCH_FAILED,
		C.CUDA_ERROR_EXTERNAL_DEVICE, C.CUDA_ERROR_SYSTEM_NOT_READY, C.CUDA_ERROR_UNKNOWN:
		return true
	}
	return false
}

// String is the driver's name for c and what it says of it.
func (c Code) String() string {
	var name, text *C.char
	if C.cuGetErrorName(C.CUresult(c), &name) != 0 || name == nil {
		return fmt.Sprintf("driver error %d", int(c))
	}
	if C.cuGetErrorString(C.CUresult(c), &text) != 0 || text == nil {
		return C.GoString(name)
	}
	return C.GoString(name) + ", " + strings.TrimSpace(C.GoString(text))
}

// check makes an error of a result; op and args are what was attempted.
func check(r C.CUresult, op string, args ...any) error {
	if r == C.CUDA_SUCCESS {
		return nil
	}
	return &Error{Op: fmt.Sprintf(op, args...), Code: Code(r)}
}

// binding makes an Error of one of the Go binding, which is an integer of a type
// that is not exported.
func binding(err error, op string, args ...any) error {
	if err == nil {
		return nil
	}
	e := &Error{Op: fmt.Sprintf(op, args...), Code: Code(C.CUDA_ERROR_UNKNOWN)}
	if v := reflect.ValueOf(err); v.CanInt() {
		e.Code = Code(v.Int())
	} else {
		e.Detail = err.Error()
	}
	return e
}
