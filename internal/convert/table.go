package convert

import (
	"github.com/apache/arrow/go/v17/arrow"

	"github.com/dfaparse/dfaparse/dfa"
)

// table is the type table: a kind has one row here. It is filled at start because
// lists and maps look into it.
var table [dfa.NTypeKinds]Facts

func init() {
	integer := func(width int, a arrow.DataType, reader func(*dfa.Type, Options) (appender, error)) Facts {
		return Facts{
			Width: width, Arrow: is(a), Reader: reader, Expected: expectedInteger,
			Text: AsArrow, JSON: JSONByArrow, Parquet: ParquetByArrow, Kernel: KernelInteger,
		}
	}
	floating := func(width int, a arrow.DataType, reader func(*dfa.Type, Options) (appender, error)) Facts {
		return Facts{
			Width: width, Arrow: is(a), Reader: reader, Expected: expectedFloat,
			Text: AsArrow, JSON: JSONByArrow, Parquet: ParquetByArrow, Kernel: KernelFloat,
		}
	}
	table = [dfa.NTypeKinds]Facts{
		dfa.String: {
			Arrow: is(arrow.BinaryTypes.String), Empty: true, Reader: newText, Expected: words("UTF-8 text"),
			Text: AsArrow, JSON: JSONByArrow, Parquet: ParquetByArrow, Kernel: KernelText,
		},
		dfa.Bool: {
			Arrow: is(arrow.FixedWidthTypes.Boolean), Reader: newBool, Expected: expectedBool,
			Text: AsArrow, JSON: JSONByArrow, Parquet: ParquetByArrow, Kernel: KernelBool,
		},
		dfa.Int8:    integer(1, arrow.PrimitiveTypes.Int8, newInteger[int8]),
		dfa.Int16:   integer(2, arrow.PrimitiveTypes.Int16, newInteger[int16]),
		dfa.Int32:   integer(4, arrow.PrimitiveTypes.Int32, newInteger[int32]),
		dfa.Int64:   integer(8, arrow.PrimitiveTypes.Int64, newInteger[int64]),
		dfa.Uint8:   integer(1, arrow.PrimitiveTypes.Uint8, newInteger[uint8]),
		dfa.Uint16:  integer(2, arrow.PrimitiveTypes.Uint16, newInteger[uint16]),
		dfa.Uint32:  integer(4, arrow.PrimitiveTypes.Uint32, newInteger[uint32]),
		dfa.Uint64:  integer(8, arrow.PrimitiveTypes.Uint64, newInteger[uint64]),
		dfa.Float32: floating(4, arrow.PrimitiveTypes.Float32, newFloat32),
		dfa.Float64: floating(8, arrow.PrimitiveTypes.Float64, newFloat64),
		dfa.Decimal: {
			Width: 16, Arrow: arrowDecimal, Reader: newDecimal, Expected: expectedDecimal,
			Text: AsArrow, JSON: JSONByArrow, Parquet: ParquetByArrow, Kernel: KernelDecimal,
		},
		dfa.Date: {
			Width: 4, Arrow: is(arrow.FixedWidthTypes.Date32), Reader: newDate, Expected: expectedClock,
			Text: AsArrow, JSON: JSONByArrow, Parquet: ParquetByArrow, Kernel: KernelClock,
		},
		dfa.Time: {
			Width: 8, Arrow: arrowTime, Reader: newTime, Expected: expectedClock,
			Text: AsArrow, JSON: JSONByArrow, Parquet: ParquetByArrow, Kernel: KernelClock,
		},
		dfa.Timestamp: {
			Width: 8, Arrow: arrowTimestamp, Reader: newTimestamp, Expected: expectedClock,
			Text: AsArrow, JSON: JSONByArrow, Parquet: ParquetByArrow, Kernel: KernelClock,
		},
		dfa.Duration: {
			Width: 8, Arrow: arrowDuration, Reader: newDuration, Expected: expectedDuration,
			Text: AsArrow, JSON: JSONByArrow, Parquet: ParquetInteger, Kernel: KernelDuration,
		},
		dfa.Binary: {
			Arrow: is(arrow.BinaryTypes.Binary), Empty: true, Reader: newBinary, Expected: expectedBinary,
			Text: AsArrow, JSON: JSONByArrow, Parquet: ParquetByArrow, Kernel: KernelBinary,
		},
		dfa.Enum: {
			Width: 4, Arrow: is(tokenIndex), Reader: newEnum, Expected: expectedEnum,
			Text: AsArrow, JSON: JSONByArrow, Parquet: ParquetByArrow, Kernel: KernelTokens,
		},
		dfa.Dictionary: {
			Width: 4, Arrow: is(tokenIndex), Empty: true, Reader: newDictionary, Expected: words("UTF-8 text"),
			Text: AsArrow, JSON: JSONByArrow, Parquet: ParquetByArrow, Kernel: KernelText,
		},
		dfa.IP: {
			Width: 16, Arrow: arrowIP, Reader: newIP, Expected: words("an IPv4 or IPv6 address, e.g. 192.0.2.1 or 2001:db8::1"),
			Text: &Text{appendIP, addresses, longestAddress}, JSON: JSONString, Parquet: ParquetByArrow, Kernel: KernelAddress,
		},
		dfa.UUID: {
			Width: 16, Arrow: is(bytesOf(16)), Reader: newUUID, Expected: words("a UUID, e.g. 123e4567-e89b-12d3-a456-426614174000"),
			Text: &Text{Append: appendUUID}, JSON: JSONString, Parquet: ParquetUUID, Kernel: KernelAddress,
			Extension: "arrow.uuid",
		},
		dfa.List: {
			Arrow: arrowList, Reader: newList, Expected: expectedList,
			Text: AsArrow, JSON: JSONByArrow, Parquet: ParquetByArrow, Kernel: OnHost,
		},
		dfa.Map: {
			Arrow: arrowMap, Reader: newMap, Expected: expectedMap,
			Text: AsArrow, JSON: JSONByArrow, Parquet: ParquetByArrow, Kernel: OnHost,
		},
	}
	for k := range table {
		table[k].TypeWords = *dfa.WordsOf(dfa.TypeKind(k))
	}
}

