package convert

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"testing"
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
