package main

import "os"

// cudaCommand is the build of this command that has the engine for GPUs. It
// is another one because the driver is called by way of cgo.
const cudaCommand = "dfaparse-cuda"

// worthGPU reports whether inputs are large enough for a GPU that nobody has
// asked for: to open one takes some tenths of a second, in which the CPU reads
// some hundred megabytes. What is no file may be short, or slow.
func worthGPU(paths []string) bool {
	const enough = 256 << 20
	total := int64(0)
	for _, path := range paths {
		if info, err := os.Stat(path); path != "-" && err == nil && info.Mode().IsRegular() {
			total += info.Size()
		}
	}
	return total >= enough
}
