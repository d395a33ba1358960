//go:build cgo && (linux || darwin)

package main

// #include "block.h"
import "C"

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strings"
	"unsafe"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
)

// errNoMemory is that C has none.
var errNoMemory = errors.New("there is not enough memory for a batch")

// cArray is struct ArrowArray, and cSchema struct ArrowSchema. Their pointers are numbers:
// what they point to is none of Go's.
type cArray struct {
	length, nulls, offset, nbuffers, nchildren      int64
	buffers, children, dictionary, release, private uintptr
}

type cSchema struct {
	format, name, metadata                 uintptr
	flags, nchildren                       int64
	children, dictionary, release, private uintptr
}

const (
	arraySize   = int(unsafe.Sizeof(cArray{}))
	schemaSize  = int(unsafe.Sizeof(cSchema{}))
	pointerSize = int(unsafe.Sizeof(uintptr(0)))
	alignment   = 64 // of buffers, as Arrow wants it
)

// The two are as large as C's.
var (
	_ = [1]struct{}{}[arraySize-C.sizeof_struct_ArrowArray]
	_ = [1]struct{}{}[schemaSize-C.sizeof_struct_ArrowSchema]
)

// block is memory that is filled from its beginning.
type block struct {
	base unsafe.Pointer
	size int
	used int
}

func newBlock(nbytes, refs int) (*block, error) {
	base := C.dfa_block_new(C.size_t(nbytes), C.int64_t(refs))
	if base == nil {
		return nil, errNoMemory
	}
	return &block{base: base, size: nbytes}, nil
}

// take gives the next n bytes, and where they are.
func (b *block) take(n int) ([]byte, uintptr) {
	if n > b.size-b.used {
		panic(fmt.Sprintf("libdfaparse: a block of %d bytes is to hold %d more than %d", b.size, n, b.used))
	}
	p := unsafe.Add(b.base, b.used)
	b.used += n
	return unsafe.Slice((*byte)(p), n), uintptr(p)
}

// takeOf gives n values of a type without pointers.
func takeOf[T any](b *block, n int) ([]T, uintptr) {
	if n == 0 {
		return nil, 0
	}
	raw, at := b.take(n * int(unsafe.Sizeof(*new(T))))
	return unsafe.Slice((*T)(unsafe.Pointer(&raw[0])), n), at
}

func aligned(n int) int { return (n + alignment - 1) &^ (alignment - 1) }

// exported is a record in C's memory.
type exported struct{ root *C.struct_ArrowArray }

// moveTo hands the batch over.
func (b *exported) moveTo(out *C.struct_ArrowArray) {
	*(*cArray)(unsafe.Pointer(out)) = *(*cArray)(unsafe.Pointer(b.root))
}

// release is for a batch that nobody has taken.
func (b *exported) release() { C.dfa_array_release(b.root) }

// exportRecord copies a record.
func exportRecord(rec arrow.Record) (*exported, error) {
	x := exporter{}
	x.structs(1, 1, int(rec.NumCols()))
	x.data = alignment // of nothing
	for _, column := range rec.Columns() {
		x.measure(column.Data())
	}
	var err error
	if x.block, err = newBlock(aligned(x.head)+x.data, x.narrays); err != nil {
		return nil, err
	}
	x.body = block{base: x.block.base, size: x.block.size, used: aligned(x.head)}
	root, _ := takeOf[cArray](x.block, 1)
	x.nothing = x.buffer(nil)
	root[0] = cArray{length: rec.NumRows(), nbuffers: 1, nchildren: rec.NumCols(), release: uintptr(C.dfa_array_releaser()), private: uintptr(x.block.base)}
	buffers, buffersAt := takeOf[uintptr](x.block, 1)
	buffers[0] = 0
	root[0].buffers = buffersAt
	root[0].children = x.children(len(rec.Columns()), func(i int) arrow.ArrayData { return rec.Column(i).Data() })
	return &exported{(*C.struct_ArrowArray)(x.block.base)}, nil
}

// exporter copies arrays: first it measures them, then it fills a block.
type exporter struct {
	head, data int // bytes of structures, and of buffers
	narrays    int
	block      *block
	body       block // the same memory, behind the structures
	nothing    uintptr
}

// structs counts structures with so many buffers and children.
func (x *exporter) structs(n, nbuffers, nchildren int) {
	x.narrays += n
	x.head += n*arraySize + (nbuffers+nchildren)*pointerSize
}

