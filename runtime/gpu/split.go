//go:build cuda

package gpu

import (
	"github.com/dfaparse/dfaparse/internal/device"
	"github.com/dfaparse/dfaparse/kernels"
)

// splitStage takes the values of columns apart: the twin is Splitter of
// internal/convert.
type splitStage struct {
	device *device.Device
	kernel splitKernel
}

func newSplitStage(d *device.Device) (*splitStage, error) {
	k, err := findSplitKernel(d, "dfa_split")
	return &splitStage{d, k}, err
}

// launch splits at most so many rows of a delivery that has so many splits.
func (x *splitStage) launch(s *device.Stream, job pointer[kernels.Job], delivery pointer[kernels.Delivery], rows, splits int) error {
	if splits == 0 {
		return nil
	}
	grid := device.Grid{strides(x.device, rows, rowThreads), min(splits, 1<<16-1)}
	return x.kernel.launch(s, grid, rowThreads, 0, job, delivery)
}
