//go:build cuda

package main

import (
	"fmt"

	_ "github.com/dfaparse/dfaparse/runtime/gpu"
	"github.com/dfaparse/dfaparse/runtime/gpu/device"
)

// chooseEngine makes of auto the engine for GPUs, if the inputs are worth it
// and the device can be opened.
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
	return nil
}
