package rows

import (
	"errors"
	"fmt"
	"reflect"
	"time"
	"unsafe"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
)

// ErrNull is a null where the field's type has none.
var ErrNull = errors.New("null cannot be held; a pointer, sql.Null or the tag option zero can")

var errRange = errors.New("longer than time.Duration counts")

// slot is how values of one Arrow type go into one Go type.
type slot struct {
	nulls bool // the Go type has a null of its own
	open  func(arrow.Array) loader
}

// loader stores the values of rows from up to to at dst and every stride bytes
// after it. A null is the zero value. Of a value that cannot be stored it gives
// the row and the reason; those before it are stored.
type loader func(dst unsafe.Pointer, stride uintptr, from, to int) (bad int, err error)

// nth is where the k-th value is stored. It is never asked for what lies behind
// the last: no pointer may point there.
func nth(dst unsafe.Pointer, stride uintptr, k int) unsafe.Pointer {
	return unsafe.Add(dst, uintptr(k)*stride)
}

var (
	timeType     = reflect.TypeFor[time.Time]()
	durationType = reflect.TypeFor[time.Duration]()
)

// slotFor is the way of values of from into a Go type.
func slotFor(from arrow.DataType, to reflect.Type) (slot, error) {
	if ext, ok := from.(arrow.ExtensionType); ok {
		s, err := slotFor(ext.StorageType(), to)
		if err != nil {
			return s, err
		}
		inner := s.open
		s.open = func(a arrow.Array) loader { return inner(a.(array.ExtensionArray).Storage()) }
		return s, nil
	}
	if elem, valid, ok := nullable(to); ok {
		inner, err := slotFor(from, elem)
		if err != nil || inner.nulls {
			return slot{}, errors.Join(err, nested(inner))
		}
		return slot{nulls: true, open: func(a arrow.Array) loader { return sqlNull(a, inner.open(a), valid) }}, nil
	}
	if to.Kind() == reflect.Pointer {
		inner, err := slotFor(from, to.Elem())
		if err != nil || inner.nulls {
			return slot{}, errors.Join(err, nested(inner))
		}
		return slot{nulls: true, open: func(a arrow.Array) loader { return pointers(a, to.Elem(), inner.open(a)) }}, nil
	}
	if open := plainSlot(from, to); open != nil {
		return slot{open: open}, nil
	}
	if s, ok, err := nestedSlot(from, to); ok || err != nil {
		return s, err
	}
	return slot{}, fmt.Errorf("%s values do not go into %s; they go into %s", from, to, goesInto(from))
}

func nested(s slot) error {
	if s.nulls {
		return errors.New("a null within a null")
	}
	return nil
}

// nullable reports whether t is a sql.Null[E], and where its Valid is.
func nullable(t reflect.Type) (elem reflect.Type, valid uintptr, ok bool) {
	if t.Kind() != reflect.Struct || t.PkgPath() != "database/sql" || t.NumField() != 2 {
		return nil, 0, false
	}
	v, hasV := t.FieldByName("V")
	flag, hasValid := t.FieldByName("Valid")
	if !hasV || !hasValid || v.Offset != 0 {
		return nil, 0, false
	}
	return v.Type, flag.Offset, true
}

// sqlNull stores values and whether they are there.
func sqlNull(a arrow.Array, inner loader, valid uintptr) loader {
	return func(dst unsafe.Pointer, stride uintptr, from, to int) (int, error) {
		for i := from; i < to; i++ {
			*(*bool)(unsafe.Add(nth(dst, stride, i-from), valid)) = a.IsValid(i)
		}
		return inner(dst, stride, from, to)
	}
}

// pointers stores pointers to values, which are allocated together.
func pointers(a arrow.Array, elem reflect.Type, inner loader) loader {
	return func(dst unsafe.Pointer, stride uintptr, from, to int) (int, error) {
		if from == to {
			return 0, nil
		}
		values := reflect.MakeSlice(reflect.SliceOf(elem), to-from, to-from).UnsafePointer()
		size := elem.Size()
		bad, err := inner(values, size, from, to)
		for i := from; i < to; i++ {
			p := (*unsafe.Pointer)(nth(dst, stride, i-from))
			if a.IsValid(i) {
				*p = nth(values, size, i-from)
			} else {
				*p = nil
			}
		}
		return bad, err
	}
}

// each stores value(i) for every row that is not null.
func each[D any](a arrow.Array, value func(i int) D) loader {
	return func(dst unsafe.Pointer, stride uintptr, from, to int) (int, error) {
		for i := from; i < to; i++ {
			var v D
			if a.IsValid(i) {
				v = value(i)
			}
			*(*D)(nth(dst, stride, i-from)) = v
		}
		return 0, nil
	}
}

// copied stores values as they are.
func copied[E any](a arrow.Array, values []E) loader {
	if a.NullN() > 0 {
		return each(a, func(i int) E { return values[i] })
	}
	return func(dst unsafe.Pointer, stride uintptr, from, to int) (int, error) {
		for i, v := range values[from:to] {
			*(*E)(nth(dst, stride, i)) = v
		}
		return 0, nil
	}
}
