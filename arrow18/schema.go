package arrow18

import (
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/endian"
	arrow17 "github.com/apache/arrow/go/v17/arrow"
)

// The keys by which the metadata of a field names its extension type, in files
// of Arrow and where the type itself is not known.
const (
	extensionName = "ARROW:extension:name"
	extensionData = "ARROW:extension:metadata"
)

// Schema is a schema of v17 as one of v18: the same fields and types, with all
// metadata. The package documentation says what becomes of extension types.
func Schema(s *arrow17.Schema) *arrow.Schema {
	md := metadataOf(s.Metadata())
	return arrow.NewSchemaWithEndian(fieldsOf(s.Fields()), &md, endian.Endianness(s.Endianness()))
}

func metadataOf(md arrow17.Metadata) arrow.Metadata {
	return arrow.NewMetadata(md.Keys(), md.Values())
}

func fieldsOf(fields []arrow17.Field) []arrow.Field {
	made := make([]arrow.Field, len(fields))
	for i, f := range fields {
		made[i] = fieldOf(f)
	}
	return made
}

func fieldOf(f arrow17.Field) arrow.Field {
	made := arrow.Field{Name: f.Name, Type: typeOf(f.Type), Nullable: f.Nullable, Metadata: metadataOf(f.Metadata)}
	if e, ok := f.Type.(arrow17.ExtensionType); ok && made.Type.ID() != arrow.EXTENSION {
		keys, values := made.Metadata.Keys(), made.Metadata.Values()
		made.Metadata = arrow.NewMetadata(append(keys, extensionName, extensionData), append(values, e.ExtensionName(), e.Serialize()))
	}
	return made
}

// typeOf is a type of v17 as one of v18.
func typeOf(t arrow17.DataType) arrow.DataType {
	switch t := t.(type) {
	case *arrow17.FixedSizeBinaryType:
		return &arrow.FixedSizeBinaryType{ByteWidth: t.ByteWidth}
	case *arrow17.TimestampType:
		return &arrow.TimestampType{Unit: arrow.TimeUnit(t.Unit), TimeZone: t.TimeZone}
	case *arrow17.Time32Type:
		return &arrow.Time32Type{Unit: arrow.TimeUnit(t.Unit)}
	case *arrow17.Time64Type:
		return &arrow.Time64Type{Unit: arrow.TimeUnit(t.Unit)}
	case *arrow17.DurationType:
		return &arrow.DurationType{Unit: arrow.TimeUnit(t.Unit)}
	case *arrow17.Decimal128Type:
		return &arrow.Decimal128Type{Precision: t.Precision, Scale: t.Scale}
	case *arrow17.Decimal256Type:
		return &arrow.Decimal256Type{Precision: t.Precision, Scale: t.Scale}
	case *arrow17.ListType:
		return arrow.ListOfField(fieldOf(t.ElemField()))
	case *arrow17.LargeListType:
		return arrow.LargeListOfField(fieldOf(t.ElemField()))
	case *arrow17.ListViewType:
		return arrow.ListViewOfField(fieldOf(t.ElemField()))
	case *arrow17.LargeListViewType:
		return arrow.LargeListViewOfField(fieldOf(t.ElemField()))
	case *arrow17.FixedSizeListType:
		return arrow.FixedSizeListOfField(t.Len(), fieldOf(t.ElemField()))
	case *arrow17.StructType:
		return arrow.StructOf(fieldsOf(t.Fields())...)
	case *arrow17.MapType:
		return mapOf(t)
	case arrow17.UnionType:
		return arrow.UnionOf(arrow.UnionMode(t.Mode()), fieldsOf(t.Fields()), t.TypeCodes())
	case *arrow17.DictionaryType:
		return &arrow.DictionaryType{IndexType: typeOf(t.IndexType), ValueType: typeOf(t.ValueType), Ordered: t.Ordered}
	case *arrow17.RunEndEncodedType:
		made := arrow.RunEndEncodedOf(typeOf(t.RunEnds()), typeOf(t.Encoded()))
		made.ValueNullable = t.ValueNullable
		return made
	case arrow17.ExtensionType:
		return extensionOf(t)
	}
	if made := plain[t.ID()]; made != nil {
		return made
	}
	panic(fmt.Sprintf("arrow18: %v is no type of Arrow", t)) // someone's own DataType: no array is of it
}

// plain are the types without parameters.
var plain = map[arrow17.Type]arrow.DataType{
	arrow17.NULL:                    arrow.Null,
	arrow17.BOOL:                    arrow.FixedWidthTypes.Boolean,
	arrow17.UINT8:                   arrow.PrimitiveTypes.Uint8,
	arrow17.INT8:                    arrow.PrimitiveTypes.Int8,
	arrow17.UINT16:                  arrow.PrimitiveTypes.Uint16,
	arrow17.INT16:                   arrow.PrimitiveTypes.Int16,
	arrow17.UINT32:                  arrow.PrimitiveTypes.Uint32,
	arrow17.INT32:                   arrow.PrimitiveTypes.Int32,
	arrow17.UINT64:                  arrow.PrimitiveTypes.Uint64,
	arrow17.INT64:                   arrow.PrimitiveTypes.Int64,
	arrow17.FLOAT16:                 arrow.FixedWidthTypes.Float16,
	arrow17.FLOAT32:                 arrow.PrimitiveTypes.Float32,
	arrow17.FLOAT64:                 arrow.PrimitiveTypes.Float64,
	arrow17.STRING:                  arrow.BinaryTypes.String,
	arrow17.BINARY:                  arrow.BinaryTypes.Binary,
	arrow17.DATE32:                  arrow.FixedWidthTypes.Date32,
	arrow17.DATE64:                  arrow.FixedWidthTypes.Date64,
	arrow17.INTERVAL_MONTHS:         arrow.FixedWidthTypes.MonthInterval,
	arrow17.INTERVAL_DAY_TIME:       arrow.FixedWidthTypes.DayTimeInterval,
	arrow17.INTERVAL_MONTH_DAY_NANO: arrow.FixedWidthTypes.MonthDayNanoInterval,
	arrow17.LARGE_STRING:            arrow.BinaryTypes.LargeString,
	arrow17.LARGE_BINARY:            arrow.BinaryTypes.LargeBinary,
	arrow17.STRING_VIEW:             arrow.BinaryTypes.StringView,
	arrow17.BINARY_VIEW:             arrow.BinaryTypes.BinaryView,
}

// mapOf is a map of v17 as one of v18. Its entries have the names that both
// versions give them.
func mapOf(t *arrow17.MapType) *arrow.MapType {
	key, item := fieldOf(t.KeyField()), fieldOf(t.ItemField())
	made := arrow.MapOfWithMetadata(key.Type, key.Metadata, item.Type, item.Metadata)
	made.SetItemNullable(item.Nullable)
	made.KeysSorted = t.KeysSorted
	return made
}

// extensionOf is the extension type that v18 has by the name of t, for t's
// storage; if there is none, the storage type.
func extensionOf(t arrow17.ExtensionType) arrow.DataType {
	storage := typeOf(t.StorageType())
	if known := arrow.GetExtensionType(t.ExtensionName()); known != nil {
		if made, err := known.Deserialize(storage, t.Serialize()); err == nil {
			return made
		}
	}
	return storage
}
