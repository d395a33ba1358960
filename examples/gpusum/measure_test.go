//go:build cuda

package main

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/apache/arrow/go/v17/arrow/ipc"
	"gorgonia.org/cu"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/device"
	"github.com/dfaparse/dfaparse/internal/gen"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/cpu"
	"github.com/dfaparse/dfaparse/runtime/gpu"
)

// TestMeasure measures on a device, with GPUSUM_MEASURE=GB of taxi: what a user's kernel
// sees of an input in the device's memory and in pinned memory, and one process over
// several devices beside one over each. GPUSUM_DEVICES=0,1 are the devices of the Reader;
// GPUSUM_PARTS=sum,records,same,lost what is measured.
func TestMeasure(t *testing.T) {
	gb, _ := strconv.ParseFloat(os.Getenv("GPUSUM_MEASURE"), 64)
	if gb == 0 {
		t.Skip("GPUSUM_MEASURE=GB measures")
	}
	var ordinals []int
	for _, n := range strings.Split(os.Getenv("GPUSUM_DEVICES"), ",") {
		ordinal, err := strconv.Atoi(n)
		if err != nil {
			t.Fatal(err)
		}
		ordinals = append(ordinals, ordinal)
	}
	parts := strings.Split(os.Getenv("GPUSUM_PARTS"), ",")
	kind := "taxi"
	var piece bytes.Buffer
	if err := gen.Write(&piece, kind, min(64_000_000, int64(gb*5e8)), 1); err != nil {
		t.Fatal(err)
	}
	p, err := gen.Program(kind)
	if err != nil {
		t.Fatal(err)
	}
	header := bytes.IndexByte(piece.Bytes(), '\n') + 1
	times := int(gb * 1e9 / float64(piece.Len()))
	data := make([]byte, 0, header+times*(piece.Len()-header))
	data = append(data, piece.Bytes()[:header]...)
	for range times {
		data = append(data, piece.Bytes()[header:]...)
	}
	if slices.Contains(parts, "sum") {
		measureSum(t, p, data)
	}
	if slices.Contains(parts, "records") {
		measureRecords(t, p, data, ordinals)
	}
	if slices.Contains(parts, "same") {
		some := data[:min(len(data), header+6*(piece.Len()-header))]
		want := hashOf(t, p, some, cpu.Engine, nil)
		for _, of := range [][]int{ordinals[:1], ordinals} {
			got := hashOf(t, p, some, gpu.New(gpu.Devices(of...)), nil)
			fmt.Printf("%d bytes by devices %v: sha256 %x, cpu %x\n", len(some), of, got[:6], want[:6])
			if got != want {
				t.Errorf("devices %v: other records than the CPU's", of)
			}
		}
		if slices.Contains(parts, "lost") {
			var told []error
			e := gpu.New(gpu.Devices(ordinals...), gpu.WithFallback(func(err error) { told = append(told, err) }))
			got := hashOf(t, p, some, e, func(record int) {
				if record == 5 {
					breakDevice(t, ordinals[len(ordinals)-1])
				}
			})
			fmt.Printf("device %d lost: sha256 %x, cpu %x, told %d times: %v\n", ordinals[len(ordinals)-1], got[:6], want[:6], len(told), told)
			if got != want || len(told) == 0 { // a driver may have nothing of any device work any more
				t.Errorf("a device that is lost: other records than the CPU's, or %v", told)
			}
		}
	}
}

// median prints the rate of several runs, the first of which does not count.
func median(what string, nbytes int, run func()) {
	var took []time.Duration
	for i := range 6 {
		began := time.Now()
		if run(); i > 0 {
			took = append(took, time.Since(began))
		} else {
			fmt.Printf("%s: the first took %v\n", what, time.Since(began).Round(time.Millisecond))
		}
	}
	slices.Sort(took)
	rate := func(d time.Duration) float64 { return float64(nbytes) / d.Seconds() / 1e9 }
	fmt.Printf("%s: %.1f GB/s (%.1f to %.1f), %v for %.2f GB\n", what, rate(took[2]), rate(took[4]), rate(took[0]), took[2].Round(10*time.Microsecond), float64(nbytes)/1e9)
}

