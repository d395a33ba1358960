//go:build cuda

package device

// #include "driver.h"
import "C"

import (
	"errors"
	"fmt"
	"sync"
	"time"
	"unsafe"

	"gorgonia.org/cu"
)

// Info is what is known of a GPU without opening it.
type Info struct {
	Ordinal int
	Name    string
	Memory  int // bytes in all
	// Its compute capability, 90 for 9.0. The host build of the kernels, which is
	// no GPU, has 0.
	Capability int
	// The version of CUDA that the driver is for: 12090 for 12.9.
	Driver          int
	Multiprocessors int
	MaxShared       int // bytes of shared memory that a block may have
}

// Devices lists the GPUs that the driver sees.
func Devices() ([]Info, error) {
	if err := load(); err != nil {
		return nil, err
	}
	n, err := cu.NumDevices()
	if err != nil {
		return nil, binding(err, "count devices")
	}
	found := make([]Info, n)
	for i := range found {
		if _, err := describe(i, &found[i]); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// describe fills in what is known of the device of an ordinal.
func describe(ordinal int, info *Info) (cu.Device, error) {
	dev, err := cu.GetDevice(ordinal)
	if err != nil {
		return dev, binding(err, "find device %d", ordinal)
	}
	*info = Info{Ordinal: ordinal, Driver: cu.Version()}
	if info.Name, err = dev.Name(); err != nil {
		return dev, binding(err, "ask device %d for its name", ordinal)
	}
	memory, err := dev.TotalMem()
	if err != nil {
		return dev, binding(err, "ask device %d for its memory", ordinal)
	}
	info.Memory = int(memory)
	var major, minor int
	for _, a := range []struct {
		value     *int
		attribute cu.DeviceAttribute
	}{
		{&major, C.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR},
		{&minor, C.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR},
		{&info.Multiprocessors, C.CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT},
		{&info.MaxShared, C.CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN},
	} {
		if *a.value, err = dev.Attribute(a.attribute); err != nil {
			return dev, binding(err, "ask device %d for attribute %d", ordinal, int(a.attribute))
		}
	}
	info.Capability = 10*major + minor
	return dev, nil
}

// Device is a GPU that is open.
type Device struct {
	info Info
	dev  cu.Device
	ctx  C.CUcontext

	modules []*module
	loading sync.WaitGroup // Prepare

	mu      sync.Mutex
	kernels map[string]*Kernel // found so far

	kept     *kept  // memory of the device
	pinned   pinned // memory of the host
	readOnly bool   // that may only be read can be registered
	usage    usage

	noting sync.Mutex
	start  Start
}

// Open opens the GPU of an ordinal, in its primary context.
func Open(ordinal int) (*Device, error) {
	if err := load(); err != nil {
		return nil, err
	}
	n, err := cu.NumDevices()
	if err != nil {
		return nil, binding(err, "count devices")
	}
	if ordinal < 0 || ordinal >= n {
		return nil, &Error{
			Op: fmt.Sprintf("open device %d", ordinal), Code: Code(C.CUDA_ERROR_INVALID_DEVICE),
			Detail: fmt.Sprintf("the number of devices is %d", n),
		}
	}
	d := &Device{kernels: map[string]*Kernel{}}
	if d.dev, err = describe(ordinal, &d.info); err != nil {
		return nil, err
	}
	registered, err := d.dev.Attribute(C.CU_DEVICE_ATTRIBUTE_CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM)
	d.pinned.possible = err == nil && registered != 0 // a driver that does not know of it will do
	d.pinned.share = hostMemory() / pinnedShare
	readOnly, err := d.dev.Attribute(C.CU_DEVICE_ATTRIBUTE_READ_ONLY_HOST_REGISTER_SUPPORTED)
	d.readOnly = err == nil && readOnly != 0
	began := time.Now()
	ctx, err := d.dev.RetainPrimaryCtx()
	if err != nil {
		return nil, binding(err, "open device %d (%s)", ordinal, d.info.Name)
	}
	d.ctx = *(*C.CUcontext)(unsafe.Pointer(&ctx)) // a structure of this one pointer
	d.start.Driver, d.start.Context = loadTook, time.Since(began)
	d.modules, d.kept = modules(d.info.Capability), openKept(ordinal)
	return d, nil
}

// Info describes the device.
func (d *Device) Info() Info { return d.info }

// Close lets go of the device and its kernels. Memory, streams and events are to
// be given back before; what is not stays as long as somebody in this process
// has the device open.
func (d *Device) Close() error {
	d.loading.Wait()
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.ctx == nil {
		return nil
	}
	d.closeKept()
	errs := []error{d.pinned.close(d)}
	for _, m := range d.modules {
		if m.handle != nil {
			errs = append(errs, check(C.dfaparse_unload_module(d.ctx, m.handle), "unload a module"))
		}
	}
	d.modules, d.kernels, d.ctx = nil, nil, nil
	errs = append(errs, binding(d.dev.ReleasePrimaryCtx(), "close device %d", d.info.Ordinal))
	return errors.Join(errs...)
}
