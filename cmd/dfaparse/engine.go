package main

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	goruntime "runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/input"
	"github.com/dfaparse/dfaparse/internal/pick"
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
	if name != "auto" && engines[name] == nil && !slices.Contains(knownEngines, name) {
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

// chosenEngine is the engine that r.engine names, or for auto the one that is
// expected to be done first with inputs in the format p. It waits for a device that
// is being opened, so it is asked for when all else is known.
func (r *reading) chosenEngine(p *dfa.Program) (runtime.Engine, error) {
	if name := r.engine; name != "" && name != "auto" {
		if r.why == "" {
			r.why = name + ", as asked for"
		}
		if r.opening != nil {
			return r.opening()
		}
		use, err := r.gpuUse()
		if err != nil {
			return nil, err
		}
		return engines[name](use), nil
	}
	r.task.Class = pick.ClassOf(p, r.columns)
	c := r.model().Choose(r.task)
	if c.GPU && r.without == nil {
		r.why = c.String() + r.unread
		return r.opening()
	}
	r.why = c.OfCPU()
	if r.without != nil {
		r.why += "; " + r.without.Error()
	}
	r.why += r.unread
	return engines["cpu"](gpuUse{}), nil
}

// model is that of this machine, which has no GPU if there seems to be none. One that
// is stored and cannot be read is as good as none.
func (r *reading) model() *pick.Model {
	if r.models == nil {
		var err error
		if r.models, _, err = pick.Load(goruntime.NumCPU()); err != nil {
			r.unread = fmt.Sprintf(" (%v)", err)
		}
		if !hasNVIDIA() {
			r.models.GPU, r.without = pick.Engine{}, errNoNVIDIA
		}
	}
	return r.models
}

// foresee finds out what there is to read, as far as that is known before anything is
// read: what is no file may be short, or slow, and what is compressed is.
func (r *reading) foresee(kind string, paths []string) {
	r.task = pick.Reading{Cores: r.threads, Output: pick.OutputRate(kind)}
	if r.condenses {
		r.task.Output = 0
	}
	if r.task.Cores == 0 {
		r.task.Cores = goruntime.GOMAXPROCS(0)
	}
	for _, path := range paths {
		info, err := os.Stat(path)
		if path == "-" || err != nil || !info.Mode().IsRegular() || isCompressed(path) {
			continue
		}
		r.task.Bytes += info.Size()
	}
	if r.limit >= 0 { // rows are seldom longer
		r.task.Bytes = min(r.task.Bytes, (r.limit+r.skip)<<10)
	}
}

// isCompressed reports whether a file is.
func isCompressed(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	head := make([]byte, 64)
	n, _ := io.ReadFull(f, head)
	return input.Compressed(head[:n])
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

// hasNVIDIA reports whether there seems to be a device of NVIDIA's. No driver is loaded
// for it.
func hasNVIDIA() bool {
	if goruntime.GOOS != "linux" {
		return false
	}
	for _, sign := range []string{"/proc/driver/nvidia", "/dev/nvidia0"} {
		if _, err := os.Stat(sign); err == nil {
			return true
		}
	}
	_, err := exec.LookPath("nvidia-smi")
	return err == nil
}

var errNoNVIDIA = errors.New("there is no NVIDIA device here")
