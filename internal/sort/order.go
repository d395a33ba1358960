package sort

import (
	"errors"

	"github.com/apache/arrow/go/v17/arrow"

	"github.com/dfaparse/dfaparse/internal/expr"
	"github.com/dfaparse/dfaparse/internal/output"
)

// Parsed is an order that has been read.
type Parsed struct {
	src     expr.Source
	order   *expr.Order
	columns []string
}

// Parse reads an order. Its error is an *expr.Fault.
func Parse(src expr.Source) (*Parsed, error) {
	order, err := expr.ParseOrder(src)
	if err != nil {
		return nil, err
	}
	p := &Parsed{src: src, order: order}
	for _, k := range order.Keys {
		if p.columns, err = src.Names(p.columns, k.Of); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// Columns are the columns that the order reads.
func (p *Parsed) Columns() []string { return p.columns }

// CheckColumns finds a column that is not among those that there are.
func (p *Parsed) CheckColumns(schema *arrow.Schema) error { return p.order.Check(p.src, schema) }

// Plan is an order that is bound to the columns of a schema.
type Plan struct {
	schema  *arrow.Schema
	coded   *arrow.Schema // with codes in place of dictionaries
	columns []*column
}

// column is one of those that are sorted by.
type column struct {
	value      *expr.Value
	kind       kind
	width      int // of a value in bytes; 0: a bit, or a text
	leaf       int // of a word: the number of the dictionary
	desc       bool
	nullsFirst bool
}

// kind is how values are compared.
type kind uint8

const (
	signed kind = iota
	unsigned
	float
	wide // 128 bits, signed
	boolean
	text
	word // the code of a text in a dictionary
)

var errNoOrder = errors.New("it has no order; rows are not sorted by columns of lists and maps, nor of nothing")

// Bind binds the order to the columns of a schema. Its error is an *expr.Fault.
func (p *Parsed) Bind(schema *arrow.Schema) (*Plan, error) {
	if err := p.CheckColumns(schema); err != nil {
		return nil, err
	}
	plan := &Plan{schema: schema, coded: output.CodedSchema(schema)}
	for _, k := range p.order.Keys {
		v, err := p.src.Bind(k.Of, schema)
		if err != nil {
			return nil, err
		}
		c := &column{value: v, desc: k.Direction == "desc", nullsFirst: k.Nulls == "first"}
		if c.kind, err = kindOf(v.Field.Type); err != nil {
			return nil, p.src.Faultf(k.Of, "%s is %s: %v", v.Field.Name, expr.TypeName(&v.Field), err)
		}
		if c.kind == word {
			c.leaf = output.Dictionaries(schema, v.Column())
		}
		if t, ok := v.Field.Type.(arrow.FixedWidthDataType); ok && c.kind != boolean {
			c.width = t.Bytes()
		}
		plan.columns = append(plan.columns, c)
	}
	return plan, nil
}

func kindOf(t arrow.DataType) (kind, error) {
	switch t := t.(type) {
	case *arrow.Int8Type, *arrow.Int16Type, *arrow.Int32Type, *arrow.Int64Type,
		*arrow.Date32Type, *arrow.Date64Type, *arrow.Time32Type, *arrow.Time64Type, *arrow.TimestampType, *arrow.DurationType:
		return signed, nil
	case *arrow.Uint8Type, *arrow.Uint16Type, *arrow.Uint32Type, *arrow.Uint64Type:
		return unsigned, nil
	case *arrow.Float32Type, *arrow.Float64Type:
		return float, nil
	case *arrow.Decimal128Type:
		return wide, nil
	case *arrow.BooleanType:
		return boolean, nil
	case *arrow.StringType, *arrow.BinaryType, *arrow.FixedSizeBinaryType:
		return text, nil
	case *arrow.DictionaryType:
		if t.ValueType.ID() == arrow.STRING && t.IndexType.ID() == arrow.INT32 {
			return word, nil
		}
	}
	return 0, errNoOrder
}
