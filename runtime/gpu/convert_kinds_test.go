//go:build cuda

package gpu

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/dfaparse/dfaparse/dfa"
)

// hardNumbers are fields near some edge of the notation, or of a type.
var hardNumbers = strings.Fields(`
0 -0 +0 00 -00 000000000000000000000 1 -1 +1 9 10 127 128 -128 -129 255 256 32767 32768 -32768 -32769 65535 65536
2147483647 2147483648 -2147483648 -2147483649 4294967295 4294967296 9223372036854775807 9223372036854775808
-9223372036854775808 -9223372036854775809 18446744073709551615 18446744073709551616 99999999999999999999
00000000000000000000000000042 -00000000000000000000000000042 12345678 123456789 -1234567 -12345678 1234567890123456
12345678901234567 -1234567890123456 123456789012345678 1234567890123456789 -123456789012345678 -1234567890123456789
- + -- +- 1- 1+1 --1 . -. +. .5 5. -.5 -5. +.5 0. .0 1.2.3 1..2 1234567.8 -123456.7 1.2345678 12345678.9 1.23456789
123456789.123456789 0.1234567890123456 0.12345678901234567 0.123456789012345678 1234567890123456.789 -0.0000000000000001
0.30000000000000004 9007199254740991 9007199254740992 9007199254740993 9007199254740993.5 90071992547409.93 900719925474099.3
1e0 1e5 1E5 1e+5 1e-5 1e 1e+ 1e- e5 .e5 1.e5 1.5e3 -1.5e-3 1e22 1e23 1e-22 1e-23 1e308 1.7976931348623157e308 1.7976931348623158e308
1.7976931348623159e308 1e309 -1e309 1e400 -1e400 1e99999 1e-99999 1e999999999999999999999 0e999999999999 1e-400 2.2250738585072014e-308
2.2250738585072011e-308 2.225073858507201e-308 4.9e-324 5e-324 2.4703282292062327e-324 2.4703282292062328e-324 2.5e-324 1e-323 1e-324
3.4028234663852886e38 3.4028235677973366e38 3.4028235677973367e38 3.4028236e38 1e39 1.17549435e-38 1.1754943e-38 1.4e-45 7e-46 7.006492321624085e-46
16777217.0000 8388608.5 8388609.5 2097152.125 2097152.375 131072.0078125 131072.0234375 512.000030517578125 512.000091552734375
9007199254740993.0 4503599627370496.5 4503599627370497.5 2251799813685248.25 2251799813685248.75 1125899906842624.125 1125899906842624.375
562949953421312.0625 562949953421312.1875 9007199254740993e1 9007199254740993e5 9007199254740993e6 90071992547409930000000 16777217e5 16777217e10 16777217e11
16777217 16777217.0 33554431.5 1.00000005960464477539062 1.000000059604644775390625 1.00000005960464477539063 0.000000059604644775390625
179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017977587207096330286416692887910946555547851940402630657488671505820681908902000708383676273854845817711531764475730270069855571366959622842914819860834936475292719074168444365510704342711559699508093042880
1,000 1,000,000 1,2 ,1 1, 1,,2 1,e5 1,000.5 1.5,0 -1,000 12,345,678 1_000 0x10 0X1F 0x 0xg ff FF -ff 7fffffffffffffff ffffffffffffffff 8000000000000000 10000000000000000 -8000000000000000
inf -inf +inf Inf INFINITY -infinity +Infinity nan NaN -nan +NAN infi nano in i n i\nf 1inf
99999999999999999999999999999999999999 -99999999999999999999999999999999999999 100000000000000000000000000000000000000 0.99999999999999999999999999999999999999
1.10 1.100000000000000000000000000000 1.1000000000000000000000000000000000000001 123456789012345678901234567890.12345678 0.00000000000000000000000000000000000001 1e-38 1e37 1e38 10e37 0.1e1 100e-2 1001e-3 12.345 12.3456 12.34560
`)

// oddNumbers have something around or inside.
var oddNumbers = []string{" 1", "1 ", "\t1\t", " ", "  ", "1 2", "", "NULL", "NA", "-", "1\x00", "\xff", "1\xb2", "\x11", "\xb1\xb2", "1.5\n", strings.Repeat("0", 1500), strings.Repeat("7", 1500),
	strings.Repeat("0", 1500) + "1", "1." + strings.Repeat("0", 990) + "1", "0." + strings.Repeat("0", 300) + "1", strings.Repeat("9", 300), "1e" + strings.Repeat("0", 500) + "1", strings.Repeat(" ", 2000) + "1"}

