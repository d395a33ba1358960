package compile

import (
	"math/big"

	"github.com/dfaparse/dfaparse/dfa"
)

// ranges sets the ranges of a column.
func (d *definer) ranges(t *dfa.Type, m *Modifier, x *TypeExpr) {
	switch {
	case t.Kind == dfa.String || t.Kind == dfa.Dictionary || t.Kind == dfa.Enum:
		d.bad.addf(m.Pos, "in is for numbers, dates and times; texts of which there are a few are enum(A B \"C D\")")
		return
	case !t.Kind.Ordered():
		d.bad.addf(m.Pos, "in is for numbers, dates and times; values of type %s have no order", x.Name)
		return
	}
	for _, r := range m.In {
		low, high := d.bound(t, r.Low), d.bound(t, r.High)
		if r.Low == nil && r.High == nil {
			d.bad.addf(r.Pos, "a range has a bound: in 1..65535, in 1.., in ..9, in 80")
			return
		}
		in := dfa.Interval{Low: r.Low.value(), High: r.High.value()}
		if !r.Dots {
			in.High = in.Low
		}
		if low != nil && high != nil && low.Cmp(high) > 0 {
			d.bad.addf(r.Pos, "no value is in %s; the lower bound comes first", in)
		}
		t.In = append(t.In, in)
	}
}

func (b *Bound) value() string {
	switch {
	case b == nil:
		return ""
	case b.Text != nil:
		return b.Text.Value()
	}
	return b.Number
}

// integerBits are those of the integers' kinds, below 0 if they have a sign.
var integerBits = map[dfa.TypeKind]int{dfa.Int8: -8, dfa.Int16: -16, dfa.Int32: -32, dfa.Int64: -64, dfa.Uint8: 8, dfa.Uint16: 16, dfa.Uint32: 32, dfa.Uint64: 64}

// bound checks a bound, and gives its number, nil if it is none or has a fault.
func (d *definer) bound(t *dfa.Type, b *Bound) *big.Rat {
	if b == nil {
		return nil
	}
	if t.Kind > dfa.Decimal {
		if b.value() == "" {
			d.bad.addf(b.Pos, "a bound is empty; no bound is written ..")
		}
		return nil
	}
	v, ok := new(big.Rat).SetString(b.Number)
	nbits := integerBits[t.Kind]
	switch {
	case b.Text != nil || !ok || len(b.Number) > 64:
		d.bad.addf(b.Pos, "a bound of numbers is a number, as in 1..65535, not %s", b.source())
		return nil
	case nbits == 0:
		return v
	case !v.IsInt():
		d.bad.addf(b.Pos, "a bound of integers is an integer, not %s", b.Number)
		return nil
	}
	n := v.Num()
	if nbits > 0 && (n.Sign() < 0 || n.BitLen() > nbits) || nbits < 0 && new(big.Int).Add(new(big.Int).Abs(n), big.NewInt(int64(min(n.Sign(), 0)))).BitLen() > -nbits-1 {
		d.bad.addf(b.Pos, "%s is outside of the type: no value reaches it", b.Number)
		return nil
	}
	return v
}
