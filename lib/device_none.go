//go:build cgo && (linux || darwin) && !cuda

package main

import "github.com/dfaparse/dfaparse"

func openDevice(*format, *openOptions, []byte) (deviceColumns, error) {
	return nil, &dfaparse.OptionError{Option: "device", Reason: "this library is built without support for GPUs: build it with -tags cuda"}
}
