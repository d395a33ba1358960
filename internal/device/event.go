//go:build cuda

package device

// #include "driver.h"
import "C"

import "time"

// Event is a place in a stream that can be waited for.
type Event struct {
	d *Device
	e C.CUevent
}

// NewEvent makes an event; with timing, Since can be asked.
func (d *Device) NewEvent(timing bool) (*Event, error) {
	e := &Event{d: d}
	var t C.int
	if timing {
		t = 1
	}
	if err := check(C.dfaparse_create_event(d.ctx, &e.e, t), "make an event"); err != nil {
		return nil, err
	}
	return e, nil
}

// Close gives the event up.
func (e *Event) Close() error {
	return check(C.dfaparse_destroy_event(e.d.ctx, e.e), "close an event")
}

// Synchronize waits until the event has happened.
func (e *Event) Synchronize() error {
	if r := C.dfaparse_synchronize_event(e.d.ctx, e.e); r != C.CUDA_SUCCESS {
		return check(r, "wait for an event")
	}
	return nil
}

// Query reports whether the event has happened.
func (e *Event) Query() (bool, error) {
	switch r := C.dfaparse_query_event(e.d.ctx, e.e); r {
	case C.CUDA_SUCCESS:
		return true, nil
	case C.CUDA_ERROR_NOT_READY:
		return false, nil
	default:
		return false, check(r, "ask for an event")
	}
}

// Since is the time from start to e on the device, to about half a microsecond.
// Both have happened, and have timing.
func (e *Event) Since(start *Event) (time.Duration, error) {
	var ms C.float
	if r := C.dfaparse_elapsed(e.d.ctx, &ms, start.e, e.e); r != C.CUDA_SUCCESS {
		return 0, check(r, "ask for the time between events")
	}
	return time.Duration(float64(ms) * float64(time.Millisecond)), nil
}
