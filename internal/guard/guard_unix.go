//go:build unix

package guard

import (
	"os"
	"syscall"
)

// Bytes gives n bytes before and after which nothing can be read: at once
// before them if front, else at once after them.
func Bytes(n int, front bool) (b []byte, free func()) {
	page := os.Getpagesize()
	size := (n + page - 1) / page * page
	all, err := syscall.Mmap(-1, 0, size+2*page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		panic(err)
	}
	for _, guard := range [][]byte{all[:page], all[page+size:]} {
		if err := syscall.Mprotect(guard, syscall.PROT_NONE); err != nil {
			panic(err)
		}
	}
	b = all[page : page+n : page+n]
	if !front {
		b = all[page+size-n : page+size : page+size]
	}
	return b, func() { _ = syscall.Munmap(all) }
}