var tokenIndex arrow.DataType = &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: arrow.BinaryTypes.String}

// bytesOf is Arrow's type of values of so many bytes.
func bytesOf(width int) arrow.DataType { return &arrow.FixedSizeBinaryType{ByteWidth: width} }

func is(d arrow.DataType) func(*dfa.Type) arrow.DataType {
	return func(*dfa.Type) arrow.DataType { return d }
}

func words(s string) func(*dfa.Type) string { return func(*dfa.Type) string { return s } }

// ByteWidth is the width of t's values in Column.Fixed: 0 for types without
// values of fixed width, and for Bool, which is a bitmap.
func ByteWidth(t *dfa.Type) int {
	if t.Kind == dfa.Time && (t.Unit == dfa.Second || t.Unit == dfa.Millisecond) {
		return 4 // Arrow's time32
	}
	return table[t.Kind].Width
}

// ArrowType is the Arrow type that a column of type t becomes.
func ArrowType(t *dfa.Type) arrow.DataType { return table[t.Kind].Arrow(t) }

// ArrowField is the Arrow field that column c becomes.
func ArrowField(c *dfa.Column) arrow.Field {
	f := arrowField(c.Name, &c.Type)
	f.Nullable = !c.Required
	return f
}

func arrowField(name string, t *dfa.Type) arrow.Field {
	return arrow.Field{Name: name, Type: ArrowType(t), Nullable: true, Metadata: table[t.Kind].metadata()}
}

func arrowIP(t *dfa.Type) arrow.DataType {
	if t.Bytes {
		return bytesOf(16)
	}
	return arrow.BinaryTypes.String
}
func arrowDecimal(t *dfa.Type) arrow.DataType {
	return &arrow.Decimal128Type{Precision: int32(t.Precision), Scale: int32(t.Scale)}
}

func arrowTime(t *dfa.Type) arrow.DataType {
	if ByteWidth(t) == 4 {
		return &arrow.Time32Type{Unit: arrowUnit(t.Unit)}
	}
	return &arrow.Time64Type{Unit: arrowUnit(t.Unit)}
}

func arrowTimestamp(t *dfa.Type) arrow.DataType {
	return &arrow.TimestampType{Unit: arrowUnit(t.Unit), TimeZone: arrowZone(t)}
}

// arrowZone is the zone of a timestamp: the column's own, UTC where the field
// says which instant it means, else none.
func arrowZone(t *dfa.Type) string {
	if t.Zone == "" && !t.NoZone && (t.Epoch || t.Layout == "" || layoutHasOffset(t.Layout)) {
		return "UTC"
	}
	return t.Zone
}

func arrowDuration(t *dfa.Type) arrow.DataType { return &arrow.DurationType{Unit: arrowUnit(t.Unit)} }

func arrowUnit(u dfa.Unit) arrow.TimeUnit {
	return [...]arrow.TimeUnit{arrow.Microsecond, arrow.Second, arrow.Millisecond, arrow.Nanosecond}[u]
}

func arrowList(t *dfa.Type) arrow.DataType {
	return arrow.ListOfField(arrowField("item", t.Elem))
}

func arrowMap(t *dfa.Type) arrow.DataType {
	item := arrowField("value", t.Elem)
	m := arrow.MapOfWithMetadata(arrow.BinaryTypes.String, arrow.Metadata{}, item.Type, item.Metadata)
	return m
}
