package rows

import (
	"reflect"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
)

type number interface {
	~int8 | ~int16 | ~int32 | ~int64 | ~int | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~uint | ~float32 | ~float64
}

// width says of an integer type how many bits it has and whether it is signed;
// of a float how many bits of an integer it holds exactly.
type width struct {
	bits   int
	signed bool
	float  bool
}

var arrowWidths = map[arrow.Type]width{
	arrow.INT8: {8, true, false}, arrow.INT16: {16, true, false}, arrow.INT32: {32, true, false}, arrow.INT64: {64, true, false},
	arrow.UINT8: {8, false, false}, arrow.UINT16: {16, false, false}, arrow.UINT32: {32, false, false}, arrow.UINT64: {64, false, false},
	arrow.FLOAT32: {24, true, true}, arrow.FLOAT64: {53, true, true},
}

var goWidths = map[reflect.Kind]width{
	reflect.Int8: {8, true, false}, reflect.Int16: {16, true, false}, reflect.Int32: {32, true, false}, reflect.Int64: {64, true, false}, reflect.Int: {64, true, false},
	reflect.Uint8: {8, false, false}, reflect.Uint16: {16, false, false}, reflect.Uint32: {32, false, false}, reflect.Uint64: {64, false, false}, reflect.Uint: {64, false, false},
	reflect.Float32: {24, true, true}, reflect.Float64: {53, true, true},
}

// holds reports whether every value of from is one of to.
func (to width) holds(from width) bool {
	switch {
	case from.float:
		return to.float && to.bits >= from.bits
	case to.float:
		return to.bits >= from.bits // an integer's sign is apart from a float's digits
	case from.signed == to.signed:
		return to.bits >= from.bits
	}
	return to.signed && to.bits > from.bits
}

// numbers is how numbers go into a Go kind, nil if not all of them do.
func numbers(from arrow.DataType, kind reflect.Kind) func(arrow.Array) loader {
	source, ok := arrowWidths[from.ID()]
	target, also := goWidths[kind]
	if !ok || !also || !target.holds(source) {
		return nil
	}
	switch kind {
	case reflect.Int8:
		return into[int8]
	case reflect.Int16:
		return into[int16]
	case reflect.Int32:
		return into[int32]
	case reflect.Int64, reflect.Int:
		return into[int64]
	case reflect.Uint8:
		return into[uint8]
	case reflect.Uint16:
		return into[uint16]
	case reflect.Uint32:
		return into[uint32]
	case reflect.Uint64, reflect.Uint:
		return into[uint64]
	case reflect.Float32:
		return into[float32]
	}
	return into[float64]
}

// into stores the numbers of a as D, which holds them all.
func into[D number](a arrow.Array) loader {
	switch a := a.(type) {
	case *array.Int8:
		return widened[int8, D](a, a.Int8Values())
	case *array.Int16:
		return widened[int16, D](a, a.Int16Values())
	case *array.Int32:
		return widened[int32, D](a, a.Int32Values())
	case *array.Int64:
		return widened[int64, D](a, a.Int64Values())
	case *array.Uint8:
		return widened[uint8, D](a, a.Uint8Values())
	case *array.Uint16:
		return widened[uint16, D](a, a.Uint16Values())
	case *array.Uint32:
		return widened[uint32, D](a, a.Uint32Values())
	case *array.Uint64:
		return widened[uint64, D](a, a.Uint64Values())
	case *array.Float32:
		return widened[float32, D](a, a.Float32Values())
	}
	return widened[float64, D](a, a.(*array.Float64).Float64Values())
}

func widened[S, D number](a arrow.Array, values []S) loader {
	if same, ok := any(values).([]D); ok {
		return copied(a, same)
	}
	return each(a, func(i int) D { return D(values[i]) })
}
