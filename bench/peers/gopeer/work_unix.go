//go:build unix

package main

import (
	"syscall"
	"time"
)

// work is how many seconds of processor cores the process has taken.
func work() float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()).Seconds()
}
