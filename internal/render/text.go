package render

import (
	"encoding/base64"
	"encoding/hex"
	"math"
	"strconv"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"

	"github.com/dfaparse/dfaparse/internal/convert"
)

// AppendText appends the text form of row row of a, which is a column (or a
// child of one) of field f. A null appends nothing.
func AppendText(dst []byte, f arrow.Field, a arrow.Array, row int) []byte {
	if a.IsNull(row) {
		return dst
	}
	switch a := a.(type) {
	case *array.Null: // has no validity to ask
		return dst
	case *array.String:
		return append(dst, a.Value(row)...)
	case *array.LargeString:
		return append(dst, a.Value(row)...)
	case *array.Binary:
		return hex.AppendEncode(dst, a.Value(row))
	case *array.LargeBinary:
		return hex.AppendEncode(dst, a.Value(row))
	case *array.FixedSizeBinary:
		if facts := convert.FactsOfField(&f); facts != nil {
			return facts.Text.Append(dst, a.Value(row))
		}
		return hex.AppendEncode(dst, a.Value(row))
	case *array.Dictionary:
		return AppendText(dst, valueField(f, a), a.Dictionary(), a.GetValueIndex(row))
	case *array.List, *array.Map:
		return appendNested(dst, f, a, row)
	}
	if out, ok := appendTime(dst, a, row); ok {
		return out
	}
	if out, ok := appendNumber(dst, a, row); ok {
		return out
	}
	return append(dst, a.ValueStr(row)...)
}

// AppendJSON appends the JSON form of row row of a, which is a column (or a
// child of one) of field f.
func AppendJSON(dst []byte, f arrow.Field, a arrow.Array, row int) []byte {
	if a.IsNull(row) {
		return append(dst, "null"...)
	}
	switch a := a.(type) {
	case *array.Null:
		return append(dst, "null"...)
	case *array.String:
		return AppendQuoted(dst, a.Value(row))
	case *array.LargeString:
		return AppendQuoted(dst, a.Value(row))
	case *array.Binary:
		return appendBase64(dst, a.Value(row))
	case *array.LargeBinary:
		return appendBase64(dst, a.Value(row))
	case *array.FixedSizeBinary:
		if facts := convert.FactsOfField(&f); facts != nil && facts.JSON == convert.JSONString {
			return append(facts.Text.Append(append(dst, '"'), a.Value(row)), '"')
		}
		return appendBase64(dst, a.Value(row))
	case *array.Dictionary:
		return AppendJSON(dst, valueField(f, a), a.Dictionary(), a.GetValueIndex(row))
	case *array.List, *array.Map:
		return appendNested(dst, f, a, row)
	case *array.Float32, *array.Float64, *array.Float16:
		v := floatOf(a, row)
		if math.IsNaN(v) || math.IsInf(v, 0) {
			dst, _ = appendNumber(append(dst, '"'), a, row)
			return append(dst, '"')
		}
	}
	if out, ok := appendTime(append(dst, '"'), a, row); ok {
		return append(out, '"')
	}
	if out, ok := appendNumber(dst, a, row); ok {
		return out
	}
	return AppendQuoted(dst, a.ValueStr(row))
}

// appendNumber appends a bool, an integer, a float or a decimal, which are
// written alike in text and in JSON, and reports whether a is one of them.
func appendNumber(dst []byte, a arrow.Array, row int) ([]byte, bool) {
	switch a := a.(type) {
	case *array.Boolean:
		return strconv.AppendBool(dst, a.Value(row)), true
	case *array.Int8:
		return strconv.AppendInt(dst, int64(a.Value(row)), 10), true
	case *array.Int16:
		return strconv.AppendInt(dst, int64(a.Value(row)), 10), true
	case *array.Int32:
		return strconv.AppendInt(dst, int64(a.Value(row)), 10), true
	case *array.Int64:
		return strconv.AppendInt(dst, a.Value(row), 10), true
	case *array.Uint8:
		return strconv.AppendUint(dst, uint64(a.Value(row)), 10), true
	case *array.Uint16:
		return strconv.AppendUint(dst, uint64(a.Value(row)), 10), true
	case *array.Uint32:
		return strconv.AppendUint(dst, uint64(a.Value(row)), 10), true
	case *array.Uint64:
		return strconv.AppendUint(dst, a.Value(row), 10), true
	case *array.Float16, *array.Float32:
		return appendFloat(dst, floatOf(a, row), 32), true
	case *array.Float64:
		return appendFloat(dst, a.Value(row), 64), true
	case *array.Decimal128:
		scale := a.DataType().(*arrow.Decimal128Type).Scale
		return appendDecimal(dst, a.Value(row), int(scale)), true
	}
	return dst, false
}

func floatOf(a arrow.Array, row int) float64 {
	switch a := a.(type) {
	case *array.Float16:
		return float64(a.Value(row).Float32())
	case *array.Float32:
		return float64(a.Value(row))
	case *array.Float64:
		return a.Value(row)
	}
	return math.NaN()
}

// appendFloat appends the shortest decimal that reads back as v, with an
// exponent only where the plain form would have more than 21 digits (the rule
// of ECMAScript's Number::toString).
func appendFloat(dst []byte, v float64, bits int) []byte {
	switch abs := math.Abs(v); {
	case math.IsNaN(v):
		return append(dst, "NaN"...)
	case math.IsInf(v, 1):
		return append(dst, "Inf"...)
	case math.IsInf(v, -1):
		return append(dst, "-Inf"...)
	case abs != 0 && (abs < 1e-6 || abs >= 1e21):
		return strconv.AppendFloat(dst, v, 'e', -1, bits)
	}
	return strconv.AppendFloat(dst, v, 'f', -1, bits)
}

// valueField is the field of a dictionary's values.
func valueField(f arrow.Field, a *array.Dictionary) arrow.Field {
	f.Type = a.DataType().(*arrow.DictionaryType).ValueType
	return f
}

func appendBase64(dst, b []byte) []byte {
	dst = base64.StdEncoding.AppendEncode(append(dst, '"'), b)
	return append(dst, '"')
}
