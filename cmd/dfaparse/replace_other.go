//go:build !unix && !cuda

package main

import "errors"

// replaceProcess is for systems that have the engine for GPUs.
func replaceProcess(string, []string, []string) error { return errors.ErrUnsupported }
