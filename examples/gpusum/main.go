//go:build cuda

// Command gpusum reads a file on a GPU and adds a column up there, by a kernel of its
// own: no value goes to the host.
//
//	go run -tags cuda ./examples/gpusum examples/orders.dfp examples/orders.csv items
package main

import (
	_ "embed"
	"errors"
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

// summer has the kernels, and what they need: two batches are added up at a time, so that
// one need not be done when the next is there.
type summer struct {
	module cu.Module
	turns  [2]turn
}

// turn is a batch that is being added up.
type turn struct {
	stream cu.Stream
	sums   cu.DevicePtr     // of each block
	batch  *gpu.DeviceBatch // nil: there is none
	floats bool             // the sums are, else they are integers
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
	for i := range s.turns {
		t := &s.turns[i]
		if t.stream, err = cu.MakeStream(cu.NonBlocking); err != nil {
			return nil, err
		}
		if t.sums, err = cu.MemAlloc(8 * sumBlocks); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// sum adds a column up, batch by batch, while the engine parses the next.
func (s *summer) sum(e *gpu.Engine, in gpu.Input, p *dfa.Program, column string, opts ...runtime.Option) (sum float64, rows int64, err error) {
	c, err := e.Columns(in, p, opts...)
	if err != nil {
		return 0, 0, err
	}
	defer c.Close()
	for n := 0; err == nil && c.Next(); n++ {
		if err = s.begin(&s.turns[n%2], c.Batch(), column); err == nil {
			err = s.turns[(n+1)%2].end(&sum)
		}
	}
	for i := range s.turns { // of which one at most is not done
		err = errors.Join(err, s.turns[i].end(&sum))
	}
	return sum, c.Rows(), errors.Join(err, c.Err())
}

// begin begins to add up a column of a batch, whose memory it keeps.
func (s *summer) begin(t *turn, b *gpu.DeviceBatch, name string) error {
	column := b.Column(name)
	if column == nil {
		return fmt.Errorf("there is no column %q", name)
	}
	kernel := map[arrow.Type]string{arrow.UINT16: "dfa_sum_u16", arrow.INT64: "dfa_sum_i64", arrow.FLOAT64: "dfa_sum_f64"}[column.Type.ID()]
	if kernel == "" {
		return fmt.Errorf("there is no kernel for column %q of type %v", name, column.Type)
	}
	f, err := s.module.Function(kernel)
	if err != nil {
		return err
	}
	if err := b.Wait(uintptr(unsafe.Pointer(t.stream.C()))); err != nil {
		return err
	}
	values, validity, n, sums := column.Values(), column.Validity(), uint64(column.Len), uint64(t.sums)
	args := []unsafe.Pointer{unsafe.Pointer(&values), unsafe.Pointer(&validity), unsafe.Pointer(&n), unsafe.Pointer(&sums)}
	if err := f.Launch(sumBlocks, 1, 1, sumThreads, 1, 1, 0, t.stream, args); err != nil {
		return err
	}
	b.Retain()
	t.batch, t.floats = b, kernel == "dfa_sum_f64"
	return nil
}

// end waits for the batch, if there is one, lets go of it, and adds its sum.
func (t *turn) end(sum *float64) error {
	if t.batch == nil {
		return nil
	}
	var of [sumBlocks]uint64
	err := cu.MemcpyDtoHAsync(unsafe.Pointer(&of), t.sums, 8*sumBlocks, t.stream)
	if err == nil {
		err = t.stream.Synchronize()
	}
	t.batch.Release()
	if t.batch = nil; err != nil {
		return err
	}
	for _, bits := range of {
		if t.floats {
			*sum += *(*float64)(unsafe.Pointer(&bits))
		} else {
			*sum += float64(int64(bits))
		}
	}
	return nil
}
