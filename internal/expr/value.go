package expr

import (
	"fmt"
	"slices"

	"github.com/apache/arrow/go/v17/arrow"

	"github.com/dfaparse/dfaparse/internal/convert"
	"github.com/dfaparse/dfaparse/internal/near"
)

// Value is an operand that is bound to the columns of a schema.
type Value struct {
	Field  arrow.Field // of what it gives
	column int
	round  *rounding // nil: the column as it is
}

// Bind binds a column, or a function of one.
func (s Source) Bind(o *Operand, schema *arrow.Schema) (*Value, error) {
	if o.Text != nil || o.Number != nil {
		return nil, s.faultf(o.Pos, "expected a column or a function of one, not a value")
	}
	if o.Call == nil {
		i, err := s.column(o, schema)
		if err != nil {
			return nil, err
		}
		return &Value{Field: schema.Field(i), column: i}, nil
	}
	if o.Name == nil || !slices.Contains(Roundings, *o.Name) {
		return nil, s.faultf(o.Pos, "there is no function %s here%s", functionName(o), near.Hint(functionName(o), "there are ", Roundings))
	}
	if len(o.Call.Args) != 1 || o.Call.Args[0].Call != nil {
		return nil, s.faultf(o.Call.Pos, "%s wants one column, as %s(time)", *o.Name, *o.Name)
	}
	i, err := s.column(o.Call.Args[0], schema)
	if err != nil {
		return nil, err
	}
	v := &Value{Field: schema.Field(i), column: i}
	if v.round, err = newRounding(*o.Name, v.Field.Type); err != nil {
		return nil, s.faultf(o.Pos, "%s of %s: %v", *o.Name, o.Call.Args[0], err)
	}
	v.Field.Name, v.Field.Type = o.String(), v.round.gives
	return v, nil
}

func functionName(o *Operand) string {
	if o.Name == nil {
		return o.String()
	}
	return *o.Name
}

// column is the number of the column that an operand names.
func (s Source) column(o *Operand, schema *arrow.Schema) (int, error) {
	if o.Text != nil || o.Number != nil {
		return 0, s.faultf(o.Pos, "expected a column, not a value")
	}
	name, err := s.name(o)
	if err != nil {
		return 0, err
	}
	if at := schema.FieldIndices(name); len(at) > 0 {
		return at[0], nil
	}
	names := make([]string, schema.NumFields())
	for i, f := range schema.Fields() {
		names[i] = f.Name
	}
	return 0, s.faultf(o.Pos, "there is no column %q%s", name, near.Hint(name, "the columns are ", names))
}

// Array is the value's column of rec, which the caller releases.
func (v *Value) Array(rec arrow.Record) arrow.Array {
	a := rec.Column(v.column)
	if v.round == nil {
		a.Retain()
		return a
	}
	return v.round.array(a)
}

// TypeName is how messages call the type of a field.
func TypeName(f *arrow.Field) string {
	if facts := convert.FactsOfField(f); facts != nil {
		return facts.Name
	}
	switch t := f.Type.(type) {
	case *arrow.StringType, *arrow.DictionaryType:
		return "text"
	case *arrow.BooleanType:
		return "bool"
	case *arrow.Decimal128Type:
		return fmt.Sprintf("dec(%d, %d)", t.Precision, t.Scale)
	case *arrow.Date32Type:
		return "date"
	case *arrow.Time32Type, *arrow.Time64Type:
		return "time"
	case *arrow.TimestampType:
		return "timestamp"
	case *arrow.DurationType:
		return "duration"
	case *arrow.ListType:
		return "list"
	case *arrow.MapType:
		return "map"
	}
	return f.Type.Name()
}

// Same reports whether v and w are one and the same of every record.
func (v *Value) Same(w *Value) bool {
	return v.column == w.column && (v.round == nil) == (w.round == nil) && (v.round == nil || v.round.unit == w.round.unit)
}

// Faultf is a fault at an operand.
func (s Source) Faultf(o *Operand, format string, args ...any) error {
	return s.faultf(o.Pos, format, args...)
}

// NameOf is what an item's column is called.
func (s Source) NameOf(i *Item) (string, error) {
	if i.Name == nil {
		return i.Of.String(), nil
	}
	return s.name(i.Name)
}

// Check finds a column in an operand that is not in schema.
func (s Source) Check(o *Operand, schema *arrow.Schema) error {
	switch {
	case o == nil || o.isLiteral():
		return nil
	case o.Call == nil:
		_, err := s.column(o, schema)
		return err
	}
	for _, a := range o.Call.Args {
		if err := s.Check(a, schema); err != nil {
			return err
		}
	}
	return nil
}

// CheckTest is Check of a test.
func (s Source) CheckTest(or *Or, schema *arrow.Schema) error {
	for t := range or.tests {
		if err := s.Check(t.Left, schema); err != nil {
			return err
		}
		if err := s.Check(t.Right, schema); err != nil {
			return t.Right.maybeText(err)
		}
	}
	return nil
}

// Column is the number of the column that the value is made of.
func (v *Value) Column() int { return v.column }
