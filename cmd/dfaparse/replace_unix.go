//go:build unix && !cuda

package main

import "syscall"

// replaceProcess runs a program in the place of this one. It returns only if
// that fails.
func replaceProcess(path string, args, env []string) error { return syscall.Exec(path, args, env) }
