package expr

import (
	"errors"
	"fmt"
	"math/big"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/decimal128"
)

// truth is what a test says of a row. A comparison with what is null is unknown,
// and so is its contrary; a row is wanted if the whole test is true of it.
type truth uint8

const (
	isFalse truth = iota
	unknown
	isTrue
)

// test says of each row of a record whether it holds.
type test interface {
	eval(rec arrow.Record, out []truth)
}

// Filter is a test that is bound to the columns of a schema. One goroutine uses it;
// Clone gives another's.
type Filter struct {
	test test
	out  []truth
	rows []int32
}

// Clone is a Filter for another goroutine.
func (f *Filter) Clone() *Filter {
	if f == nil {
		return nil
	}
	return &Filter{test: f.test}
}

// Rows are the rows of rec that are wanted, valid until the next call; all reports
// that all are.
func (f *Filter) Rows(rec arrow.Record) (rows []int32, all bool) {
	n := int(rec.NumRows())
	if cap(f.out) < n {
		f.out = make([]truth, n)
	}
	out := f.out[:n]
	f.test.eval(rec, out)
	f.rows = f.rows[:0]
	for i, t := range out {
		if t == isTrue {
			f.rows = append(f.rows, int32(i))
		}
	}
	return f.rows, len(f.rows) == n
}

// BindWhere binds a test to the columns of a schema.
func (s Source) BindWhere(or *Or, schema *arrow.Schema) (*Filter, error) {
	t, err := s.or(or, schema)
	if err != nil {
		return nil, err
	}
	return &Filter{test: t}, nil
}

func (s Source) or(or *Or, schema *arrow.Schema) (test, error) {
	var any many
	any.wins = isTrue
	for _, and := range or.Any {
		all := many{wins: isFalse}
		for _, n := range and.All {
			t, err := s.not(n, schema)
			if err != nil {
				return nil, err
			}
			all.tests = append(all.tests, t)
		}
		any.tests = append(any.tests, all.simple())
	}
	return any.simple(), nil
}

// many is true or false as wins says if one of the tests is.
type many struct {
	tests []test
	wins  truth
}

func (m *many) simple() test {
	if len(m.tests) == 1 {
		return m.tests[0]
	}
	return m
}

func (m *many) eval(rec arrow.Record, out []truth) {
	m.tests[0].eval(rec, out)
	next := make([]truth, len(out))
	for _, t := range m.tests[1:] {
		t.eval(rec, next)
		for i, v := range next {
			if m.wins == isTrue {
				out[i] = max(out[i], v)
			} else {
				out[i] = min(out[i], v)
			}
		}
	}
}

type negation struct{ test }

func (n negation) eval(rec arrow.Record, out []truth) {
	n.test.eval(rec, out)
	for i := range out {
		out[i] = isTrue - out[i]
	}
}

func (s Source) not(n *Not, schema *arrow.Schema) (test, error) {
	if n.Not != nil {
		t, err := s.not(n.Not, schema)
		return negation{t}, err
	}
	t := n.Test
	switch {
	case t.Group != nil:
		return s.or(t.Group, schema)
	case t.Is != nil:
		v, err := s.Bind(t.Left, schema)
		return &isNull{v, t.Is.Not}, err
	case t.Op != "":
		return s.comparison(t, schema)
	}
	if t.Left.isLiteral() {
		return nil, s.faultf(t.Left.Pos, "%s alone is no test; expected a column and a comparison", t.Left)
	}
	v, err := s.Bind(t.Left, schema)
	if err != nil {
		return nil, err
	}
	if v.Field.Type.ID() != arrow.BOOL {
		return nil, s.faultf(t.Left.Pos, "%s is %s and alone no test; expected a comparison, as %s = … or %s is not null", v.Field.Name, TypeName(&v.Field), v.Field.Name, v.Field.Name)
	}
	return compareLiteral(v, "=", &literal{truth: true, kind: truthLiteral}), nil
}

type isNull struct {
	of  *Value
	not bool
}

func (t *isNull) eval(rec arrow.Record, out []truth) {
	a := t.of.Array(rec)
	defer a.Release()
	for i := range out {
		out[i] = isFalse
		if a.IsNull(i) != t.not {
			out[i] = isTrue
		}
	}
}

func (o *Operand) isLiteral() bool {
	return o.Text != nil || o.Number != nil || o.Name != nil && o.Call == nil && isBool(*o.Name)
}

var turned = map[string]string{"=": "=", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}

