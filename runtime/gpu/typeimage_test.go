//go:build cuda

package gpu

import (
	"math/big"
	"testing"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/convert"
	"github.com/dfaparse/dfaparse/kernels"
	"github.com/dfaparse/dfaparse/runtime"
)

// What the type table says that a kernel converts, it is told of; and there is no
// kernel of nothing.
func TestKernelsOfTypes(t *testing.T) {
	of := map[convert.Kernel]bool{convert.OnHost: true}
	for kind := range dfa.TypeKind(dfa.NTypeKinds) {
		kernel := convert.FactsOf(kind).Kernel
		if of[kernel] = true; kernel != convert.OnHost && typeImages[kernel] == nil {
			t.Errorf("%s: nothing tells the kernel %q of its types", kind, kernel)
		}
	}
	for kernel := range typeImages {
		if !of[kernel] {
			t.Errorf("the kernel %q converts no type", kernel)
		}
	}
}

// fivePower is 5^q but for a power of two, and at most one in its last place.
func TestFivePowers(t *testing.T) {
	float := func(v *big.Int) *big.Float { return new(big.Float).SetPrec(4096).SetInt(v) }
	for q := -342; q <= 308; q++ {
		hi, lo := fivePower(q)
		v := float(new(big.Int).Add(new(big.Int).Lsh(new(big.Int).SetUint64(hi), 64), new(big.Int).SetUint64(lo)))
		five := float(new(big.Int).Exp(big.NewInt(5), big.NewInt(int64(max(q, -q))), nil))
		if q < 0 {
			v.Mul(v, five)
		} else {
			v.Quo(v, five)
		}
		ratio := new(big.Float)
		v.MantExp(ratio) // 1/2 if it is a power of two, or just below 1
		up := ratio.Cmp(big.NewFloat(0.75)) < 0
		if off := ratio.Sub(ratio, big.NewFloat(0.5)); !up {
			off.Sub(off, big.NewFloat(0.5))
		}
		if hi>>63 != 1 || ratio.Sign() != 0 && (ratio.MantExp(nil) > -126 || up != (-27 <= q && q < 0)) {
			t.Errorf("5^%d: %#x %#x is off by %g", q, hi, lo, ratio)
		}
	}
}

// A column whose type no kernel knows is left to the host as a whole.
func TestOnHost(t *testing.T) {
	plan := &runtime.Plan{Columns: []dfa.Column{{Type: dfa.Type{Kind: dfa.List, Elem: &dfa.Type{Kind: dfa.String}}}}}
	x, err := newOutputImage(plan, runtime.Output{Column: 0, Part: -1})
	if err != nil || x.Flags&kernels.OnHost == 0 {
		t.Errorf("a list has the flags %b, %v", x.Flags, err)
	}
}
