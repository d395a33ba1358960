package output

import (
	"fmt"

	"github.com/apache/arrow/go/v17/arrow"

	"github.com/dfaparse/dfaparse/internal/convert"
)

// TypeName is the type of a field as specs name it: int32, decimal(12,2),
// timestamp(us, UTC), ip, list(string).
func TypeName(f arrow.Field) string {
	switch t := f.Type.(type) {
	case *arrow.BooleanType:
		return "bool"
	case *arrow.StringType:
		if facts := convert.FactsOfField(&f); facts != nil {
			return facts.Name
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
		if facts := convert.FactsOfField(&f); facts != nil && facts.Text.Column != nil {
			return facts.Name + "(binary)" // and not the text, as is usual
		} else if facts != nil {
			return facts.Name
		}
		return fmt.Sprintf("binary(%d)", t.ByteWidth)
	case *arrow.ListType:
		return "list(" + TypeName(t.ElemField()) + ")"
	case *arrow.MapType:
		return "map(" + TypeName(t.KeyField()) + ", " + TypeName(t.ItemField()) + ")"
	}
	return f.Type.String()
}
