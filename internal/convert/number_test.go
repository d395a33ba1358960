package convert

import (
	"bufio"
	"errors"
	"fmt"
	"math"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/columns"
)

func TestIntegers(t *testing.T) {
	for _, c := range []typeCase{
		{
			typ: dfa.Type{Kind: dfa.Int8},
			good: map[string]any{"0": int64(0), "-0": int64(0), "+7": int64(7), "127": int64(127), "-128": int64(-128),
				"0000000000000000000000000000000000000001": int64(1), "": nil, "-000000000000000127": int64(-127)},
			bad: map[string]Code{"128": Overflow, "-129": Overflow, "-": NotInteger, "+": NotInteger, "--1": NotInteger, "1.0": NotInteger,
				" 1": NotInteger, "1 ": NotInteger, "0x1": NotInteger, "1e1": NotInteger, "1_0": NotInteger, "1,000": NotInteger,
				"99999999999999999999999": Overflow, "256": Overflow, "1x": NotInteger, "٣": NotInteger, "\x00": NotInteger},
		},
		{
			typ: dfa.Type{Kind: dfa.Int64},
			good: map[string]any{"9223372036854775807": int64(math.MaxInt64), "-9223372036854775808": int64(math.MinInt64),
				"1234567": int64(1234567), "12345678": int64(12345678), "123456789": int64(123456789),
				"1234567890123456": int64(1234567890123456), "12345678901234567": int64(12345678901234567), "-12345678": int64(-12345678)},
			bad: map[string]Code{"9223372036854775808": Overflow, "-9223372036854775809": Overflow, "18446744073709551616": Overflow,
				"1234567a": NotInteger, "a2345678": NotInteger, "12345678a": NotInteger, "1234567890123/56": NotInteger, "1234567890123:56": NotInteger},
		},
		{
			typ:  dfa.Type{Kind: dfa.Uint64},
			good: map[string]any{"18446744073709551615": uint64(math.MaxUint64), "-0": uint64(0)},
			bad:  map[string]Code{"18446744073709551616": Overflow, "-1": Overflow},
		},
		{
			typ:  dfa.Type{Kind: dfa.Uint16, Base16: true},
			good: map[string]any{"ff": uint64(255), "0xFFFF": uint64(65535), "0Xa": uint64(10), "+1": uint64(1), "0000000ffff": uint64(65535)},
			bad:  map[string]Code{"10000": Overflow, "0x": NotInteger, "g": NotInteger, "0x0x1": NotInteger, "-1": Overflow, "fffffffffffffffffffff": Overflow},
		},
		{
			typ:  dfa.Type{Kind: dfa.Int16, Base16: true},
			good: map[string]any{"-8000": int64(-32768), "7fff": int64(32767)},
			bad:  map[string]Code{"8000": Overflow, "-8001": Overflow},
		},
		{
			typ:  dfa.Type{Kind: dfa.Int32, Thousands: ','},
			good: map[string]any{"1,234,567": int64(1234567), "12,34": int64(1234), "1234": int64(1234), "-1,0": int64(-10)},
			bad:  map[string]Code{",1": NotInteger, "1,": NotInteger, "1,,2": NotInteger, "-,1": NotInteger, ",": NotInteger},
		},
	} {
		c.run(t)
	}
}

