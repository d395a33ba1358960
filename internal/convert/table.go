package convert

import (
	"github.com/apache/arrow/go/v17/arrow"

	"github.com/dfaparse/dfaparse/dfa"
)

// row is what a kind is outside of package dfa. A kind has one row here.
type row struct {
	name      string // in the spec language
	width     int    // bytes of a value in Column.Fixed; 0: none, or a bitmap
	arrow     func(t *dfa.Type) arrow.DataType
	converter func(t *dfa.Type, opt Options) (appender, error)
	expected  func(t *dfa.Type) string // what a field should be, after "expected "
}

// table is the type table. It is filled at start because lists and maps look
// into it.
var table [dfa.NTypeKinds]row

func init() {
	table = [dfa.NTypeKinds]row{
		dfa.String:     {"str", 0, is(arrow.BinaryTypes.String), newText, words("UTF-8 text")},
		dfa.Bool:       {"bool", 0, is(arrow.FixedWidthTypes.Boolean), newBool, expectedBool},
		dfa.Int8:       {"i8", 1, is(arrow.PrimitiveTypes.Int8), newInteger[int8], expectedInteger},
		dfa.Int16:      {"i16", 2, is(arrow.PrimitiveTypes.Int16), newInteger[int16], expectedInteger},
		dfa.Int32:      {"i32", 4, is(arrow.PrimitiveTypes.Int32), newInteger[int32], expectedInteger},
		dfa.Int64:      {"i64", 8, is(arrow.PrimitiveTypes.Int64), newInteger[int64], expectedInteger},
		dfa.Uint8:      {"u8", 1, is(arrow.PrimitiveTypes.Uint8), newInteger[uint8], expectedInteger},
		dfa.Uint16:     {"u16", 2, is(arrow.PrimitiveTypes.Uint16), newInteger[uint16], expectedInteger},
		dfa.Uint32:     {"u32", 4, is(arrow.PrimitiveTypes.Uint32), newInteger[uint32], expectedInteger},
		dfa.Uint64:     {"u64", 8, is(arrow.PrimitiveTypes.Uint64), newInteger[uint64], expectedInteger},
		dfa.Float32:    {"f32", 4, is(arrow.PrimitiveTypes.Float32), newFloat32, expectedFloat},
		dfa.Float64:    {"f64", 8, is(arrow.PrimitiveTypes.Float64), newFloat64, expectedFloat},
		dfa.Decimal:    {"dec", 16, arrowDecimal, newDecimal, expectedDecimal},
		dfa.Date:       {"date", 4, is(arrow.FixedWidthTypes.Date32), newDate, expectedClock},
		dfa.Time:       {"time", 8, arrowTime, newTime, expectedClock},
		dfa.Timestamp:  {"ts", 8, arrowTimestamp, newTimestamp, expectedClock},
		dfa.Duration:   {"dur", 8, arrowDuration, newDuration, expectedDuration},
		dfa.Binary:     {"binary", 0, is(arrow.BinaryTypes.Binary), newBinary, expectedBinary},
		dfa.Enum:       {"enum", 4, is(tokenIndex), newEnum, expectedEnum},
		dfa.Dictionary: {"dict", 4, is(tokenIndex), newDictionary, words("UTF-8 text")},
		dfa.IP:         {"ip", 16, arrowIP, newIP, words("an IPv4 or IPv6 address, e.g. 192.0.2.1 or 2001:db8::1")},
		dfa.UUID:       {"uuid", 16, is(sixteenBytes), newUUID, words("a UUID, e.g. 123e4567-e89b-12d3-a456-426614174000")},
		dfa.List:       {"list", 0, arrowList, newList, expectedList},
		dfa.Map:        {"map", 0, arrowMap, newMap, expectedMap},
	}
}

var (
	tokenIndex   arrow.DataType = &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: arrow.BinaryTypes.String}
	sixteenBytes arrow.DataType = &arrow.FixedSizeBinaryType{ByteWidth: 16}
)

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
	return table[t.Kind].width
}

// ArrowType is the Arrow type that a column of type t becomes.
func ArrowType(t *dfa.Type) arrow.DataType { return table[t.Kind].arrow(t) }

// TypeKey is the key of the field metadata that names the types that Arrow
// does not have: "ip" and "uuid".
const TypeKey = "dfaparse.type"

// The field metadata of UUIDs in files and streams: Arrow's canonical extension
// type. A Go program has their 16 bytes, unless it registers the type.
const (
	extensionKey     = "ARROW:extension:name"
	extensionDataKey = "ARROW:extension:metadata"
	uuidExtension    = "arrow.uuid"
)

// ArrowField is the Arrow field that column c becomes.
func ArrowField(c *dfa.Column) arrow.Field {
	f := arrowField(c.Name, &c.Type)
	f.Nullable = !c.Required
	return f
}

func arrowField(name string, t *dfa.Type) arrow.Field {
	f := arrow.Field{Name: name, Type: ArrowType(t), Nullable: true}
	switch t.Kind {
	case dfa.IP:
		f.Metadata = arrow.NewMetadata([]string{TypeKey}, []string{table[t.Kind].name})
	case dfa.UUID:
		f.Metadata = arrow.NewMetadata([]string{TypeKey, extensionKey, extensionDataKey}, []string{table[t.Kind].name, uuidExtension, ""})
	}
	return f
}

func arrowIP(t *dfa.Type) arrow.DataType {
	if t.Bytes {
		return sixteenBytes
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
