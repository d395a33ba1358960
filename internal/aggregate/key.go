package aggregate

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"github.com/dfaparse/dfaparse/internal/expr"
)

// A key is bytes whose order is that of the values it is made of, column by
// column:
//
//	0 and the value, or 1 for null, which so comes last
//	whole numbers   big endian, those that may be negative with the first bit turned
//	floats          the same of their bits, those of negative ones all turned
//	texts           as they are to the key's end; or, where something follows,
//	                each byte 0 as 0 255, and 0 0 behind
//
// Floats that compare as equal are one key: -0 is 0, and all NaNs are one, the largest.

// keyColumn is a column of the key.
type keyColumn struct {
	of    int // number of Plan.values
	width int // of a value; 0: a text
	kind  keyKind
	gives arrow.DataType // of the results
}

type keyKind uint8

const (
	signedKey keyKind = iota
	unsignedKey
	floatKey
	decimalKey
	boolKey
	bytesKey // of fixed width
	textKey
)

var errNoKey = errors.New("it is no key; columns of lists and maps, and of nothing, are not grouped by")

func newKeyColumn(t arrow.DataType, of int) (keyColumn, error) {
	k := keyColumn{of: of, gives: t}
	switch t := t.(type) {
	case *arrow.Int8Type, *arrow.Int16Type, *arrow.Int32Type, *arrow.Int64Type,
		*arrow.Date32Type, *arrow.Time32Type, *arrow.Time64Type, *arrow.TimestampType, *arrow.DurationType:
		k.kind = signedKey
	case *arrow.Uint8Type, *arrow.Uint16Type, *arrow.Uint32Type, *arrow.Uint64Type:
		k.kind = unsignedKey
	case *arrow.Float32Type, *arrow.Float64Type:
		k.kind = floatKey
	case *arrow.Decimal128Type:
		k.kind = decimalKey
	case *arrow.BooleanType:
		k.kind, k.width = boolKey, 1
		return k, nil
	case *arrow.FixedSizeBinaryType:
		k.kind = bytesKey
	case *arrow.DictionaryType:
		if t.ValueType.ID() != arrow.STRING || t.IndexType.ID() != arrow.INT32 {
			return k, errNoKey
		}
		k.kind, k.gives = textKey, arrow.BinaryTypes.String
		return k, nil
	case *arrow.StringType, *arrow.BinaryType:
		k.kind = textKey
		return k, nil
	default:
		return k, errNoKey
	}
	k.width = t.(arrow.FixedWidthDataType).Bytes()
	return k, nil
}

// appendText appends a text that something follows.
func appendText(dst, text []byte) []byte {
	for {
		i := bytes.IndexByte(text, 0)
		if i < 0 {
			return append(append(dst, text...), 0, 0)
		}
		dst = append(append(dst, text[:i]...), 0, 255)
		text = text[i+1:]
	}
}

// cutText takes a text that something follows off a key.
func cutText(key []byte) (text, rest []byte) {
	i := bytes.IndexByte(key, 0)
	if key[i+1] == 0 {
		return key[:i], key[i+2:]
	}
	for {
		text = append(text, key[:i]...)
		if key[i+1] == 0 {
			return text, key[i+2:]
		}
		text, key = append(text, 0), key[i+2:]
		i = bytes.IndexByte(key, 0)
	}
}

// texts are the texts of a column, by row.
type texts struct {
	offsets []int32 // of rows, or of words
	data    []byte
	codes   []int32 // of words by row; nil: there are none
}

func textsOf(a arrow.Array) texts {
	switch a := a.(type) {
	case *array.Dictionary:
		t := textsOf(a.Dictionary())
		t.codes = a.Indices().(*array.Int32).Int32Values()
		return t
	case *array.String:
		return texts{offsets: a.ValueOffsets(), data: a.ValueBytes()}.from()
	case *array.Binary:
		return texts{offsets: a.ValueOffsets(), data: a.ValueBytes()}.from()
	}
	panic("aggregate: no texts: " + a.DataType().Name())
}

// from lets offsets begin where the data do.
func (t texts) from() texts {
	if len(t.offsets) == 0 || t.offsets[0] == 0 {
		return t
	}
	moved := make([]int32, len(t.offsets))
	for i, o := range t.offsets {
		moved[i] = o - t.offsets[0]
	}
	t.offsets = moved
	return t
}

func (t *texts) at(i int) []byte {
	if t.codes != nil {
		i = int(t.codes[i])
	}
	return t.data[t.offsets[i]:t.offsets[i+1]]
}

