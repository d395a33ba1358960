//go:build cuda

package gpu

import "github.com/dfaparse/dfaparse/internal/device"

// splitStage takes the values of columns apart: the twin is Splitter of
// internal/convert.
type splitStage struct {
	device *device.Device
	kernel *device.Kernel
}

func newSplitStage(d *device.Device) (*splitStage, error) {
	k, err := d.Kernel("dfa_split")
	return &splitStage{d, k}, err
}

// launch splits at most so many rows of a batch that has so many splits.
func (x *splitStage) launch(s *device.Stream, job, batch uint64, rows, splits int) error {
	if splits == 0 {
		return nil
	}
	grid := device.Grid{strides(x.device, rows, rowThreads), min(splits, 1<<16-1)}
	return s.Launch(x.kernel, grid, rowThreads, 0, job, batch)
}