// numberTypes are the kinds of numbers with their options.
func numberTypes() (types []dfa.Type) {
	for kind := dfa.Int8; kind <= dfa.Uint64; kind++ {
		types = append(types, dfa.Type{Kind: kind}, dfa.Type{Kind: kind, Thousands: ','}, dfa.Type{Kind: kind, Base16: true}, dfa.Type{Kind: kind, Base16: true, Thousands: '_'})
	}
	for kind := dfa.Float32; kind <= dfa.Float64; kind++ {
		types = append(types, dfa.Type{Kind: kind}, dfa.Type{Kind: kind, Thousands: ','}, dfa.Type{Kind: kind, Thousands: '.', Point: ','}, dfa.Type{Kind: kind, Point: 0xb2})
	}
	for _, p := range [][2]int{{1, 0}, {5, 2}, {9, 9}, {10, 0}, {18, 4}, {19, 18}, {20, 2}, {38, 0}, {38, 2}, {38, 20}, {38, 38}} {
		types = append(types, dfa.Type{Kind: dfa.Decimal, Precision: p[0], Scale: p[1]})
	}
	return append(types, dfa.Type{Kind: dfa.Decimal, Precision: 18, Scale: 3, Thousands: '.', Point: ','})
}

// columnsOf are columns of a type: plain, with nulls and trimmed, required, and
// with a default.
func columnsOf(t dfa.Type, value string) []dfa.Column {
	nulls := []string{"NULL", "NA", "-"}
	return []dfa.Column{
		{Type: t}, {Type: t, Nulls: nulls, Trim: true}, {Type: t, Nulls: []string{"0", "1"}, Required: true},
		{Type: t, Nulls: nulls, HasDefault: true, Default: value}, {Type: t, Trim: true, Required: true, HasDefault: true, Default: value},
	}
}

// withOddities is fields, each side by side and scattered, with absent ones and
// malformed rows between.
func withOddities(values []string) (fields []testField) {
	for i, s := range values {
		fields = append(fields, testField{value: []byte(s)}, testField{value: []byte(s), scattered: true})
		if i%7 == 0 {
			fields = append(fields, testField{})
		}
		if i%11 == 0 {
			fields = append(fields, testField{malformed: true})
		}
	}
	return fields
}

func TestConvertHardNumbers(t *testing.T) {
	d := openConvert(t)
	fields := withOddities(append(append([]string(nil), hardNumbers...), oddNumbers...))
	for _, typ := range numberTypes() {
		for i, column := range columnsOf(typ, "0") {
			x := convertTest{column: column, fields: fields, seed: uint64(i)}
			x.run(t, d)
		}
	}
}

// drawNumber draws something like a number.
func drawNumber(r *rand.Rand) string {
	digits := func(n int) string {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte('0' + r.IntN(10))
		}
		return string(b)
	}
	s := []string{"", "", "-", "+"}[r.IntN(4)]
	switch r.IntN(8) {
	case 0:
		s += strconv.FormatFloat(math.Float64frombits(r.Uint64()), 'g', r.IntN(20)-1, 64)
	case 1:
		s += strconv.FormatFloat(float64(math.Float32frombits(r.Uint32())), 'g', -1, 32)
	case 2: // the middle between two
		f := math.Float32frombits(r.Uint32()&0x0fffffff + 0x38000000)
		s += strconv.FormatFloat((float64(f)+float64(math.Nextafter32(f, 9e9)))/2, 'f', -1, 64)
	case 3:
		s += digits(r.IntN(24)) + "." + digits(r.IntN(24))
	case 4:
		s += digits(1+r.IntN(24)) + "e" + strconv.Itoa(r.IntN(700)-350)
	case 5:
		s += strings.Repeat("0", r.IntN(20)) + digits(r.IntN(40))
	default:
		s += digits(r.IntN(12)) + []string{"", ".", ".", ","}[r.IntN(4)] + digits(r.IntN(8))
	}
	if len(s) > 0 && r.IntN(20) == 0 {
		b := []byte(s)
		b[r.IntN(len(b))] = byte(r.Uint32())
		s = string(b)
	}
	return s
}