// Integers of all widths against strconv, which reads the same notation.
func TestIntegersAgainstStrconv(t *testing.T) {
	for k := dfa.Int8; k <= dfa.Uint64; k++ {
		col := &dfa.Column{Type: dfa.Type{Kind: k}}
		nbits := 8 * ByteWidth(&col.Type)
		rapid.Check(t, func(rt *rapid.T) {
			s := rapid.OneOf(
				rapid.Map(rapid.Int64(), func(v int64) string { return strconv.FormatInt(v, 10) }),
				rapid.Map(rapid.Uint64(), func(v uint64) string { return strconv.FormatUint(v, 10) }),
				rapid.StringMatching(`[+-]?[0-9]{1,21}`),
				rapid.StringMatching(`[0-9:/+-]{1,18}`),
			).Draw(rt, "field")
			got, code := one(t, col, Options{}, s)
			var want any
			var err error
			digits := strings.TrimLeft(s, "+-")
			switch {
			case len(s)-len(digits) > 1 || digits == "" || strings.Trim(digits, "0123456789") != "":
				err = strconv.ErrSyntax // strconv may say that it is out of range
			case k < dfa.Uint8:
				want, err = strconv.ParseInt(s, 10, nbits)
			default: // strconv knows no sign of unsigned numbers
				want, err = strconv.ParseUint(digits, 10, nbits)
				if s[0] == '-' && strings.Trim(digits, "0") != "" {
					err = strconv.ErrRange
				}
			}
			switch {
			case err == nil && (code != OK || got != want):
				rt.Fatalf("%q: %v (%v), want %v", s, got, code, want)
			case errors.Is(err, strconv.ErrSyntax) && code != NotInteger, errors.Is(err, strconv.ErrRange) && code != Overflow:
				rt.Fatalf("%q: %v (%v), want %v", s, got, code, err)
			}
		})
	}
}

func TestFloats(t *testing.T) {
	long := "0." + strings.Repeat("0", 20000) + "1e20000"
	c := typeCase{
		typ: dfa.Type{Kind: dfa.Float64},
		good: map[string]any{"0": 0.0, "-0": math.Copysign(0, -1), "1.": 1.0, ".5": 0.5, "-.5": -0.5, "+1e3": 1000.0, "1E-2": 0.01,
			"inf": math.Inf(1), "-Infinity": math.Inf(-1), "+INF": math.Inf(1), "1e400": math.Inf(1), "-1e400": math.Inf(-1), "1e-400": 0.0,
			"9007199254740993": 9007199254740992.0, "9007199254740992": 9007199254740992.0, "123456789012345678": 123456789012345678.0,
			"1e99999999999999999999": math.Inf(1), "0e99999999999999999999": 0.0, "1e-99999999999999999999": 0.0,
			"-73.98765432109876": -73.98765432109876, "12345678.5": 12345678.5, "1234567.": 1234567.0, ".1234567": .1234567, "": nil,
			long: 0.1, strings.Repeat("1", 3000) + "e-3000": 0.1111111111111111111111111},
		bad: map[string]Code{".": NotFloat, "-": NotFloat, "-.": NotFloat, "e5": NotFloat, "1e": NotFloat, "1e+": NotFloat, "0x1p4": NotFloat,
			"1_000": NotFloat, "1..2": NotFloat, "1.2.3": NotFloat, "12345.67.8": NotFloat, "1,5": NotFloat, "infin": NotFloat, "na": NotFloat, " 1": NotFloat,
			"12345678.9.1": NotFloat, "1f": NotFloat, "1e5.": NotFloat, "\x00": NotFloat},
	}
	c.run(t)
	for _, s := range []string{"nan", "NaN", "-NAN", "+nan"} {
		if v, code := one(t, &dfa.Column{Type: c.typ}, Options{}, s); code != OK || math.Float64bits(v.(float64)) != quietNaN {
			t.Errorf("%q gives %v (%v)", s, v, code)
		}
	}
	c = typeCase{
		typ:  dfa.Type{Kind: dfa.Float64, Point: ',', Thousands: '.'},
		good: map[string]any{"1.234,5": 1234.5, "0,1": 0.1, "1.234.567": 1234567.0, "12345678901234567890,5": 12345678901234567890.5, "1,5e3": 1500.0},
		bad:  map[string]Code{"1,2,3": NotFloat, "1,234.5": NotFloat, ".5": NotFloat, "1..5": NotFloat},
	}
	c.run(t)
}

