//go:build cuda

package gpu

import (
	"unsafe"

	"github.com/dfaparse/dfaparse/internal/device"
)

const (
	copyThreads = 256 // a block
	copyPadding = 32  // what dfa_join may read behind a block
)

// copyStage is for copies that are waited for: see kernels/copy.cu.
type copyStage struct {
	device  *device.Device
	copying copyKernel
	joining joinKernel
	ends    endsKernel
}

func newCopyStage(d *device.Device) (*copyStage, error) {
	x := &copyStage{device: d}
	var err error
	if x.copying, err = findCopyKernel(d, "dfa_copy"); err != nil {
		return nil, err
	}
	if x.joining, err = findJoinKernel(d, "dfa_join"); err != nil {
		return nil, err
	}
	x.ends, err = findEndsKernel(d, "dfa_ends")
	return x, err
}

// join puts two runs of symbols behind each other, the second one aligned, all
// of them in the device's memory.
func (x *copyStage) join(s *device.Stream, dst, carried uint64, ncarried int, block uint64, nblock int) error {
	units := (ncarried + nblock + 15) / 16
	if units == 0 {
		return nil
	}
	return x.joining.launch(s, device.Grid{strides(x.device, units, copyThreads)}, copyThreads, 0, dst, carried, uint64(ncarried), block, uint64(nblock))
}

// countEnds counts the line ends of a block of n bytes, by pieces of endsPiece. The counts are in pinned memory.
func (x *copyStage) countEnds(s *device.Stream, in *arena, block uint64, n int) (counts []uint16, err error) {
	pieces := (n + endsPiece - 1) / endsPiece
	blocks := (pieces + endsPieces - 1) / endsPieces
	b, err := in.take(2 * endsPieces * blocks)
	if err != nil || n == 0 {
		return nil, err
	}
	return arrayOf[uint16](b)[:pieces], x.ends.launch(s, device.Grid{blocks}, copyThreads, 0, addressOf(b), block, uint64(n))
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
	return x.copying.launch(s, device.Grid{(units + copyThreads - 1) / copyThreads}, copyThreads, 0, dst, src, uint64(units))
}

// addressOf is where pinned memory lies, for kernels too: addresses are unified.
func addressOf(b []byte) uint64 { return uint64(uintptr(unsafe.Pointer(unsafe.SliceData(b)))) }
