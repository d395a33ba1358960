//go:build cuda

package main

import (
	"fmt"

	"github.com/dfaparse/dfaparse/internal/device"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/gpu"
)

// variant is the engine for GPUs by another path, which is measured beside it.
type variant struct {
	*gpu.Engine
	name string
}

func (v variant) Name() string { return v.name }

func init() {
	runtime.Register(variant{gpu.New(gpu.WithGeneralPath()), "gpu-general"})
	runtime.Register(variant{gpu.New(gpu.WithTagging(gpu.Tagged)), "gpu-tagged"})
	runtime.Register(variant{gpu.New(gpu.WithTagging(gpu.Terminated)), "gpu-terminated"})
	runtime.Register(variant{gpu.New(gpu.WithTagging(gpu.Delimited)), "gpu-delimited"})
}

// chooseEngine makes of auto the engine for GPUs, if the inputs are worth it
// and the device can be opened. Where the device fails later, the CPU reads on.
func (r *reading) chooseEngine(paths []string, std *streams) error {
	asked := r.engine == "gpu"
	if !asked && (r.engine != "auto" || !worthGPU(paths)) {
		return nil
	}
	// The device stays open, so that the engine need not open it again.
	_, err := device.Open(r.device)
	switch {
	case err == nil:
		r.engine = "gpu"
	case asked:
		return fmt.Errorf("--engine gpu: %w", err)
	default:
		r.engine = "cpu"
		fmt.Fprintf(people{std.err}, "dfaparse: the CPU reads, because no GPU is usable: %v\n", err)
	}
	if err == nil && !asked {
		runtime.Register(gpu.New(gpu.WithFallback(func(err error) {
			fmt.Fprintf(people{std.err}, "dfaparse: the CPU reads on, because the GPU has failed: %v\n", err)
		})))
	}
	return nil
}
