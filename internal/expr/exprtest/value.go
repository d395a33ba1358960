// Package exprtest has the values of columns as references of tests compare them: of each value
// what it means, whatever the array holds.
package exprtest

import (
	"cmp"
	"fmt"
	"math/big"
	"strings"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
)

// Kind is what values of a column are compared as.
type Kind byte

const (
	Whole Kind = iota + 1
	Float
	Text
)

// Value is a value of a column. Only what belongs to its Kind is set, and nothing of a null.
type Value struct {
	Null  bool
	Kind  Kind
	Whole *big.Int // in the column's unit
	Float float64
	Text  string
}

// Of is the value of a row.
func Of(a arrow.Array, i int) Value {
	if a.IsNull(i) {
		return Value{Null: true}
	}
	switch a := a.(type) {
	case *array.Boolean:
		if a.Value(i) {
			return WholeOf(1)
		}
		return WholeOf(0)
	case *array.Int8:
		return WholeOf(int64(a.Value(i)))
	case *array.Int16:
		return WholeOf(int64(a.Value(i)))
	case *array.Int32:
		return WholeOf(int64(a.Value(i)))
	case *array.Int64:
		return WholeOf(a.Value(i))
	case *array.Uint8:
		return WholeOf(int64(a.Value(i)))
	case *array.Uint16:
		return WholeOf(int64(a.Value(i)))
	case *array.Uint32:
		return WholeOf(int64(a.Value(i)))
	case *array.Uint64:
		return Value{Kind: Whole, Whole: new(big.Int).SetUint64(a.Value(i))}
	case *array.Date32:
		return WholeOf(int64(a.Value(i)))
	case *array.Time64:
		return WholeOf(int64(a.Value(i)))
	case *array.Timestamp:
		return WholeOf(int64(a.Value(i)))
	case *array.Duration:
		return WholeOf(int64(a.Value(i)))
	case *array.Decimal128:
		return Value{Kind: Whole, Whole: a.Value(i).BigInt()}
	case *array.Float32:
		return FloatOf(float64(a.Value(i)))
	case *array.Float64:
		return FloatOf(a.Value(i))
	case *array.String:
		return textOf(a.Value(i))
	case *array.Binary:
		return textOf(string(a.Value(i)))
	case *array.FixedSizeBinary:
		return textOf(string(a.Value(i)))
	case *array.Dictionary:
		return Of(a.Dictionary(), a.GetValueIndex(i))
	}
	panic(a.DataType().Name())
}

// WholeOf is the value of a number, a point in time or a truth.
func WholeOf(v int64) Value { return Value{Kind: Whole, Whole: big.NewInt(v)} }

// FloatOf is the value of a float.
func FloatOf(v float64) Value { return Value{Kind: Float, Float: v} }

func textOf(v string) Value { return Value{Kind: Text, Text: v} }

// Compare orders values of one column: NaN is the largest float, -0 is 0, nulls are last.
func (v Value) Compare(w Value) int {
	switch {
	case v.Null || w.Null:
		return number(v.Null) - number(w.Null)
	case v.Kind == Whole:
		return v.Whole.Cmp(w.Whole)
	case v.Kind == Text:
		return strings.Compare(v.Text, w.Text)
	case v.Float != v.Float || w.Float != w.Float:
		return number(v.Float != v.Float) - number(w.Float != w.Float)
	}
	return cmp.Compare(v.Float, w.Float)
}

func number(is bool) int {
	if is {
		return 1
	}
	return 0
}

func (v Value) String() string {
	switch {
	case v.Null:
		return "null"
	case v.Kind == Whole:
		return v.Whole.String()
	case v.Kind == Float:
		return fmt.Sprint(v.Float + 0) // -0 + 0 is 0
	}
	return fmt.Sprintf("%q", v.Text)
}
