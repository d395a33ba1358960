package bench

import (
	"syscall"
	"time"
)

// ProcessorTime is the time that all cores have spent for the process, in its
// code and in the system's.
func ProcessorTime() time.Duration {
	self, err := syscall.GetCurrentProcess()
	if err != nil {
		return 0
	}
	var created, ended, kernel, user syscall.Filetime
	if err := syscall.GetProcessTimes(self, &created, &ended, &kernel, &user); err != nil {
		return 0
	}
	units := func(f syscall.Filetime) int64 { return int64(f.HighDateTime)<<32 | int64(f.LowDateTime) }
	return time.Duration(units(kernel)+units(user)) * 100 // of 100 ns
}
