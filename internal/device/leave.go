//go:build cuda

package device

// #include "leave.h"
import "C"

import (
	"os"
	"sync/atomic"
)

// loaded is set when the driver begins to be loaded.
var loaded atomic.Bool

// Exit ends the process, as os.Exit does. When a process that has a context ends, the driver
// takes 0.1 s to let go of the device, for which who waits for the process would wait too. So
// that is left to a process which is nobody's: it has the same memory and the same files, ends
// when the other one has, and does nothing else. Until then the device's memory is taken.
func Exit(code int) {
	if loaded.Load() {
		C.dfaparse_leave(C.int(code))
	}
	os.Exit(code)
}
