package aggregate

import (
	"errors"
	"fmt"
	"math/big"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"github.com/dfaparse/dfaparse/internal/expr"
)

// measure is one aggregate: what it is of a group is computed when all rows are
// there, of the group's state.
type measure struct {
	kind     string // one of Functions
	name     string // as it was written
	of       int    // number of Plan.values
	tally    int    // of the main grouping
	distinct int    // number of Plan.distincts
	digits   int    // of a mean after the point; -1: nobody has said
	at       int    // first word of the tally in a state; of count() 0
	from     arrow.DataType
	gives    arrow.DataType
}

var (
	errNoSum  = errors.New("sums are of numbers and durations")
	errNoMean = errors.New("means are of numbers and durations")
	errNoMin  = errors.New("these values have no order")
	errDigits = errors.New("digits are said of the means of integers and decimals")
)

// bind makes f, the field of the values, that of the results, and gives the tally.
func (m *measure) bind(f *arrow.Field) (tally, error) {
	t := f.Type
	m.from = t
	_, nested := tallyOf(t).(*countTally)
	isDuration := t.ID() == arrow.DURATION
	isNumber := arrow.IsInteger(t.ID()) || arrow.IsFloating(t.ID()) && t.ID() != arrow.FLOAT16 || t.ID() == arrow.DECIMAL128
	switch m.kind {
	case "count":
		*f = arrow.Field{Type: arrow.PrimitiveTypes.Int64}
	case "sum":
		if !isNumber && !isDuration {
			return nil, errNoSum
		}
		f.Type = sumType(t)
	case "mean":
		if !isNumber && !isDuration {
			return nil, errNoMean
		}
		if m.digits >= 0 && (isDuration || arrow.IsFloating(t.ID())) {
			return nil, errDigits
		}
		f.Type = m.meanType(t)
	default:
		if nested {
			return nil, errNoMin
		}
		if d, ok := t.(*arrow.DictionaryType); ok {
			f.Type = d.ValueType
		}
	}
	m.gives = f.Type
	return tallyOf(t), nil
}

// sumType is the type of a sum: one that it does not outgrow, or of which it is an
// error.
func sumType(t arrow.DataType) arrow.DataType {
	switch t := t.(type) {
	case *arrow.Int64Type, *arrow.Uint64Type:
		return &arrow.Decimal128Type{Precision: 38}
	case *arrow.Decimal128Type:
		return &arrow.Decimal128Type{Precision: 38, Scale: t.Scale}
	case *arrow.Float32Type, *arrow.Float64Type:
		return arrow.PrimitiveTypes.Float64
	case *arrow.DurationType:
		return t
	}
	return arrow.PrimitiveTypes.Int64
}

func (m *measure) meanType(t arrow.DataType) arrow.DataType {
	switch t := t.(type) {
	case *arrow.Decimal128Type:
		if m.digits < 0 {
			return t
		}
		precision := t.Precision - t.Scale + int32(m.digits)
		if int32(m.digits) < t.Scale {
			precision++ // 99.9 is rounded to 100
		}
		return &arrow.Decimal128Type{Precision: min(38, precision), Scale: int32(m.digits)}
	case *arrow.DurationType:
		return t
	}
	if m.digits >= 0 {
		return &arrow.Decimal128Type{Precision: min(38, 20+int32(m.digits)), Scale: int32(m.digits)}
	}
	return arrow.PrimitiveTypes.Float64
}

// result is what a measure is of a group: by its type one of the four.
type result struct {
	null  bool
	whole decimal128.Num
	float float64
	text  []byte
}

// result is the measure of a group.
func (m *measure) result(p *Plan, state []uint64, from []byte) (r result, err error) {
	if m.kind == "distinct" || m.kind == "count" {
		r.whole = decimal128.FromU64(state[m.at])
		return r, nil
	}
	s := state[m.at:]
	if t, ok := p.main.tallies[m.tally].(*sketchTally); ok {
		r.whole = decimal128.FromU64(t.estimate(s, from))
		return r, nil
	}
	if s[0] == 0 {
		return result{null: true}, nil
	}
	switch t := p.main.tallies[m.tally].(type) {
	case *wholeTally:
		switch k := t.words(); m.kind {
		case "min":
			r.whole = decimal128.FromI64(int64(s[k-2]))
		case "max":
			r.whole = decimal128.FromI64(int64(s[k-1]))
		default:
			return m.summed(s[0], s[1:3])
		}
	case *wideTally:
		switch b := s[max(t.words()-4, 0):]; m.kind {
		case "min":
			r.whole = decimal128.New(int64(b[1]), b[0])
		case "max":
			r.whole = decimal128.New(int64(b[3]), b[2])
		default:
			return m.summed(s[0], s[1:4])
		}
	case *floatTally:
		switch m.kind {
		case "min":
			r.float = expr.FloatOf64(t.extremes(s)[0])
		case "max":
			r.float = expr.FloatOf64(t.extremes(s)[1])
		default:
			sum, exact := t.sum(s, from)
			if r.float = sum; m.kind == "mean" {
				if r.float = sum / float64(s[0]); exact != nil && r.float-r.float != 0 { // the sum alone is too large
					r.float, _ = exact.Quo(exact, new(big.Float).SetUint64(s[0])).Float64()
				}
			}
		}
	case *textTally:
		if r.text = refIn(from, s[1:]); m.kind == "max" {
			r.text = refIn(from, s[4:])
		}
	}
	return r, nil
}

