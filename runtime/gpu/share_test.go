//go:build cuda

package gpu

import (
	"bytes"
	"testing"
	"unsafe"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/cdata"

	"github.com/dfaparse/dfaparse/internal/gen"
	"github.com/dfaparse/dfaparse/internal/handover"
	"github.com/dfaparse/dfaparse/runtime"
)

// The structures, as their pages define them.
type (
	arrowArray struct {
		Length, NullCount, Offset, NBuffers, NChildren int64
		Buffers                                        *uint64
		Children                                       **arrowArray
		Dictionary                                     *arrowArray
		Release, Private                               uintptr
	}
	arrowDeviceArray struct {
		Array      arrowArray
		DeviceID   int64
		DeviceType int32
		SyncEvent  *uintptr
		Reserved   [3]int64
	}
	managedTensor struct {
		Data                 uint64
		DeviceType, DeviceID int32
		NDim                 int32
		Code, Bits           uint8
		Lanes                uint16
		Shape, Strides       *int64
		ByteOffset           uint64
		Context, Deleter     uintptr
	}
)

// TestShare: the structures say of a batch what it says itself, and its memory stays until
// the last of them is released.
func TestShare(t *testing.T) {
	t.Run("texts", func(t *testing.T) { testShare(t) })
	t.Run("views", func(t *testing.T) { testShare(t, WithTextViews()) })
}

func testShare(t *testing.T, opts ...Option) {
	b := newBench(t)
	var in bytes.Buffer
	if err := gen.Write(&in, "klog", 6<<10, 1); err != nil {
		t.Fatal(err)
	}
	p, err := gen.Program("klog")
	if err != nil {
		t.Fatal(err)
	}
	c, err := New(opts...).Columns(HostInput(in.Bytes()), p, runtime.WithThreads(2))
	if err != nil {
		t.Fatal(err)
	}
	if !c.Next() {
		t.Fatal(c.Err())
	}
	batch := c.Batch()
	want := rowsOf(t, b.record(batch))
	out := new(arrowDeviceArray)
	if err := batch.DeviceArray(unsafe.Pointer(out)); err != nil {
		t.Fatal(err)
	}
	var schema cdata.CArrowSchema
	batch.DeviceSchema(unsafe.Pointer(&schema))
	imported, err := cdata.ImportCArrowSchema(&schema)
	if err != nil || !imported.Equal(batch.schema) {
		t.Errorf("schema %v, error %v", imported, err)
	}
	if out.DeviceType != 2 || out.DeviceID != 0 || out.SyncEvent == nil || *out.SyncEvent != batch.Event() || out.Reserved != [3]int64{} {
		t.Errorf("%+v", out)
	}
	if a := &out.Array; int(a.Length) != batch.Rows || int(a.NChildren) != len(batch.Columns) || a.NBuffers != 1 || *a.Buffers != 0 || a.Release == 0 {
		t.Errorf("%+v", a)
	}
	viewed := 0
	var same func(a *arrowArray, c *Column)
	same = func(a *arrowArray, c *Column) {
		buffers := unsafe.Slice(a.Buffers, a.NBuffers)
		if _, views := c.Type.(arrow.BinaryViewDataType); views && len(buffers) == len(c.Buffers)+1 {
			sizes := unsafe.Slice(*(**int64)(unsafe.Pointer(&buffers[len(c.Buffers)])), len(c.Buffers)-2) // in the host's memory
			for i, size := range sizes {
				if int(size) != c.Buffers[2+i].Size {
					t.Errorf("%s: buffer %d has %d bytes, said to be %d", c.Name, 2+i, c.Buffers[2+i].Size, size)
				}
			}
			buffers = buffers[:len(c.Buffers)]
			viewed++
		}
		if int(a.Length) != c.Len || int(a.NullCount) != c.Nulls || a.Offset != 0 || len(buffers) != len(c.Buffers) || int(a.NChildren) != len(c.Children) || (a.Dictionary != nil) != (c.Dictionary != nil) {
			t.Fatalf("%s: %+v", c.Name, a)
		}
		for i, address := range buffers {
			if address != c.Buffers[i].Address {
				t.Errorf("%s: buffer %d is at %#x, want %#x", c.Name, i, address, c.Buffers[i].Address)
			}
		}
		for i, child := range unsafe.Slice(a.Children, a.NChildren) {
			same(child, &c.Children[i])
		}
		if a.Dictionary != nil {
			same(a.Dictionary, c.Dictionary)
		}
	}
	dictionaries := 0
	for i, child := range unsafe.Slice(out.Array.Children, out.Array.NChildren) {
		same(child, &batch.Columns[i])
		if child.Dictionary != nil {
			dictionaries++
		}
	}
	if (viewed > 0) != (len(opts) > 0) {
		t.Errorf("%d columns are views", viewed)
	}
	if dictionaries == 0 {
		t.Error("no column has a dictionary")
	}
	tensors, refused := 0, 0
	for i := range batch.Columns {
		column := &batch.Columns[i]
		pointer, err := column.DLPack()
		if err != nil {
			refused++
			continue
		}
		tensors++
		x := (*managedTensor)(pointer)
		if x.Data != column.Values() || x.DeviceType != 2 || x.DeviceID != 0 || x.NDim != 1 || *x.Shape != int64(column.Len) || x.Strides != nil || x.Lanes != 1 || int(x.Bits)*column.Len != 8*column.Buffers[1].Size || x.ByteOffset != 0 {
			t.Errorf("%s: %+v", column.Name, x)
		}
		defer handover.Delete(pointer)
	}
	if tensors == 0 || refused == 0 {
		t.Errorf("%d tensors, %d columns that are none", tensors, refused)
	}
	memory := c.memory
	batch.Retain()
	defer func() {
		if len(memory.spare) > 0 || memory.lent != 1 {
			t.Errorf("%d batches are lent, %d spare, before the last tensor is deleted", memory.lent, len(memory.spare))
		}
	}()
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	if got := rowsOf(t, b.record(batch)); got != want {
		t.Errorf("after Close: %s", firstDifference(got, want))
	}
	batch.Release()
	// A child that is moved out lasts longer than the array.
	moved := *unsafe.Slice(out.Array.Children, 1)[0]
	unsafe.Slice(out.Array.Children, 1)[0].Release = 0
	handover.Release(unsafe.Pointer(out))
	if out.Array.Release != 0 {
		t.Error("the array has a release after it was released")
	}
	alone := &arrowDeviceArray{Array: moved}
	handover.Release(unsafe.Pointer(alone))
}
