//go:build !unix

package fuzz

import "time"

var started = time.Now()

// cpuTime is the time that has passed, for want of a better one.
func cpuTime() time.Duration { return time.Since(started) }
