//go:build unix

package bench

import (
	"syscall"
	"time"
)

// ProcessorTime is the time that all cores have spent for the process, in its
// code and in the system's.
func ProcessorTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
