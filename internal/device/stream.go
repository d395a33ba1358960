//go:build cuda

package device

// #cgo noescape dfaparse_upload
// #cgo nocallback dfaparse_upload
// #cgo noescape dfaparse_download
// #cgo nocallback dfaparse_download
// #cgo noescape dfaparse_download_pitched
// #cgo nocallback dfaparse_download_pitched
// #cgo noescape dfaparse_launch
// #cgo nocallback dfaparse_launch
// #include "driver.h"
import "C"

import "unsafe"

// Stream is a queue of the device. What is put into one is done in order; what
// is in different ones may be done at the same time, and one can wait for an
// event of another.
type Stream struct {
	d *Device
	s C.CUstream
}

// NewStream makes a stream.
func (d *Device) NewStream() (*Stream, error) {
	s := &Stream{d: d}
	if err := check(C.dfaparse_create_stream(d.ctx, &s.s), "make a stream"); err != nil {
		return nil, err
	}
	return s, nil
}

// Close gives the stream up. What is in it is still done.
func (s *Stream) Close() error {
	return check(C.dfaparse_destroy_stream(s.d.ctx, s.s), "close a stream")
}

// Upload copies src to the device. Memory of AllocHost must stay as it is until
// that is done; any other memory may be reused at once, and is slower.
func (s *Stream) Upload(dst uint64, src []byte) error {
	if len(src) == 0 {
		return nil
	}
	r := C.dfaparse_upload(s.d.ctx, s.s, C.CUdeviceptr(dst), unsafe.Pointer(unsafe.SliceData(src)), C.size_t(len(src)))
	if r != C.CUDA_SUCCESS {
		return check(r, "copy %d bytes to the device", len(src))
	}
	return nil
}

// Download copies from the device to dst. Memory of AllocHost has the bytes when
// that is done; for any other memory the call waits.
func (s *Stream) Download(dst []byte, src uint64) error {
	if len(dst) == 0 {
		return nil
	}
	r := C.dfaparse_download(s.d.ctx, s.s, unsafe.Pointer(unsafe.SliceData(dst)), C.CUdeviceptr(src), C.size_t(len(dst)))
	if r != C.CUDA_SUCCESS {
		return check(r, "copy %d bytes from the device", len(dst))
	}
	return nil
}

// MaxPitch is the largest pitch that DownloadPitched takes; every device has it.
const MaxPitch = 1<<31 - 1

// DownloadPitched copies n rows of size bytes, which lie srcPitch apart on the
// device, to places that lie dstPitch apart in dst, as Download does. A pitch is
// not below size.
func (s *Stream) DownloadPitched(dst []byte, dstPitch int, src uint64, srcPitch, size, n int) error {
	if size == 0 || n == 0 {
		return nil
	}
	_ = dst[(n-1)*dstPitch+size-1]
	r := C.dfaparse_download_pitched(s.d.ctx, s.s, unsafe.Pointer(unsafe.SliceData(dst)), C.size_t(dstPitch), C.CUdeviceptr(src),
		C.size_t(srcPitch), C.size_t(size), C.size_t(n))
	if r != C.CUDA_SUCCESS {
		return check(r, "copy %d rows of %d bytes from the device", n, size)
	}
	return nil
}

// Copy copies n bytes within the device, between places that do not overlap.
func (s *Stream) Copy(dst, src uint64, n int) error {
	if n == 0 {
		return nil
	}
	r := C.dfaparse_copy(s.d.ctx, s.s, C.CUdeviceptr(dst), C.CUdeviceptr(src), C.size_t(n))
	if r != C.CUDA_SUCCESS {
		return check(r, "copy %d bytes on the device", n)
	}
	return nil
}

// Fill sets n bytes of the device.
func (s *Stream) Fill(dst uint64, value byte, n int) error {
	if n == 0 {
		return nil
	}
	r := C.dfaparse_fill(s.d.ctx, s.s, C.CUdeviceptr(dst), C.uchar(value), C.size_t(n))
	if r != C.CUDA_SUCCESS {
		return check(r, "fill %d bytes on the device", n)
	}
	return nil
}

// Grid is how many blocks a launch has in x, y and z; 0 in y or z is 1.
type Grid [3]int

// Launch runs a kernel in blocks of so many threads with so many bytes of
// dynamic shared memory. Arguments are addresses and integers. A launch of no
// blocks does nothing.
func (s *Stream) Launch(k *Kernel, grid Grid, block, shared int, args ...uint64) error {
	if grid[0] == 0 {
		return nil
	}
	if err := k.load(); err != nil {
		return err
	}
	g := [3]C.uint{C.uint(grid[0]), C.uint(max(1, grid[1])), C.uint(max(1, grid[2]))}
	r := C.dfaparse_launch(s.d.ctx, s.s, k.f, &g[0], C.uint(block), C.uint(shared),
		(*C.uint64_t)(unsafe.SliceData(args)), C.int(len(args)))
	if r != C.CUDA_SUCCESS {
		return check(r, "launch %s: %d×%d×%d blocks of %d threads with %d bytes of shared memory, %d arguments",
			k.Name, g[0], g[1], g[2], block, shared, len(args))
	}
	return nil
}

// Record makes ev happen when everything is done that is in the stream now.
func (s *Stream) Record(ev *Event) error {
	if r := C.dfaparse_record(s.d.ctx, s.s, ev.e); r != C.CUDA_SUCCESS {
		return check(r, "record an event")
	}
	return nil
}

// Wait holds up what is put into the stream from now on until ev has happened,
// as it was recorded last. An event that was never recorded has happened.
func (s *Stream) Wait(ev *Event) error {
	if r := C.dfaparse_wait(s.d.ctx, s.s, ev.e); r != C.CUDA_SUCCESS {
		return check(r, "wait for an event in a stream")
	}
	return nil
}

// Synchronize waits until everything in the stream is done. Its error may be
// that of any of it.
func (s *Stream) Synchronize() error {
	if r := C.dfaparse_synchronize(s.d.ctx, s.s); r != C.CUDA_SUCCESS {
		return check(r, "finish what is in a stream")
	}
	return nil
}
