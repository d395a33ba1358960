//go:build cuda

// Command gpusum reads a file on a GPU and adds a column up there, by a kernel of its
// own: no value goes to the host.
//
//	go run -tags cuda ./examples/gpusum examples/orders.dfp examples/orders.csv items
package main

import (
	_ "embed"
	"fmt"
	"log"
	"os"
	goruntime "runtime"
	"unsafe"

	"github.com/apache/arrow/go/v17/arrow"
	"gorgonia.org/cu"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/formats"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/cpu"
	"github.com/dfaparse/dfaparse/runtime/gpu"
)

//go:embed sum.ptx
var sumPTX string

func main() {
	if len(os.Args) != 4 {
		log.Fatal("usage: gpusum FORMAT INPUT COLUMN")
	}
	p, err := program(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	data, err := os.ReadFile(os.Args[2])
	if err != nil {
		log.Fatal(err)
	}
	e := gpu.New()
	s, err := newSummer(e)
	if err != nil {
		log.Fatal(err)
	}
	sum, rows, err := s.sum(e, gpu.HostInput(data), p, os.Args[3])
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(sum, "in", rows, "rows")
}

func program(format string) (*dfa.Program, error) {
	found, err := formats.Find(format)
	if err != nil {
		return nil, err
	}
	spec, err := found.Compile(runtime.Verifier(cpu.Engine))
	if err != nil {
		return nil, err
	}
	return spec.Program, nil
}

// summer has the kernels, and what they need.
type summer struct {
	module cu.Module
	stream cu.Stream
	sums   cu.DevicePtr
}

const (
	sumBlocks  = 264 // of 256 threads
	sumThreads = 256
)

// newSummer loads the kernels into the context that the engine has: the device's primary
// one, which is then that of the calling goroutine's thread.
func newSummer(e *gpu.Engine) (*summer, error) {
	if err := e.Ready(); err != nil { // which loads the driver
		return nil, err
	}
	goruntime.LockOSThread() // the current context is the thread's
	d, err := cu.GetDevice(0)
	if err != nil {
		return nil, err
	}
	ctx, err := d.RetainPrimaryCtx()
	if err != nil {
		return nil, err
	}
	if err := cu.SetCurrentContext(ctx); err != nil {
		return nil, err
	}
	s := &summer{}
	if s.module, err = cu.LoadData(sumPTX); err != nil {
		return nil, err
	}
	if s.stream, err = cu.MakeStream(cu.NonBlocking); err != nil {
		return nil, err
	}
	s.sums, err = cu.MemAlloc(8 * sumBlocks)
	return s, err
}

// sum adds a column up, batch by batch, while the engine parses the next.
func (s *summer) sum(e *gpu.Engine, in gpu.Input, p *dfa.Program, column string, opts ...runtime.Option) (sum float64, rows int64, err error) {
	c, err := e.Columns(in, p, opts...)
	if err != nil {
		return 0, 0, err
	}
	defer c.Close()
	for c.Next() {
		n, err := s.batch(c.Batch(), column)
		if err != nil {
			return 0, 0, err
		}
		sum += n
	}
	return sum, c.Rows(), c.Err()
}

func (s *summer) batch(b *gpu.DeviceBatch, name string) (sum float64, err error) {
	column := b.Column(name)
	if column == nil {
		return 0, fmt.Errorf("there is no column %q", name)
	}
	kernel := map[arrow.Type]string{arrow.UINT16: "dfa_sum_u16", arrow.INT64: "dfa_sum_i64", arrow.FLOAT64: "dfa_sum_f64"}[column.Type.ID()]
	if kernel == "" {
		return 0, fmt.Errorf("there is no kernel for column %q of type %v", name, column.Type)
	}
	f, err := s.module.Function(kernel)
	if err != nil {
		return 0, err
	}
	if err := b.Wait(uintptr(unsafe.Pointer(s.stream.C()))); err != nil {
		return 0, err
	}
	values, validity, n, sums := column.Values(), column.Validity(), uint64(column.Len), uint64(s.sums)
	args := []unsafe.Pointer{unsafe.Pointer(&values), unsafe.Pointer(&validity), unsafe.Pointer(&n), unsafe.Pointer(&sums)}
	if err := f.Launch(sumBlocks, 1, 1, sumThreads, 1, 1, 0, s.stream, args); err != nil {
		return 0, err
	}
	// Of each block its sum; the batch may go when the kernel is done.
	var of [sumBlocks]uint64
	if err := cu.MemcpyDtoHAsync(unsafe.Pointer(&of), s.sums, 8*sumBlocks, s.stream); err != nil {
		return 0, err
	}
	if err := s.stream.Synchronize(); err != nil {
		return 0, err
	}
	for _, bits := range of {
		if kernel == "dfa_sum_f64" {
			sum += *(*float64)(unsafe.Pointer(&bits))
		} else {
			sum += float64(int64(bits))
		}
	}
	return sum, nil
}
