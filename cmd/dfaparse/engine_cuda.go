//go:build cuda

package main

import (
	"fmt"

	"github.com/dfaparse/dfaparse/internal/device"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/gpu"
)

func init() {
	engines["gpu"] = func(use gpuUse) runtime.Engine {
		opts := []gpu.Option{gpu.WithDevice(use.device)}
		if use.failed != nil {
			opts = append(opts, gpu.WithFallback(use.failed))
		}
		return gpu.New(opts...)
	}
	for name, path := range map[string]gpu.Option{
		"gpu-general":    gpu.WithGeneralPath(),
		"gpu-tagged":     gpu.WithTagging(gpu.Tagged),
		"gpu-terminated": gpu.WithTagging(gpu.Terminated),
		"gpu-delimited":  gpu.WithTagging(gpu.Delimited),
	} {
		engines[name] = func(use gpuUse) runtime.Engine { return variant{gpu.New(path, gpu.WithDevice(use.device)), name} }
	}
}

// variant is the engine for GPUs by another path, which is measured beside it.
type variant struct {
	*gpu.Engine
	name string
}

func (v variant) Name() string { return v.name }

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
		r.deviceFailed = func(err error) {
			fmt.Fprintf(people{std.err}, "dfaparse: the CPU reads on, because the GPU has failed: %v\n", err)
		}
	}
	return nil
}