func (x *exporter) measure(d arrow.ArrayData) {
	x.structs(1, len(d.Buffers()), len(d.Children()))
	for _, b := range d.Buffers() {
		if b != nil {
			x.data += aligned(b.Len())
		}
	}
	for _, child := range d.Children() {
		x.measure(child)
	}
	if dictionary := dictionaryOf(d); dictionary != nil {
		x.measure(dictionary)
	}
}

// dictionaryOf is the dictionary of an array, nil if it has none.
func dictionaryOf(d arrow.ArrayData) arrow.ArrayData {
	if of, ok := d.Dictionary().(*array.Data); ok && of != nil {
		return of
	}
	return nil
}

// buffer copies one, and gives where.
func (x *exporter) buffer(from []byte) uintptr {
	to, at := x.body.take(max(aligned(len(from)), alignment))
	clear(to[copy(to, from):])
	return at
}

// children fills the structures of n arrays, and gives where the pointers to them are.
func (x *exporter) children(n int, of func(int) arrow.ArrayData) uintptr {
	if n == 0 {
		return 0
	}
	pointers, at := takeOf[uintptr](x.block, n)
	arrays, first := takeOf[cArray](x.block, n)
	for i := range n {
		pointers[i] = first + uintptr(i*arraySize)
		x.fill(&arrays[i], of(i))
	}
	return at
}

func (x *exporter) fill(a *cArray, d arrow.ArrayData) {
	*a = cArray{
		length: int64(d.Len()), nulls: int64(d.NullN()), offset: int64(d.Offset()),
		nbuffers: int64(len(d.Buffers())), nchildren: int64(len(d.Children())),
		release: uintptr(C.dfa_array_releaser()), private: uintptr(x.block.base),
	}
	pointers, at := takeOf[uintptr](x.block, len(d.Buffers()))
	a.buffers = at
	for i, b := range d.Buffers() {
		switch {
		case b != nil && b.Len() > 0:
			pointers[i] = x.buffer(b.Bytes())
		case i > 0:
			pointers[i] = x.nothing // there are consumers that want no NULL
		default:
			pointers[i] = 0 // no bitmap: nothing is null
		}
	}
	a.children = x.children(len(d.Children()), func(i int) arrow.ArrayData { return d.Children()[i] })
	if dictionary := dictionaryOf(d); dictionary != nil {
		of, at := takeOf[cArray](x.block, 1)
		a.dictionary = at
		x.fill(&of[0], dictionary)
	}
}

// exportSchema copies a schema, as that of a struct, to out.
func exportSchema(s *arrow.Schema, out *C.struct_ArrowSchema) error {
	meta := s.Metadata()
	root := &node{format: "+s", metadata: metadataOf(&meta)}
	for _, f := range s.Fields() {
		child, err := nodeOf(f)
		if err != nil {
			return err
		}
		root.children = append(root.children, child)
	}
	head, text, n := root.size()
	b, err := newBlock(head+text, n)
	if err != nil {
		return err
	}
	x := schemaExporter{b, block{base: b.base, size: b.size, used: head}}
	structure, _ := takeOf[cSchema](b, 1)
	x.fill(&structure[0], root)
	*(*cSchema)(unsafe.Pointer(out)) = structure[0]
	return nil
}

// node is a field as the C Data Interface has it.
type node struct {
	format, name string
	metadata     []byte // nil: none
	flags        int64
	children     []*node
	dictionary   *node
}

// size is that of the structures, that of the texts, and how many structures there are.
func (n *node) size() (head, text, structures int) {
	head, text, structures = schemaSize+pointerSize*len(n.children), len(n.format)+len(n.name)+2+len(n.metadata), 1
	below := n.children
	if n.dictionary != nil {
		below = append(below[:len(below):len(below)], n.dictionary)
	}
	for _, child := range below {
		h, t, s := child.size()
		head, text, structures = head+h, text+t, structures+s
	}
	return head, text, structures
}

type schemaExporter struct {
	block *block
	texts block // the same memory, behind the structures
}

func (x *schemaExporter) text(s string) uintptr {
	to, at := x.texts.take(len(s) + 1)
	copy(to, s)
	to[len(s)] = 0
	return at
}

