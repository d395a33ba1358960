//go:build cuda

package gpu

import (
	"slices"
	"sync"

	"github.com/apache/arrow/go/v17/arrow"

	"github.com/dfaparse/dfaparse/internal/columns"
	"github.com/dfaparse/dfaparse/internal/device"
)

// DeviceBatch is consecutive rows in the device's memory. Its buffers are those of Arrow's
// columnar format, bitmaps of validity among them. They may still be on their way when
// the Batch is there: Wait or Synchronize come before what reads them. They last until
// the Batch is released as often as it was retained, which comes after what has read
// them: a release waits for nobody's kernels.
type DeviceBatch struct {
	Rows    int
	Columns []Column

	schema *arrow.Schema
	device *device.Device
	memory *residentBlock
	lease  *columns.Lease
}

// Column is a column of a Batch, or a child or the dictionary of one.
type Column struct {
	Name string
	Type arrow.DataType
	Len  int
	// Nulls is how many rows are null. Without any there is no bitmap.
	Nulls int
	// Buffers are those of Type in Arrow's columnar format: validity, a bit a row, the
	// least significant one first; then values, or offsets and bytes of texts. Of views there are
	// three more, in which strings are: the input, and what is in other words there.
	Buffers    []Buffer
	Children   []Column
	Dictionary *Column // of Type's indices

	batch *DeviceBatch // of a column of a Batch
}

// Buffer is some of the device's memory, at a multiple of 256, but where it is the caller's input. A
// bitmap's bits beyond the rows are not defined.
type Buffer struct {
	Address uint64 // a CUdeviceptr; 0: there is none
	Size    int    // bytes
}

// Views is where the views of texts are (see WithTextViews), 16 bytes each: View's layout in Arrow.
func (c *Column) Views() uint64 { return c.buffer(1) }

// Validity is where the bitmap is, 0 if no row is null.
func (c *Column) Validity() uint64 { return c.buffer(0) }

// Values is where the values of a fixed width are, or a bitmap of booleans.
func (c *Column) Values() uint64 { return c.buffer(1) }

// Offsets is where the offsets of texts are, or of lists: Len+1 of 32 bits.
func (c *Column) Offsets() uint64 { return c.buffer(1) }

// Text is where the bytes of texts are.
func (c *Column) Text() uint64 { return c.buffer(2) }

func (c *Column) buffer(i int) uint64 {
	if i >= len(c.Buffers) {
		return 0
	}
	return c.Buffers[i].Address
}

// Column is the column of a name, nil if there is none.
func (b *DeviceBatch) Column(name string) *Column {
	i := slices.IndexFunc(b.Columns, func(c Column) bool { return c.Name == name })
	if i < 0 {
		return nil
	}
	return &b.Columns[i]
}

// Retain keeps the Batch's memory for one Release more.
func (b *DeviceBatch) Retain() { b.lease.Retain() }

// Release lets go of the Batch.
func (b *DeviceBatch) Release() { b.lease.Release() }

// Event is a CUevent that happens when the Batch is all there.
func (b *DeviceBatch) Event() uintptr { return b.memory.ready.Handle() }

// Wait holds up what is put into a CUstream from now on until the Batch is all there.
func (b *DeviceBatch) Wait(stream uintptr) error { return b.memory.ready.Hold(stream) }

// Synchronize waits until the Batch is all there.
func (b *DeviceBatch) Synchronize() error { return b.memory.ready.Synchronize() }

// residentBlock is the memory of a batch.
type residentBlock struct {
	memory device.Memory
	ready  *device.Event
}

// residentMemory is the memory of batches: what is given back is kept for the next, as
// taking it from the driver stops the device.
type residentMemory struct {
	device *device.Device

	mu     sync.Mutex
	spare  []*residentBlock // the smallest first
	lent   int              // that batches have
	closed bool
}

// residentSpare is how many blocks are kept.
const residentSpare = 4

func (x *residentMemory) take(n int) (*residentBlock, error) {
	x.mu.Lock()
	x.lent++
	i, _ := slices.BinarySearchFunc(x.spare, n, func(b *residentBlock, n int) int { return b.memory.Size - n })
	if i < len(x.spare) && x.spare[i].memory.Size <= 2*n+regionAlign {
		b := x.spare[i]
		x.spare = slices.Delete(x.spare, i, i+1)
		x.mu.Unlock()
		return b, nil
	}
	x.mu.Unlock()
	memory, err := x.device.Alloc(n + n/16)
	if err == nil {
		ready, failed := x.device.NewEvent(false)
		if failed == nil {
			return &residentBlock{memory, ready}, nil
		}
		x.device.FreeMemory(memory)
		err = failed
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.lent--
	return nil, err
}

func (x *residentMemory) back(b *residentBlock) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.lent--
	if x.closed {
		x.free(b)
		return
	}
	i, _ := slices.BinarySearchFunc(x.spare, b.memory.Size, func(b *residentBlock, n int) int { return b.memory.Size - n })
	x.spare = slices.Insert(x.spare, i, b)
	if len(x.spare) > residentSpare {
		x.free(x.spare[0])
		x.spare = slices.Delete(x.spare, 0, 1)
	}
}

func (x *residentMemory) free(b *residentBlock) {
	b.ready.Synchronize() // nobody has to have waited for it; if that fails, so does all else
	b.ready.Close()
	x.device.KeepMemory(b.memory)
}

func (x *residentMemory) close() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.closed = true
	for _, b := range x.spare {
		x.free(b)
	}
	x.spare = nil
}
