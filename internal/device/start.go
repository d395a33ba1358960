//go:build cuda

package device

import "time"

// Start is what was done on a Device so far before its kernels could run, and how
// long that took.
type Start struct {
	Driver  time.Duration // loading the driver and initialising it: once a process
	Context time.Duration // making the context, or finding the one that is there

	// Modules that the driver was given as machine code, and as PTX. The host
	// build's is neither.
	MachineCode, PTX int
	Loading          Span
	Refused          error // why machine code that there is was not taken, the first time

	Pinned  int // bytes of the host's memory
	Pinning Span
}

// Span is a time in which several may have been at work at once.
type Span struct {
	from, to time.Time
	Work     time.Duration // of all together
}

// add adds what began at a time and ends now.
func (s *Span) add(began time.Time) {
	now := time.Now()
	if s.from.IsZero() || began.Before(s.from) {
		s.from = began
	}
	s.to = now
	s.Work += now.Sub(began)
}

// Start says how the device was opened, and what was loaded and pinned until now.
func (d *Device) Start() Start {
	d.noting.Lock()
	defer d.noting.Unlock()
	return d.start
}

// note writes into what Start gives.
func (d *Device) note(f func(*Start)) {
	d.noting.Lock()
	defer d.noting.Unlock()
	f(&d.start)
}