func (s Source) comparison(t *Test, schema *arrow.Schema) (test, error) {
	left, right, op := t.Left, t.Right, t.Op
	if left.isLiteral() {
		left, right, op = right, left, turned[op]
	}
	if left.isLiteral() {
		return nil, s.faultf(t.Pos, "both sides are values; expected a column on one")
	}
	v, err := s.Bind(left, schema)
	if err != nil {
		return nil, err
	}
	if id := v.Field.Type.ID(); id == arrow.LIST || id == arrow.MAP {
		return nil, s.faultf(left.Pos, "%s is %s, which is not compared; expected %s", v.Field.Name, TypeName(&v.Field), expected(&v.Field))
	}
	if right.isLiteral() {
		l, err := s.literal(right, &v.Field)
		if err != nil {
			return nil, err
		}
		return compareLiteral(v, op, l), nil
	}
	w, err := s.Bind(right, schema)
	if err != nil {
		return nil, right.maybeText(err)
	}
	order := ordering(&v.Field, &w.Field)
	if order == nil {
		return nil, s.faultf(right.Pos, "%s is %s and %s is %s, which are not compared", v.Field.Name, TypeName(&v.Field), w.Field.Name, TypeName(&w.Field))
	}
	return &columnTest{v, w, op, order}, nil
}

// maybeText is the fault of an operand that is compared with, which if it is a word may
// have been meant as a text.
func (o *Operand) maybeText(err error) error {
	if fault := (*Fault)(nil); o.Name != nil && o.Call == nil && errors.As(err, &fault) {
		fault.Message += fmt.Sprintf("; a text is written '%s'", *o.Name)
	}
	return err
}

// literalTest compares a column with a literal.
type literalTest struct {
	of   *Value
	op   string
	with *literal
	test func(a arrow.Array, out []truth) // of values that are not null
}

func (t *literalTest) eval(rec arrow.Record, out []truth) {
	a := t.of.Array(rec)
	defer a.Release()
	t.test(a, out)
	if a.NullN() > 0 {
		for i := range out {
			if a.IsNull(i) {
				out[i] = unknown
			}
		}
	}
}

func compareLiteral(v *Value, op string, l *literal) test {
	t := &literalTest{of: v, op: op, with: l}
	switch l.kind {
	case truthLiteral:
		want := [2]truth{of(holds(op, truthOrder(false, l.truth))), of(holds(op, truthOrder(true, l.truth)))}
		t.test = func(a arrow.Array, out []truth) {
			b := a.(*array.Boolean)
			for i := range out {
				if out[i] = want[0]; b.Value(i) {
					out[i] = want[1]
				}
			}
		}
	case textLiteral:
		t.test = func(a arrow.Array, out []truth) { compareTextsWith(a, op, l.text, out) }
	case floatLiteral:
		t.test = func(a arrow.Array, out []truth) {
			switch a := a.(type) {
			case *array.Float32:
				for i, x := range a.Float32Values() {
					out[i] = of(holds(op, compareFloats(float64(x), l.float)))
				}
			case *array.Float64:
				for i, x := range a.Float64Values() {
					out[i] = of(holds(op, compareFloats(x, l.float)))
				}
			}
		}
	default:
		t.test = wholeTest(v.Field.Type, op, l)
	}
	return t
}

func of(b bool) truth {
	if b {
		return isTrue
	}
	return isFalse
}

func truthOrder(a, b bool) int { return int(of(a)) - int(of(b)) }

func compareTextsWith(a arrow.Array, op string, text []byte, out []truth) {
	switch a := a.(type) {
	case *array.Dictionary:
		words := a.Dictionary().(*array.String)
		says := make([]truth, words.Len())
		for k := range says {
			says[k] = of(holds(op, compareTexts([]byte(words.Value(k)), text)))
		}
		for i := range out {
			if a.IsValid(i) {
				out[i] = says[a.GetValueIndex(i)]
			}
		}
	case *array.String:
		s := string(text)
		for i := range out {
			x := a.Value(i)
			switch op {
			case "=":
				out[i] = of(x == s)
			case "!=":
				out[i] = of(x != s)
			case "<":
				out[i] = of(x < s)
			case "<=":
				out[i] = of(x <= s)
			case ">":
				out[i] = of(x > s)
			default:
				out[i] = of(x >= s)
			}
		}
	case *array.Binary:
		for i := range out {
			out[i] = of(holds(op, compareTexts(a.Value(i), text)))
		}
	case *array.FixedSizeBinary:
		for i := range out {
			out[i] = of(holds(op, compareTexts(a.Value(i), text)))
		}
	default:
		panic(fmt.Sprintf("expr: texts of %s", a.DataType()))
	}
}

