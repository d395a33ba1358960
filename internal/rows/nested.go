package rows

import (
	"reflect"
	"strings"
	"unsafe"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
)

// nestedSlot is how lists go into slices and maps into maps. An absent one is
// nil, which is a null of its own.
func nestedSlot(from arrow.DataType, to reflect.Type) (slot, bool, error) {
	switch from := from.(type) {
	case *arrow.ListType:
		if to.Kind() != reflect.Slice {
			return slot{}, false, nil
		}
		inner, err := slotFor(from.Elem(), to.Elem())
		return slot{nulls: true, open: func(a arrow.Array) loader { return slices(a.(*array.List), to, inner) }}, err == nil, err
	case *arrow.MapType:
		if to.Kind() != reflect.Map || to.Key().Kind() != reflect.String {
			return slot{}, false, nil
		}
		inner, err := slotFor(from.ItemType(), to.Elem())
		return slot{nulls: true, open: func(a arrow.Array) loader { return maps(a.(*array.Map), to, inner) }}, err == nil, err
	}
	return slot{}, false, nil
}

// sliceHeader is a slice as it lies in memory.
type sliceHeader struct {
	data     unsafe.Pointer
	len, cap int
}

// slices stores lists. The elements of a block of rows are one allocation.
func slices(a *array.List, to reflect.Type, inner slot) loader {
	values := a.ListValues()
	load := inner.open(values)
	size := to.Elem().Size()
	return func(dst unsafe.Pointer, stride uintptr, from, to_ int) (int, error) {
		if from == to_ {
			return 0, nil
		}
		lo, _ := a.ValueOffsets(from)
		_, hi := a.ValueOffsets(to_ - 1)
		n := int(hi - lo)
		all := reflect.MakeSlice(to, n, n).UnsafePointer()
		bad, err := elements(values, inner, load, all, size, int(lo), int(hi))
		for i := from; i < to_; i++ {
			var v sliceHeader
			if a.IsValid(i) {
				start, end := a.ValueOffsets(i)
				if err != nil && int64(bad) < end {
					return i, err
				}
				v = sliceHeader{all, int(end - start), int(end - start)}
				if start < end {
					v.data = nth(all, size, int(start-lo))
				}
			}
			*(*sliceHeader)(nth(dst, stride, i-from)) = v
		}
		return 0, nil
	}
}

// elements stores the elements of lists; a null that has no place is an error.
func elements(values arrow.Array, inner slot, load loader, dst unsafe.Pointer, size uintptr, lo, hi int) (bad int, err error) {
	if !inner.nulls && values.NullN() > 0 {
		for i := lo; i < hi; i++ {
			if values.IsNull(i) {
				hi, bad, err = i, i, ErrNull
			}
		}
	}
	if lo == hi {
		return bad, err
	}
	if at, e := load(dst, size, lo, hi); e != nil {
		return at, e
	}
	return bad, err
}

// maps stores maps, of a key that is there twice its last value.
func maps(a *array.Map, to reflect.Type, inner slot) loader {
	keys, items := a.Keys().(*array.String), a.Items()
	load := inner.open(items)
	elem := to.Elem()
	return func(dst unsafe.Pointer, stride uintptr, from, to_ int) (int, error) {
		for i := from; i < to_; i++ {
			m := reflect.Zero(to)
			if a.IsValid(i) {
				lo, hi := a.ValueOffsets(i)
				n := int(hi - lo)
				m = reflect.MakeMapWithSize(to, n)
				values := reflect.MakeSlice(reflect.SliceOf(elem), n, n)
				if _, err := elements(items, inner, load, values.UnsafePointer(), elem.Size(), int(lo), int(hi)); err != nil {
					return i, err
				}
				for k := range n {
					key := reflect.ValueOf(strings.Clone(keys.Value(int(lo) + k))).Convert(to.Key())
					m.SetMapIndex(key, values.Index(k))
				}
			}
			reflect.NewAt(to, nth(dst, stride, i-from)).Elem().Set(m)
		}
		return 0, nil
	}
}