// Both widths against strconv, bit for bit.
func TestFloatsAgainstStrconv(t *testing.T) {
	f64, f32 := &dfa.Column{Type: dfa.Type{Kind: dfa.Float64}}, &dfa.Column{Type: dfa.Type{Kind: dfa.Float32}}
	rapid.Check(t, func(rt *rapid.T) {
		s := rapid.OneOf(
			rapid.StringMatching(`-?[0-9]{1,20}(\.[0-9]{0,20})?`),
			rapid.StringMatching(`-?[0-9]{1,9}(\.[0-9]{0,9})?`),
			rapid.StringMatching(`[+-]?[0-9]{0,25}(\.[0-9]{0,25})?([eE][+-]?[0-9]{1,3})?`),
			rapid.Map(rapid.Float64(), func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }),
			rapid.Map(rapid.Float32(), func(v float32) string { return strconv.FormatFloat(float64(v), 'f', -1, 32) }),
			rapid.Map(rapid.Float32(), halfway),
		).Draw(rt, "field")
		if s == "" {
			return
		}
		checkFloat(rt, t, f64, s, 64)
		checkFloat(rt, t, f32, s, 32)
	})
}

// halfway is the middle between v and the float32 above it, in decimal.
func halfway(v float32) string {
	next := math.Float32frombits(math.Float32bits(v) + 1)
	if next != next || math.IsInf(float64(next), 0) {
		return "1"
	}
	return strconv.FormatFloat((float64(v)+float64(next))/2, 'f', -1, 64)
}

func checkFloat(rt *rapid.T, t *testing.T, col *dfa.Column, s string, nbits int) {
	got, code := one(t, col, Options{}, s)
	want, err := strconv.ParseFloat(s, nbits)
	if errors.Is(err, strconv.ErrSyntax) {
		if code != NotFloat {
			rt.Fatalf("%q: %v (%v), want an error", s, got, code)
		}
		return
	}
	if code != OK || got.(float64) != want && want == want || math.Signbit(got.(float64)) != math.Signbit(want) && want == want {
		rt.Fatalf("%q as f%d: %v (%v), want %v", s, nbits, got, code, want)
	}
}

// corpora is the folder of real data, or the test is skipped.
func corpora(t *testing.T, name string) string {
	dir := os.Getenv("DFAPARSE_CORPORA")
	if dir == "" {
		root := "."
		for range 8 {
			if _, err := os.Stat(filepath.Join(root, "go.mod")); err == nil {
				break
			}
			root = filepath.Join(root, "..")
		}
		dir = filepath.Join(root, "..", "shared", "corpora")
	}
	path := filepath.Join(dir, name)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("no corpus %s: set DFAPARSE_CORPORA", name)
	}
	return path
}

// Every line of parse-number-fxx: f16 f32 f64 text, the floats as hexadecimal
// bits.
func TestFloatCorpus(t *testing.T) {
	files, _ := filepath.Glob(filepath.Join(corpora(t, "parse-number-fxx"), "*.txt"))
	if len(files) == 0 {
		t.Fatal("no files")
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			src, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var f, d Fields // in Src, and in Decoded: fast paths and the long way
			f.Reset(src)
			var want32 []uint32
			var want64 []uint64
			at := 0
			for lines := bufio.NewScanner(strings.NewReader(string(src))); lines.Scan(); {
				line := lines.Text()
				var f16, b32 uint32
				var b64 uint64
				if _, err := fmt.Sscanf(line[:30], "%x %x %x", &f16, &b32, &b64); err != nil {
					t.Fatal(err)
				}
				want32, want64 = append(want32, b32), append(want64, b64)
				f.Push(uint32(at+31), uint32(at+len(line)))
				d.PushDecoded([]byte(line[31:]))
				at += len(line) + 1
			}
			for _, fields := range []*Fields{&f, &d} {
				check := func(k dfa.TypeKind, same func(c *columns.Column, i int) bool) {
					col := &dfa.Column{Type: dfa.Type{Kind: k}}
					c, _ := NewConverter(col, Options{})
					dst := NewColumn(&col.Type)
					if errs := c.Append(dst, fields, nil); len(errs) > 0 {
						b, _ := fields.At(errs[0].Row)
						t.Fatalf("%q: %v", b, errs[0].Code)
					}
					for i := range dst.Len {
						if !same(dst, i) {
							b, _ := fields.At(i)
							t.Errorf("%s: %q gives %v", Name(&col.Type), b, cell(dst, i))
						}
					}
				}
				check(dfa.Float32, func(c *columns.Column, i int) bool { return columns.ValuesOf[uint32](c.Fixed)[i] == want32[i] })
				check(dfa.Float64, func(c *columns.Column, i int) bool { return columns.ValuesOf[uint64](c.Fixed)[i] == want64[i] })
			}
			t.Logf("%d numbers", len(want64))
		})
	}
}

