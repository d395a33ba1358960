package parquetfile

import (
	"fmt"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/parquet"
	"github.com/apache/arrow/go/v17/parquet/schema"

	"github.com/dfaparse/dfaparse/internal/convert"
)

// schemaOf is the Parquet schema of an Arrow schema: the one that
// pqarrow.ToParquet gives, with decimals of up to 18 digits as integers, times of
// day that are not said to be UTC's, and UUIDs that are called so. That package is
// not used, as it brings the whole of gRPC along; a test compares.
func schemaOf(s *arrow.Schema, props *parquet.WriterProperties) (*schema.Schema, error) {
	var nodes schema.FieldList
	for _, f := range s.Fields() {
		n, err := nodeOf(f.Name, f)
		if err != nil {
			return nil, err
		}
		nodes = append(nodes, n)
	}
	root, err := schema.NewGroupNode(props.RootName(), props.RootRepetition(), nodes, -1)
	if err != nil {
		return nil, err
	}
	return schema.NewSchema(root), nil
}

// nodeOf is the node of a field, under a name that may be another. Elements of
// lists may be null and have the list's name.
func nodeOf(name string, f arrow.Field) (schema.Node, error) {
	repetition := parquet.Repetitions.Required
	if f.Nullable {
		repetition = parquet.Repetitions.Optional
	}
	switch t := f.Type.(type) {
	case *arrow.ListType:
		element, err := nodeOf(name, arrow.Field{Type: t.Elem(), Nullable: true, Metadata: t.ElemField().Metadata})
		if err != nil {
			return nil, err
		}
		return schema.ListOf(element, repetition, -1)
	case *arrow.MapType:
		key, err := nodeOf("key", t.KeyField())
		if err != nil {
			return nil, err
		}
		value, err := nodeOf("value", t.ItemField())
		if err != nil {
			return nil, err
		}
		return schema.MapOf(f.Name, key, value, repetition, -1)
	case *arrow.DictionaryType:
		return nodeOf(name, arrow.Field{Type: t.ValueType, Nullable: f.Nullable})
	}
	physical, logical, length, err := typeOf(f.Type)
	if err != nil {
		return nil, fmt.Errorf("parquet: column %s: %w", name, err)
	}
	if facts := convert.FactsOfField(&f); facts != nil && facts.Parquet == convert.ParquetUUID {
		logical = schema.UUIDLogicalType{}
	}
	return schema.NewPrimitiveNodeLogical(name, repetition, logical, physical, length, -1)
}

// typeOf is how values are stored, and what they mean; length counts bytes of
// those of a fixed length.
func typeOf(t arrow.DataType) (physical parquet.Type, logical schema.LogicalType, length int, err error) {
	none := schema.LogicalType(schema.NoLogicalType{})
	switch t := t.(type) {
	case *arrow.BooleanType:
		return parquet.Types.Boolean, none, -1, nil
	case *arrow.Float32Type:
		return parquet.Types.Float, none, -1, nil
	case *arrow.Float64Type:
		return parquet.Types.Double, none, -1, nil
	case *arrow.StringType:
		return parquet.Types.ByteArray, schema.StringLogicalType{}, -1, nil
	case *arrow.BinaryType:
		return parquet.Types.ByteArray, none, -1, nil
	case *arrow.FixedSizeBinaryType:
		return parquet.Types.FixedLenByteArray, none, t.ByteWidth, nil
	case *arrow.Decimal128Type:
		logical := schema.NewDecimalLogicalType(t.Precision, t.Scale)
		switch {
		case t.Precision <= 9:
			return parquet.Types.Int32, logical, -1, nil
		case t.Precision <= 18:
			return parquet.Types.Int64, logical, -1, nil
		}
		return parquet.Types.FixedLenByteArray, logical, 16, nil
	case *arrow.Date32Type:
		return parquet.Types.Int32, schema.DateLogicalType{}, -1, nil
	case *arrow.Time32Type:
		return parquet.Types.Int32, schema.NewTimeLogicalType(false, schema.TimeUnitMillis), -1, nil
	case *arrow.Time64Type:
		return parquet.Types.Int64, schema.NewTimeLogicalType(false, unitOf(t.Unit)), -1, nil
	case *arrow.TimestampType:
		return parquet.Types.Int64, schema.NewTimestampLogicalTypeForce(t.TimeZone != "", unitOf(t.Unit)), -1, nil
	}
	if fixed, ok := t.(arrow.FixedWidthDataType); ok && arrow.IsInteger(t.ID()) {
		physical = parquet.Types.Int32
		if fixed.BitWidth() == 64 {
			physical = parquet.Types.Int64
		}
		return physical, schema.NewIntLogicalType(int8(fixed.BitWidth()), arrow.IsSignedInteger(t.ID())), -1, nil
	}
	return physical, nil, -1, fmt.Errorf("there is no type for %s", t)
}

// unitOf is a unit of time; milliseconds stand for seconds, which Parquet has
// not.
func unitOf(u arrow.TimeUnit) schema.TimeUnitType {
	switch u {
	case arrow.Nanosecond:
		return schema.TimeUnitNanos
	case arrow.Microsecond:
		return schema.TimeUnitMicros
	}
	return schema.TimeUnitMillis
}
