package convert

import (
	"fmt"
	"math/big"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/dfaparse/dfaparse/dfa"
)

func TestRanges(t *testing.T) {
	for _, c := range []typeCase{
		{
			typ:  dfa.Type{Kind: dfa.Uint16, In: []dfa.Interval{{Low: "80", High: "80"}, {Low: "8000", High: "8999"}, {Low: "65000"}}},
			good: map[string]any{"80": uint64(80), "8000": uint64(8000), "8999": uint64(8999), "65535": uint64(65535), "": nil},
			bad:  map[string]Code{"81": OutOfRange, "0": OutOfRange, "64999": OutOfRange, "65536": Overflow, "x": NotInteger},
		},
		{
			typ:  dfa.Type{Kind: dfa.Int8, Base16: true, In: []dfa.Interval{{Low: "-16", High: "16"}}},
			good: map[string]any{"10": int64(16), "-10": int64(-16)},
			bad:  map[string]Code{"11": OutOfRange, "-11": OutOfRange},
		},
		{
			typ:  dfa.Type{Kind: dfa.Float64, In: []dfa.Interval{{High: "1e3"}}},
			good: map[string]any{"1000": 1000.0, "-1e300": -1e300},
			bad:  map[string]Code{"1000.0001": OutOfRange, "NaN": OutOfRange, "inf": OutOfRange},
		},
		{
			typ: dfa.Type{Kind: dfa.Decimal, Precision: 20, Scale: 2, In: []dfa.Interval{{Low: "-0.5", High: "100000000000000000"}}},
			bad: map[string]Code{"-0.51": OutOfRange, "100000000000000000.01": OutOfRange},
		},
		{
			typ:  dfa.Type{Kind: dfa.Date, Layout: "%d.%m.%Y", In: []dfa.Interval{{Low: "01.02.2000"}}},
			good: map[string]any{"01.02.2000": day("2000-02-01")},
			bad:  map[string]Code{"31.01.2000": OutOfRange},
		},
	} {
		c.run(t)
	}
	for _, in := range []dfa.Interval{{Low: "2", High: "1"}, {Low: "x"}, {High: "256"}} {
		col := dfa.Column{Type: dfa.Type{Kind: dfa.Uint8, In: []dfa.Interval{in}}}
		if _, err := NewConverter(&col, Options{}); err == nil {
			t.Errorf("in %s is accepted", in)
		}
	}
	col := dfa.Column{Type: dfa.Type{Kind: dfa.Uint8, In: []dfa.Interval{{Low: "1"}}}, Default: "0", HasDefault: true}
	if _, err := NewConverter(&col, Options{}); err == nil {
		t.Error("a default outside the range is accepted")
	}
}

// Rows of a round are converted together; those outside are found wherever they are, in
// the order of other errors.
func TestRangesOfRounds(t *testing.T) {
	typ := dfa.Type{Kind: dfa.Int32, In: []dfa.Interval{{Low: "-50", High: "50"}}}
	rapid.Check(t, func(rt *rapid.T) {
		fields := rapid.SliceOfN(rapid.OneOf(rapid.StringMatching(`-?[0-9]{1,3}`), rapid.SampledFrom([]string{"", "x", "-", "7"})), 1, 200).Draw(rt, "fields")
		dst, errs := convertAll(t, &dfa.Column{Type: typ, Required: true}, Options{}, false, 64, fields...)
		var want []FieldError
		for i, f := range fields {
			v, ok := new(big.Int).SetString(f, 10)
			switch {
			case f == "":
				want = append(want, FieldError{i, IsNull})
			case !ok:
				want = append(want, FieldError{i, NotInteger})
			case v.CmpAbs(big.NewInt(50)) > 0:
				want = append(want, FieldError{i, OutOfRange})
			default:
				if got := cell(dst, i); got != v.Int64() {
					rt.Fatalf("row %d, %q, is %v", i, f, got)
				}
				continue
			}
			if got := cell(dst, i); got != nil {
				rt.Fatalf("row %d, %q, is %v", i, f, got)
			}
		}
		if !slices.Equal(errs, want) || dst.Nulls != len(want) {
			rt.Fatalf("of %q: %v, want %v; %d nulls", fields, errs, want, dst.Nulls)
		}
	})
}

