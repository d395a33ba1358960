//go:build cuda

package gpu

import (
	"math/big"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/kernels"
	"github.com/dfaparse/dfaparse/runtime"
)

// The kernels number kinds as dfa does.
func TestTypeKindsAgree(t *testing.T) {
	source, err := os.ReadFile("../../kernels/convert/field.cuh")
	if err != nil {
		t.Skipf("no sources of kernels here: %v", err)
	}
	body := regexp.MustCompile(`(?s)enum TypeKind : uint32_t \{(.*?)\};`).FindSubmatch(source)
	if body == nil {
		t.Fatal("field.cuh has no TypeKind")
	}
	names := regexp.MustCompile(`k(\w+)`).FindAllStringSubmatch(string(body[1]), -1)
	if len(names) != dfa.NTypeKinds {
		t.Fatalf("%d kinds, dfa has %d", len(names), dfa.NTypeKinds)
	}
	for i, name := range names {
		if kind := dfa.TypeKind(i).String(); !strings.EqualFold(name[1], kind) {
			t.Errorf("kind %d is %s, in dfa %s", i, name[1], kind)
		}
	}
}

// Kinds that no kernel converts are few, and known.
func TestKindsOnTheHost(t *testing.T) {
	var host []string
	for kind := range dfa.TypeKind(dfa.NTypeKinds) {
		if typeImageOf(kind) == nil {
			host = append(host, kind.String())
		}
	}
	if got := strings.Join(host, " "); got != "dictionary list map" {
		t.Errorf("the host's are %s", got)
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
	plan := &runtime.Plan{Columns: []dfa.Column{{Type: dfa.Type{Kind: dfa.Dictionary}}}}
	x, err := newOutputImage(plan, runtime.Output{Column: 0, Part: -1})
	if err != nil || x.Flags&kernels.OnHost == 0 {
		t.Errorf("a dictionary has the flags %b, %v", x.Flags, err)
	}
}