func TestDecimals(t *testing.T) {
	for _, c := range []typeCase{
		{
			typ: dfa.Type{Kind: dfa.Decimal, Precision: 5, Scale: 2},
			good: map[string]any{"0": "0", "1": "100", "-1.5": "-150", "999.99": "99999", "1.50000000000000000000000": "150", "1e2": "10000",
				"12345e-2": "12345", "0.1e1": "100", "+.5": "50", "0e99999999999999": "0", "000000000000000000000000000000000000000000001": "100", "-0": "0", "": nil},
			bad: map[string]Code{"1000": Overflow, "999.999": FractionLost, "0.001": FractionLost, "1e3": Overflow, "1e-3": FractionLost,
				"": OK, "x": NotDecimal, ".": NotDecimal, "1e": NotDecimal, "inf": NotDecimal, "1e99999999999999": Overflow, "1e-99999999999999": FractionLost,
				"-1000.00": Overflow, "1.2.3": NotDecimal},
		},
		{
			typ: dfa.Type{Kind: dfa.Decimal, Precision: 38},
			good: map[string]any{strings.Repeat("9", 38): strings.Repeat("9", 38), "-" + strings.Repeat("9", 38): "-" + strings.Repeat("9", 38),
				"1" + strings.Repeat("0", 37): "1" + strings.Repeat("0", 37), "18446744073709551616": "18446744073709551616"},
			bad: map[string]Code{"1" + strings.Repeat("0", 38): Overflow, strings.Repeat("9", 39): Overflow, strings.Repeat("9", 60): Overflow, "1." + strings.Repeat("0", 60) + "1": FractionLost},
		},
		{
			typ:  dfa.Type{Kind: dfa.Decimal, Precision: 38, Scale: 38},
			good: map[string]any{"0.00000000000000000000000000000000000001": "1", "1e-38": "1", ".5": "5" + strings.Repeat("0", 37)},
			bad:  map[string]Code{"1": Overflow, "1e-39": FractionLost},
		},
		{
			typ:  dfa.Type{Kind: dfa.Decimal, Precision: 9, Scale: 2, Point: ',', Thousands: '\''},
			good: map[string]any{"1'234'567,89": "123456789", "1,5": "150"},
			bad:  map[string]Code{"1.5": NotDecimal, "'1": NotDecimal},
		},
	} {
		c.run(t)
	}
}

// Decimals against math/big, with any exponent and length.
func TestDecimalsAgainstBig(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		p := rapid.IntRange(1, 38).Draw(rt, "precision")
		scale := rapid.IntRange(0, p).Draw(rt, "scale")
		s := rapid.OneOf(
			rapid.StringMatching(`-?[0-9]{1,12}(\.[0-9]{0,4})?`),
			rapid.StringMatching(`[+-]?[0-9]{1,45}(\.[0-9]{0,45})?([eE][+-]?[0-9]{1,2})?`),
			rapid.StringMatching(`[1-9]0{0,40}(\.0{0,45})?(e-?[0-9]{1,2})?`),
		).Draw(rt, "field")
		col := &dfa.Column{Type: dfa.Type{Kind: dfa.Decimal, Precision: p, Scale: scale}}
		got, code := one(t, col, Options{}, s)
		r, ok := new(big.Rat).SetString(s)
		if !ok {
			rt.Fatalf("%q is no number to math/big", s)
		}
		ten := func(n int) *big.Int { return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil) }
		r.Mul(r, new(big.Rat).SetInt(ten(scale)))
		want := OK
		if !r.IsInt() {
			want = FractionLost
		} else if r.Num().CmpAbs(ten(p)) >= 0 {
			want = Overflow
		}
		if code != want || code == OK && got != r.Num().String() {
			rt.Fatalf("%q as dec(%d, %d): %v (%v), want %v (%v)", s, p, scale, got, code, r, want)
		}
	})
}