func TestConvertDrawnNumbers(t *testing.T) {
	d := openConvert(t)
	types := numberTypes()
	rapid.Check(t, func(t *rapid.T) {
		typ := rapid.SampledFrom(types).Draw(t, "type")
		columns := columnsOf(typ, "0")
		x := convertTest{column: columns[rapid.IntRange(0, len(columns)-1).Draw(t, "column")], seed: rapid.Uint64().Draw(t, "seed")}
		r := rand.New(rand.NewPCG(x.seed, 2))
		n := rapid.SampledFrom([]int{0, 1, 31, 32, 33, 255, 256, 257, 1000}).Draw(t, "rows")
		for range n {
			x.fields = append(x.fields, testField{value: []byte(drawNumber(r)), scattered: r.IntN(8) == 0, malformed: r.IntN(50) == 0})
		}
		x.run(t, d)
	})
}

// Doubles and floats by the hundred thousand, as they are mostly written, are
// all decided.
func TestConvertFloatsInFull(t *testing.T) {
	d := openConvert(t)
	r := rand.New(rand.NewPCG(1, 2))
	write := map[string]func() string{
		"shortest":   func() string { return strconv.FormatFloat(math.Float64frombits(r.Uint64()), 'g', -1, 64) },
		"shortest32": func() string { return strconv.FormatFloat(float64(math.Float32frombits(r.Uint32())), 'g', -1, 32) },
		"short": func() string {
			return strconv.FormatFloat(float64(r.Uint64N(1<<53))/math.Pow10(r.IntN(18)), 'f', -1, 64)
		},
		"places":    func() string { m := strconv.FormatUint(r.Uint64N(1<<53), 10); return m[:1] + "." + m[1:] },
		"few":       func() string { return fmt.Sprintf("%d.%0*d", r.IntN(1000), 1+r.IntN(4), r.IntN(10)) },
		"normal":    func() string { return strconv.FormatFloat(r.NormFloat64(), 'f', -1, 64) },
		"subnormal": func() string { return strconv.FormatFloat(math.Float64frombits(r.Uint64()>>12), 'e', -1, 64) },
		"digits19":  func() string { return strconv.FormatUint(r.Uint64N(1e19), 10) + "e" + strconv.Itoa(r.IntN(600)-320) },
	}
	for name, f := range write {
		values := make([]string, 6000)
		for i := range values {
			values[i] = f()
		}
		for _, kind := range []dfa.TypeKind{dfa.Float32, dfa.Float64} {
			x := convertTest{column: dfa.Column{Type: dfa.Type{Kind: kind}}, fields: fieldsOf(values...)}
			if left := x.run(t, d); len(left) > 0 {
				t.Errorf("%s, %s: %d are left, such as %q", kind, name, len(left), values[left[0]])
			}
		}
	}
}

