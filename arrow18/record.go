package arrow18

import (
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	arrow17 "github.com/apache/arrow/go/v17/arrow"
	memory17 "github.com/apache/arrow/go/v17/arrow/memory"
)

// Record is a record of v17 as one of v18, over the same bytes. It keeps the
// buffers of rec until it is released, whatever becomes of rec.
func Record(rec arrow17.Record) arrow.RecordBatch { return newRecord(Schema(rec.Schema()), rec) }

// newRecord is Record for a schema that is Schema(rec.Schema()).
func newRecord(schema *arrow.Schema, rec arrow17.Record) arrow.RecordBatch {
	columns := make([]arrow.Array, rec.NumCols())
	for i := range columns {
		data := newData(schema.Field(i).Type, rec.Column(i).Data())
		columns[i] = array.MakeFromData(data)
		data.Release()
	}
	made := array.NewRecordBatch(schema, columns, rec.NumRows())
	for _, column := range columns {
		column.Release()
	}
	return made
}

// newData is the data of an array of v17 as data of an array of v18 of type t,
// which is the type of the first as typeOf has it.
func newData(t arrow.DataType, from arrow17.ArrayData) *array.Data {
	var buffers []*memory.Buffer
	for _, b := range from.Buffers() {
		buffers = append(buffers, newBuffer(b))
	}
	storage := t
	if e, ok := t.(arrow.ExtensionType); ok {
		storage = e.StorageType()
	}
	var children []arrow.ArrayData
	if nested, ok := storage.(arrow.NestedType); ok {
		fields := nested.Fields()
		for i, child := range from.Children() {
			children = append(children, newData(fields[i].Type, child))
		}
	}
	data := array.NewData(t, from.Len(), buffers, children, from.NullN(), from.Offset())
	if d, ok := storage.(*arrow.DictionaryType); ok {
		values := newData(d.ValueType, from.Dictionary())
		data.SetDictionary(values)
		values.Release()
	}
	for _, b := range buffers {
		if b != nil {
			b.Release() // data has its own references now
		}
	}
	for _, child := range children {
		child.Release()
	}
	return data
}

// newBuffer is a buffer over the bytes of b, which it keeps. nil is a buffer that
// an array does without.
func newBuffer(b *memory17.Buffer) *memory.Buffer {
	if b == nil {
		return nil
	}
	b.Retain()
	return memory.NewBufferWithAllocator(b.Bytes(), &keeper{b})
}

// keeper is the memory of one buffer of v18: that of a buffer of v17, which is
// released when the one of v18 gives it back. A buffer of v18 frees its memory
// once, when the last reference goes.
type keeper struct {
	buffer *memory17.Buffer // nil once it is released
}

func (k *keeper) Free([]byte) {
	if k.buffer != nil {
		k.buffer.Release()
		k.buffer = nil
	}
}

// Allocate and Reallocate are for those who resize a buffer of a record, which is not
// mutable. The bytes of v17 are others' as well, so it gets new ones.
func (k *keeper) Allocate(nbytes int) []byte { return memory.DefaultAllocator.Allocate(nbytes) }

func (k *keeper) Reallocate(nbytes int, old []byte) []byte {
	fresh := k.Allocate(nbytes)
	copy(fresh, old)
	k.Free(old)
	return fresh
}
