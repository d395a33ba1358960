// Package device is a GPU as the engine needs it: memory on both sides, streams
// that copies and kernels are put into, events, and the kernels of package
// kernels by name. It is made of a few calls of the CUDA driver, and it is all
// that knows the driver.
//
//	d, err := device.Open(0)
//	m, err := d.Alloc(n)
//	s, err := d.NewStream()
//	k, err := d.Kernel("dfa_index")
//	err = s.Upload(m.Address, input)
//	err = s.Launch(k, device.Grid{blocks}, 256, 0, program, job)
//	err = s.Download(counts, address)
//	err = s.Synchronize()
//
// Nothing is global but the driver, which is loaded by the first call of
// Devices or Open: a program that this is linked into starts without it. Several
// Devices can be open side by side, also of one GPU, and all methods may be
// called by several goroutines on any thread; what is put into one stream by
// several of them is in no particular order. A method that puts something into
// a stream does not wait for it, so its errors may be those of what was put
// there before.
//
// The package is empty without the build tag cuda. With it, cgo needs the
// driver's header and the archive of driver/forward.c in place of its library:
// "make cuda-env" prints the settings.
package device
