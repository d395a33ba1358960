package output

import (
	"os"

	"golang.org/x/sys/unix"
)

// writeBehind has the system begin to write what of a file is not on its disk yet, from an offset on
// so many bytes, and does not wait for it.
func writeBehind(h Handle, from, n int64) {
	f, ok := h.(*os.File)
	if !ok {
		return
	}
	if conn, err := f.SyscallConn(); err == nil {
		_ = conn.Control(func(fd uintptr) { _ = unix.SyncFileRange(int(fd), from, n, unix.SYNC_FILE_RANGE_WRITE) })
	}
}
