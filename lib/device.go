//go:build cgo && (linux || darwin)

package main

// #include "block.h"
import "C"

import "unsafe"

// deviceColumns are an input as columns in the memory of a GPU, which a library that was
// built for GPUs has.
type deviceColumns interface {
	schema(out *C.struct_ArrowSchema) error
	// next fills out, which is a struct ArrowDeviceArray, and leaves it as it is at the end.
	next(out unsafe.Pointer) error
	close() error
}

//export goDeviceOpen
func goDeviceOpen(n C.dfaparse_format, options *C.char, data unsafe.Pointer, nbytes C.size_t, out *C.uint64_t, err *C.dfaparse_error) C.int {
	return guarded(err, func() error {
		f, err := kept[*format](n)
		if err != nil {
			return err
		}
		var o openOptions
		if err := decoded(options, &o); err != nil {
			return err
		}
		if err := f.made(); err != nil {
			return err
		}
		c, err := openDevice(f, &o, bytesOf(data, nbytes))
		if err != nil {
			return err
		}
		*out = keep(c)
		return nil
	})
}

//export goDeviceSchema
func goDeviceSchema(n C.uint64_t, out *C.struct_ArrowSchema, err *C.dfaparse_error) C.int {
	return guarded(err, func() error {
		c, err := kept[deviceColumns](n)
		if err != nil {
			return err
		}
		return c.schema(out)
	})
}

//export goDeviceNext
func goDeviceNext(n C.uint64_t, out *C.struct_ArrowDeviceArray, err *C.dfaparse_error) C.int {
	return guarded(err, func() error {
		c, err := kept[deviceColumns](n)
		if err != nil {
			return err
		}
		return c.next(unsafe.Pointer(out))
	})
}

//export goDeviceRelease
func goDeviceRelease(n C.uint64_t) {
	if c, err := kept[deviceColumns](n); err == nil {
		forget(n)
		_ = guarded(nil, c.close)
	}
}