// summed is a sum or a mean of n whole numbers, whose sum is words, low ones first.
func (m *measure) summed(n uint64, words []uint64) (r result, err error) {
	small := int64(words[0])
	isSmall := int64(words[len(words)-1]) == small>>63 && int64(words[1]) == small>>63
	if m.kind == "sum" {
		if isSmall {
			r.whole = decimal128.FromI64(small)
			return r, nil
		}
		return m.fit(bigWords(words))
	}
	const most = 1 << 53
	digits := 0 // after the point that the mean has more than the values
	if d, ok := m.gives.(*arrow.Decimal128Type); ok {
		digits = int(d.Scale)
		if of, ok := m.from.(*arrow.Decimal128Type); ok {
			digits -= int(of.Scale)
		}
	}
	switch isFloat := m.gives.ID() == arrow.FLOAT64; {
	case isFloat && isSmall && small < most && small > -most && n < most:
		r.float = float64(small) / float64(n)
		return r, nil
	case isFloat:
		r.float, _ = new(big.Rat).SetFrac(bigWords(words), new(big.Int).SetUint64(n)).Float64()
		return r, nil
	case digits == 0 && isSmall && small < 1<<60 && small > -1<<60 && n < 1<<60:
		a, b := 2*small+int64(n), 2*int64(n)
		q := a / b
		if a%b < 0 {
			q--
		}
		r.whole = decimal128.FromI64(q)
		return r, nil
	}
	// Rounded to the nearest, and where two are, to the larger: (2 sum + n) / 2n, downwards.
	sum, of := bigWords(words), new(big.Int).SetUint64(n)
	power := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(max(digits, -digits))), nil)
	if digits > 0 {
		sum.Mul(sum, power)
	} else {
		of.Mul(of, power)
	}
	sum.Add(sum.Lsh(sum, 1), of)
	return m.fit(sum.Div(sum, of.Lsh(of, 1))) // Euclid's division: downwards
}

// fit is v as a value of the results' type, or the error that it is none.
func (m *measure) fit(v *big.Int) (r result, err error) {
	most := new(big.Int).Lsh(big.NewInt(1), 63)
	what := "64 bits"
	if d, ok := m.gives.(*arrow.Decimal128Type); ok {
		most = most.Exp(big.NewInt(10), big.NewInt(int64(d.Precision)), nil)
		what = fmt.Sprintf("%d digits", d.Precision)
	}
	if v.CmpAbs(most) >= 0 && (v.Sign() > 0 || what != "64 bits" || v.CmpAbs(most) > 0) {
		return r, fmt.Errorf("%s of a group is %s, which is more than %s hold", m.name, m.shown(v), what)
	}
	r.whole = decimal128.FromBigInt(v)
	return r, nil
}

// shown is v with the point where the results have it.
func (m *measure) shown(v *big.Int) string {
	if d, ok := m.gives.(*arrow.Decimal128Type); ok && d.Scale > 0 {
		return new(big.Rat).SetFrac(v, new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(d.Scale)), nil)).FloatString(int(d.Scale))
	}
	return v.String()
}

// bigWords is a signed number of words, low ones first.
func bigWords(words []uint64) *big.Int {
	v := big.NewInt(int64(words[len(words)-1]))
	for i := len(words) - 2; i >= 0; i-- {
		v.Lsh(v, 64)
		v.Or(v, new(big.Int).SetUint64(words[i]))
	}
	return v
}

// append appends a result.
func (m *measure) append(b array.Builder, r *result) {
	switch {
	case r.null:
		b.AppendNull()
	case r.text != nil:
		appendBytes(b, r.text)
	default:
		switch b := b.(type) {
		case *array.Float32Builder:
			b.Append(float32(r.float))
		case *array.Float64Builder:
			b.Append(r.float)
		case *array.Decimal128Builder:
			b.Append(r.whole)
		case *array.StringBuilder, *array.BinaryBuilder:
			appendBytes(b, nil)
		default:
			appendWhole(b, int64(r.whole.LowBits()))
		}
	}
}

// compare orders results of one measure.
func (m *measure) compare(a, b *result) int {
	switch {
	case arrow.IsFloating(m.gives.ID()):
		return compareUint(expr.OrderOf64(a.float), expr.OrderOf64(b.float))
	case a.text != nil || b.text != nil:
		return compareBytes(a.text, b.text)
	}
	return a.whole.Cmp(b.whole)
}
