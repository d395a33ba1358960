//go:build cuda

package gpu

import (
	"unsafe"

	"github.com/dfaparse/dfaparse/runtime/gpu/device"
)

// copyThreads is the block of dfa_copy.
const copyThreads = 256

// copyStage is for what is small and waited for: see kernels/copy.cu.
type copyStage struct{ kernel *device.Kernel }

func newCopyStage(d *device.Device) (*copyStage, error) {
	k, err := d.Kernel("dfa_copy")
	return &copyStage{k}, err
}

// upload copies pinned memory to the device, and download the other way round,
// rounded up to 16 bytes, which both sides have. The content is that at the time
// of the copy.
func (x *copyStage) upload(s *device.Stream, dst uint64, src []byte) error {
	return x.launch(s, dst, addressOf(src), len(src))
}

func (x *copyStage) download(s *device.Stream, dst []byte, src uint64) error {
	return x.launch(s, addressOf(dst), src, len(dst))
}

func (x *copyStage) launch(s *device.Stream, dst, src uint64, nbytes int) error {
	units := (nbytes + 15) / 16
	return s.Launch(x.kernel, device.Grid{(units + copyThreads - 1) / copyThreads}, copyThreads, 0, dst, src, uint64(units))
}

// addressOf is where pinned memory lies, for kernels too: addresses are unified.
func addressOf(b []byte) uint64 { return uint64(uintptr(unsafe.Pointer(unsafe.SliceData(b)))) }