// wholeTest compares values that are whole numbers in their column's unit.
func wholeTest(t arrow.DataType, op string, l *literal) func(a arrow.Array, out []truth) {
	s := l.within(op)
	in, others := isTrue, isFalse
	if op == "!=" {
		in, others = others, in
	}
	switch t.ID() {
	case arrow.INT8:
		return withinTest(s, in, others, func(a arrow.Array) []int8 { return a.(*array.Int8).Int8Values() })
	case arrow.INT16:
		return withinTest(s, in, others, func(a arrow.Array) []int16 { return a.(*array.Int16).Int16Values() })
	case arrow.INT32:
		return withinTest(s, in, others, func(a arrow.Array) []int32 { return a.(*array.Int32).Int32Values() })
	case arrow.INT64:
		return withinTest(s, in, others, func(a arrow.Array) []int64 { return a.(*array.Int64).Int64Values() })
	case arrow.UINT8:
		return withinTest(s, in, others, func(a arrow.Array) []uint8 { return a.(*array.Uint8).Uint8Values() })
	case arrow.UINT16:
		return withinTest(s, in, others, func(a arrow.Array) []uint16 { return a.(*array.Uint16).Uint16Values() })
	case arrow.UINT32:
		return withinTest(s, in, others, func(a arrow.Array) []uint32 { return a.(*array.Uint32).Uint32Values() })
	case arrow.UINT64:
		return withinTest(s, in, others, func(a arrow.Array) []uint64 { return a.(*array.Uint64).Uint64Values() })
	case arrow.DATE32:
		return withinTest(s, in, others, func(a arrow.Array) []arrow.Date32 { return a.(*array.Date32).Date32Values() })
	case arrow.TIME32:
		return withinTest(s, in, others, func(a arrow.Array) []arrow.Time32 { return a.(*array.Time32).Time32Values() })
	case arrow.TIME64:
		return withinTest(s, in, others, func(a arrow.Array) []arrow.Time64 { return a.(*array.Time64).Time64Values() })
	case arrow.TIMESTAMP:
		return withinTest(s, in, others, func(a arrow.Array) []arrow.Timestamp { return a.(*array.Timestamp).TimestampValues() })
	case arrow.DURATION:
		return withinTest(s, in, others, func(a arrow.Array) []arrow.Duration { return a.(*array.Duration).DurationValues() })
	case arrow.DECIMAL128:
		return decimalTest(s, in, others)
	}
	panic("expr: no whole numbers: " + t.Name())
}

type whole interface {
	~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~uint64
}

func withinTest[T whole](s span, in, others truth, values func(arrow.Array) []T) func(arrow.Array, []truth) {
	least, most := bounds[T]()
	low, high, ok := s.clamp(least, most)
	if !ok {
		return func(_ arrow.Array, out []truth) { fill(out, others) }
	}
	from, to := T(low.Int64()), T(high.Int64())
	if most.Sign() > 0 && !most.IsInt64() {
		from, to = T(low.Uint64()), T(high.Uint64())
	}
	return func(a arrow.Array, out []truth) {
		for i, x := range values(a) {
			if out[i] = others; x >= from && x <= to {
				out[i] = in
			}
		}
	}
}

// bounds are the least and the greatest value of T.
func bounds[T whole]() (least, most *big.Int) {
	bits := 8
	for x := T(1) << 7; x<<1 != 0; x <<= 1 {
		bits++
	}
	one := big.NewInt(1)
	if zero := T(0); zero-1 > 0 {
		return new(big.Int), new(big.Int).Sub(new(big.Int).Lsh(one, uint(bits)), one)
	}
	top := new(big.Int).Lsh(one, uint(bits-1))
	return new(big.Int).Neg(top), new(big.Int).Sub(top, one)
}

func fill(out []truth, t truth) {
	for i := range out {
		out[i] = t
	}
}

func decimalTest(s span, in, others truth) func(arrow.Array, []truth) {
	far := new(big.Int).Exp(big.NewInt(10), big.NewInt(38), nil) // of which no decimal is
	low, high, ok := s.clamp(new(big.Int).Neg(far), far)
	if !ok {
		return func(_ arrow.Array, out []truth) { fill(out, others) }
	}
	from, to := decimal128.FromBigInt(low), decimal128.FromBigInt(high)
	return func(a arrow.Array, out []truth) {
		for i, x := range a.(*array.Decimal128).Values() {
			if out[i] = others; !x.Less(from) && !to.Less(x) {
				out[i] = in
			}
		}
	}
}
