//go:build cuda

package device

// #cgo LDFLAGS: -lcuda -ldl
// #include "driver.h"
import "C"

import "sync"

// load loads the driver, once for the process, and says why it cannot.
//
// The Go binding initialises the driver when the program starts, and would end
// the program without one: driver/forward.c keeps it from doing either.
var load = sync.OnceValue(func() error {
	var why *C.char
	r := C.dfaparse_driver_load(&why)
	switch {
	case why != nil:
		return &Error{Op: "load the NVIDIA driver", Code: Code(r), Detail: C.GoString(why)}
	case r != 0:
		return &Error{Op: "initialise the NVIDIA driver", Code: Code(r)}
	}
	return nil
})
