package main

import (
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/cpu"
	"github.com/dfaparse/dfaparse/runtime/reference"
)

// gpuUse is which GPUs are used, by number; none are all that there are.
type gpuUse struct{ devices []int }

// engines are those that this build has, by name.
var engines = map[string]func(gpuUse) runtime.Engine{
	"reference": func(gpuUse) runtime.Engine { return reference.Engine },
	"cpu":       func(gpuUse) runtime.Engine { return cpu.Engine },
}

// knownEngines are those that some build has, and that people are told of.
var knownEngines = []string{"reference", "cpu", "gpu"}

// checkEngine refuses a name of no engine, and a device for another than the gpu's.
func (r *reading) checkEngine() error {
	name := r.engine
	if name == "" {
		name = "auto"
	}
	if name != "auto" && engines[name] == nil {
		return usagef("unknown engine %q, want auto, %s", name, strings.Join(knownEngines, ", "))
	}
	if r.device > 0 && name != "auto" && name != "gpu" {
		return usagef("--device is for the engine gpu, not for %s", name)
	}
	if r.devices != "" && name != "auto" && name != "gpu" {
		return usagef("--devices is for the engine gpu, not for %s", name)
	}
	_, err := r.gpuUse()
	return err
}

// gpuUse is what --device and --devices say.
func (r *reading) gpuUse() (use gpuUse, err error) {
	switch {
	case r.devices == "":
		return gpuUse{[]int{r.device}}, nil
	case r.device > 0:
		return use, usagef("--device and --devices are two ways to say the same")
	case r.devices == "all":
		return use, nil
	}
	for _, number := range strings.Split(r.devices, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(number))
		if err != nil || n < 0 || slices.Contains(use.devices, n) {
			return use, usagef("--devices %s: want all, or different numbers of \"dfaparse devices\", as 0,1", r.devices)
		}
		use.devices = append(use.devices, n)
	}
	return use, nil
}

// chosenEngine is the engine that r.engine names. It waits for a device that is
// being opened, so it is asked for when all else is known.
func (r *reading) chosenEngine() (runtime.Engine, error) {
	if r.opening != nil {
		return r.opening()
	}
	name := r.engine
	if name == "" || name == "auto" {
		name = "cpu"
	}
	use, err := r.gpuUse()
	if err != nil {
		return nil, err
	}
	return engines[name](use), nil
}

// starter is an engine that can say how long it took to start.
type starter interface{ Start() []string }

// keeper is an engine that can say how much memory it had.
type keeper interface{ Memory() []string }

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