// What is written as most files have it is never left.
func TestConvertLeavesNothingPlain(t *testing.T) {
	d := openConvert(t)
	long := strings.Repeat("ascii and Größe, ", 40)
	var wide []string // a sequence of each length across each boundary
	for pad := range 16 {
		wide = append(wide, strings.Repeat("x", pad)+strings.Repeat("😀", 20), strings.Repeat("x", pad)+strings.Repeat("日本語é", 10))
	}
	for _, x := range []struct {
		typ    dfa.Type
		values []string
	}{
		{dfa.Type{Kind: dfa.Int8}, []string{"0", "127", "-128", "+5", "007"}},
		{dfa.Type{Kind: dfa.Int64}, []string{"1", "-1", "42", "265", "9223372036854775807", "-9223372036854775808", "+9", "000000000000000000000000001"}},
		{dfa.Type{Kind: dfa.Uint64}, []string{"18446744073709551615", "0"}},
		{dfa.Type{Kind: dfa.Int32, Thousands: ','}, []string{"1,234,567", "-1,000"}},
		{dfa.Type{Kind: dfa.Uint32, Base16: true}, []string{"0xdeadbeef", "FFFF", "0"}},
		{dfa.Type{Kind: dfa.Float64}, []string{"0.5", "-0", "12.30", "52.80", "0", "16", "1e300", "-2.5E-10", "inf", "NaN", "-Infinity", "3.141592653589793238", "1e400", "4.9e-324", "0.1234567890123456789"}},
		{dfa.Type{Kind: dfa.Float32}, []string{"0.5", "3.4028235e38", "1e-45", "16777217", "0.1", "1.0000000596046448"}},
		{dfa.Type{Kind: dfa.Float64, Point: ',', Thousands: '.'}, []string{"1.234,5", "0,25"}},
		{dfa.Type{Kind: dfa.Decimal, Precision: 15, Scale: 2}, []string{"12.30", "-5", "0.5", "1e3", "1234567890123.45", "7.100"}},
		{dfa.Type{Kind: dfa.Decimal, Precision: 38, Scale: 10}, []string{"1234567890123456789012345678.0123456789", "-0.1"}},
		{dfa.Type{Kind: dfa.Bool}, []string{"true", "FALSE", "t", "F", "yes", "No", "Y", "n", "on", "OFF", "1", "0"}},
		{dfa.Type{Kind: dfa.Enum, Tokens: []string{"N", "Y", "a longer token", "straße"}}, []string{"Y", "N", "a longer token", "straße"}},
		{dfa.Type{Kind: dfa.String}, []string{"", "a", "Größe", "日本語", "😀", long, strings.Repeat("x", 70000) + "é" + strings.Repeat("y", 70000)}},
		{dfa.Type{Kind: dfa.String}, wide},
		{dfa.Type{Kind: dfa.Binary}, []string{"", "\xff\xfe", "plain"}},
	} {
		for _, scattered := range []bool{false, true} {
			test := convertTest{column: dfa.Column{Type: x.typ, Nulls: []string{"NULL"}}, fields: repeat(300, append(x.values, "NULL")...)}
			for i := range test.fields {
				test.fields[i].scattered = scattered
			}
			if left := test.run(t, d); len(left) > 0 {
				t.Errorf("%s: %q is left, scattered %t", x.typ.String(), test.fields[left[0]].value, scattered)
			}
		}
	}
}

func TestConvertBooleans(t *testing.T) {
	d := openConvert(t)
	values := []string{"true", "True", "TRUE", "tRuE", "trux", "tru", "truee", "t", "T", "false", "False", "falsE", "fals", "falsf", "f", "F", "yes", "YES", "ye", "yess", "y", "Y",
		"no", "No", "nO", "n", "N", "on", "ON", "off", "Off", "of", "o", "1", "0", "2", "\x11", "\x10", "11", "00", "", "NULL", "NA", "-", " true", "no ", "\x14rue", "T\x12ue", "yes\x00", "tr\xf5e",
		"wahr", "falsch", "wahrheit", "fals", "W"}
	for _, typ := range []dfa.Type{{Kind: dfa.Bool}, {Kind: dfa.Bool, True: []string{"wahr", "W", "1"}, False: []string{"falsch", "W", "0", "1"}}, {Kind: dfa.Bool, True: []string{"1"}}} {
		for i, column := range columnsOf(typ, "1") {
			x := convertTest{column: column, fields: withOddities(values), seed: uint64(i)}
			x.run(t, d)
		}
	}
}

func TestConvertEnums(t *testing.T) {
	d := openConvert(t)
	r := rand.New(rand.NewPCG(3, 4))
	for _, n := range []int{1, 2, 3, 16, 17, 300} {
		var tokens, values []string
		for i := range n {
			tokens = append(tokens, drawWord(r)+strconv.Itoa(i))
		}
		tokens = append(tokens, tokens[0], "")
		for _, s := range tokens {
			values = append(values, s, s+"x", strings.ToUpper(s), s[:len(s)/2], s+"\x00")
		}
		for i, column := range columnsOf(dfa.Type{Kind: dfa.Enum, Tokens: tokens}, tokens[n-1]) {
			x := convertTest{column: column, fields: withOddities(values), seed: uint64(i)}
			left := x.run(t, d)
			for _, row := range left {
				for _, s := range tokens[:n] {
					if string(x.fields[row].value) == s {
						t.Errorf("token %q of %d is left", s, n)
					}
				}
			}
		}
	}
}

func drawWord(r *rand.Rand) string {
	b := make([]byte, 1+r.IntN(24))
	for i := range b {
		b[i] = byte('a' + r.IntN(26))
	}
	return string(b)
}

