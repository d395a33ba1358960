//go:build cuda

package main

import (
	"fmt"
	"os"
	"sync"

	"github.com/dfaparse/dfaparse/internal/device"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/cpu"
	"github.com/dfaparse/dfaparse/runtime/gpu"
)

func init() {
	engines["gpu"] = func(use gpuUse) runtime.Engine { return gpu.New(gpu.Devices(use.devices...)) }
	for name, path := range map[string]gpu.Option{
		"gpu-general":    gpu.WithGeneralPath(),
		"gpu-contexts":   gpu.WithoutMasks(),
		"gpu-tagged":     gpu.WithTagging(gpu.Tagged),
		"gpu-terminated": gpu.WithTagging(gpu.Terminated),
		"gpu-delimited":  gpu.WithTagging(gpu.Delimited),
		"gpu-views":      gpu.WithTextViews(),
	} {
		engines[name] = func(use gpuUse) runtime.Engine { return variant{gpu.New(path, gpu.Devices(use.devices...)), name} }
	}
}

// exit ends the process, and waits for no driver.
func exit(code int) { device.Exit(code) }

// variant is the engine for GPUs by another path, which is measured beside it.
type variant struct {
	*gpu.Engine
	name string
}

func (v variant) Name() string { return v.name }

// chooseEngine begins to open the devices, if they are asked for. That takes a while;
// chosenEngine says how it ended, and opens those that auto takes. Where these fail later,
// the CPU reads on.
func (r *reading) chooseEngine(kind string, paths []string, std *streams) error {
	asked := r.engine == "gpu"
	if !asked && r.engine != "auto" {
		return nil
	}
	if !asked {
		if r.foresee(kind, paths); !r.model().Possible(r.task) {
			return nil
		}
	}
	use, err := r.gpuUse()
	if err != nil {
		return err
	}
	hideOthers(use.devices)
	opts := []gpu.Option{gpu.Devices(use.devices...)}
	switch {
	case len(use.devices) != 1:
		opts = append(opts, gpu.WithFallback(func(err error) {
			fmt.Fprintf(people{std.err}, "dfaparse: the other GPUs read on, or else the CPU, because one has failed: %v\n", err)
		}))
	case !asked:
		opts = append(opts, gpu.WithFallback(func(err error) {
			fmt.Fprintf(people{std.err}, "dfaparse: the CPU reads on, because the GPU has failed: %v\n", err)
		}))
	}
	e := gpu.New(opts...)
	if asked {
		e.Begin() // for auto the spec says first whether it is needed: a core may be busy with it for nothing
	}
	r.opening = sync.OnceValues(func() (runtime.Engine, error) {
		switch err := e.Ready(); {
		case err == nil:
			return e, nil
		case asked:
			return nil, fmt.Errorf("--engine gpu: %w", err)
		default:
			fmt.Fprintf(people{std.err}, "dfaparse: the CPU reads, because no GPU is usable: %v\n", err)
			r.why = "cpu: no GPU is usable"
			return cpu.Engine, nil
		}
	})
	return nil
}

// visibleDevices is the variable by which the driver is told which GPUs there are.
const visibleDevices = "CUDA_VISIBLE_DEVICES"

// hideOthers has the driver look at the first GPU only, where it is the one that is used and
// nobody has said what the driver is to see: to initialise it takes as long again for each.
func hideOthers(devices []int) {
	if _, said := os.LookupEnv(visibleDevices); !said && len(devices) == 1 && devices[0] == 0 {
		_ = os.Setenv(visibleDevices, "0")
	}
}