// put writes the values of a, one to each row's key, behind which at lies; and moves at.
func (k *keyColumn) put(a arrow.Array, keys []byte, at []int) {
	valid := func(int) bool { return true }
	if a.NullN() > 0 {
		valid = func(i int) bool {
			if a.IsValid(i) {
				return true
			}
			keys[at[i]] = 1
			at[i]++
			return false
		}
	}
	switch k.kind {
	case boolKey:
		b := a.(*array.Boolean)
		for i := range at {
			if valid(i) {
				keys[at[i]], keys[at[i]+1] = 0, 0
				if b.Value(i) {
					keys[at[i]+1] = 1
				}
				at[i] += 2
			}
		}
	case bytesKey:
		b := a.(*array.FixedSizeBinary)
		for i := range at {
			if valid(i) {
				keys[at[i]] = 0
				copy(keys[at[i]+1:], b.Value(i))
				at[i] += 1 + k.width
			}
		}
	case decimalKey:
		for i, v := range a.(*array.Decimal128).Values() {
			if valid(i) {
				keys[at[i]] = 0
				binary.BigEndian.PutUint64(keys[at[i]+1:], uint64(v.HighBits())^1<<63)
				binary.BigEndian.PutUint64(keys[at[i]+9:], v.LowBits())
				at[i] += 17
			}
		}
	default:
		switch k.width {
		case 1:
			b := a.Data().Buffers()[1].Bytes()[a.Data().Offset():]
			putValues(k, b, valid, at, keys, func(key []byte, v uint8) { key[0] = k.order8(v) })
		case 2:
			b := arrow.Uint16Traits.CastFromBytes(a.Data().Buffers()[1].Bytes())[a.Data().Offset():]
			putValues(k, b, valid, at, keys, func(key []byte, v uint16) {
				if k.kind == signedKey {
					v ^= 1 << 15
				}
				binary.BigEndian.PutUint16(key, v)
			})
		case 4:
			b := arrow.Uint32Traits.CastFromBytes(a.Data().Buffers()[1].Bytes())[a.Data().Offset():]
			putValues(k, b, valid, at, keys, func(key []byte, v uint32) { binary.BigEndian.PutUint32(key, k.order32(v)) })
		case 8:
			b := arrow.Uint64Traits.CastFromBytes(a.Data().Buffers()[1].Bytes())[a.Data().Offset():]
			putValues(k, b, valid, at, keys, func(key []byte, v uint64) { binary.BigEndian.PutUint64(key, k.order64(v)) })
		}
	}
}

func putValues[T any](k *keyColumn, values []T, valid func(int) bool, at []int, keys []byte, put func([]byte, T)) {
	for i := range at {
		if valid(i) {
			p := at[i]
			keys[p] = 0
			put(keys[p+1:p+1+k.width], values[i])
			at[i] = p + 1 + k.width
		}
	}
}

func (k *keyColumn) order8(v uint8) uint8 {
	if k.kind == signedKey {
		return v ^ 1<<7
	}
	return v
}

func (k *keyColumn) order32(v uint32) uint32 {
	switch k.kind {
	case signedKey:
		return v ^ 1<<31
	case floatKey:
		return expr.OrderOf32(math.Float32frombits(v) + 0) // -0 + 0 is 0
	}
	return v
}

func (k *keyColumn) order64(v uint64) uint64 {
	switch k.kind {
	case signedKey:
		return v ^ 1<<63
	case floatKey:
		return expr.OrderOf64(math.Float64frombits(v) + 0) // -0 + 0 is 0
	}
	return v
}

// take appends the column's value, the first of key, to b, and gives what is behind. last:
// nothing follows it.
func (k *keyColumn) take(key []byte, last bool, b array.Builder) (rest []byte) {
	null, key := key[0] == 1, key[1:]
	if null {
		b.AppendNull()
		return key
	}
	var word uint64
	switch k.kind {
	case textKey:
		text := key
		if rest = nil; !last {
			text, rest = cutText(key)
		}
		appendBytes(b, text)
		return rest
	case bytesKey:
		b.(*array.FixedSizeBinaryBuilder).Append(key[:k.width])
		return key[k.width:]
	case decimalKey:
		b.(*array.Decimal128Builder).Append(decimal128.New(int64(binary.BigEndian.Uint64(key)^1<<63), binary.BigEndian.Uint64(key[8:])))
		return key[16:]
	case boolKey:
		b.(*array.BooleanBuilder).Append(key[0] == 1)
		return key[1:]
	}
	for _, c := range key[:k.width] {
		word = word<<8 | uint64(c)
	}
	rest = key[k.width:]
	switch {
	case k.kind == floatKey && k.width == 4:
		b.(*array.Float32Builder).Append(expr.FloatOf32(uint32(word)))
	case k.kind == floatKey:
		b.(*array.Float64Builder).Append(expr.FloatOf64(word))
	case k.kind == signedKey:
		appendWhole(b, int64(word)-1<<(8*k.width-1))
	default:
		appendWhole(b, int64(word))
	}
	return rest
}

func appendBytes(b array.Builder, text []byte) {
	switch b := b.(type) {
	case *array.StringBuilder:
		b.Append(string(text))
	case *array.BinaryBuilder:
		b.Append(text)
	case *array.FixedSizeBinaryBuilder:
		b.Append(text)
	default:
		panic("aggregate: no texts: " + b.Type().Name())
	}
}

// appendWhole appends a value of a type whose values are whole numbers.
func appendWhole(b array.Builder, v int64) {
	switch b := b.(type) {
	case *array.Int8Builder:
		b.Append(int8(v))
	case *array.Int16Builder:
		b.Append(int16(v))
	case *array.Int32Builder:
		b.Append(int32(v))
	case *array.Int64Builder:
		b.Append(v)
	case *array.Uint8Builder:
		b.Append(uint8(v))
	case *array.Uint16Builder:
		b.Append(uint16(v))
	case *array.Uint32Builder:
		b.Append(uint32(v))
	case *array.Uint64Builder:
		b.Append(uint64(v))
	case *array.Date32Builder:
		b.Append(arrow.Date32(v))
	case *array.Time32Builder:
		b.Append(arrow.Time32(v))
	case *array.Time64Builder:
		b.Append(arrow.Time64(v))
	case *array.TimestampBuilder:
		b.Append(arrow.Timestamp(v))
	case *array.DurationBuilder:
		b.Append(arrow.Duration(v))
	case *array.BooleanBuilder:
		b.Append(v != 0)
	case *array.Decimal128Builder:
		b.Append(decimal128.FromI64(v))
	default:
		panic("aggregate: no whole numbers: " + b.Type().Name())
	}
}
