//go:build cuda

package handover

// #include "handover.h"
import "C"

import (
	"errors"
	"runtime/cgo"
	"unsafe"
)

// Array is an array in a device's memory.
type Array struct {
	Len, Nulls int
	Buffers    []uint64 // addresses; 0: there is none
	Variadic   []int64  // bytes of the last of them, where their number is not the type's
	Children   []*Array
	Dictionary *Array // nil: its values are no indices
}

// Owner has the memory that arrays are in.
type Owner interface {
	Retain()
	Release()
}

//export dfaparseLetGo
func dfaparseLetGo(owner C.uintptr_t) {
	h := cgo.Handle(owner)
	h.Value().(Owner).Release()
	h.Delete()
}

// hold is a handle that holds owner until C lets go of it.
func hold(owner Owner) C.uintptr_t {
	owner.Retain()
	return C.uintptr_t(cgo.NewHandle(owner))
}

// errMemory is an allocation of C's that failed.
var errMemory = errors.New("there is no memory for a C structure")

// DeviceArray fills out, a struct ArrowDeviceArray, with an array on the device of CUDA of
// a number, which is there when a CUevent happens. It holds owner until it is released, and
// so does each child that is moved out of it.
func DeviceArray(out unsafe.Pointer, a *Array, device int, event uintptr, owner Owner) error {
	to := (*C.struct_ArrowDeviceArray)(out)
	*to = C.struct_ArrowDeviceArray{}
	if err := fill(&to.array, a, event, owner); err != nil {
		return err
	}
	to.device_id, to.device_type = C.int64_t(device), C.kArrowDeviceCUDA
	to.sync_event = C.dfaparse_event_of(&to.array)
	return nil
}

func fill(to *C.struct_ArrowArray, a *Array, event uintptr, owner Owner) error {
	dictionary := C.int(0)
	if a.Dictionary != nil {
		dictionary = 1
	}
	held := hold(owner)
	if C.dfaparse_fill_array(to, C.int64_t(a.Len), C.int64_t(a.Nulls), C.int64_t(len(a.Buffers)), C.int64_t(len(a.Variadic)), C.int64_t(len(a.Children)),
		dictionary, held, C.uintptr_t(event)) == 0 {
		dfaparseLetGo(held)
		return errMemory
	}
	for i, address := range a.Buffers {
		C.dfaparse_set_buffer(to, C.int64_t(i), C.uint64_t(address))
	}
	for i, size := range a.Variadic {
		C.dfaparse_set_size(to, C.int64_t(i), C.int64_t(size))
	}
	var err error
	for i, child := range unsafe.Slice(to.children, len(a.Children)) {
		err = errors.Join(err, fill(child, a.Children[i], 0, owner))
	}
	if a.Dictionary != nil {
		err = errors.Join(err, fill(to.dictionary, a.Dictionary, 0, owner))
	}
	if err != nil {
		C.dfaparse_release_array(to)
	}
	return err
}

// Code is the kind of a tensor's values.
type Code uint8

// Codes of DLPack: DLDataTypeCode.
const (
	Int Code = iota
	Uint
	Float
)

// Tensor makes a DLManagedTensor of n values of so many bits on the device of CUDA of a
// number. It holds owner until its deleter is called.
func Tensor(address uint64, device int, code Code, bits, n int, owner Owner) (unsafe.Pointer, error) {
	held := hold(owner)
	t := C.dfaparse_make_tensor(C.uint64_t(address), C.int32_t(device), C.uint8_t(code), C.uint8_t(bits), C.int64_t(n), held)
	if t == nil {
		dfaparseLetGo(held)
		return nil, errMemory
	}
	return unsafe.Pointer(t), nil
}

// Release releases a struct ArrowDeviceArray, as whoever was given it does.
func Release(array unsafe.Pointer) {
	C.dfaparse_release_array(&(*C.struct_ArrowDeviceArray)(array).array)
}

// Delete calls the deleter of a DLManagedTensor, as whoever was given it does.
func Delete(tensor unsafe.Pointer) { C.dfaparse_delete_tensor((*C.DLManagedTensor)(tensor)) }
