package convert

import (
	"cmp"
	"fmt"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/columns"
)

// ordered is an appender of values that may have ranges.
type ordered interface {
	within(t *dfa.Type) (appender, error)
}

// ranged lets the values of a column through that are in one of its ranges. It looks at
// them after they have been converted, all rows of a round together, so that the
// quick ways to convert them remain.
type ranged[T comparable] struct {
	*fixed[T]
	ranges []valueRange[T]
	order  func(a, b T) int
}

type valueRange[T comparable] struct {
	low, high T
	from, to  bool // there is a low, a high
}

func (p *fixed[T]) within(t *dfa.Type) (appender, error) {
	r := &ranged[T]{fixed: p, order: orderOf[T]()}
	if r.order == nil {
		return nil, fmt.Errorf("values of type %s have no order", t.Kind)
	}
	plain := *t
	plain.In, plain.Thousands, plain.Point, plain.Base16, plain.Implied, plain.Size = nil, 0, 0, false, false, 0
	c, err := newConverter(&plain, Options{})
	if err != nil {
		return nil, err
	}
	bound := func(text string) (v T, is bool, err error) {
		if text == "" {
			return v, false, nil
		}
		var f Fields
		f.PushDecoded([]byte(text))
		one := NewColumn(&plain)
		if errs := c.Append(one, &f, nil); len(errs) > 0 {
			return v, false, fmt.Errorf("in %s: %s, expected %s", text, errs[0].Code, errs[0].Code.Expected(&plain))
		}
		return columns.ValuesOf[T](one.Fixed)[0], true, nil
	}
	for _, in := range t.In {
		var x valueRange[T]
		if x.low, x.from, err = bound(in.Low); err != nil {
			return nil, err
		}
		if x.high, x.to, err = bound(in.High); err != nil {
			return nil, err
		}
		if x.from && x.to && r.order(x.low, x.high) > 0 {
			return nil, fmt.Errorf("in %s: no value is in this range", in)
		}
		r.ranges = append(r.ranges, x)
	}
	return r, nil
}

// orderOf compares values of T; nil if they have no order.
func orderOf[T comparable]() func(a, b T) int {
	for _, order := range []any{cmp.Compare[int8], cmp.Compare[int16], cmp.Compare[int32], cmp.Compare[int64],
		cmp.Compare[uint8], cmp.Compare[uint16], cmp.Compare[uint32], cmp.Compare[uint64], cmp.Compare[float32], cmp.Compare[float64], compareDecimals} {
		if f, ok := order.(func(a, b T) int); ok {
			return f
		}
	}
	return nil
}

func compareDecimals(a, b decimal128) int {
	return cmp.Or(cmp.Compare(int64(a.hi), int64(b.hi)), cmp.Compare(a.lo, b.lo))
}

func (r *ranged[T]) has(v T) bool {
	for i := range r.ranges {
		x := &r.ranges[i]
		if v == v && (!x.from || r.order(v, x.low) >= 0) && (!x.to || r.order(v, x.high) <= 0) { // NaN is in none
			return true
		}
	}
	return false
}

func (r *ranged[T]) append(c *Converter, dst *columns.Column, f *Fields, errs []FieldError) []FieldError {
	first, before := dst.Len, len(errs)
	errs = r.fixed.append(c, dst, f, errs)
	values := columns.ValuesOf[T](dst.Fixed)
	var out []FieldError
	var zero T
	next := before // of errs, which are in row order
	for i := first; i < dst.Len; i++ {
		if r.has(values[i]) || !dst.IsValid(i) {
			continue
		}
		for next < len(errs) && errs[next].Row < i {
			out = append(out, errs[next])
			next++
		}
		values[i] = zero
		dst.SetNull(i)
		out = append(out, FieldError{i, OutOfRange})
	}
	if out == nil {
		return errs
	}
	out = append(out, errs[next:]...)
	return append(errs[:before], out...)
}
