//go:build cuda

package gpu

import (
	"github.com/dfaparse/dfaparse/internal/device"
	"github.com/dfaparse/dfaparse/kernels"
)

// rowThreads is the block of the kernels that take a row a thread, see
// kernels/partition.cu and split.cu.
const rowThreads = 256

// waves is how many blocks a multiprocessor gets of a kernel whose grid does
// not follow from its work: more than it can run at once, so that all end
// at about the same time.
const waves = 16

// strides is how many blocks of a kernel that goes through its work in strides
// of the grid are worth launching for n threads.
func strides(d *device.Device, n, threads int) int {
	return max(1, min((n+threads-1)/threads, waves*d.Info().Multiprocessors))
}

// partitionStage checks each row and gives each of its fields a place in its
// column: the twin is NewShape of runtime/reference.
type partitionStage struct {
	device *device.Device
	kernel partitionKernel
}

func newPartitionStage(d *device.Device) (*partitionStage, error) {
	k, err := findPartitionKernel(d, "dfa_partition")
	return &partitionStage{d, k}, err
}

// launch runs the stage over a delivery of at most so many rows. It completes the
// counts, so it is to be run where there are no rows too. The addresses are of
// a Program, a Job and a Delivery.
func (x *partitionStage) launch(s *device.Stream, program pointer[kernels.Program], job pointer[kernels.Job], delivery pointer[kernels.Delivery], rows int) error {
	return x.kernel.launch(s, device.Grid{strides(x.device, rows, rowThreads)}, rowThreads, 0, program, job, delivery)
}
