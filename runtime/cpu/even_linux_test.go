package cpu

import (
	"syscall"
	"testing"
	"unsafe"
)

// TestEvenAtEnd: of the marks that there may be none is read behind the last.
func TestEvenAtEnd(t *testing.T) {
	page := syscall.Getpagesize()
	m, err := syscall.Mmap(-1, 0, 2*page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Munmap(m)
	if err := syscall.Mprotect(m[page:], syscall.PROT_NONE); err != nil {
		t.Fatal(err)
	}
	marks := unsafe.Slice((*mark)(unsafe.Pointer(&m[0])), page/int(unsafe.Sizeof(mark(0))))
	for most := 1; most < 40; most++ {
		to := make([]mark, 3*(most+1)+scatterRows)
		for behind := range most + 2*scatterRows {
			for _, n := range []int{1, most, most + 1} {
				last := len(marks) - 1 - behind
				makeEven(to, most, marks, last-3*n, []uint32{uint32(last - 2*n), uint32(last - n), uint32(last)})
			}
		}
	}
}