func measureSum(t *testing.T, p *dfa.Program, data []byte) {
	const column = "total_amount"
	e := gpu.New()
	s, err := newSummer(e)
	if err != nil {
		t.Fatal(err)
	}
	want, wantRows := sumOnCPU(t, p, data, column)
	check := func(sum float64, rows int64, err error) {
		if err != nil || rows != wantRows || math.Abs(sum-want) > 1e-9*math.Abs(want) {
			t.Errorf("%v in %d rows, want %v in %d: %v", sum, rows, want, wantRows, err)
		}
	}
	fmt.Printf("the CPU's sum is %v in %d rows\n", want, wantRows)
	m, err := cu.MemAlloc(int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	if err := cu.MemcpyHtoD(m, unsafe.Pointer(&data[0]), int64(len(data))); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		began := time.Now()
		c, err := e.Columns(gpu.DeviceInput(uint64(m), len(data)), p)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Printf("open %v", time.Since(began).Round(10*time.Microsecond))
		for c.Next() {
			fmt.Printf(", batch of %d at %v", c.Batch().Rows, time.Since(began).Round(10*time.Microsecond))
		}
		err = c.Err()
		fmt.Printf(", end %v", time.Since(began).Round(10*time.Microsecond))
		c.Close()
		fmt.Printf(", closed %v; %d rows left to the CPU, %v\n", time.Since(began).Round(10*time.Microsecond), c.Left(), err)
	}
	median("resident, parse and sum", len(data), func() { check(s.sum(e, gpu.DeviceInput(uint64(m), len(data)), p, column)) })
	median("resident, parse and sum, the one column", len(data), func() {
		check(s.sum(e, gpu.DeviceInput(uint64(m), len(data)), p, column, runtime.WithColumns(column)))
	})
	if err := cu.MemFree(m); err != nil {
		t.Fatal(err)
	}
	d, err := device.Open(0)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	pinned, err := d.AllocHost(len(data))
	if err != nil {
		t.Fatal(err)
	}
	copy(pinned, data)
	median("pinned, parse and sum", len(data), func() { check(s.sum(e, gpu.PinnedInput(pinned), p, column)) })
	median("host memory, parse and sum", len(data), func() { check(s.sum(e, gpu.HostInput(data), p, column)) })
	if err := d.FreeHost(pinned); err != nil {
		t.Fatal(err)
	}
}

func measureRecords(t *testing.T, p *dfa.Program, data []byte, ordinals []int) {
	e := gpu.New(gpu.Devices(ordinals...))
	median(fmt.Sprintf("to Arrow records, devices %v", ordinals), len(data), func() {
		r, err := runtime.ReadBytes(data, p, runtime.WithEngine(e), runtime.WithReuse())
		if err != nil {
			t.Fatal(err)
		}
		defer r.Release()
		for r.Next() {
		}
		if r.Err() != nil {
			t.Fatal(r.Err())
		}
	})
}

func hashOf(t *testing.T, p *dfa.Program, data []byte, e runtime.Engine, each func(record int)) (sum [32]byte) {
	opts := []runtime.Option{runtime.WithEngine(e), runtime.WithReuse()}
	if each != nil {
		opts = append(opts, runtime.WithPartitionSize(8<<20)) // so that there is some to come
	}
	r, err := runtime.ReadBytes(data, p, opts...)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Release()
	h := sha256.New()
	w := ipc.NewWriter(h, ipc.WithSchema(r.Schema()))
	for i := 0; r.Next(); i++ {
		if each != nil {
			each(i)
		}
		if err := w.Write(r.Record()); err != nil {
			t.Fatal(err)
		}
	}
	if r.Err() != nil {
		t.Fatal(r.Err())
	}
	w.Close()
	return [32]byte(h.Sum(nil))
}

// breakDevice has a kernel write where nothing is: whatever is done on the device from
// then on fails.
func breakDevice(t *testing.T, ordinal int) {
	d, err := cu.GetDevice(ordinal)
	if err != nil {
		t.Fatal(err)
	}
	ctx, err := d.RetainPrimaryCtx()
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error)
	go func() { // on a thread that nobody needs any more
		done <- func() error {
			if err := cu.SetCurrentContext(ctx); err != nil {
				return err
			}
			m, err := cu.LoadData(sumPTX)
			if err != nil {
				return err
			}
			f, err := m.Function("dfa_sum_f64")
			if err != nil {
				return err
			}
			var nowhere, none uint64 = 0x10, 0
			args := []unsafe.Pointer{unsafe.Pointer(&none), unsafe.Pointer(&none), unsafe.Pointer(&none), unsafe.Pointer(&nowhere)}
			return f.Launch(1, 1, 1, sumThreads, 1, 1, 0, cu.NoStream, args)
		}()
	}()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
}
