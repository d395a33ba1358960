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

// TestSubnormals: numbers near 0 are what strconv makes of them: any, the shortest ones of floats, and those that are next
// to the middle between two, of as many digits as are not cut, and of more.
func TestSubnormals(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	n := 20_000
	if testing.Short() {
		n = 2_000
	}
	f, err := newFloats(&dfa.Type{Kind: dfa.Float64})
	if err != nil {
		t.Fatal(err)
	}
	known := 0
	check := func(text []byte, nbits int) {
		want, _ := strconv.ParseFloat(string(text), nbits)
		scanned, _ := f.scan(text)
		v, code := f.parse64(text)
		of, fewest := subnormals64(), fewestPlaces64
		if nbits == 32 {
			var narrow float32
			narrow, code = f.parse32(text)
			v, of, fewest = float64(narrow), subnormals32(), fewestPlaces32
		}
		if code != OK || math.Float64bits(v) != math.Float64bits(want) {
			t.Fatalf("%q as f%d: %v (%v), want %v", text, nbits, v, code, want)
		}
		if scanned.exp <= -fewest {
			if _, ok := of.round(scanned); ok {
				known++
			}
		}
	}
	var text []byte
	for i := range n {
		for _, nbits := range []int{64, 32} {
			exp, bits := 1074, rng.Uint64()>>(11+rng.UintN(53))
			if nbits == 32 {
				exp, bits = 149, uint64(rng.Uint32()>>(8+rng.UintN(24)))
			}
			float := math.Ldexp(float64(bits), -exp)
			text = strconv.AppendFloat(text[:0], float, 'e', -1, nbits)
			check(text, nbits)
			check(strconv.AppendFloat(text[:0], -float, 'e', int(rng.UintN(24)), 64), nbits)
			least := 343
			if nbits == 32 {
				least = 66
			}
			check(fmt.Appendf(text[:0], "%de-%d", rng.Uint64()>>rng.UintN(64), least-int(rng.UintN(40))), nbits)
			if i%4 == 0 {
				middle := new(big.Float).SetMantExp(new(big.Float).SetInt64(int64(2*bits+1)), -exp-1)
				check(middle.Append(text[:0], 'e', int(rng.UintN(21))), nbits)
				check(middle.Append(text[:0], 'e', 760), nbits)
			}
		}
	}
	if known < n {
		t.Errorf("%d of %d numbers are read without strconv", known, n)
	}
	for _, s := range []string{"0e-400", "-0e-400", "1e-400", "-1e-99999", "5e-324", "2.4703282292062327e-324", "2.4703282292062328e-324", "2.2250738585072011e-308", "2.2250738585072014e-308", "9999999999999999999e-343",
		"18446744073709551615e-342", "1e-45", "7e-46", "8e-46", "1.1754943508222875e-38", "1.17549429e-38", "0." + fmt.Sprintf("%0330d", 7)} {
		check([]byte(s), 64)
		check([]byte(s), 32)
	}
}
