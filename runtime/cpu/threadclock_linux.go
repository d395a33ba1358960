package cpu

import (
	"time"

	"golang.org/x/sys/unix"
)

// newThreadClock is a clock that runs while a core is at work for the thread
// that reads it, which has to be the same from begin to the last lap.
func newThreadClock() *clock {
	return &clock{now: func() time.Duration {
		var t unix.Timespec
		if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t); err != nil {
			return 0
		}
		return time.Duration(t.Nano())
	}}
}
