//go:build unix

package main

import (
	"syscall"
	"time"
)

// work is how many seconds of processor cores the process and its children
// have taken.
func work() float64 {
	total := int64(0)
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var u syscall.Rusage
		if err := syscall.Getrusage(who, &u); err != nil {
			return 0
		}
		total += u.Utime.Nano() + u.Stime.Nano()
	}
	return time.Duration(total).Seconds()
}