// Quotients against math/big: all digits of m count.
func TestQuotient(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		m := rapid.OneOf(rapid.Uint64Min(1), rapid.Map(rapid.Uint64Range(1, 1<<53), func(v uint64) uint64 { return v<<10 | 1<<9 })).Draw(rt, "m")
		places := rapid.IntRange(1, maxPlaces).Draw(rt, "places")
		r := new(big.Rat).SetFrac(new(big.Int).SetUint64(m), new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(places)), nil))
		q, scale := quotient(m, places)
		want64, _ := r.Float64()
		want32, _ := r.Float32()
		if got := float64(q) * scale; got != want64 {
			rt.Fatalf("%d / 10^%d: %v, want %v", m, places, got, want64)
		}
		if got := float32(float64(float32(q)) * scale); got != want32 {
			rt.Fatalf("%d / 10^%d: %v, want %v", m, places, got, want32)
		}
	})
}

// TestPoints: a number with another point is what it is with a dot, and a dot in it is what the
// other point is there.
func TestPoints(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		typ := rapid.SampledFrom([]dfa.Type{{Kind: dfa.Float64}, {Kind: dfa.Float32}, {Kind: dfa.Decimal, Precision: 12, Scale: 2}, {Kind: dfa.Decimal, Precision: 38, Scale: 9}}).Draw(rt, "type")
		pointed := typ
		pointed.Point = rapid.SampledFrom([]byte{',', ';', '_', 0xB7}).Draw(rt, "point")
		texts := rapid.SliceOfN(rapid.OneOf(rapid.StringMatching(`-?[0-9]{0,4}\.?[0-9]{0,2}`), rapid.StringMatching(`-?[0-9]{0,12}[.,;_]?[0-9]{0,10}`), rapid.StringMatching(`[-+.0-9e]{0,9}`)), 1, 40).Draw(rt, "texts")
		var f, g Fields
		f.Reset(nil)
		g.Reset(nil)
		for _, text := range texts {
			other := []byte(text)
			for i, c := range other {
				switch c {
				case '.':
					other[i] = pointed.Point
				case pointed.Point:
					other[i] = '.'
				}
			}
			for _, x := range []struct {
				f *Fields
				b []byte
			}{{&f, []byte(text)}, {&g, other}} {
				at := uint32(len(x.f.Src))
				x.f.Src = append(x.f.Src, x.b...)
				x.f.Start, x.f.End = append(x.f.Start, at), append(x.f.End, at+uint32(len(x.b)))
			}
		}
		f.Src, g.Src = append(f.Src, "a longer end"...), append(g.Src, "a longer end"...)
		convert := func(typ *dfa.Type, f *Fields) (*columns.Column, []FieldError) {
			c, err := newConverter(typ, Options{})
			if err != nil {
				rt.Fatal(err)
			}
			col := NewColumn(typ)
			return col, c.Append(col, f, nil)
		}
		want, wantErrs := convert(&typ, &f)
		got, gotErrs := convert(&pointed, &g)
		if !sameColumn(got, want) || !slices.Equal(gotErrs, wantErrs) {
			rt.Fatalf("%q with %q: %v %v, want %v %v", texts, pointed.Point, got, gotErrs, want, wantErrs)
		}
	})
}
