//go:build cuda

package main

import (
	"fmt"

	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/gpu"
	"github.com/dfaparse/dfaparse/runtime/gpu/device"
)

// generalPath is the engine for GPUs without its fused path, which is measured
// beside it.
type generalPath struct{ *gpu.Engine }

func (generalPath) Name() string { return "gpu-general" }

func init() { runtime.Register(generalPath{gpu.New(gpu.WithGeneralPath())}) }

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
		fmt.Fprintf(std.err, "dfaparse: the CPU reads, because no GPU is usable: %v\n", err)
	}
	if err == nil && !asked {
		runtime.Register(gpu.New(gpu.WithFallback(func(err error) {
			fmt.Fprintf(std.err, "dfaparse: the CPU reads on, because the GPU has failed: %v\n", err)
		})))
	}
	return nil
}