func (x *schemaExporter) fill(s *cSchema, n *node) {
	*s = cSchema{
		format: x.text(n.format), name: x.text(n.name), flags: n.flags, nchildren: int64(len(n.children)),
		release: uintptr(C.dfa_schema_releaser()), private: uintptr(x.block.base),
	}
	if n.metadata != nil {
		to, at := x.texts.take(len(n.metadata))
		copy(to, n.metadata)
		s.metadata = at
	}
	if len(n.children) > 0 {
		pointers, at := takeOf[uintptr](x.block, len(n.children))
		structures, first := takeOf[cSchema](x.block, len(n.children))
		for i, child := range n.children {
			pointers[i] = first + uintptr(i*schemaSize)
			x.fill(&structures[i], child)
		}
		s.children = at
	}
	if n.dictionary != nil {
		structures, at := takeOf[cSchema](x.block, 1)
		x.fill(&structures[0], n.dictionary)
		s.dictionary = at
	}
}

func nodeOf(f arrow.Field) (*node, error) {
	if strings.ContainsRune(f.Name, 0) { // which would end it
		return nil, fmt.Errorf("column %q: the C Data Interface has no names with a NUL", f.Name)
	}
	format, err := formatOf(f.Type)
	if err != nil {
		return nil, fmt.Errorf("column %q: %w", f.Name, err)
	}
	n := &node{format: format, name: f.Name, metadata: metadataOf(&f.Metadata)}
	if f.Nullable {
		n.flags |= C.ARROW_FLAG_NULLABLE
	}
	switch t := f.Type.(type) {
	case *arrow.DictionaryType:
		if t.Ordered {
			n.flags |= C.ARROW_FLAG_DICTIONARY_ORDERED
		}
		n.dictionary, err = nodeOf(arrow.Field{Type: t.ValueType, Nullable: true})
	case arrow.NestedType:
		if m, ok := t.(*arrow.MapType); ok && m.KeysSorted {
			n.flags |= C.ARROW_FLAG_MAP_KEYS_SORTED
		}
		for _, field := range t.Fields() {
			child, err := nodeOf(field)
			if err != nil {
				return nil, err
			}
			n.children = append(n.children, child)
		}
	}
	return n, err
}

// metadataOf writes pairs as C has them: counts and lengths of 32 bits in front.
func metadataOf(m *arrow.Metadata) []byte {
	if m.Len() == 0 {
		return nil
	}
	b := binary.NativeEndian.AppendUint32(nil, uint32(m.Len()))
	for i, key := range m.Keys() {
		for _, s := range []string{key, m.Values()[i]} {
			if len(s) > math.MaxInt32 {
				s = ""
			}
			b = append(binary.NativeEndian.AppendUint32(b, uint32(len(s))), s...)
		}
	}
	return b
}

// units are Arrow's words of them in formats.
var units = map[arrow.TimeUnit]string{arrow.Second: "s", arrow.Millisecond: "m", arrow.Microsecond: "u", arrow.Nanosecond: "n"}

// formatOf is a type in the words of the C Data Interface: all types that columns have.
func formatOf(t arrow.DataType) (string, error) {
	switch t := t.(type) {
	case *arrow.FixedSizeBinaryType:
		return fmt.Sprintf("w:%d", t.ByteWidth), nil
	case *arrow.Decimal128Type:
		return fmt.Sprintf("d:%d,%d", t.Precision, t.Scale), nil
	case *arrow.Time32Type:
		return "tt" + units[t.Unit], nil
	case *arrow.Time64Type:
		return "tt" + units[t.Unit], nil
	case *arrow.TimestampType:
		return "ts" + units[t.Unit] + ":" + t.TimeZone, nil
	case *arrow.DurationType:
		return "tD" + units[t.Unit], nil
	case *arrow.DictionaryType:
		return formatOf(t.IndexType)
	}
	if format, ok := plainFormats[t.ID()]; ok {
		return format, nil
	}
	return "", fmt.Errorf("the C Data Interface has no word for %s here", t)
}

var plainFormats = map[arrow.Type]string{
	arrow.NULL: "n", arrow.BOOL: "b",
	arrow.INT8: "c", arrow.INT16: "s", arrow.INT32: "i", arrow.INT64: "l",
	arrow.UINT8: "C", arrow.UINT16: "S", arrow.UINT32: "I", arrow.UINT64: "L",
	arrow.FLOAT16: "e", arrow.FLOAT32: "f", arrow.FLOAT64: "g",
	arrow.BINARY: "z", arrow.LARGE_BINARY: "Z", arrow.STRING: "u", arrow.LARGE_STRING: "U",
	arrow.DATE32: "tdD", arrow.DATE64: "tdm",
	arrow.LIST: "+l", arrow.LARGE_LIST: "+L", arrow.STRUCT: "+s", arrow.MAP: "+m",
}
