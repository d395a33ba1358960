package runtime

import (
	"fmt"

	"github.com/apache/arrow/go/v17/arrow/memory"
)

// allocError is the failure of a caller's allocator, which can say it only by a
// panic, or by giving less than it was asked for.
type allocError struct {
	nbytes int
	why    any
}

func (e *allocError) Error() string {
	return fmt.Sprintf("the allocator gave no %d bytes: %v", e.nbytes, e.why)
}

// Unwrap is what the allocator has panicked with, if that is an error.
func (e *allocError) Unwrap() error {
	err, _ := e.why.(error)
	return err
}

// checkedMemory is mem, but each of its failures is a panic with an *allocError.
func checkedMemory(mem memory.Allocator) memory.Allocator {
	if _, ok := mem.(*memory.GoAllocator); ok {
		return mem
	}
	return checked{mem}
}

type checked struct{ memory.Allocator }

// Allocate implements memory.Allocator.
func (c checked) Allocate(n int) []byte {
	return given(n, func() []byte { return c.Allocator.Allocate(n) })
}

// Reallocate implements memory.Allocator.
func (c checked) Reallocate(n int, b []byte) []byte {
	return given(n, func() []byte { return c.Allocator.Reallocate(n, b) })
}

func given(n int, f func() []byte) []byte {
	defer func() {
		if p := recover(); p != nil {
			panic(&allocError{n, p})
		}
	}()
	b := f()
	if len(b) != n {
		panic(fmt.Sprintf("it gave %d", len(b)))
	}
	return b
}
