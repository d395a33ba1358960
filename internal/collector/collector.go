// Package collector tunes the garbage collector of the command. Whoever imports it has that done before
// most packages are initialised, which take memory: a run of a few milliseconds has no collection then.
package collector

import (
	"os"
	"runtime"
	"runtime/debug"
)

// The collector runs when the heap has grown by half: it is a few large buffers without pointers, which
// cost little to collect. The first time it is 48 MiB, so that a short run has no collection. What is
// allocated is not sampled, which takes a stack of each large buffer, until somebody asks for a profile.
func init() {
	runtime.MemProfileRate = 0
	if os.Getenv("GOGC") != "" {
		return
	}
	debug.SetGCPercent(1200) // of 4 MiB
	runtime.AddCleanup(new([64]byte), func(percent int) { debug.SetGCPercent(percent) }, 50)
}

// Sample has what is allocated from here on in profiles, as Go has it.
func Sample() { runtime.MemProfileRate = 512 << 10 }
