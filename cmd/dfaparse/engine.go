package main

import (
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/cpu"
	"github.com/dfaparse/dfaparse/runtime/reference"
)

// gpuUse is which GPU is used, and who is told that it failed, so that the CPU
// reads on; nil: it is an error.
type gpuUse struct {
	device int
	failed func(error)
}

// engines are those that this build has, by name.
var engines = map[string]func(gpuUse) runtime.Engine{
	"reference": func(gpuUse) runtime.Engine { return reference.Engine },
	"cpu":       func(gpuUse) runtime.Engine { return cpu.Engine },
}

// knownEngines are those that some build has, and that people are told of.
var knownEngines = []string{"reference", "cpu", "gpu"}

// chosenEngine is the engine that r.engine names.
func (r *reading) chosenEngine() (runtime.Engine, error) {
	name := r.engine
	if name == "" || name == "auto" {
		name = "cpu"
	}
	open, ok := engines[name]
	if !ok {
		return nil, usagef("unknown engine %q, want auto, %s", name, strings.Join(knownEngines, ", "))
	}
	if r.device > 0 && r.engine != "auto" && name != "gpu" {
		return nil, usagef("--device is for the engine gpu, not for %s", name)
	}
	return open(gpuUse{r.device, r.deviceFailed}), nil
}

// engineNames are the names of this build's engines.
func engineNames() string { return strings.Join(slices.Sorted(maps.Keys(engines)), ", ") }

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
