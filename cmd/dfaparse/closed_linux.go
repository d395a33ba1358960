package main

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strings"
	"syscall"
)

// shells are programs that start others as their user has written it. None of
// them opens a file to read and write but for "<>".
var shells = []string{"sh", "ash", "bash", "busybox", "dash", "fish", "ksh", "mksh", "zsh"}

// closedStream reports whether this process was started with a standard stream
// closed, as by >&- in a shell. Go's runtime opens /dev/null in its place, to
// read and write. Others than shells do the same on purpose, so that it counts
// only if a shell has started this process that has no such stream itself.
func closedStream(f *os.File) bool {
	fd := f.Fd()
	if !readWriteNull(os.Getpid(), fd) {
		return false
	}
	parent := os.Getppid()
	name, err := os.ReadFile(fmt.Sprintf("/proc/%d/comm", parent))
	return err == nil && slices.Contains(shells, strings.TrimSpace(string(name))) && !readWriteNull(parent, fd)
}

// readWriteNull reports whether a stream of a process is /dev/null, to read and write.
func readWriteNull(pid int, fd uintptr) bool {
	if path, err := os.Readlink(fmt.Sprintf("/proc/%d/fd/%d", pid, fd)); err != nil || path != os.DevNull {
		return false
	}
	info, err := os.ReadFile(fmt.Sprintf("/proc/%d/fdinfo/%d", pid, fd))
	if err != nil {
		return false
	}
	for line := range bytes.Lines(info) {
		var flags int
		if n, _ := fmt.Sscanf(string(line), "flags: %o", &flags); n == 1 {
			return flags&syscall.O_ACCMODE == syscall.O_RDWR
		}
	}
	return false
}
