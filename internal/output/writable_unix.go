//go:build unix

package output

import "golang.org/x/sys/unix"

// writable says why a file cannot be written to, or a folder cannot have new files.
func writable(path string) error { return unix.Access(path, unix.W_OK) }