func TestSizes(t *testing.T) {
	typ := dfa.Type{Kind: dfa.Uint64, Size: 1000, Thousands: ','}
	sizes := typeCase{
		typ: typ,
		good: map[string]any{"0": uint64(0), "12": uint64(12), "10KB": uint64(10000), "10k": uint64(10000), "10 KiB": uint64(10240), "1.5MiB": uint64(1572864),
			"1.5mb": uint64(1500000), "2G": uint64(2e9), "1Ki": uint64(1024), "7 B": uint64(7), "0.0005K": uint64(1), "0.0004K": uint64(0), "15EiB": uint64(15 << 60),
			"1,024 B": uint64(1024)},
		bad: map[string]Code{"18.44674407370955161EB5": BadSize, "16EiB": Overflow, "-1": BadSize, "K": BadSize, "18.446744073709551615EB": BadSize, "1KX": BadSize, "1BK": BadSize, "1.2.3": BadSize,
			"1iB": BadSize, ".K": BadSize, "1e3": BadSize},
	}
	sizes.run(t)
	rapid.Check(t, func(rt *rapid.T) {
		k := rapid.SampledFrom([]int{1000, 1024}).Draw(rt, "K")
		power := rapid.IntRange(0, 6).Draw(rt, "power")
		number := rapid.StringMatching(`[0-9]{1,6}(\.[0-9]{1,9})?`).Draw(rt, "number")
		binary := power > 0 && rapid.Bool().Draw(rt, "Ki")
		field := number + rapid.SampledFrom([]string{"", " ", "\t"}).Draw(rt, "blank")
		of := int64(k)
		if power > 0 {
			field += string("KMGTPE"[power-1])
		}
		if binary {
			of, field = 1024, field+"i"
		}
		field += rapid.SampledFrom([]string{"", "B", "b"}).Draw(rt, "B")
		if rapid.Bool().Draw(rt, "lower") {
			field = strings.ToLower(field)
		}
		x, _ := new(big.Rat).SetString(number)
		x.Mul(x, new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(of), big.NewInt(int64(power)), nil)))
		x.Add(x, big.NewRat(1, 2))
		want := new(big.Int).Quo(x.Num(), x.Denom())
		got, code := one(t, &dfa.Column{Type: dfa.Type{Kind: dfa.Uint64, Size: k}}, Options{}, field)
		if want.IsUint64() != (code == OK) || code == OK && fmt.Sprint(got) != want.String() {
			rt.Fatalf("%q with a K of %d is %v (%v), want %v", field, k, got, code, want)
		}
	})
}

// Numbers with an implied point are those with the point written, and nothing else is
// read.
func TestImpliedPoint(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		scale := rapid.IntRange(1, 9).Draw(rt, "scale")
		sign := rapid.SampledFrom([]string{"", "-", "+"}).Draw(rt, "sign")
		digits := rapid.StringMatching(`[0-9]{10,25}`).Draw(rt, "digits")
		typ := dfa.Type{Kind: dfa.Decimal, Precision: 20, Scale: scale, Implied: true}
		written := typ
		written.Implied = false
		got, code := one(t, &dfa.Column{Type: typ}, Options{}, sign+digits)
		want, wantCode := one(t, &dfa.Column{Type: written}, Options{}, sign+digits[:len(digits)-scale]+"."+digits[len(digits)-scale:])
		if code != wantCode || code == OK && got != want {
			rt.Fatalf("%s%s with %d digits after the point: %v (%v), want %v (%v)", sign, digits, scale, got, code, want, wantCode)
		}
	})
	typ := dfa.Type{Kind: dfa.Decimal, Precision: 5, Scale: 2, Implied: true}
	points := typeCase{typ: typ, bad: map[string]Code{"1.5": NotDecimal, "1e2": NotDecimal, "-": NotDecimal, "1-": NotDecimal, "123456": Overflow, "12.": NotDecimal}}
	points.run(t)
}
