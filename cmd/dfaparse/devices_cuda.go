//go:build cuda

package main

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"strconv"

	"github.com/dfaparse/dfaparse/internal/device"
	"github.com/dfaparse/dfaparse/kernels"
)

// listDevices writes a line a GPU, and after it why it is not usable.
func listDevices(std *streams) error {
	found, err := device.Devices()
	if err != nil {
		return fmt.Errorf("no GPU is usable: %w", err)
	}
	if len(found) == 0 {
		return errors.New("no GPU is usable: the driver has none")
	}
	rows := [][]string{{"device", "name", "memory", "compute", "driver"}}
	usable := false
	for _, d := range found {
		row := []string{
			strconv.Itoa(d.Ordinal), d.Name, fmt.Sprintf("%.1f GiB", float64(d.Memory)/(1<<30)),
			fmt.Sprintf("%d.%d", d.Capability/10, d.Capability%10), driverVersion(d.Driver),
		}
		if err := tryDevice(d); err != nil {
			row = append(row, "not usable: "+err.Error())
		} else {
			usable = true
		}
		rows = append(rows, row)
	}
	if err := writeAligned(std.out, rows); err != nil {
		return err
	}
	if !usable {
		return errors.New("no GPU is usable")
	}
	return nil
}

// tryDevice says why a device is not usable.
func tryDevice(info device.Info) error {
	const host = 0 // the compute capability of the host build, which needs no code
	if info.Capability != host && len(kernels.Modules(info.Capability)) == 0 {
		return errors.New("there are no kernels for its compute capability")
	}
	d, err := device.Open(info.Ordinal)
	if err != nil {
		return err
	}
	return d.Close()
}

// driverVersion is the driver's own version, where the system tells, and that
// of CUDA.
func driverVersion(cuda int) string {
	version := fmt.Sprintf("CUDA %d.%d", cuda/1000, cuda%1000/10)
	text, err := os.ReadFile("/proc/driver/nvidia/version")
	if err != nil {
		return version
	}
	if m := regexp.MustCompile(`\s(\d+\.\d+(?:\.\d+)?)\s`).FindSubmatch(text); m != nil {
		return string(m[1]) + ", " + version
	}
	return version
}
