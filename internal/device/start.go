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
	Loading          time.Duration // of all together, also of those that were loaded at once
	Refused          error         // why machine code that there is was not taken, the first time

	Pinned  int           // bytes of the host's memory
	Pinning time.Duration // of all together
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
