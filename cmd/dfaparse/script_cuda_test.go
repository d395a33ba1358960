//go:build cuda

package main

import "github.com/dfaparse/dfaparse/internal/device"

func init() {
	d, err := device.Open(0)
	if gpuUsable = err == nil; gpuUsable {
		onHostBuild = d.Info().Capability == 0
		_ = d.Close()
	}
}
