package rows

import (
	"fmt"
	"math"
	"net/netip"
	"reflect"
	"strconv"
	"strings"
	"time"
	"unsafe"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/decimal128"
)

var (
	decimalType = reflect.TypeFor[decimal128.Num]()
	addrType    = reflect.TypeFor[netip.Addr]()
)

// plainSlot is how values that are not nested go into a Go type without a null
// of its own, nil if they do not.
func plainSlot(from arrow.DataType, to reflect.Type) func(arrow.Array) loader {
	special := to == durationType
	switch from := from.(type) {
	case *arrow.BooleanType:
		if to.Kind() == reflect.Bool {
			return func(a arrow.Array) loader { return each(a, a.(*array.Boolean).Value) }
		}
	case *arrow.StringType:
		return textSlot(to)
	case *arrow.DictionaryType:
		if to.Kind() == reflect.String && from.ValueType.ID() == arrow.STRING {
			return func(a arrow.Array) loader { return tokens(a.(*array.Dictionary)) }
		}
	case *arrow.BinaryType:
		if bytesLike(to) {
			return func(a arrow.Array) loader { return bytesOf(a.(*array.Binary)) }
		}
	case *arrow.FixedSizeBinaryType:
		return fixedSlot(from.ByteWidth, to)
	case *arrow.Decimal128Type:
		return decimalSlot(from, to)
	case *arrow.TimestampType:
		if to == timeType {
			return timestamps(from)
		}
	case *arrow.Date32Type:
		if to == timeType {
			return func(a arrow.Array) loader {
				values := a.(*array.Date32)
				return each(a, func(i int) time.Time { return time.Unix(int64(values.Value(i))*86400, 0).UTC() })
			}
		}
	case *arrow.Time32Type:
		if to == durationType {
			return func(a arrow.Array) loader {
				values := a.(*array.Time32).Time32Values()
				return durations(a, from.Unit, func(i int) int64 { return int64(values[i]) })
			}
		}
	case *arrow.Time64Type:
		if to == durationType {
			return func(a arrow.Array) loader {
				values := a.(*array.Time64).Time64Values()
				return durations(a, from.Unit, func(i int) int64 { return int64(values[i]) })
			}
		}
	case *arrow.DurationType:
		if to == durationType {
			return func(a arrow.Array) loader {
				values := a.(*array.Duration).DurationValues()
				return durations(a, from.Unit, func(i int) int64 { return int64(values[i]) })
			}
		}
	default:
		if !special {
			return numbers(from, to.Kind())
		}
	}
	return nil
}

func bytesLike(to reflect.Type) bool {
	return to.Kind() == reflect.Slice && to.Elem().Kind() == reflect.Uint8
}

// textSlot is how text goes into a Go type. The strings of a block of rows are
// one allocation.
func textSlot(to reflect.Type) func(arrow.Array) loader {
	switch {
	case to.Kind() == reflect.String:
		return func(a arrow.Array) loader { return texts(a.(*array.String)) }
	case bytesLike(to):
		return func(a arrow.Array) loader {
			return eachBytes(a, a.(*array.String).ValueOffset, a.(*array.String).ValueBytes())
		}
	case to == addrType:
		return func(a arrow.Array) loader { return addresses(a.(*array.String)) }
	}
	return nil
}

func texts(a *array.String) loader {
	return func(dst unsafe.Pointer, stride uintptr, from, to int) (int, error) {
		if from == to {
			return 0, nil
		}
		first, base := a.ValueOffset(0), a.ValueOffset(from)
		all := string(a.ValueBytes()[base-first : a.ValueOffset(to)-first])
		for i := from; i < to; i++ {
			*(*string)(nth(dst, stride, i-from)) = all[a.ValueOffset(i)-base : a.ValueOffset(i+1)-base]
		}
		return 0, nil
	}
}

func bytesOf(a *array.Binary) loader {
	offsets := a.ValueOffsets()
	return eachBytes(a, func(i int) int { return int(offsets[i]) }, a.ValueBytes())
}

func eachBytes(a arrow.Array, offset func(int) int, whole []byte) loader {
	return func(dst unsafe.Pointer, stride uintptr, from, to int) (int, error) {
		if from == to {
			return 0, nil
		}
		first, base := offset(0), offset(from)
		all := append([]byte{}, whole[base-first:offset(to)-first]...)
		for i := from; i < to; i++ {
			var v []byte
			if a.IsValid(i) {
				lo, hi := offset(i)-base, offset(i+1)-base
				v = all[lo:hi:hi]
			}
			*(*[]byte)(nth(dst, stride, i-from)) = v
		}
		return 0, nil
	}
}

// tokens stores the words of a dictionary, each of which is one string.
func tokens(a *array.Dictionary) loader {
	values := a.Dictionary().(*array.String)
	words := make([]string, values.Len())
	for i := range words {
		words[i] = strings.Clone(values.Value(i))
	}
	return each(a, func(i int) string { return words[a.GetValueIndex(i)] })
}

func addresses(a *array.String) loader {
	return func(dst unsafe.Pointer, stride uintptr, from, to int) (int, error) {
		for i := from; i < to; i++ {
			var v netip.Addr
			if a.IsValid(i) {
				var err error
				if v, err = netip.ParseAddr(a.Value(i)); err != nil {
					return i, fmt.Errorf("%q is no address", a.Value(i))
				}
			}
			*(*netip.Addr)(nth(dst, stride, i-from)) = v
		}
		return 0, nil
	}
}

