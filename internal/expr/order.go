package expr

import (
	"math/big"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"

	"github.com/dfaparse/dfaparse/internal/convert"
)

// columnTest compares two columns.
type columnTest struct {
	left, right *Value
	op          string
	order       func(a arrow.Array, i int, b arrow.Array, j int) int
}

func (t *columnTest) eval(rec arrow.Record, out []truth) {
	a, b := t.left.Array(rec), t.right.Array(rec)
	defer a.Release()
	defer b.Release()
	for i := range out {
		if a.IsNull(i) || b.IsNull(i) {
			out[i] = unknown
			continue
		}
		out[i] = of(holds(t.op, t.order(a, i, b, i)))
	}
}

// ordering is how values of two columns are compared; nil if they are not.
func ordering(f, g *arrow.Field) func(a arrow.Array, i int, b arrow.Array, j int) int {
	isText := func(f *arrow.Field) bool {
		switch f.Type.ID() {
		case arrow.STRING, arrow.DICTIONARY, arrow.BINARY, arrow.FIXED_SIZE_BINARY:
			return true
		}
		return false
	}
	number := func(f *arrow.Field) bool {
		return arrow.IsInteger(f.Type.ID()) || arrow.IsFloating(f.Type.ID()) || f.Type.ID() == arrow.DECIMAL128
	}
	isTime := func(id arrow.Type) bool { return id == arrow.TIME32 || id == arrow.TIME64 }
	switch {
	case isText(f) && isText(g):
		if (f.Type.ID() == arrow.FIXED_SIZE_BINARY || g.Type.ID() == arrow.FIXED_SIZE_BINARY) && convert.FactsOfField(f) != convert.FactsOfField(g) {
			return nil
		}
		return func(a arrow.Array, i int, b arrow.Array, j int) int {
			return compareTexts(textOf(a, i), textOf(b, j))
		}
	case number(f) && number(g) && (arrow.IsFloating(f.Type.ID()) || arrow.IsFloating(g.Type.ID())):
		return func(a arrow.Array, i int, b arrow.Array, j int) int {
			return compareFloats(floatOf(a, i), floatOf(b, j))
		}
	case number(f) && number(g), isTime(f.Type.ID()) && isTime(g.Type.ID()):
	case f.Type.ID() == arrow.TIMESTAMP && g.Type.ID() == arrow.TIMESTAMP:
		if (f.Type.(*arrow.TimestampType).TimeZone == "") != (g.Type.(*arrow.TimestampType).TimeZone == "") {
			return nil // one says which instant it means, the other does not
		}
	case f.Type.ID() == g.Type.ID() && (f.Type.ID() == arrow.DATE32 || f.Type.ID() == arrow.DURATION || f.Type.ID() == arrow.BOOL):
	default:
		return nil
	}
	left, right := unitOf(f.Type), unitOf(g.Type)
	plain := left.Cmp(right) == 0
	return func(a arrow.Array, i int, b arrow.Array, j int) int {
		x, xok := smallOf(a, i)
		y, yok := smallOf(b, j)
		if plain && xok && yok {
			switch {
			case x < y:
				return -1
			case x > y:
				return 1
			}
			return 0
		}
		p, q := new(big.Rat).SetInt(bigOf(a, i)), new(big.Rat).SetInt(bigOf(b, j))
		return p.Mul(p, left).Cmp(q.Mul(q, right))
	}
}

// unitOf is what a whole number of a column counts.
func unitOf(t arrow.DataType) *big.Rat {
	switch t := t.(type) {
	case *arrow.Decimal128Type:
		return new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(t.Scale)), nil))
	case arrow.TemporalWithUnit:
		return big.NewRat(int64(t.TimeUnit().Multiplier()), 1e9)
	}
	return big.NewRat(1, 1)
}

// bigOf is a value as a whole number in its column's unit.
func bigOf(a arrow.Array, i int) *big.Int {
	switch a := a.(type) {
	case *array.Decimal128:
		return a.Value(i).BigInt()
	case *array.Uint64:
		return new(big.Int).SetUint64(a.Value(i))
	}
	v, _ := smallOf(a, i)
	return big.NewInt(v)
}

// smallOf is bigOf where it is surely an int64.
func smallOf(a arrow.Array, i int) (v int64, ok bool) {
	switch a := a.(type) {
	case *array.Int8:
		return int64(a.Value(i)), true
	case *array.Int16:
		return int64(a.Value(i)), true
	case *array.Int32:
		return int64(a.Value(i)), true
	case *array.Int64:
		return a.Value(i), true
	case *array.Uint8:
		return int64(a.Value(i)), true
	case *array.Uint16:
		return int64(a.Value(i)), true
	case *array.Uint32:
		return int64(a.Value(i)), true
	case *array.Date32:
		return int64(a.Value(i)), true
	case *array.Time32:
		return int64(a.Value(i)), true
	case *array.Time64:
		return int64(a.Value(i)), true
	case *array.Timestamp:
		return int64(a.Value(i)), true
	case *array.Duration:
		return int64(a.Value(i)), true
	case *array.Boolean:
		return int64(of(a.Value(i))), true
	}
	return 0, false
}

func floatOf(a arrow.Array, i int) float64 {
	switch a := a.(type) {
	case *array.Float32:
		return float64(a.Value(i))
	case *array.Float64:
		return a.Value(i)
	}
	r := new(big.Rat).SetInt(bigOf(a, i))
	f, _ := r.Mul(r, unitOf(a.DataType())).Float64()
	return f
}

func textOf(a arrow.Array, i int) []byte {
	switch a := a.(type) {
	case *array.Dictionary:
		return textOf(a.Dictionary(), a.GetValueIndex(i))
	case *array.String:
		return []byte(a.Value(i))
	case *array.Binary:
		return a.Value(i)
	}
	return a.(*array.FixedSizeBinary).Value(i)
}
