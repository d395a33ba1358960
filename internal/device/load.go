//go:build cuda

package device

// #cgo LDFLAGS: -lcuda -ldl
// #include "driver.h"
import "C"

import (
	"os"
	"sync"
	"time"
)

// moduleLoading is a variable by which the driver loads a kernel of a module when it
// is first asked for, rather than all at once. Newer drivers do so unasked.
const moduleLoading = "CUDA_MODULE_LOADING"

// loadTook is the time that load took; it is set before load returns.
var loadTook time.Duration

// load loads the driver, once for the process, and says why it cannot.
//
// The Go binding initialises the driver when the program starts, and would end
// the program without one: driver/forward.c keeps it from doing either.
var load = sync.OnceValue(func() error {
	loaded.Store(true)
	began := time.Now()
	defer func() { loadTook = time.Since(began) }()
	if _, ok := os.LookupEnv(moduleLoading); !ok {
		_ = os.Setenv(moduleLoading, "LAZY") // which cgo tells C of
	}
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