// hardTexts are sequences right and wrong, by themselves.
var hardTexts = []string{"", "a", "é", "߿", "\xc1\xbf", "\xc2\x80", "\xc2", "\x80", "\xbf\xbf", "ࠀ", "\xe0\x9f\xbf", "퟿", "\xed\xa0\x80", "", "￿", "\xe2\x82", "\xe2", "\U00010000", "\xf0\x8f\xbf\xbf",
	"\U0010ffff", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xff", "\xfe", "\xf0\x9f\x98", "\xf0\x9f", "\xf0", "😀", "é\x80", "日本語\xbf", "\xc3a", "\xe2\x82a", "\xf0\x9f\x98a", "\xc3\xc3\xa9"}

func TestConvertTexts(t *testing.T) {
	d := openConvert(t)
	var values []string
	for _, s := range hardTexts {
		for _, pad := range []int{0, 1, 2, 3, 4, 13, 14, 15, 16, 17, 31, 57, 60, 61, 62, 63, 64, 65, 100, 600, 2100} {
			values = append(values, strings.Repeat("x", pad)+s, s+strings.Repeat("y", pad), strings.Repeat("é", pad/2)+s+strings.Repeat("x", pad))
		}
	}
	values = append(values, "NULL", " NULL ", "NA", "-", " ", "\t \t", " a ", "  "+strings.Repeat("long ", 30)+" ", strings.Repeat(" ", 5000), strings.Repeat("t", 70))
	values = append(values, hardNumbers...)
	for _, policy := range []dfa.UTF8Policy{dfa.RejectUTF8, dfa.ReplaceUTF8, dfa.KeepUTF8} {
		for i, column := range append(columnsOf(dfa.Type{Kind: dfa.String}, "ünset"), dfa.Column{Nulls: []string{"", strings.Repeat("t", 70), "é"}}, dfa.Column{Type: dfa.Type{Kind: dfa.Binary}, Trim: true}) {
			x := convertTest{column: column, utf8: policy, fields: withOddities(values), seed: uint64(i)}
			x.run(t, d)
		}
	}
}

// Texts that more than a warp checks, a fault anywhere.
func TestConvertLongTexts(t *testing.T) {
	d := openConvert(t)
	r := rand.New(rand.NewPCG(5, 6))
	for _, n := range []int{32<<10 - 1, 32 << 10, 32<<10 + 1, 50000, 300000} {
		for _, scattered := range []bool{false, true} {
			x := convertTest{seed: uint64(n)}
			var bad []int
			for i := range 12 {
				s := []byte(strings.ToValidUTF8(strings.Repeat("ein längerer Text; ", n/20+1)[:n-1], "x") + "!")
				if i%2 == 1 {
					s[r.IntN(n)] = 0x80 | byte(r.Uint32())
				}
				if i%4 == 2 {
					s = []byte(strings.Repeat("x", n))
				}
				if i == 11 {
					s[n-1] = 0xe2
				}
				x.fields = append(x.fields, testField{value: s, scattered: scattered}, testField{value: []byte("short")}, testField{})
				if i%2 == 1 {
					bad = append(bad, len(x.fields)-3)
				}
			}
			left := x.run(t, d)
			if len(left) <= len(bad) {
				continue
			}
			t.Errorf("%d of %d texts of %d bytes are left, at most %d are wrong", len(left), len(x.fields), n, len(bad))
		}
	}
}

// A few bytes that lie far apart.
func TestConvertTextsSpreadWidely(t *testing.T) {
	d := openConvert(t)
	for _, n := range []int{2, 10, 64, 65} {
		for _, gap := range []int{100, 5000, 40000, 100000} {
			var fields []testField
			for _, s := range []string{strings.Repeat("x", n), strings.Repeat("é", n/2), strings.Repeat("x", n-1) + "\xff", "\xc3" + strings.Repeat("x", n-1), strings.Repeat("x", n-1) + "\xe2"} {
				fields = append(fields, testField{value: []byte(s), scattered: true, gap: gap}, testField{value: []byte("é")})
			}
			for _, column := range []dfa.Column{{}, {Trim: true}, {Nulls: []string{strings.Repeat("x", n)}}} {
				x := convertTest{column: column, fields: fields, seed: uint64(n)}
				x.run(t, d)
			}
		}
	}
}
