//go:build cuda

package gpu

import (
	"fmt"
	"unsafe"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/cdata"

	"github.com/dfaparse/dfaparse/internal/handover"
)

// DeviceArray fills out, a struct ArrowDeviceArray of Arrow's C Device Data Interface, with
// the Batch as an array of structures whose children are the columns. Its sync_event points
// to the CUevent after which the Batch is all there. The Batch's memory stays until the
// structure is released, and that of a child that is moved out of it until the child is,
// also when Columns have long been closed; who releases it has waited for what reads it.
func (b *DeviceBatch) DeviceArray(out unsafe.Pointer) error {
	a := &handover.Array{Len: b.Rows, Buffers: make([]uint64, 1)}
	for i := range b.Columns {
		a.Children = append(a.Children, b.Columns[i].array())
	}
	return handover.DeviceArray(out, a, b.device.Info().Ordinal, b.Event(), b)
}

// DeviceSchema fills out, a struct ArrowSchema of Arrow's C Data Interface, with the type of
// what DeviceArray gives.
func (b *DeviceBatch) DeviceSchema(out unsafe.Pointer) {
	cdata.ExportArrowSchema(b.schema, (*cdata.CArrowSchema)(out))
}

// array is a column as the interface has it.
func (c *Column) array() *handover.Array {
	a := &handover.Array{Len: c.Len, Nulls: c.Nulls}
	for i, b := range c.Buffers {
		a.Buffers = append(a.Buffers, b.Address)
		if _, views := c.Type.(arrow.BinaryViewDataType); views && i > 1 {
			a.Variadic = append(a.Variadic, int64(b.Size))
		}
	}
	for i := range c.Children {
		a.Children = append(a.Children, c.Children[i].array())
	}
	if c.Dictionary != nil {
		a.Dictionary = c.Dictionary.array()
	}
	return a
}

// DLPack gives the values of a column of numbers, dates or times as a DLManagedTensor of one
// dimension, whose deleter lets go of the Batch's memory. A tensor knows no nulls: what is
// null is 0 there, and Validity says which that are. It knows no event either: DeviceBatch.Wait
// comes before what reads it.
func (c *Column) DLPack() (unsafe.Pointer, error) {
	code, bits := handover.Int, 0
	if w, ok := c.Type.(arrow.FixedWidthDataType); ok && c.batch != nil {
		bits = w.BitWidth()
	}
	switch c.Type.ID() {
	case arrow.INT8, arrow.INT16, arrow.INT32, arrow.INT64,
		arrow.DATE32, arrow.DATE64, arrow.TIME32, arrow.TIME64, arrow.TIMESTAMP, arrow.DURATION:
	case arrow.UINT8, arrow.UINT16, arrow.UINT32, arrow.UINT64:
		code = handover.Uint
	case arrow.FLOAT16, arrow.FLOAT32, arrow.FLOAT64:
		code = handover.Float
	default:
		bits = 0
	}
	if bits == 0 {
		return nil, fmt.Errorf("gpu: column %q of type %v is no tensor: want numbers, dates or times", c.Name, c.Type)
	}
	return handover.Tensor(c.Values(), c.batch.device.Info().Ordinal, code, bits, c.Len, c.batch)
}
