package output

import (
	"fmt"

	"github.com/apache/arrow/go/v17/arrow"

	"github.com/dfaparse/dfaparse/internal/render"
)

// TypeName is the type of a field as specs name it: int32, decimal(12,2),
// timestamp(us, UTC), ip, list(string).
func TypeName(f arrow.Field) string {
	switch t := f.Type.(type) {
	case *arrow.BooleanType:
		return "bool"
	case *arrow.StringType:
		if name, ok := f.Metadata.GetValue(render.TypeKey); ok {
			return name
		}
		return "string"
	case *arrow.Decimal128Type:
		return fmt.Sprintf("decimal(%d,%d)", t.Precision, t.Scale)
	case *arrow.Date32Type:
		return "date"
	case *arrow.Time32Type:
		return fmt.Sprintf("time(%s)", t.Unit)
	case *arrow.Time64Type:
		return fmt.Sprintf("time(%s)", t.Unit)
	case *arrow.TimestampType:
		if t.TimeZone == "" {
			return fmt.Sprintf("timestamp(%s)", t.Unit)
		}
		return fmt.Sprintf("timestamp(%s, %s)", t.Unit, t.TimeZone)
	case *arrow.DurationType:
		return fmt.Sprintf("duration(%s)", t.Unit)
	case *arrow.DictionaryType:
		return "dictionary"
	case *arrow.FixedSizeBinaryType:
		switch name, _ := f.Metadata.GetValue(render.TypeKey); name {
		case "ip":
			return "ip(binary)"
		case "uuid":
			return name
		}
		return fmt.Sprintf("binary(%d)", t.ByteWidth)
	case *arrow.ListType:
		return "list(" + TypeName(t.ElemField()) + ")"
	case *arrow.MapType:
		return "map(" + TypeName(t.KeyField()) + ", " + TypeName(t.ItemField()) + ")"
	}
	return f.Type.String()
}
