//go:build cuda

package gpu

import (
	"github.com/dfaparse/dfaparse/internal/device"
)

// This file is about engines of several devices. The partitions of an input are read
// side by side, see fork.go, and each fork has its device: the first fork the first
// device, and so on, by turns. What a partition begins with is guessed and held
// against what the one before it ended with, wherever that was read, so that no
// device waits for another, and rows come in the input's order.

// Devices sets the GPUs, by their ordinals, which read one input together; none are all
// that the driver sees. Where one of several fails, the others read on, and after the
// last one the CPU: an Engine of several has a fallback, and WithFallback says who is
// told.
func Devices(ordinals ...int) Option { return func(e *Engine) { e.ordinals = ordinals } }

// all are the ordinals of the engine's devices, one at least.
func (e *Engine) all() ([]int, error) {
	if len(e.ordinals) > 0 {
		return e.ordinals, nil
	}
	found, err := device.Devices()
	if err != nil {
		return nil, err
	}
	var ordinals []int
	for _, info := range found {
		ordinals = append(ordinals, info.Ordinal)
	}
	if len(ordinals) == 0 {
		return []int{0}, nil // which says that there is none
	}
	return ordinals, nil
}

// living are those of the engine's devices that have not failed.
func (e *Engine) living() []int {
	ordinals, err := e.all()
	if err != nil {
		return nil
	}
	var living []int
	for _, ordinal := range ordinals {
		if e.fallback.failure(ordinal) == nil {
			living = append(living, ordinal)
		}
	}
	return living
}