func fixedSlot(nbytes int, to reflect.Type) func(arrow.Array) loader {
	switch {
	case nbytes == 16 && to == addrType:
		return func(a arrow.Array) loader {
			values := a.(*array.FixedSizeBinary)
			return each(a, func(i int) netip.Addr { return netip.AddrFrom16([16]byte(values.Value(i))).Unmap() })
		}
	case to.Kind() == reflect.Array && to.Elem().Kind() == reflect.Uint8 && to.Len() == nbytes:
		return func(a arrow.Array) loader { return byteArrays(a.(*array.FixedSizeBinary), nbytes) }
	case bytesLike(to):
		return func(a arrow.Array) loader {
			values := a.(*array.FixedSizeBinary)
			return each(a, func(i int) []byte { return append([]byte{}, values.Value(i)...) })
		}
	}
	return nil
}

// byteArrays stores values of a fixed width.
func byteArrays(a *array.FixedSizeBinary, nbytes int) loader {
	return func(dst unsafe.Pointer, stride uintptr, from, to int) (int, error) {
		for i := from; i < to; i++ {
			p := unsafe.Slice((*byte)(nth(dst, stride, i-from)), nbytes)
			clear(p)
			if a.IsValid(i) {
				copy(p, a.Value(i))
			}
		}
		return 0, nil
	}
}

// decimalSlot is how decimals go into a Go type: exactly as decimal128.Num and
// as text, as the nearest float64, and into an int64 if they are whole and fit.
func decimalSlot(from *arrow.Decimal128Type, to reflect.Type) func(arrow.Array) loader {
	switch {
	case to == decimalType:
		return func(a arrow.Array) loader { return copied(a, a.(*array.Decimal128).Values()) }
	case to.Kind() == reflect.String:
		return func(a arrow.Array) loader {
			values := a.(*array.Decimal128).Values()
			return each(a, func(i int) string { return values[i].ToString(from.Scale) })
		}
	case to.Kind() == reflect.Float64:
		return func(a arrow.Array) loader {
			values := a.(*array.Decimal128).Values()
			return each(a, func(i int) float64 { return nearest(values[i], from.Scale) })
		}
	case (to.Kind() == reflect.Int64 || to.Kind() == reflect.Int) && from.Scale == 0 && from.Precision <= 18 && to != durationType:
		return func(a arrow.Array) loader {
			values := a.(*array.Decimal128).Values()
			return each(a, func(i int) int64 { return int64(values[i].LowBits()) })
		}
	}
	return nil
}

var powers = [...]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22}

// nearest is the float64 nearest to v / 10^scale. Both operands of the division
// are exact, so that it rounds once; other numbers go by their digits.
func nearest(v decimal128.Num, scale int32) float64 {
	low := int64(v.LowBits())
	if v.HighBits() == low>>63 && -1<<53 <= low && low <= 1<<53 && int(scale) < len(powers) && scale >= 0 {
		return float64(low) / powers[scale]
	}
	f, _ := strconv.ParseFloat(v.ToString(scale), 64)
	return f
}

// timestamps are instants in the zone of the column; one without a zone has the
// clock of its text, and is marked as UTC.
func timestamps(from *arrow.TimestampType) func(arrow.Array) loader {
	loc, err := from.GetZone()
	if err != nil {
		return nil
	}
	if loc == nil {
		loc = time.UTC
	}
	per := int64(time.Second) / int64(from.Unit.Multiplier())
	nanos := int64(from.Unit.Multiplier())
	return func(a arrow.Array) loader {
		values := a.(*array.Timestamp).TimestampValues()
		return each(a, func(i int) time.Time {
			v := int64(values[i])
			s := v / per
			return time.Unix(s, (v-s*per)*nanos).In(loc)
		})
	}
}

func durations(a arrow.Array, unit arrow.TimeUnit, value func(i int) int64) loader {
	scale := int64(unit.Multiplier())
	most := math.MaxInt64 / scale
	return func(dst unsafe.Pointer, stride uintptr, from, to int) (int, error) {
		for i := from; i < to; i++ {
			var v int64
			if a.IsValid(i) {
				if v = value(i); v > most || v < -most {
					return i, errRange
				}
			}
			*(*time.Duration)(nth(dst, stride, i-from)) = time.Duration(v * scale)
		}
		return 0, nil
	}
}

// goesInto names the Go types that hold every value of an Arrow type.
func goesInto(from arrow.DataType) string {
	switch from := from.(type) {
	case *arrow.BooleanType:
		return "bool"
	case *arrow.StringType:
		return "string, []byte, netip.Addr"
	case *arrow.DictionaryType:
		return "string"
	case *arrow.BinaryType:
		return "[]byte"
	case *arrow.FixedSizeBinaryType:
		if from.ByteWidth == 16 {
			return "[16]byte, []byte, netip.Addr"
		}
		return fmt.Sprintf("[%d]byte, []byte", from.ByteWidth)
	case *arrow.Decimal128Type:
		return "decimal128.Num, string, float64"
	case *arrow.TimestampType, *arrow.Date32Type:
		return "time.Time"
	case *arrow.Time32Type, *arrow.Time64Type, *arrow.DurationType:
		return "time.Duration"
	case *arrow.MapType:
		return "map[string]V, with a V that holds its values"
	case *arrow.ListType:
		return "[]E, with an E that holds its elements"
	default:
		var fit []string
		for k := reflect.Int; k <= reflect.Float64; k++ {
			w, ok := goWidths[k]
			if s, also := arrowWidths[from.ID()]; ok && also && w.holds(s) {
				fit = append(fit, k.String())
			}
		}
		return strings.Join(fit, ", ")
	}
}
