package render

import (
	"encoding/base64"
	"encoding/hex"
	"math"
	"net/netip"
	"strconv"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
)

// TypeKey is the metadata key of a field whose bytes mean more than Arrow's
// type says; its values are "ip" and "uuid", on fixed size binary of 16.
const TypeKey = "dfaparse.type"

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
		if meaning := bytesMeaning(f, a); meaning != plainBytes {
			return appendMeaning(dst, meaning, a.Value(row))
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
		meaning := bytesMeaning(f, a)
		if meaning == plainBytes {
			return appendBase64(dst, a.Value(row))
		}
		dst = appendMeaning(append(dst, '"'), meaning, a.Value(row))
		return append(dst, '"')
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

// meaning is what TypeKey says of a field's bytes.
type meaning uint8

const (
	plainBytes meaning = iota
	ipBytes
	uuidBytes
)

func bytesMeaning(f arrow.Field, a *array.FixedSizeBinary) meaning {
	if !f.HasMetadata() || a.DataType().(*arrow.FixedSizeBinaryType).ByteWidth != 16 {
		return plainBytes
	}
	switch name, _ := f.Metadata.GetValue(TypeKey); name {
	case "ip":
		return ipBytes
	case "uuid":
		return uuidBytes
	}
	return plainBytes
}

// appendMeaning appends the text of 16 bytes that are an address or a UUID.
func appendMeaning(dst []byte, m meaning, b []byte) []byte {
	if m == ipBytes {
		return netip.AddrFrom16([16]byte(b)).Unmap().AppendTo(dst)
	}
	for i, end := range [...]int{4, 6, 8, 10, 16} { // RFC 9562, section 4
		start := 0
		if i > 0 {
			start = 2 + 2*i
			dst = append(dst, '-')
		}
		dst = hex.AppendEncode(dst, b[start:end])
	}
	return dst
}

func appendBase64(dst, b []byte) []byte {
	dst = base64.StdEncoding.AppendEncode(append(dst, '"'), b)
	return append(dst, '"')
}
