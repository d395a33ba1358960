package convert

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/dfaparse/dfaparse/dfa"
)

// TestProduct: products are what strconv makes of the same numbers, and few of them are unsure.
func TestProduct(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	n, unsure := 200_000, 0
	for range n {
		m, exp := rng.Uint64N(1e19)>>rng.IntN(64), leastPower+rng.IntN(mostPower-leastPower+1)
		if rng.IntN(2) == 0 { // halfway, or next to it
			m, exp = (1<<53+rng.Uint64N(1<<53)|1)+uint64(rng.IntN(3))-1, rng.IntN(3)
		}
		v, ok := product(m, exp)
		if !ok {
			unsure++
			continue
		}
		text := fmt.Sprintf("%de%d", m, exp)
		if want, err := strconv.ParseFloat(text, 64); err != nil || math.Float64bits(v) != math.Float64bits(want) {
			t.Fatalf("%s is %v, want %v", text, v, want)
		}
	}
	if unsure < n/100 || unsure > n/3 {
		t.Errorf("%d of %d products are unsure", unsure, n)
	}
	for _, beyond := range []struct {
		m   uint64
		exp int
	}{{1, leastPower - 1}, {1, mostPower + 1}, {1e19, 0}, {math.MaxUint64, mostPower}} {
		if _, ok := product(beyond.m, beyond.exp); ok {
			t.Errorf("%de%d is said to be sure", beyond.m, beyond.exp)
		}
	}
}

// TestMiddlesInColumns: columns of numbers with exponents that are next to the middle between two floats, subnormals
// among them, have what strconv makes of them.
func TestMiddlesInColumns(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	middle := func(v, next float64, digits int) string {
		x := new(big.Float).SetPrec(200).SetFloat64(v)
		x.Add(x, new(big.Float).SetFloat64(next))
		return x.SetMantExp(x, -1).Text('e', digits)
	}
	test := func(t *testing.T) {
		for _, kind := range []dfa.TypeKind{dfa.Float32, dfa.Float64} {
			size := map[dfa.TypeKind]int{dfa.Float32: 32, dfa.Float64: 64}[kind]
			f, free := column(rng, 10_000, func(r *rand.Rand) string {
				digits := 10 + r.IntN(9)
				if size == 64 {
					v := math.Float64frombits(r.Uint64N(0x7fe << 52))
					return middle(v, math.Nextafter(v, math.Inf(1)), digits)
				}
				v := math.Float32frombits(r.Uint32N(0xfe<<23) >> (r.IntN(2) * r.IntN(31)))
				return middle(float64(v), float64(math.Nextafter32(v, math.MaxFloat32)), digits)
			}, 0)
			got, errs := appendFuzzed(t, &dfa.Column{Type: dfa.Type{Kind: kind}}, Options{}, f)
			if len(errs) > 0 {
				t.Fatal(errs)
			}
			for i := range f.Len() {
				text, _ := f.At(i)
				want, _ := strconv.ParseFloat(string(text), size)
				if v := cell(got, i); v != want {
					t.Fatalf("%q as f%d is %v, want %v", text, size, v, want)
				}
			}
			free()
		}
	}
	sets(t, func(t *testing.T, without func(func())) {
		test(t)
		without(func() { test(t) })
	})
}
