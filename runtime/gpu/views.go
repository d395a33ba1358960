//go:build cuda

package gpu

import (
	"slices"

	"github.com/apache/arrow/go/v17/arrow"
)

// This file keeps texts as views: see kernels/strings/views.cuh. A view that kernels make is into the
// flight's symbols or into the heap; those of rows that the host reads are into bytes of its own.

// Buffers of a column of views, behind validity and views, are those of kernels, and one more.
const (
	hostBuffer  = heapBuffer + 1
	viewBuffers = hostBuffer + 1
)

// viewType is the type of views of texts of a type, nil if t is none of texts.
func viewType(t arrow.DataType) arrow.DataType {
	switch t.ID() {
	case arrow.STRING:
		return arrow.BinaryTypes.StringView
	case arrow.BINARY:
		return arrow.BinaryTypes.BinaryView
	}
	return nil
}

// viewSchema is a schema whose columns of texts are views.
func viewSchema(s *arrow.Schema) *arrow.Schema {
	fields := slices.Clone(s.Fields())
	for i := range fields {
		if view := viewType(fields[i].Type); view != nil {
			fields[i].Type = view
		}
	}
	metadata := s.Metadata()
	return arrow.NewSchema(fields, &metadata)
}

// hostTexts are strings of the host on their way to the device.
type hostTexts struct {
	buffer int32 // its number
	bytes  []byte
}

// view adds a string.
func (x *hostTexts) view(text []byte) (v arrow.ViewHeader) {
	v.SetBytes(text)
	if !v.IsInline() {
		v.SetIndexOffset(x.buffer, int32(len(x.bytes)))
		x.bytes = append(x.bytes, text...)
	}
	return v
}

// views keeps output i as views, of which the host puts in some.
func (k *keeping) views(to *Column, i int, view arrow.DataType, r replaced) {
	x, o := k.x, &k.x.slot.outputs[i]
	to.Type, to.Len = view, k.kept()
	to.Buffers = make([]Buffer, 2+viewBuffers)
	texts := hostTexts{buffer: hostBuffer}
	views, begin := make([]arrow.ViewHeader, len(r.ends)), uint32(0)
	for k, end := range r.ends {
		views[k], begin = texts.view(r.values[begin:end]), end
	}
	k.validity(to, i, r)
	k.takeValues(&to.Buffers[1], o.Views, viewSize)
	k.patchValues(&to.Buffers[1], r.moved, bytesOf(views), viewSize)
	of := to.Buffers[2:]
	k.takeSymbols(&of[symbolsBuffer], k.sourceOf(i))
	k.takeOnce(&of[heapBuffer], x.slot.heap.address, k.p.viewedHeap(x))
	k.take(&of[hostBuffer], 0, texts.bytes, len(texts.bytes))
}

// sourceOf is where the symbols of output i are on the device.
func (k *keeping) sourceOf(i int) uint64 {
	if k.x.fused { // where no symbol stands for another one
		return k.x.slot.job.Data
	}
	return k.x.slot.outputs[i].Source
}

// takeSymbols has the symbols of a flight be a buffer: where the caller has them on the device, or in
// the batch's memory, once for all columns.
func (k *keeping) takeSymbols(b *Buffer, source uint64) {
	if k.c.feed.device != 0 && source == k.x.slot.job.Data {
		*b = Buffer{k.c.feed.device + uint64(k.x.from), k.x.consumed}
		return
	}
	k.takeOnce(b, source, k.x.consumed)
}

// takeOnce has n bytes at an address of the device be a buffer, in the batch's memory once for all columns.
func (k *keeping) takeOnce(b *Buffer, address uint64, n int) {
	first := k.once[address]
	if first == nil {
		if k.once == nil {
			k.once = map[uint64]*Buffer{}
		}
		k.once[address] = b
		k.take(b, address, nil, n)
		return
	}
	k.shared = append(k.shared, sharedBuffer{b, first})
}

// viewedHeap is how many bytes of a flight's heap views may be into, from its begin on.
func (p *parser) viewedHeap(x *flight) int {
	n := 4 * int(x.counts.Reserved[notedHeapWords])
	for i := range x.slot.outputs {
		if x.slot.outputs[i].Views != 0 {
			if text := x.text(i); text.size > 0 {
				n = max(n, int(text.address)+text.size)
			}
		}
	}
	return n
}

// sharedBuffer is a buffer that is another one's memory.
type sharedBuffer struct{ buffer, of *Buffer }

// uploadViews has texts of the host copied, which become views of one buffer.
func (k *keeping) uploadViews(to *Column, view arrow.DataType, from arrow.ArrayData) {
	to.Type, to.Len, to.Nulls = view, from.Len(), from.NullN()
	to.Buffers = make([]Buffer, 3)
	validity, offsets, bytes := from.Buffers()[0], wordsOf(from.Buffers()[1].Bytes()), []byte(nil)
	if b := from.Buffers()[2]; b != nil {
		bytes = b.Bytes()
	}
	if validity != nil {
		k.take(&to.Buffers[0], 0, slices.Clip(validity.Bytes()), validity.Len())
	}
	views, texts := make([]arrow.ViewHeader, from.Len()), hostTexts{}
	for i := range views {
		views[i] = texts.view(bytes[offsets[i]:offsets[i+1]])
	}
	k.take(&to.Buffers[1], 0, bytesOf(views), viewSize*len(views))
	k.take(&to.Buffers[2], 0, texts.bytes, len(texts.bytes))
}
