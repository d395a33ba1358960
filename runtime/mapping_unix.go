//go:build unix

package runtime

import (
	"os"

	"golang.org/x/sys/unix"
)

// mapFile gives a file of size bytes as memory that may not be written to; nil
// if it cannot.
func mapFile(f *os.File, size int64) *mapping {
	if size <= 0 || int64(int(size)) != size {
		return nil
	}
	b, err := unix.Mmap(int(f.Fd()), 0, int(size), unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		return nil
	}
	return &mapping{whole: b}
}

// Advice that the system does not take changes nothing.

func (m *mapping) willNeed(b []byte) { _ = unix.Madvise(b, unix.MADV_WILLNEED) }
func (m *mapping) dontNeed(b []byte) { _ = unix.Madvise(b, unix.MADV_DONTNEED) }

func (m *mapping) unmap() error { return unix.Munmap(m.whole) }
