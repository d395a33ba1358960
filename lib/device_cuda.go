//go:build cgo && linux && cuda

package main

// #include "block.h"
import "C"

import (
	"context"
	"io"
	"sync"
	"unsafe"

	"github.com/dfaparse/dfaparse"
	"github.com/dfaparse/dfaparse/internal/input"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/gpu"
)

// device is what all inputs are read by.
var device = sync.OnceValue(func() *gpu.Engine { return gpu.New() })

// resident are gpu.Columns.
type resident struct{ columns *gpu.Columns }

func openDevice(f *format, o *openOptions, data []byte) (deviceColumns, error) {
	opts, err := o.ofDevice()
	if err != nil {
		return nil, err
	}
	if f.encoding != "" {
		return nil, &dfaparse.OptionError{Option: "encoding", Reason: "columns of a device are of inputs in UTF-8"}
	}
	if data == nil {
		if len(o.Paths) != 1 {
			return nil, &dfaparse.OptionError{Option: "paths", Reason: "columns of a device are of one input"}
		}
		in, err := input.Open(context.Background(), o.Paths[0], nil)
		if err != nil {
			return nil, err
		}
		defer in.Close()
		if data, err = io.ReadAll(in); err != nil {
			return nil, err
		}
		opts = append([]runtime.Option{runtime.WithName(in.Name)}, opts...)
	}
	c, err := device().Columns(gpu.HostInput(data), f.program, opts...)
	if err != nil {
		return nil, err
	}
	return &resident{c}, nil
}

// ofDevice are those of a Reader that Columns know.
func (o *openOptions) ofDevice() (opts []runtime.Option, err error) {
	for name, given := range map[string]bool{
		"n_rows": o.NRows != nil, "skip_rows": o.SkipRows != 0, "max_rejects": o.MaxRejects != nil, "keep_rejects": o.KeepRejects != nil,
		"batch_size": o.BatchSize != 0, "memory": o.Memory != 0, "split": o.Split != nil, "union": o.Union != "", "hive": o.Hive, "file_column": o.FileColumn != "",
	} {
		if given {
			return nil, &dfaparse.OptionError{Option: name, Reason: name + " is of no effect on columns of a device"}
		}
	}
	if o.Name != "" {
		opts = append(opts, runtime.WithName(o.Name))
	}
	if o.Columns != nil {
		opts = append(opts, runtime.WithColumns(o.Columns...))
	}
	if o.SkipLines != 0 {
		opts = append(opts, runtime.WithSkipLines(o.SkipLines))
	}
	if o.Threads != 0 {
		opts = append(opts, runtime.WithThreads(o.Threads))
	}
	if o.Shape != "" {
		opts = append(opts, runtime.WithShape(o.Shape))
	}
	if o.OnError != "" {
		mode, err := errorMode(o.OnError)
		if err != nil {
			return nil, err
		}
		opts = append(opts, runtime.WithErrorMode(mode))
	}
	return opts, nil
}

func (r *resident) schema(out *C.struct_ArrowSchema) error {
	return exportSchema(r.columns.Schema(), out)
}

func (r *resident) next(out unsafe.Pointer) error {
	if !r.columns.Next() {
		return r.columns.Err()
	}
	return r.columns.Batch().DeviceArray(out)
}

func (r *resident) close() error { return r.columns.Close() }
